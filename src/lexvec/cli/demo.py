"""``lexvec demo``: from text to scores in two minutes, by the commands that you would type."""

import shlex
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from .._version import __version__
from ..errors import ArtefactError, Given, LexvecError
from ..evaluation import DATASETS, fetchable, locate
from ..progress import Progress
from ..storage.outputs import write_json, write_text
from ..trained import ModelFolder
from .demo_text import CORPORA, collect_docstrings, fetch_corpus
from .explore import INSTALL, is_installed
from .failures import complain, resumable
from .main import main
from .options import output_flag, report_flags
from .output import Console

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
    help="Text to train on: enwik8 (36 MB, from a Python package), text8 (31 MB, from the web), or docstrings (of "
    "Python's library, numpy and scipy; needs no network). auto means enwik8, or docstrings if it cannot be fetched.",
)
@output_flag(
    "Folder to write. The results of an earlier demo in it are replaced.",
    required=False,
    default="lexvec-demo",
    force=None,
)
@report_flags(json="")
def demo(corpus: str, output: Path, console: Console) -> None:
    """Train on real text and show the result, in about two minutes.

    The demo trains LexVec, then queries, draws and scores the vectors. Every step is shown as the command that does it.
    """
    started = time.monotonic()
    _claim(output)
    with resumable(f"{output} holds what is done so far, and the same command starts again"):
        name, text = _text(corpus, output, console.progress)
        tour = TOURS[name]
        for command in _commands(tour, text, output, online=name != "docstrings"):
            _run(command, [] if command[0] in ("neighbors", "analogy") else console.flags)
            if command[0] == "train":
                _show_losses(output / "vectors")
    _farewell(output, tour, time.monotonic() - started)


def _claim(output: Path) -> None:
    """Claim a new folder, or one that an earlier demo wrote: its content will be replaced."""
    # A demo that was killed at once may have left only the beginning of its mark.
    empty = output.is_dir() and all(path.match(f".{_MARK}.*.partial") for path in output.iterdir())
    if output.exists() and not empty and not (output / _MARK).is_file():
        raise ArtefactError(f"{output} exists and was not written by a demo: choose another ", Given("output"))
    write_json(output / _MARK, {"lexvec": __version__, "about": "lexvec demo may replace everything in this folder"})


def _text(choice: str, output: Path, progress: Progress) -> tuple[str, Path]:
    """Return the name of a corpus, and its file."""
    name = "enwik8" if choice == "auto" else choice
    if name in CORPORA:
        click.echo(f"The text: {CORPORA[name].about}")
        try:
            return name, fetch_corpus(CORPORA[name], progress)
        except (LexvecError, OSError) as error:
            if choice != "auto":
                raise
            complain(f"{name} cannot be fetched: {error}")
    click.echo(
        "The text: docstrings of Python's library, numpy and scipy, which need no network (small: expect little)"
    )
    write_text(output / "docstrings.txt", collect_docstrings(progress))
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
    """Show a command and run it. Test sets that cannot be fetched are no reason to stop."""
    if words[0] == "evaluate" and not any(locate(dataset.file) for dataset in DATASETS.values()):
        # Fetching has just failed, or there is no network to try: advice to fetch would be of no use.
        click.echo("\nNo scores: there is no test set here. Put some into a folder, and name it with --data.")
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
    """Print the loss of each epoch, as figures and bars from zero."""
    losses = [epoch["loss"] for epoch in ModelFolder.load(model).meta["facts"]["losses"]]
    click.echo("\nMean loss per pair, by epoch")
    for epoch, loss in enumerate(losses, 1):
        click.echo(f"{epoch:>3}  {loss:.4f}  {'█' * round(_BAR * loss / max(losses))}")


def _farewell(output: Path, tour: Tour, seconds: float) -> None:
    click.echo(f"\nThis took {seconds:.0f} s. The results are in {output}; {output / 'map.svg'} is a picture.")
    click.echo("To do the same with your own text (a file, a folder, or a Wikipedia dump):\n")
    click.echo(f"  lexvec corpus YOUR.txt -o corpus {_ENCODE}")
    click.echo(f"  lexvec train corpus -o vectors {tour.train}")
    click.echo("  lexvec neighbors vectors WORD\n  lexvec evaluate vectors\n")
    command = f"lexvec explore {shlex.quote(str(output / 'vectors'))}"
    click.echo(
        f"To look at these vectors in your browser: {command if is_installed() else f'{INSTALL}, then {command}'}"
    )
