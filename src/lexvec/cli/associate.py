"""``lexvec associate``: from counts to an association matrix."""

from pathlib import Path
from typing import Any

import click

from ..association import Associator
from ..cooccurrence import Cooccurrence
from .flags import parameter_flags
from .options import output_flag, report_flags
from .output import Console
from .paths import InputPath


@click.command()
@click.argument("counts", type=InputPath())
@output_flag()
@report_flags()
@parameter_flags(Associator)
def associate(counts: Path, output: Path, force: bool, console: Console, **parameters: Any) -> None:
    """Turn counts into an association matrix, such as PPMI*.

    COUNTS is a folder written by lexvec count. DIR receives the matrix as indptr.npy, indices.npy and data.npy (CSR
    format, 8 bytes per cell).
    """
    associator = Associator(**parameters)
    matrix = associator.associate(Cooccurrence.load(counts), output, force=force, progress=console.progress)
    console.report_folder(matrix)
