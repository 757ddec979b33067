"""``lexvec analogy``: a is to b as c is to which word?"""

from pathlib import Path

import click

from ..trained import Combine
from ..vectors.word_vectors import Method
from .output import Console
from .paths import InputPath
from .queries import Answer, answer, query_flags, searchable


@click.command()
@click.argument("vectors", type=InputPath())
@click.argument("words", nargs=-1, metavar="[A B C]")
@click.option(
    "--method",
    type=click.Choice(["add", "mul"]),
    default="add",
    show_default=True,
    help="How to score candidates: by a sum of cosines (3CosAdd) or a product (3CosMul).",
)
@query_flags
def analogy(
    vectors: Path,
    words: tuple[str, ...],
    method: Method,
    count: int,
    combine: Combine,
    limit: int | None,
    console: Console,
) -> None:
    """Answer: A is to B as C is to which word?

    VECTORS is a folder written by lexvec train, or vectors in any format that lexvec convert reads. If you omit the
    words, each line of standard input is one question of three words. If VECTORS has n-grams, vectors of words that are
    not in the vocabulary are composed from them, and marked.
    """
    if words and len(words) != 3:
        raise click.UsageError("Give three words, A B C, or none to read them from standard input.")
    store = searchable(vectors, combine=combine, limit=limit, console=console)

    def ask(given: list[str]) -> Answer:
        return Answer.of(store, given, store.analogy(*given, method=method, count=count))

    answer(words, 3, ask, prompt="a b c", console=console)
