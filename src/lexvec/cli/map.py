"""``lexvec map``: a picture of words."""

from pathlib import Path

import click

from ..errors import ParameterError
from ..storage.outputs import check_file_output, write_text
from ..trained import Combine
from ..vectors import WordMap, WordVectors
from .console import Console, console_flags
from .flags import combine_flag, json_flag
from .output import report
from .paths import InputPath, OutputPath


@click.command()
@click.argument("vectors", type=InputPath())
@click.argument("groups", nargs=-1, required=True)
@click.option("--output", "-o", type=OutputPath(), required=True, metavar="FILE", help="Picture to write (.svg).")
@click.option("--force", is_flag=True, help="Replace the picture if it exists.")
@click.option(
    "--neighbors",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Add the N nearest neighbours of each word.",
)
@click.option(
    "--join", is_flag=True, help="Draw a line through the words of each group, and colour words by their place in it."
)
@combine_flag
@json_flag
@console_flags
def map(  # noqa: A001 (the command's name)
    vectors: Path,
    groups: tuple[str, ...],
    output: Path,
    force: bool,
    neighbors: int,
    join: bool,
    combine: Combine,
    as_json: bool,
    console: Console,
) -> None:
    """Draw a map of words as an SVG picture.

    The map shows the plane of the two directions in which the vectors differ most. VECTORS is a folder written by
    lexvec train, or vectors in any format that lexvec convert reads.

    Each of GROUPS is a word, or several words separated by commas, which share a colour: cat,dog,horse red,green,blue.
    """
    if output.suffix.lower() != ".svg":
        raise ParameterError(f"{output} is not a name for an SVG picture: give one that ends in .svg")
    check_file_output(output, force=force)
    store = WordVectors.load(vectors, combine=combine, progress=console.progress)
    drawn = WordMap.of(
        store, [list(filter(None, group.split(","))) for group in groups], neighbors=neighbors, join=join
    )
    write_text(output, drawn.svg())
    words = dict(zip(drawn.words, drawn.points, strict=True))
    record = {"path": str(output.absolute()), "share": drawn.share, "words": words}
    if drawn.composed:
        record["composed"] = drawn.composed
    report(record, f"{output}: {drawn.caption}", console, as_json=as_json)
