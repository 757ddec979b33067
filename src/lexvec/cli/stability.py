"""``lexvec stability``: how much neighbours change if the text were another sample."""

from pathlib import Path
from typing import Any

import click

from ..lab import Stability
from ..lab.stability_report import StabilityReport
from ..models import MODELS
from ..trained import Combine
from .console import Console, console_flags
from .failures import complain
from .flags import OpenChoice, combine_flag, gathered_parameters, json_flag, merged_flags, typed
from .output import show_report
from .paths import InputPath, OutputPath
from .text_flags import TextFlags, text_flags


@click.command()
@click.argument("corpus", type=InputPath())
@click.option("--output", "-o", type=OutputPath(), required=True, metavar="DIR", help="Folder to work in.")
@click.option(
    "--words", multiple=True, metavar="WORDS", help="Words to report, separated by commas; may be repeated."
)  # fmt: skip
@click.option("--model", type=OpenChoice(MODELS), default="lexvec", show_default=True, help="Model to train.")
@text_flags
@combine_flag
@json_flag
@console_flags
@gathered_parameters("measured", Stability)
@merged_flags(MODELS)
@click.pass_context
def stability(
    context: click.Context,
    /,
    corpus: Path,
    output: Path,
    words: tuple[str, ...],
    model: str,
    text: TextFlags,
    combine: Combine,
    as_json: bool,
    console: Console,
    measured: Stability,
    **parameters: Any,
) -> None:
    """Measure how much neighbours change if the text were another sample.

    CORPUS is text, or a folder written by lexvec corpus. The model is trained on the corpus and on bootstrap samples of
    its sentences, as Antoniak and Mimno (2018) suggest. The report shows how neighbours and cosines vary between
    samples, for WORDS and by frequency. DIR holds what is found in each run; the same command resumes after an
    interruption, and a larger --runs adds samples.
    """
    given = typed(context, parameters)
    chosen = [word for text in words for word in text.split(",") if word]
    try:
        found = measured.measure(
            MODELS[model].of(given),
            str(corpus),
            output,
            words=chosen,
            combine=combine,
            builder=text.builder(),
            progress=console.progress,
        )
    except KeyboardInterrupt:
        complain("stopped; run the same command to resume")
        context.exit(130)
    report = StabilityReport(found)
    show_report(report, output, console, as_json=as_json)
