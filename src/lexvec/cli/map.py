"""``lexvec map``: a picture of words."""

from pathlib import Path

import click

from ..errors import ParameterError
from ..storage.outputs import check_file_output, write_text
from ..trained import Combine
from ..vectors import WordMap, WordVectors
from .options import output_flag, report_flags, vector_flags
from .output import Console
from .paths import InputPath


@click.command()
@click.argument("vectors", type=InputPath())
@click.argument("groups", nargs=-1, required=True)
@output_flag("Picture to write (.svg).", metavar="FILE", force="Replace the picture if it exists.")
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
@vector_flags()
@report_flags()
def map(  # noqa: A001 (the command's name)
    vectors: Path,
    groups: tuple[str, ...],
    output: Path,
    force: bool,
    neighbors: int,
    join: bool,
    combine: Combine,
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
    console.report(record, f"{output}: {drawn.caption}")
