"""``lexvec count``: a corpus to co-occurrence counts."""

from pathlib import Path
from typing import Any

import click

from ..cooccurrence import CooccurrenceCounter
from ..corpus import Corpus
from .flags import output_flags, parameter_flags
from .info import summary
from .progress import shown


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@output_flags
@parameter_flags(CooccurrenceCounter)
def count(corpus: Path, output: Path, force: bool, quiet: bool, **parameters: Any) -> None:
    """Count how often words co-occur in an encoded corpus.

    CORPUS is a folder made by lexvec corpus. DIR then holds the counts as a sparse matrix: indptr.npy, indices.npy and
    data.npy (CSR), with its totals. The result is the same for any --memory and any --threads.
    """
    counter = CooccurrenceCounter(**parameters)
    made = counter.count(Corpus.load(corpus), output, force=force, progress=shown(quiet))
    if not quiet:
        summary(made)
    if not made.meta["facts"]["cells"]:
        kept, tokens = made.meta["facts"]["tokens_kept"], made.meta["facts"]["tokens"]
        click.echo(
            f"no pair is left: subsampling kept {kept:,} of {tokens:,} tokens; a small corpus wants a larger "
            "--subsample (or 0, for none)",
            err=True,
        )
