"""``lexvec embed``: vectors of sentences."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import click
import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from ..storage.files import STDIN
from ..storage.outputs import check_file_output, replacing
from ..trained import Combine
from ..vectors import SentenceRules, WordVectors
from ..vectors.sentences import encode
from .flags import gathered_parameters
from .inputs import TextLines
from .options import output_flag, report_flags, vector_flags
from .output import Console, counted
from .paths import InputPath


@click.command()
@click.argument("vectors", type=InputPath())
@click.argument("text", type=InputPath(), default=STDIN, required=False)
@output_flag(
    "NumPy file to write (.npy). [default: standard output]",
    metavar="FILE",
    required=False,
    force="Replace the output file if it exists.",
)
@click.option("--tokenized", is_flag=True, help="Split lines at whitespace and change nothing else in them.")
@vector_flags(limit="Use only the first N words of VECTORS.")
@report_flags()
@gathered_parameters("rules", SentenceRules)
def embed(
    vectors: Path,
    text: Path,
    output: Path | None,
    force: bool,
    tokenized: bool,
    combine: Combine,
    limit: int | None,
    console: Console,
    rules: SentenceRules,
) -> None:
    """Turn each line of text into a vector.

    The vector of a line is the weighted mean of the vectors of its words. The result is a NumPy array with one row per
    line. Lines are normalised as the text that VECTORS were trained on. VECTORS is a folder written by lexvec train, or
    vectors in any format that lexvec convert reads. TEXT is a file, plain or compressed; if you omit it, lines come
    from standard input: lexvec embed VECTORS < lines.txt > vectors.npy
    """
    if output is None and console.as_json:
        raise ParameterError("--json prints what was written, and standard output has the vectors: add --output FILE")
    if output is None and sys.stdout.isatty():
        raise ParameterError("vectors cannot be shown on a terminal: add --output FILE, or redirect standard output")
    if output is not None:
        check_file_output(output, force=force)
    store = WordVectors.load(vectors, combine=combine, limit=limit, progress=console.progress)
    lines = TextLines(text, tokenized=tokenized)
    found = encode(store, lines, rules, progress=console.progress)
    lines.note(console.progress)
    if output is None:
        _write(sys.stdout.buffer, found.matrix)
        sys.stdout.buffer.flush()  # what goes wrong is reported here, not as Python exits
        return
    with replacing(output, force=force) as file:
        _write(file, found.matrix)
    figures = {"path": str(output.absolute()), "dim": store.dim, "bytes": output.stat().st_size}
    summary = f"{output}: {counted(len(found.matrix), 'sentence')}, {counted(store.dim, 'dimension')}"
    console.report({**figures, **asdict(found.report)}, summary)


def _write(file: BinaryIO, matrix: npt.NDArray[np.float32]) -> None:
    """Write an array as numpy.save does; that function hides why a pipe could not be written to."""
    header = {"descr": "<f4", "fortran_order": False, "shape": matrix.shape}
    np.lib.format.write_array_header_1_0(file, header)
    file.write(np.ascontiguousarray(matrix, "<f4").data)
