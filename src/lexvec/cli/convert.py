"""``lexvec convert``: vectors from one format to another."""

from pathlib import Path

import click

from ..errors import ParameterError
from ..vectors import FORMATS, WordVectors
from ..vectors.formats import Combine, prepare
from ..vectors.formats.folder import VectorsFolder
from .console import Console, console_flags
from .flags import OpenChoice, combine_flag, json_flag
from .output import described, report

_FORMATS = "; ".join(
    f"{name}: {format_.help} ({' '.join(suffix or 'no suffix' for suffix in format_.suffixes) or 'only by --format'})"
    for name, format_ in FORMATS.items()
)


@click.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("output", metavar="OUT")
@combine_flag
@click.option(
    "--format",
    "format_name",
    type=OpenChoice(FORMATS),
    help=f"Format of OUT. [default: chosen by its name] {_FORMATS}.",
)
@click.option("--limit", type=click.IntRange(1), help="Convert only the first N words.", metavar="N")
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@json_flag
@console_flags
def convert(
    source: Path,
    output: str,
    combine: Combine,
    format_name: str | None,
    limit: int | None,
    force: bool,
    as_json: bool,
    console: Console,
) -> None:
    """Convert vectors from any format to another.

    IN is a model written by lexvec train, or vectors in one of the formats of --format, plain or compressed (.gz .bz2
    .xz .zst); its content decides its format. The name of OUT decides the format and the compression of the result.
    """
    if output == "-":
        raise ParameterError("vectors cannot be written to standard output: give the name of a file or folder")
    if Path(output).resolve() == source.resolve() and (source / "C.npy").exists():
        raise ParameterError(f"{output} is a trained model and holds more than vectors: choose another output")
    name = prepare(output, format=format_name, force=force)
    vectors = WordVectors.load(source, combine=combine, limit=limit, progress=console.progress)
    vectors.save(output, format=name, force=force, progress=console.progress)
    path = Path(output)
    if path.is_dir():
        record = described(VectorsFolder.load(path))
    else:
        figures = {"words": len(vectors), "dim": vectors.dim, "bytes": path.stat().st_size}
        record = {"path": str(path.absolute()), **figures, "format": name}
    summary = f"{output}: {len(vectors):,} words, {vectors.dim} dimensions, {name}"
    report(record, summary, console, as_json=as_json)
