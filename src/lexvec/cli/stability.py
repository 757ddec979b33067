"""``lexvec stability``: how much neighbours would change with another sample of the text."""

from pathlib import Path
from typing import Any

import click

from ..lab import Stability
from ..lab.stability_report import StabilityReport
from ..models import MODELS
from ..trained import Combine
from .failures import resumable
from .flags import gathered_parameters, merged_flags, model_flag, typed
from .options import TextFlags, output_flag, report_flags, text_flags, vector_flags
from .output import Console
from .paths import InputPath


@click.command()
@click.argument("corpus", type=InputPath())
@output_flag("Folder to work in.", force=None)
@click.option(
    "--words", multiple=True, metavar="WORDS", help="Words to report, separated by commas; may be repeated."
)  # fmt: skip
@model_flag(MODELS)
@text_flags
@vector_flags()
@report_flags()
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
    console: Console,
    measured: Stability,
    **parameters: Any,
) -> None:
    """Measure how much neighbours would change with another sample of the text.

    CORPUS is text, or a folder written by lexvec corpus. The model is trained on the corpus and on bootstrap samples of
    its sentences, as Antoniak and Mimno (2018) suggest. The report shows how neighbours and cosines vary between
    samples, for WORDS and by frequency. DIR holds what is found in each run; the same command resumes after an
    interruption, and a larger --runs adds samples.
    """
    given = typed(context, parameters)
    chosen = [word for text in words for word in text.split(",") if word]
    with resumable():
        found = measured.measure(
            MODELS[model].of(given),
            str(corpus),
            output,
            words=chosen,
            combine=combine,
            builder=text.builder(),
            progress=console.progress,
        )
    console.show_report(StabilityReport(found), output)
