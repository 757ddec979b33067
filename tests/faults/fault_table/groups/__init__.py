"""The rows, one file per group."""

from ..case import Row
from . import corpus, environment, evaluation, folders, parameters, python_calls, remote, vector_files

#: All rows but those of the crash group, which are made by `fault_table.crash`.
ROWS: list[Row] = [
    *corpus.ROWS,
    *parameters.ROWS,
    *python_calls.ROWS,
    *folders.ROWS,
    *vector_files.ROWS,
    *environment.ROWS,
    *evaluation.ROWS,
    *remote.ROWS,
]
