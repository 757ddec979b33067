"""``lexvec count``: from a corpus to co-occurrence counts."""

from pathlib import Path
from typing import Any

import click

from ..cooccurrence import CooccurrenceCounter
from ..corpus import Corpus
from ..storage.outputs import check_file_output
from .console import Console
from .flags import output_flags, parameter_flags
from .output import made


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@output_flags
@click.option(
    "--go-vocabulary",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write words and contexts as a vocabulary of the authors' program: FILE and FILE.context.",
)
@parameter_flags(CooccurrenceCounter)
def count(
    corpus: Path,
    output: Path,
    force: bool,
    as_json: bool,
    console: Console,
    go_vocabulary: Path | None,
    **parameters: Any,
) -> None:
    """Count how often words co-occur in an encoded corpus.

    CORPUS is a folder written by lexvec corpus. DIR receives the counts as a sparse matrix in CSR format (indptr.npy,
    indices.npy and data.npy) and its totals. The result does not depend on --memory or --threads.
    """
    counter = CooccurrenceCounter(**parameters)
    for file in (go_vocabulary, Path(f"{go_vocabulary}.context")) if go_vocabulary else ():
        check_file_output(file, force=force)
    counts = counter.count(Corpus.load(corpus), output, force=force, progress=console.progress)
    if go_vocabulary:
        counts.save_vocabulary(go_vocabulary)
    made(counts, console, as_json=as_json)
