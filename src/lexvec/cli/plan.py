"""``lexvec plan``: what training would take."""

import sys
from pathlib import Path
from typing import Any

import click

from ..corpus import Corpus
from ..models import MODELS
from ..models.planning import planned
from ..presentation.render import render_table
from .failures import complain
from .flags import merged_flags, model_flag, typed
from .options import report_flags
from .output import Console, show_json
from .paths import InputPath


@click.command()
@click.argument("corpus", type=InputPath(), required=False)
@click.option(
    "--tokens", type=float, metavar="N", help="Number of tokens of a corpus that is only planned, such as 4e9."
)
@click.option(
    "--words", type=float, metavar="N", help="Number of words in the vocabulary of a corpus that is only planned."
)
@report_flags(quiet=False)
@model_flag(MODELS)
@merged_flags(MODELS)
@click.pass_context
def plan(
    context: click.Context,
    /,
    corpus: Path | None,
    tokens: float | None,
    words: float | None,
    console: Console,
    model: str,
    **parameters: Any,
) -> None:
    """Compute the memory, disk and reads that training would need.

    CORPUS is a folder made by lexvec corpus. Without it, give --tokens and --words. Nothing is counted or trained: the
    figures come from the formulas that lexvec train uses to choose what to keep on disk. The number of cells of the
    matrix is estimated. --memory and --threads describe the machine; by default it is this one. The exit code is 1 if
    no way of training fits into the memory.
    """
    if {corpus is None} != {tokens is not None, words is not None}:
        raise click.UsageError("Give a CORPUS, or both --tokens and --words.")
    given = typed(context, parameters)
    opened = Corpus.load(corpus) if corpus else None
    found = planned(MODELS[model].of(given), opened, tokens=tokens, words=words)
    if console.as_json:
        show_json(found.as_dict())
    else:
        click.echo(render_table(found.table(), "table", terminal=sys.stdout.isatty()))
    if found.chosen is None:
        complain(f"{found.model} does not fit: {found.shortage}")
        context.exit(1)
