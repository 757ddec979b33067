"""``lexvec demo``: from text to scores in two minutes, by the very commands that one would type."""

import shlex
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from .._version import __version__
from ..demo import CORPORA, collect, prepare
from ..errors import ArtefactError, LexvecError
from ..evaluation import DATASETS, fetchable, locate
from ..evaluation.finding import ADVICE
from ..progress import Progress
from ..storage.files import write_json, write_text
from ..vectors.model import ModelFolder
from .console import Console, console_flags
from .main import main

_BAR = 40
_MARK = "demo.json"  # in a folder that a demo may write into
_ENCODE = "--min-count 5"


@dataclass(frozen=True)
class Tour:
    """How to train on a corpus, and what to ask the vectors."""

    train: str
    words: tuple[str, ...]
    analogies: tuple[str, ...]
    groups: str


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
@console_flags
def demo(corpus: str, output: Path, console: Console) -> None:
    """Train on real text, and show what comes out: about two minutes.

    LexVec learns vectors, which are then looked at, drawn and scored. Every step is shown as the command that does it.
    """
    started = time.monotonic()
    _claim(output)
    try:
        name, text = _text(corpus, output, console.progress)
        tour = TOURS[name]
        for command in _commands(tour, text, output, online=name != "docstrings"):
            _run(command, [] if command[0] in ("neighbors", "analogy") else console.flags)
            if command[0] == "train":
                _show_losses(output / "vectors")
    except KeyboardInterrupt:
        click.echo(f"lexvec: stopped; what is done so far is in {output}, and the same command begins anew", err=True)
        raise click.exceptions.Exit(130) from None
    _farewell(output, tour, time.monotonic() - started)


def _claim(output: Path) -> None:
    """Write only into a new folder, or one that an earlier demo made: what is there will be replaced."""
    # A demo that was killed at once may have left no more than the beginning of its mark.
    empty = output.is_dir() and all(path.match(f".{_MARK}.*.partial") for path in output.iterdir())
    if output.exists() and not empty and not (output / _MARK).is_file():
        raise ArtefactError(f"{output} is there, and no earlier demo made it: choose another --output")
    write_json(output / _MARK, {"lexvec": __version__, "about": "lexvec demo may replace what is in this folder"})


def _text(choice: str, output: Path, progress: Progress) -> tuple[str, Path]:
    """The name of a corpus, and its file."""
    name = "enwik8" if choice == "auto" else choice
    if name in CORPORA:
        click.echo(f"The text: {CORPORA[name].about}")
        try:
            return name, prepare(CORPORA[name], progress)
        except (LexvecError, OSError) as error:
            if choice != "auto":
                raise
            click.echo(f"It cannot be had here: {error}", err=True)
    click.echo(
        "The text: docstrings of Python's library, numpy and scipy, which need no network (small: expect little)"
    )
    write_text(output / "docstrings.txt", collect(progress))
    return "docstrings", output / "docstrings.txt"


def _commands(tour: Tour, text: Path, output: Path, *, online: bool) -> list[list[str]]:
    vectors = str(output / "vectors")
    return [
        ["corpus", str(text), *_making(output / "corpus"), *_ENCODE.split()],
        ["train", str(output / "corpus"), *_making(output / "vectors"), *tour.train.split()],
        *(["neighbors", vectors, word, "--count", "6"] for word in tour.words),
        *(["analogy", vectors, *question.split(), "--count", "3"] for question in tour.analogies),
        ["map", vectors, *tour.groups.split(), "--join", *_making(output / "map.svg")],
        *([["data", "fetch", *fetchable()]] if online else []),
        ["evaluate", vectors],
    ]


def _making(path: Path) -> list[str]:
    there = path.exists() or path.with_name(f"{path.name}.run").exists()
    return ["-o", str(path), *(["--force"] if there else [])]


def _run(words: list[str], flags: list[str]) -> None:
    """Show a command, and do it. Test sets that cannot be had are no reason to stop."""
    if words[0] == "evaluate" and not any(locate(dataset.file) for dataset in DATASETS.values()):
        click.echo(f"\nNo scores, since no test set is here: {ADVICE}")
        return
    click.echo(f"\n$ lexvec {shlex.join(words)}")
    command = main.get_command(click.get_current_context(), words[0])
    assert command is not None
    with command.make_context(f"lexvec {words[0]}", [*words[1:], *flags]) as context:
        if words[0] == "data":
            with suppress(SystemExit):
                command.invoke(context)
        else:
            command.invoke(context)


def _show_losses(model: Path) -> None:
    """The loss of each epoch, as figures and bars from zero."""
    losses = [epoch["loss"] for epoch in ModelFolder.load(model).meta["facts"]["losses"]]
    click.echo("\nMean loss of a pair, by epoch")
    for epoch, loss in enumerate(losses, 1):
        click.echo(f"{epoch:>3}  {loss:.4f}  {'█' * round(_BAR * loss / max(losses))}")


def _farewell(output: Path, tour: Tour, seconds: float) -> None:
    click.echo(f"\nAll this took {seconds:.0f} s; it is in {output} (a picture of words: {output / 'map.svg'}).")
    click.echo("The same with your own text (a file, a folder, or a Wikipedia dump):\n")
    click.echo(f"  lexvec corpus YOUR.txt -o corpus {_ENCODE}")
    click.echo(f"  lexvec train corpus -o vectors {tour.train}")
    click.echo("  lexvec neighbors vectors WORD\n  lexvec evaluate vectors")
