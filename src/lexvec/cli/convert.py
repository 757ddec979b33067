"""``lexvec convert``: vectors from one format to another, and to fewer words, dimensions and bytes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..errors import InputError, ParameterError
from ..evaluation import Evaluator
from ..presentation.render import render
from ..storage.bounded import numbered_lines
from ..storage.files import opened
from ..vectors import FORMATS, Reduction, SentenceRules, WordVectors
from ..vectors.encodings import PLAIN
from ..vectors.formats import Combine, prepare
from ..vectors.formats.exports import ExportFolder
from ..vectors.formats.folder import VectorsFolder
from ..vectors.formats.model2vec import DTYPES
from .flags import OpenChoice, gathered_parameters, optional_flags
from .inputs import TextLines
from .options import ChosenSets, report_flags, set_flags, vector_flags
from .output import Console, counted, described, size
from .paths import InputPath, OutputPath

_FORMATS = "; ".join(
    f"{name}: {format_.help} ({' '.join(suffix or 'no suffix' for suffix in format_.suffixes) or 'only by --format'})"
    for name, format_ in FORMATS.items()
)
_MODEL2VEC = "model2vec"


@click.command()
@click.argument("source", metavar="IN", type=InputPath())
@click.argument("output", metavar="OUT", type=OutputPath(path_type=str))
@vector_flags()
@click.option(
    "--format",
    "format_name",
    type=OpenChoice(FORMATS),
    help=f"Format of OUT. [default: chosen by its name] {_FORMATS}.",
)
@click.option(
    "--words",
    "words_file",
    type=InputPath(),
    metavar="FILE",
    help="Convert only the words in FILE, one per line. Words that IN does not have are counted and reported.",
)
@gathered_parameters("reduction", Reduction)
@optional_flags(SentenceRules, ("weights", "a"), f"With --format {_MODEL2VEC}")
@click.option(
    "--component-of",
    type=InputPath(),
    metavar="FILE",
    help=f"With --format {_MODEL2VEC}: Remove from all sentences the first singular vector of the lines in FILE.",
)
@click.option("--evaluate", is_flag=True, help="Score IN and OUT on test sets, and print both tables.")
@set_flags()
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@report_flags()
def convert(
    source: Path,
    output: str,
    combine: Combine,
    format_name: str | None,
    words_file: Path | None,
    reduction: Reduction,
    evaluate: bool,
    chosen: ChosenSets,
    force: bool,
    console: Console,
    **sentences: Any,
) -> None:
    """Convert vectors from any format to another, and make them smaller.

    IN is a model written by lexvec train, or vectors in one of the formats of --format, plain or compressed (.gz .bz2
    .xz .zst .zip); its content decides its format. The name of OUT decides the format and the compression of the
    result. --words, --limit, --dim and --encoding are applied in this order; encodings need a folder as OUT, and
    model2vec takes float16.
    """
    if output == "-":
        raise ParameterError("vectors cannot be written to standard output: give the name of a file or folder")
    if chosen and not evaluate:
        raise ParameterError("--data and --sets are for scores: add --evaluate")
    name = prepare(output, format=format_name, force=force)
    given_rules = {rule: value for rule, value in sentences.items() if value is not None}
    exported = _export_options(name, reduction, given_rules, output)
    # Files have no counts and begin with frequent words, so that reading can stop early.
    first = reduction.limit if words_file is None and not source.is_dir() else None
    given = WordVectors.load(source, combine=combine, limit=first, progress=console.progress)
    vectors = given if words_file is None else _only(given, words_file, console)
    if exported:
        vectors = replace(reduction, encoding=None).apply(vectors, console.progress)
        vectors.save_model2vec(output, **exported, force=force, progress=console.progress)
    else:
        vectors = reduction.apply(vectors, console.progress)
        vectors.save(output, format=name, force=force, progress=console.progress)
    record, written = _record(Path(output), vectors, name)
    # Other programs' folders cannot be read back; what was written there is these vectors.
    after = vectors if FORMATS[name].read is None else None
    scores = _scores(given, after or WordVectors.load(output), chosen, console) if evaluate else {}
    summary = f"{output}: {counted(len(vectors), 'word')}, {counted(vectors.dim, 'dimension')}, {name}; {size(written)}"
    if scores and not console.as_json:
        click.echo("".join(f"{title}:\n{render(result, 'table')}\n\n" for title, result in scores.items()), nl=False)
    record |= {f"scores_{title}": result.as_dict() for title, result in scores.items()}
    console.report(record, summary)


def _export_options(name: str, reduction: Reduction, sentences: dict[str, Any], output: str) -> dict[str, Any]:
    """Return how to write a folder for model2vec; nothing for other formats, which have no such options."""
    if name != _MODEL2VEC:
        if sentences:
            flag = f"--{next(iter(sentences)).replace('_', '-')}"
            raise ParameterError(f"{flag} is for --format {_MODEL2VEC}, and {output} has the format {name}: omit it")
        if reduction.encoding not in (None, PLAIN) and name != "lexvec":
            advice = "omit its suffix" if FORMATS[name].suffixes else "omit --format"
            raise ParameterError(
                f"--encoding {reduction.encoding} needs a folder, and {output} has the format {name}: {advice}"
            )
        return {}
    dtype = reduction.encoding or PLAIN
    if dtype not in DTYPES:
        raise ParameterError(f"{_MODEL2VEC} has no encoding {dtype}: use one of {', '.join(DTYPES)}")
    if "component_of" in sentences:
        sentences["component_of"] = TextLines(sentences["component_of"])
    return {"dtype": dtype, **sentences}


def _only(vectors: WordVectors, file: Path, console: Console) -> WordVectors:
    """Return the vectors of the words in a file."""
    wanted: list[str] = []
    with opened(file) as reader:
        try:
            lines = (line.decode() for _, line in numbered_lines(reader.stream, reader.name))
            words = (word.strip() for line in lines for word in line.splitlines())
            wanted += dict.fromkeys(filter(None, words))
        except UnicodeDecodeError:
            raise InputError(f"{file} is not UTF-8: convert it first") from None
    if not wanted:
        raise InputError(f"{file} has no words: write one per line")
    found = vectors.subset(wanted, unknown="skip")
    if not len(found):
        raise InputError(f"none of the words in {file} has a vector: give others")
    if len(found) < len(wanted):
        missing = next(word for word in wanted if word not in found)
        count = len(wanted) - len(found)
        many = f"{count:,} words of {file} have no vector, such as {missing!r}"
        console.progress.note(many if count > 1 else f"the word {missing!r} of {file} has no vector")
    return found


def _record(path: Path, vectors: WordVectors, name: str) -> tuple[dict[str, Any], int]:
    """Return what is to be reported, and the bytes on disk."""
    if path.is_dir():
        folder = (ExportFolder if FORMATS[name].read is None else VectorsFolder).load(path)
        return described(folder), folder.bytes
    count = path.stat().st_size
    return {
        "path": str(path.absolute()),
        "words": len(vectors),
        "dim": vectors.dim,
        "bytes": count,
        "format": name,
    }, count


def _scores(before: WordVectors, after: WordVectors, chosen: ChosenSets, console: Console) -> dict[str, Any]:
    evaluator = Evaluator()
    both = {"before": before, "after": after}
    return {
        title: evaluator.evaluate(vectors, sets=chosen.names, data=chosen.data, progress=console.progress)
        for title, vectors in both.items()
    }
