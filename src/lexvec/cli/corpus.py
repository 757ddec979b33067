"""``lexvec corpus``: from text to an encoded corpus."""

from pathlib import Path
from typing import Any

import click

from ..corpus import CorpusBuilder
from ..vocabulary import Vocabulary
from .flags import parameter_flags, typed
from .options import output_flag, report_flags
from .output import Console
from .paths import InputNames, InputPath, files_and_patterns


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", type=InputNames(files_and_patterns))
@output_flag()
@report_flags()
@click.option(
    "--vocabulary",
    type=InputPath(),
    help="File with the vocabulary to use: a word, or word<TAB>count, per line; or the vocabulary of the authors' "
    "program or of word2vec.",
)
@click.option(
    "--tokenized",
    is_flag=True,
    help="Take the text as tokenised: short for --sentences-by lines --punctuation keep --numbers keep --no-lowercase.",
)
@parameter_flags(CorpusBuilder)
@click.pass_context
def corpus(
    context: click.Context,
    /,
    inputs: tuple[str, ...],
    output: Path,
    force: bool,
    console: Console,
    vocabulary: Path | None,
    tokenized: bool,
    **parameters: Any,
) -> None:
    """Read text, choose a vocabulary, and encode the text as ids.

    INPUT is a text file or a MediaWiki XML dump, plain or compressed (.gz .bz2 .xz .zst), a folder of such files, a
    pattern in quotes, or - for standard input. DIR receives vocab.tsv (word<TAB>count, most frequent first), ids.npy
    and offsets.npy.
    """
    given = typed(context, parameters)
    if vocabulary and not given.keys().isdisjoint({"min_count", "max_vocab"}):
        raise click.UsageError("--vocabulary already chooses the words: omit --min-count and --max-vocab.")
    builder = CorpusBuilder.tokenized(**given) if tokenized else CorpusBuilder(**parameters)
    encoded = builder.build(
        inputs[0] if len(inputs) == 1 else [Path(name) for name in inputs],
        output,
        vocabulary=Vocabulary.load(vocabulary) if vocabulary else None,
        force=force,
        progress=console.progress,
    )
    console.report_folder(encoded)
