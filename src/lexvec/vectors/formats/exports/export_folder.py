"""What all exports share: a folder that is complete or absent, with ``lexvec.json`` to describe it."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from ....errors import LexvecError
from ....progress import Progress
from ....storage.artefact import Artefact, ArtefactWriter
from ....storage.atomic import sync
from ....storage.outputs import check_folder_output
from ..format import Format
from ..labelled_rows import LabelledRows


class ExportFolder(Artefact):
    """Vectors on disk, as another program wants them."""

    kind = "export"
    facts: ClassVar[Mapping[str, Any]] = {"target": str, "words": int, "dim": int}


def library(name: str, target: str) -> Any:
    """Return an installed package; one that is missing is an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise LexvecError(
            f"{target} needs the package {package} ({error}): install it with pip install {package}"
        ) from None


def export_format(
    target: str,
    help: str,  # noqa: A002 (the word users know)
    write: Callable[[Path, LabelledRows, bool, Progress], None],
    requires: str | None = None,
) -> Format:
    """Return the format of an export; ``requires`` is a package that must be installed to write it."""
    return Format(help=help, suffixes=(), write=write, check_output=partial(_check_output, target, requires))


def _check_output(target: str, requires: str | None, path: str | os.PathLike[str], *, force: bool) -> Path:
    if requires:
        library(requires, f"the format {target}")
    return check_folder_output(path, force=force)


@contextmanager
def exporting(path: Path, target: str, vectors: LabelledRows, *, force: bool, **facts: Any) -> Iterator[Path]:
    """Yield the folder to write; it gets its name when the block is done."""
    with ArtefactWriter(path, ExportFolder.kind, force=force) as out:
        yield out.folder
        for file in out.folder.rglob("*"):
            if file.is_file():  # other libraries write files and do not sync them
                with file.open("rb+") as written:
                    sync(written)
        count, dim = vectors.matrix.shape
        out.seal({}, {"target": target, "words": count, "dim": dim, **facts}, {})


def write_json(path: Path, record: Any) -> None:
    """Write a record that other programs read."""
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
