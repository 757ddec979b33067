"""``lexvec neighbors``: the words nearest to others."""

from pathlib import Path

import click

from ..trained import Combine
from .output import Console
from .paths import InputPath
from .queries import Answer, answer, query_flags, searchable


def one(given: list[str]) -> str:
    """Return the only word of a question."""
    if len(given) != 1:
        raise click.UsageError(f"give one word with --contexts, not {len(given)}.")
    return given[0]


@click.command()
@click.argument("vectors", type=InputPath())
@click.argument("words", nargs=-1)
@query_flags
@click.option(
    "--contexts",
    is_flag=True,
    help="Show the strongest contexts of one word instead: by the product of W and C for a trained model, by the cells "
    "of the word's row for a folder of lexvec associate or count.",
)
def neighbors(
    vectors: Path,
    words: tuple[str, ...],
    count: int,
    combine: Combine,
    limit: int | None,
    console: Console,
    contexts: bool,
) -> None:
    """Show the words most similar to WORDS.

    Similarity is the cosine to the vector of the word, or to the sum of the vectors of several words. VECTORS is a
    folder written by lexvec train, or vectors in any format that lexvec convert reads. A minus sign subtracts a word
    (put -- before VECTORS then): lexvec neighbors -- VECTORS king -man woman. If you omit WORDS, each line of standard
    input is one question. If VECTORS has n-grams, vectors of words that are not in the vocabulary are composed from
    them, and marked.
    """
    if contexts:
        if combine != "word" or limit:
            raise click.UsageError("--contexts uses W, C and all contexts: omit --combine and --limit.")
        from .inputs import open_contexts  # plain questions need no compiler

        folder = open_contexts(vectors)

        def strongest(given: list[str]) -> Answer:
            return Answer(
                folder.top_contexts(one(given), count=count),
                [],
            )

        answer(words, 1, strongest, prompt="word", console=console)
        return
    store = searchable(vectors, combine=combine, limit=limit, console=console)

    def ask(given: list[str]) -> Answer:
        taken = [word for word in given if word.startswith("-") and word not in store and len(word) > 1]
        plus, minus = [word for word in given if word not in taken], [word[1:] for word in taken]
        return Answer.of(store, plus + minus, store.most_similar(plus, minus, count=count))

    answer(words, 0, ask, prompt="words", console=console)
