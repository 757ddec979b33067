"""``lexvec embed``: vectors of sentences."""

import io
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..errors import ParameterError
from ..storage.files import STDIN, check_output, opened, replacing
from ..vectors import SentenceRules, WordVectors
from ..vectors.model import Combine
from ..vectors.sentences import encode
from .console import Console, console_flags
from .flags import combine_flag, json_flag, parameter_flags
from .output import report


@click.command()
@click.argument("vectors", type=click.Path(path_type=Path))
@click.argument("text", type=click.Path(path_type=Path), default=STDIN, required=False)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="NumPy file to write (.npy). [default: standard output]",
)
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@click.option("--tokenized", is_flag=True, help="Split lines at whitespace and change nothing else in them.")
@combine_flag
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use only the first N words of VECTORS.")
@json_flag
@console_flags
@parameter_flags(SentenceRules)
def embed(
    vectors: Path,
    text: Path,
    output: Path | None,
    force: bool,
    tokenized: bool,
    combine: Combine,
    limit: int | None,
    as_json: bool,
    console: Console,
    **rules: Any,
) -> None:
    """Turn each line of text into a vector.

    The vector of a line is the weighted mean of the vectors of its words. The result is a NumPy array with one row per
    line. Lines are normalised as the text that VECTORS were trained on. VECTORS is a folder written by lexvec train, or
    vectors in any format that lexvec convert reads. TEXT is a file, plain or compressed; if you omit it, lines come
    from standard input: lexvec embed VECTORS < lines.txt > vectors.npy
    """
    if output is None and as_json:
        raise ParameterError("--json prints what was written, and standard output has the vectors: add --output FILE")
    if output is None and sys.stdout.isatty():
        raise ParameterError("vectors cannot be shown on a terminal: add --output FILE, or redirect standard output")
    if output is not None:
        check_output(output, force=force)
    checked = SentenceRules.of(rules)
    store = WordVectors.load(vectors, combine=combine, limit=limit, progress=console.progress)
    lines: Iterator[Any] = _lines(text)
    if tokenized:
        lines = map(str.split, lines)
    found = encode(store, lines, checked, progress=console.progress)
    if output is None:
        _write(sys.stdout.buffer, found.matrix)
        return
    with replacing(output, force=force) as file:
        _write(file, found.matrix)
    figures = {"path": str(output.absolute()), "dim": store.dim, "bytes": output.stat().st_size}
    summary = f"{output}: {len(found.matrix):,} sentences, {store.dim} dimensions"
    report({**figures, **asdict(found.report)}, summary, console, as_json=as_json)


def _lines(path: Path) -> Iterator[str]:
    """Yield lines without their ends; bytes that are not UTF-8 separate words, as they do in training."""
    with opened(path) as reader:
        for line in io.TextIOWrapper(reader.stream, encoding="utf-8-sig", errors="replace", newline="\n"):
            yield line.rstrip("\r\n")


def _write(file: Any, matrix: Any) -> None:
    np.lib.format.write_array(file, np.ascontiguousarray(matrix), version=(1, 0), allow_pickle=False)
