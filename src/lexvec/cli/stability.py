"""``lexvec stability``: how much neighbours change if the text were another sample."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..corpus import CorpusBuilder
from ..models import MODELS
from ..stability import Stability
from ..stability.report import StabilityReport
from ..vectors.model import Combine
from .console import Console, console_flags
from .failures import complain
from .flags import OpenChoice, combine_flag, json_flag, merged_flags, parameter_flags
from .output import show_report


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to work in."
)
@click.option(
    "--words", multiple=True, metavar="WORDS", help="Words to report, separated by commas; may be repeated."
)  # fmt: skip
@click.option("--model", type=OpenChoice(MODELS), default="lexvec", show_default=True, help="Model to train.")
@click.option("--min-count", type=int, help="Drop words that occur less often, if CORPUS is text. [default: 100]")
@combine_flag
@json_flag
@console_flags
@parameter_flags(Stability)
@merged_flags(MODELS)
@click.pass_context
def stability(
    context: click.Context,
    /,
    corpus: Path,
    output: Path,
    words: tuple[str, ...],
    model: str,
    min_count: int | None,
    combine: Combine,
    as_json: bool,
    console: Console,
    runs: int,
    neighbors: int,
    block: int,
    confidence: float,
    **parameters: Any,
) -> None:
    """Measure how much neighbours change if the text were another sample.

    CORPUS is text, or a folder written by lexvec corpus. The model is trained on the corpus and on bootstrap samples of
    its sentences, as Antoniak and Mimno (2018) suggest. The report shows how neighbours and cosines vary between
    samples, for WORDS and by frequency. DIR holds what is found in each run; the same command resumes after an
    interruption, and a larger --runs adds samples.
    """
    given = {
        name: value
        for name, value in parameters.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    chosen = [word for text in words for word in text.split(",") if word]
    builder = None if min_count is None else CorpusBuilder(min_count=min_count)
    measured = Stability(runs=runs, neighbors=neighbors, block=block, confidence=confidence)
    try:
        found = measured.measure(
            MODELS[model].of(given),
            str(corpus),
            output,
            words=chosen,
            combine=combine,
            builder=builder,
            progress=console.progress,
        )
    except KeyboardInterrupt:
        complain("stopped; run the same command to resume")
        context.exit(130)
    report = StabilityReport(found)
    show_report(report, output, console, as_json=as_json)
