"""A folder for what training writes only for itself: beside the checkpoints of a run, or a temporary one."""

import shutil
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from ..storage.atomic import temporary_folder

NAME = "scratch"


class Scratch:
    """Makes its folder when it is first asked for, and removes it at the end of a block.

    What a killed run left is removed at the beginning: it can be made again sooner than checked.
    """

    def __init__(self, run: Path | None) -> None:
        self._run, self._stack = run, ExitStack()

    def __enter__(self) -> Self:
        if self._run:
            shutil.rmtree(self._run / NAME, ignore_errors=True)
        return self

    @cached_property
    def folder(self) -> Path:
        """The folder."""
        if self._run is None:
            temporary = temporary_folder()
            self._stack.callback(temporary.discard)
            return temporary.path
        folder = self._run / NAME
        folder.mkdir()
        self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
