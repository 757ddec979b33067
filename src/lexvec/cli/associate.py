"""``lexvec associate``: counts to a matrix of association."""

from pathlib import Path
from typing import Any

import click

from ..association import Associator
from ..cooccurrence import Cooccurrence
from .console import Console
from .flags import output_flags, parameter_flags
from .output import made


@click.command()
@click.argument("counts", type=click.Path(path_type=Path))
@output_flags
@parameter_flags(Associator)
def associate(counts: Path, output: Path, force: bool, as_json: bool, console: Console, **parameters: Any) -> None:
    """Turn counts into a matrix of association, such as PPMI*.

    COUNTS is a folder made by lexvec count. DIR then holds the matrix: indptr.npy, indices.npy and data.npy (CSR, 8
    bytes a cell).
    """
    associator = Associator(**parameters)
    matrix = associator.associate(Cooccurrence.load(counts), output, force=force, progress=console.progress)
    made(matrix, console, as_json=as_json)
