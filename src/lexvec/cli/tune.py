"""``lexvec tune``: search for good parameters of a model."""

from pathlib import Path
from typing import Any, get_args

import click

from ..lab import Tuner
from ..lab.tuning_report import TuningReport
from ..models import MODELS
from ..parameters import declared
from ..trained import Combine
from .console import Console, console_flags
from .failures import complain
from .flags import OpenChoice, gathered, json_flag, merged_flags, parameter_flags, typed
from .output import show_report
from .paths import InputNames, InputPath, OutputPath, listed_files
from .set_flags import data_flag, split
from .text_flags import TextFlags, text_flags

_OF_MODELS = ("seed", "threads")  # parameters of the search that each model has, too


@click.command()
@click.argument("corpus", type=InputPath())
@click.option("--output", "-o", type=OutputPath(), required=True, metavar="DIR", help="Folder to work in.")
@click.option("--model", type=OpenChoice(MODELS), default="lexvec", show_default=True, help="Model to tune.")
@click.option(
    "--objective",
    type=InputNames(listed_files),
    multiple=True,
    metavar="SET[=WEIGHT]",
    help="Score to maximise: similarity or analogy (the mean of all sets that are found), the name of a set, or a file "
    "of your own. Several, separated by commas or repeated, make a weighted mean. [default: similarity]",
)
@click.option(
    "--search",
    multiple=True,
    metavar="NAME[=VALUES]",
    help="Search only this parameter and others named so; may be repeated. VALUES is LOW..HIGH, LOW..HIGH:log or a "
    "list A,B,C. NAME can be all, for the default: all parameters that declare a range, except those given as flags "
    "and subwords.",
)
@data_flag
@text_flags
@click.option(
    "--combine",
    type=click.Choice(get_args(Combine)),
    help="Vectors to score: those of words (W), of contexts (C), or their sum. [default: W and W + C of each trial, "
    "and the better ones count]",
)
@json_flag
@console_flags
@parameter_flags(Tuner, leave_out=_OF_MODELS)
@gathered("budget", dict, [name for name, *_ in declared(Tuner) if name not in _OF_MODELS])
@merged_flags(MODELS)
@click.pass_context
def tune(
    context: click.Context,
    /,
    corpus: Path,
    output: Path,
    model: str,
    objective: tuple[str, ...],
    search: tuple[str, ...],
    data: Path | None,
    text: TextFlags,
    combine: Combine | None,
    as_json: bool,
    console: Console,
    budget: dict[str, Any],
    **parameters: Any,
) -> None:
    """Search for good parameters of a model.

    CORPUS is text, or a folder written by lexvec corpus. Parameters given as flags are fixed; the others are searched.
    The test items are split in two halves: the search sees the development half, and the report gives scores of the
    test half. DIR holds all trials; the same command resumes after an interruption, and a larger --trials extends the
    search. At the end DIR has best.toml for lexvec --config, trials.csv and report.html. Needs the extra tune: pip
    install 'lexvec[tune]'.
    """
    fixed = typed(context, parameters)
    shared = {name: fixed[name] for name, *_ in declared(Tuner) if name in fixed}
    tuner = Tuner(**budget, **shared)
    try:
        tuned = tuner.tune(
            model,
            str(corpus),
            output,
            fixed={name: value for name, value in fixed.items() if name != "threads"},
            searched=search,
            objective=split(objective) or ["similarity"],
            combine=combine,
            builder=text.builder(),
            data=data,
            progress=console.progress,
        )
    except KeyboardInterrupt:
        complain("stopped; run the same command to resume")
        context.exit(130)
    report = TuningReport(tuned)
    show_report(report, output, console, as_json=as_json)
