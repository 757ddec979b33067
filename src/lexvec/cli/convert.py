"""``lexvec convert``: vectors from one format to another, and to fewer words, dimensions and bytes."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import click

from ..errors import InputError, ParameterError
from ..evaluation import Evaluator
from ..presentation.render import render
from ..storage.files import opened
from ..vectors import ENCODINGS, FORMATS, WordVectors
from ..vectors.encodings import PLAIN
from ..vectors.formats import Combine, prepare
from ..vectors.formats.exports.export_folder import ExportFolder
from ..vectors.formats.folder import VectorsFolder
from .console import Console, console_flags
from .evaluate import set_flags, split
from .flags import OpenChoice, combine_flag, json_flag
from .output import described, report

_FORMATS = "; ".join(
    f"{name}: {format_.help} ({' '.join(suffix or 'no suffix' for suffix in format_.suffixes) or 'only by --format'})"
    for name, format_ in FORMATS.items()
)
_ENCODINGS = "; ".join(f"{name}: {encoding.help}" for name, encoding in ENCODINGS.items())


class _Encodings(Collection[str]):
    """The names of all encodings, those of other packages too, looked up when the flag is used."""

    def __iter__(self) -> Iterator[str]:
        return iter((PLAIN, *ENCODINGS))

    def __len__(self) -> int:
        return 1 + len(ENCODINGS)

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


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
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Convert only the N most frequent words; the first N words if IN has no counts.",
    metavar="N",
)
@click.option(
    "--words",
    "words_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Convert only the words in FILE, one per line. Words that IN does not have are counted and reported.",
)
@click.option(
    "--dim", type=click.IntRange(1), metavar="D", help="Reduce the vectors to D dimensions by principal components."
)
@click.option(
    "--encoding",
    type=OpenChoice(_Encodings()),
    help=f"How a folder stores the numbers. [default: as IN does] {PLAIN}: 4 bytes per number; {_ENCODINGS}.",
)
@click.option(
    "--bytes",
    "size",
    type=click.IntRange(1),
    metavar="B",
    help="Bytes per word with --encoding pq. [default: a sixth of the dimensions]",
)
@click.option("--evaluate", is_flag=True, help="Score IN and OUT on test sets, and print both tables.")
@set_flags
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@json_flag
@console_flags
def convert(
    source: Path,
    output: str,
    combine: Combine,
    format_name: str | None,
    limit: int | None,
    words_file: Path | None,
    dim: int | None,
    encoding: str | None,
    size: int | None,
    evaluate: bool,
    data: Path | None,
    sets: tuple[str, ...],
    force: bool,
    as_json: bool,
    console: Console,
) -> None:
    """Convert vectors from any format to another, and make them smaller.

    IN is a model written by lexvec train, or vectors in one of the formats of --format, plain or compressed (.gz .bz2
    .xz .zst .zip); its content decides its format. The name of OUT decides the format and the compression of the
    result. --words, --limit, --dim and --encoding are applied in this order; encodings need a folder as OUT.
    """
    if output == "-":
        raise ParameterError("vectors cannot be written to standard output: give the name of a file or folder")
    if Path(output).resolve() == source.resolve() and (source / "C.npy").exists():
        raise ParameterError(f"{output} is a trained model and holds more than vectors: choose another output")
    if (data or sets) and not evaluate:
        raise ParameterError("--data and --sets are for scores: add --evaluate")
    name = prepare(output, format=format_name, force=force)
    if encoding not in (None, PLAIN) and name != "lexvec":
        raise ParameterError(
            f"--encoding {encoding} needs a folder, and {output} has the format {name}: omit its suffix"
        )
    if size is not None and encoding is None:
        raise ParameterError(f"--bytes {size} is for an encoding: add --encoding pq")
    # Files have no counts and begin with frequent words, so that reading can stop early.
    first = limit if words_file is None and not source.is_dir() else None
    given = WordVectors.load(source, combine=combine, limit=first, progress=console.progress)
    vectors = given if words_file is None else _only(given, words_file, console)
    vectors = vectors if limit is None else vectors.limit(limit)
    vectors = vectors if dim is None else vectors.reduced(dim)
    if encoding is not None:
        vectors = vectors.encoded(encoding, size=size, progress=console.progress)
    vectors.save(output, format=name, force=force, progress=console.progress)
    record, written = _record(Path(output), vectors, name)
    scores = _scores(given, WordVectors.load(output), sets, data, console) if evaluate else {}
    summary = f"{output}: {len(vectors):,} words, {vectors.dim} dimensions, {name}; {written / 1e6:,.1f} MB"
    if scores and not as_json:
        for title, result in scores.items():
            click.echo(f"{title}:\n{render(result, 'table')}\n")
    record |= {f"scores_{title}": result.as_dict() for title, result in scores.items()}
    report(record, summary, console, as_json=as_json)


def _only(vectors: WordVectors, file: Path, console: Console) -> WordVectors:
    """Return the vectors of the words in a file."""
    with opened(file) as reader:
        try:
            words = reader.stream.read().decode().splitlines()
        except UnicodeDecodeError:
            raise InputError(f"{file} is not UTF-8: convert it first") from None
    wanted = list(dict.fromkeys(word.strip() for word in words if word.strip()))
    found = vectors.subset(wanted, unknown="skip")
    if not len(found):
        raise InputError(f"none of the {len(wanted):,} words in {file} has a vector: give others")
    if len(found) < len(wanted):
        missing = next(word for word in wanted if word not in found)
        console.progress.note(f"{len(wanted) - len(found):,} words of {file} have no vector, such as {missing!r}")
    return found


def _record(path: Path, vectors: WordVectors, name: str) -> tuple[dict[str, Any], int]:
    """Return what is to be reported, and the bytes on disk."""
    if path.is_dir():
        folder = (ExportFolder if FORMATS[name].read is None else VectorsFolder).load(path)
        return described(folder), folder.bytes
    size = path.stat().st_size
    return {
        "path": str(path.absolute()),
        "words": len(vectors),
        "dim": vectors.dim,
        "bytes": size,
        "format": name,
    }, size


def _scores(
    before: WordVectors, after: WordVectors, sets: tuple[str, ...], data: Path | None, console: Console
) -> dict[str, Any]:
    evaluator = Evaluator()
    both = {"before": before, "after": after}
    return {
        title: evaluator.evaluate(vectors, sets=split(sets), data=data, progress=console.progress)
        for title, vectors in both.items()
    }
