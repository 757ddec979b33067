"""``lexvec data``: the test sets that evaluate uses."""

import sys
from pathlib import Path
from typing import Any

import click

from ..errors import LexvecError
from ..evaluation import DATASETS, FORMATS, Dataset, fetch, locate
from ..evaluation.sets import read_known
from ..presentation.table import Cell, Column, Table
from .failures import complain
from .main import Suggesting
from .options import data_flag, report_flags, split
from .output import Console, show_json
from .paths import OutputPath


@click.group(cls=Suggesting)
def data() -> None:
    """List and fetch the test sets that evaluate uses.

    The sets are not part of this package. lexvec evaluate searches the folders --data and $LEXVEC_DATA, your cache
    (which lexvec data fetch fills), and gensim if it is installed.
    """


class _Listing:
    """The known sets, and where they are."""

    def __init__(self, folder: Path | None) -> None:
        self._places = {key: _place(dataset, folder) for key, dataset in DATASETS.items()}

    def records(self) -> list[dict[str, Any]]:
        return [
            {
                "key": each.key,
                "name": each.name,
                "kind": each.kind,
                "size": each.size,
                "place": self._places[each.key],
                "file": each.file,
                "licence": each.licence,
                "citation": each.citation,
                "sha256": each.sha256,
            }
            for each in DATASETS.values()
        ]

    def as_dict(self) -> dict[str, Any]:
        return {"sets": self.records()}

    def table(self) -> Table:
        columns = [Column("set", "left"), Column("name", "left"), Column("items"), Column("found", "left")]
        rows = [
            [Cell(each["key"]), Cell(each["name"]), Cell(f"{each['size']:,}"), Cell(each["place"] or "no")]
            for each in self.records()
        ]
        notes = [f"{each.key}: {each.citation}. Licence: {each.licence}." for each in DATASETS.values()]
        return Table("", columns, rows, notes)


def _place(dataset: Dataset, folder: Path | None) -> str | None:
    found = locate(dataset.file, folder)
    if found is None:
        return None
    try:
        test = read_known(dataset, folder)
    except LexvecError as error:
        return f"{found[0]} (cannot be used: {error.for_command_line()})"
    return None if test is None else str(test.path) if test.known else f"{test.path} (not the known version)"


@data.command("list")
@data_flag
@report_flags(forms=FORMATS, quiet=False)
def list_sets(data: Path | None, console: Console) -> None:
    """List the test sets: their size, place, licence, and whom to cite."""
    console.show(_Listing(data))


@data.command("fetch")
@click.argument("sets", nargs=-1, metavar="[SET...]")
@click.option("--to", type=OutputPath(), metavar="DIR", help="Folder to write the sets to. [default: your cache]")
@click.option("--force", is_flag=True, help="Replace sets that exist already.")
@report_flags()
def fetch_sets(sets: tuple[str, ...], to: Path | None, force: bool, console: Console) -> None:
    """Fetch test sets (all, or those named) and check their SHA-256.

    Most sets come from archives of Python packages, which are found with your settings of pip: one file of an archive
    is read, and nothing is installed or run. Sets that no package has come from their home pages.
    """
    written, failed = fetch(split(sets), to, force=force, progress=console.progress)
    if console.as_json:
        show_json({"written": [str(path) for path in written], "failed": failed})
    for file, reason in failed.items():
        complain(f"{file} cannot be fetched: {reason}")
    if failed:
        complain("you can also put these files into a folder for --data yourself: see docs/evaluation.md")
        sys.exit(1)
