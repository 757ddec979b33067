"""``lexvec demo``: from text to scores in two minutes, by the very commands that one would type."""

import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..demo import CORPORA, collect, prepare
from ..errors import InputError
from ..evaluation import DATASETS, fetch, fetchable, locate
from ..evaluation.sources import ADVICE
from ..files import write_text
from ..progress import Progress
from ..vectors.model import ModelFolder
from .main import main
from .talk import Talk, talking

_BAR = 40


@dataclass(frozen=True)
class Tour:
    """How to train on a corpus, and what to ask the vectors."""

    train: str
    words: tuple[str, ...]
    analogies: tuple[str, ...]
    groups: str
    min_count: int = 5


_ENGLISH = Tour(
    "--dim 100 --variant minibatch --subsample 1e-4 --epochs 5",
    ("france", "computer", "jazz"),
    ("france paris japan", "king queen man", "good better bad"),
    "france,paris germany,berlin italy,rome spain,madrid japan,tokyo russia,moscow poland,warsaw greece,athens "
    "egypt,cairo china,beijing sweden,stockholm hungary,budapest",
)
_PYTHON = Tour(
    "--dim 100 --variant minibatch --subsample 1e-3 --epochs 20",
    ("array", "file", "exception"),
    ("min max minimum", "row rows column"),
    "row,rows column,columns value,values argument,arguments function,functions element,elements",
)
TOURS = {"enwik8": _ENGLISH, "text8": _ENGLISH, "docstrings": _PYTHON}


@click.command()
@click.option(
    "--corpus",
    type=click.Choice(["auto", *TOURS]),
    default="auto",
    show_default=True,
    help="The text: enwik8 (36 MB, from a Python package), text8 (31 MB, from the web), or docstrings (of Python's "
    "library, numpy and scipy; needs no network). auto is enwik8, or docstrings where that cannot be had.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default="lexvec-demo",
    show_default=True,
    metavar="DIR",
    help="The folder for what is made; what an earlier demo made there is replaced.",
)
@talking
def demo(corpus: str, output: Path, talk: Talk) -> None:
    """Train LexVec on real text, look at the vectors, and score them: a tour in about two minutes.

    Every step is shown as the command that does it.
    """
    started = time.monotonic()
    name, text = _text(corpus, output, talk.progress)
    tour = TOURS[name]
    vectors = str(output / "vectors")
    _run("corpus", str(text), *_made(output / "corpus"), "--min-count", str(tour.min_count), *talk.flags)
    _run("train", str(output / "corpus"), *_made(output / "vectors"), *tour.train.split(), *talk.flags)
    _show_losses(output / "vectors")
    for word in tour.words:
        _run("neighbors", vectors, word, "--count", "6")
    for question in tour.analogies:
        _run("analogy", vectors, *question.split(), "--count", "3")
    _run("map", vectors, *tour.groups.split(), "--join", *_made(output / "map.svg"), *talk.flags)
    _score(vectors, talk, online=name != "docstrings")
    _farewell(output, tour, time.monotonic() - started)


def _text(choice: str, output: Path, progress: Progress) -> tuple[str, Path]:
    """The name of a corpus, and its file."""
    name = "enwik8" if choice == "auto" else choice
    if name in CORPORA:
        click.echo(f"The text: {CORPORA[name].about}")
        try:
            return name, prepare(CORPORA[name], progress)
        except InputError as error:
            if choice != "auto":
                raise
            click.echo(f"It cannot be had here: {error}")
    click.echo(
        "The text: docstrings of Python's library, numpy and scipy, which need no network (small: expect little)"
    )
    write_text(output / "docstrings.txt", collect(progress))
    return "docstrings", output / "docstrings.txt"


def _made(path: Path) -> list[str]:
    return ["-o", str(path), *(["--force"] if path.exists() or path.with_name(f"{path.name}.run").exists() else [])]


def _run(*words: str) -> None:
    """Show a command, and do it."""
    click.echo(f"\n$ lexvec {shlex.join(words)}")
    code: Any = main.main(list(words), prog_name="lexvec", standalone_mode=False)
    if isinstance(code, int) and code:
        sys.exit(code)


def _show_losses(model: Path) -> None:
    """The loss of each epoch, as figures and bars from zero."""
    losses = [epoch["loss"] for epoch in ModelFolder.load(model).meta["facts"]["losses"]]
    click.echo("\nMean loss of a pair, by epoch")
    for epoch, loss in enumerate(losses, 1):
        click.echo(f"{epoch:>3}  {loss:.4f}  {'█' * round(_BAR * loss / max(losses))}")


def _score(vectors: str, talk: Talk, *, online: bool) -> None:
    """Fetch what packages have of the test sets, and score; without any, say so."""
    if online:
        click.echo("\n$ lexvec data fetch")
        _, failed = fetch(fetchable(), progress=talk.progress)
        for file, reason in failed.items():
            click.echo(f"{file} cannot be had: {reason}", err=True)
    if any(locate(dataset.file) for dataset in DATASETS.values()):
        _run("evaluate", vectors, *talk.flags)
    else:
        click.echo(f"\nNo scores, since no test set is here: {ADVICE}")


def _farewell(output: Path, tour: Tour, seconds: float) -> None:
    click.echo(f"\nAll this took {seconds:.0f} s; it is in {output} (a picture of words: {output / 'map.svg'}).")
    click.echo("The same with your own text (a file, a folder, or a Wikipedia dump):\n")
    click.echo(f"  lexvec corpus YOUR.txt -o corpus --min-count {tour.min_count}")
    click.echo(f"  lexvec train corpus -o vectors {tour.train}")
    click.echo("  lexvec neighbors vectors WORD\n  lexvec evaluate vectors")
