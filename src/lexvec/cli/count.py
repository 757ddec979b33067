"""``lexvec count``: a corpus to co-occurrence counts."""

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

    CORPUS is a folder made by lexvec corpus. DIR then holds the counts as a sparse matrix: indptr.npy, indices.npy and
    data.npy (CSR), with its totals. The result is the same for any --memory and any --threads.
    """
    counter = CooccurrenceCounter(**parameters)
    counts = counter.count(Corpus.load(corpus), output, force=force, progress=console.progress)
    made(counts, console, as_json=as_json)
