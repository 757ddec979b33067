"""``lexvec count``: from a corpus to co-occurrence counts."""

from pathlib import Path
from typing import Any

import click

from ..cooccurrence import CooccurrenceCounter
from ..corpus import Corpus
from .console import Console
from .flags import output_flags, parameter_flags
from .output import made


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@output_flags
@parameter_flags(CooccurrenceCounter)
def count(corpus: Path, output: Path, force: bool, as_json: bool, console: Console, **parameters: Any) -> None:
    """Count how often words co-occur in an encoded corpus.

    CORPUS is a folder written by lexvec corpus. DIR receives the counts as a sparse matrix in CSR format (indptr.npy,
    indices.npy and data.npy) and its totals. The result does not depend on --memory or --threads.
    """
    counter = CooccurrenceCounter(**parameters)
    counts = counter.count(Corpus.load(corpus), output, force=force, progress=console.progress)
    made(counts, console, as_json=as_json)
