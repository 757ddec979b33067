"""``lexvec map``: a picture of words."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click

from ..files import check_output, replacing
from ..plots import word_map
from ..vectors import WordVectors
from ..vectors.model import Combine
from .flags import combine_flag, json_flag
from .made import report
from .talk import Talk, talking


@click.command()
@click.argument("vectors", type=click.Path(path_type=Path))
@click.argument("groups", nargs=-1, required=True)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The picture to make (.svg)."
)
@click.option("--force", is_flag=True, help="Replace the picture if it exists.")
@click.option(
    "--neighbors", type=click.IntRange(0), default=0, show_default=True, help="Add so many neighbours of each word."
)
@click.option("--join", is_flag=True, help="Draw a line through the words of each group, and colour them by place.")
@combine_flag
@json_flag
@talking
def map(  # noqa: A001 (the command's name)
    vectors: Path,
    groups: tuple[str, ...],
    output: Path,
    force: bool,
    neighbors: int,
    join: bool,
    combine: Combine,
    as_json: bool,
    talk: Talk,
) -> None:
    """Draw a map of words: an SVG picture of the two directions in which their vectors differ most.

    Each of GROUPS is a word, or several with commas between them, which get one colour: cat,dog,horse red,green,blue.
    """
    check_output(output, force=force)
    store = WordVectors.load(vectors, combine=combine, progress=talk.progress)
    members = _members(store, groups, neighbors)
    words = [word for group in members for word in group]
    found = store.plane(words)
    kinds = [place if join else kind for kind, group in enumerate(members) for place, _ in enumerate(group)]
    ends = [len(group) for group in members]
    starts = [sum(ends[:number]) for number in range(len(ends))]
    lines = [line for start, end in zip(starts, ends, strict=True) for line in pairwise(range(start, start + end))]
    caption = f"{len(words)} words; the plane shows {found.share:.0%} of what sets their vectors apart"
    points = [(x, y) for x, y in found.points.tolist()]
    picture = word_map(words, points, kinds, lines=lines if join else (), caption=caption)
    with replacing(output, force=force) as file:
        file.write(picture.encode())
    record = {"path": str(output.absolute()), "share": found.share, "words": dict(zip(words, points, strict=True))}
    report(record, f"{output}: {caption}", talk, as_json=as_json)


def _members(store: WordVectors, groups: Sequence[str], neighbors: int) -> list[list[str]]:
    """The words of each group, with their neighbours; a word that several groups have is of the first."""
    asked = [list(filter(None, group.split(","))) for group in groups]
    owners = {word: number for number, group in reversed(list(enumerate(asked))) for word in group}
    if neighbors:
        for number, group in enumerate(asked):
            for found in store.neighbors(group, count=neighbors):
                for word, _ in found:
                    owners.setdefault(word, number)
    return [[word for word, owner in owners.items() if owner == number] for number in range(len(asked))]
