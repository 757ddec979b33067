"""``lexvec count``: from a corpus, or text, to co-occurrence counts."""

from pathlib import Path
from typing import Any

import click

from ..cooccurrence import CooccurrenceCounter
from ..storage.outputs import check_file_output
from .flags import parameter_flags
from .options import TextFlags, output_flag, report_flags, text_flags
from .output import Console
from .paths import InputPath, OutputPath


@click.command()
@click.argument("corpus", type=InputPath())
@output_flag()
@report_flags()
@click.option(
    "--go-vocabulary",
    type=OutputPath(".context"),
    metavar="FILE",
    help="Also write words and contexts as a vocabulary of the authors' program: FILE and FILE.context.",
)
@text_flags
@parameter_flags(CooccurrenceCounter)
def count(
    corpus: Path,
    output: Path,
    force: bool,
    console: Console,
    go_vocabulary: Path | None,
    text: TextFlags,
    **parameters: Any,
) -> None:
    """Count how often words co-occur in a corpus, or in text.

    CORPUS is a folder written by lexvec corpus, or text, which is encoded first. DIR receives the counts as a sparse
    matrix in CSR format (indptr.npy, indices.npy and data.npy) and its totals. The result does not depend on --memory
    or --threads.
    """
    counter = CooccurrenceCounter(**parameters)
    for file in (go_vocabulary, Path(f"{go_vocabulary}.context")) if go_vocabulary else ():
        check_file_output(file, force=force)
    counts = counter.count(str(corpus), output, builder=text.builder(), force=force, progress=console.progress)
    if go_vocabulary:
        counts.save_vocabulary(go_vocabulary)
    console.report_folder(counts)
