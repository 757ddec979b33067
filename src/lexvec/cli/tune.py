"""``lexvec tune``: search for good parameters of a model."""

from pathlib import Path
from typing import Any

import click

from ..lab import Tuner
from ..lab.tuning_report import TuningReport
from ..models import MODELS
from ..parameters import declared
from ..trained import Combine
from .failures import resumable
from .flags import gathered, merged_flags, model_flag, parameter_flags, typed
from .options import TextFlags, data_flag, output_flag, report_flags, split, text_flags, vector_flags
from .output import Console
from .paths import InputNames, InputPath, listed_files

_OF_MODELS = ("seed", "threads")  # parameters of the search that each model has, too


@click.command()
@click.argument("corpus", type=InputPath())
@output_flag("Folder to work in.", force=None)
@model_flag(MODELS, "Model to tune.")
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
@vector_flags(
    "Vectors to score: those of words (W), of contexts (C), or their sum. [default: W and W + C of each trial, and the "
    "better ones count]",
    default=None,
)
@report_flags()
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
    with resumable():
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
    console.show_report(TuningReport(tuned), output)
