"""Kills at every step of replacing folders and files: nothing that was complete is ever lost.

A model of what must be there is compared with the disk after random sequences of writes. A kill is simulated in this
process: from the chosen step on, no call changes anything on disk any more.
"""

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from lexvec import ArtefactError
from lexvec.storage.artefact import ArtefactWriter
from lexvec.storage.atomic import restore_replaced, set_aside
from lexvec.storage.outputs import replacing

# In each family, a name is a prefix of the others, matches them as a pattern, or looks like a temporary name of one.
FAMILIES = [
    ["vec", ".vec", "vec.2024", "vec.2024.14b30df0"],
    ["vec", "vec.replaced", "vec.1-14b30df0", "vec.1-14b30df0.replaced"],
    ["vec", "vec ", "vec.14b30df0.partial", "vec\n.1-14b30df0.replaced"],
    ["v*", "v*.[2]", "vec", "vec.2"],
]
STEPS = ("rename", "replace", "unlink", "rmdir")
NEVER = 1 << 10
_DEAD = 1 << 22  # Linux has no process of this number or above


class Killed(BaseException):
    """Raised by every call that would change the disk once the process counts as dead."""


@contextmanager
def killed_at(step: int) -> Iterator[None]:
    """Let this many changes of the disk through, and none after them."""
    left = itertools.count(step, -1)

    def guarded(call: Any) -> Any:
        def run(*arguments: Any, **options: Any) -> Any:
            if next(left) <= 0:
                raise Killed
            return call(*arguments, **options)

        return run

    calls = {name: guarded(getattr(os, name)) for name in STEPS}
    with mock.patch.multiple(os, **calls, getpid=lambda: _DEAD), suppress(Killed):
        yield


class Replacing(RuleBasedStateMachine):
    """Folders and files that are written, replaced and killed."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.complete: dict[str, str] = {}  # the latest content that got each name
        self.contents = map(str, itertools.count())
        self.names: list[str] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize(names=st.sampled_from(FAMILIES))
    def choose(self, names: list[str]) -> None:
        self.names = names

    @rule(which=st.integers(0, 3), force=st.booleans())
    def write_folder(self, which: int, force: bool) -> None:
        self._write_folder(which, force=force, step=NEVER)

    @rule(which=st.integers(0, 3), step=st.integers(2, 6))
    def write_folder_and_die(self, which: int, step: int) -> None:
        self._write_folder(which, force=True, step=step)

    def _write_folder(self, which: int, *, force: bool, step: int) -> None:
        name, content = self.names[which], next(self.contents)
        done = False
        with suppress(ArtefactError), killed_at(step):
            with ArtefactWriter(self.folder / name, "corpus", force=force) as out:
                (out.folder / "content").write_text(content)
                out.seal({}, {}, {})
            done = True
        self._written(name, content, done)

    @rule(which=st.integers(0, 3), force=st.booleans(), step=st.just(NEVER) | st.integers(0, 2))
    def write_file(self, which: int, force: bool, step: int) -> None:
        name, content = self.names[which], next(self.contents)
        done = False
        with suppress(ArtefactError), killed_at(step):
            with replacing(self.folder / f"{name}.txt", force=force) as file:
                file.write(content.encode())
            done = True
        self._written(f"{name}.txt", content, done)

    def _written(self, name: str, content: str, done: bool) -> None:
        if done or self._content(name) == content:  # or it was killed while it cleaned up
            self.complete[name] = content

    @rule(which=st.integers(0, 3))
    def restore(self, which: int) -> None:
        restore_replaced(self.folder / self.names[which])

    @invariant()
    def nothing_complete_is_lost(self) -> None:
        for name, content in self.complete.items():
            assert self._content(name) == content, f"{name}: {sorted(os.listdir(self.folder))}"

    @invariant()
    def nothing_comes_from_elsewhere(self) -> None:
        for name in self.names:
            if name not in self.complete:
                assert self._content(name) is None

    def _content(self, name: str) -> str | None:
        """Return what is there, or what the next run would put back there."""
        place = self.folder / name
        if place.is_file():
            return place.read_text()
        found = place if place.exists() else next(reversed(set_aside(place)), None)
        return (found / "content").read_text() if found else None


TestReplacing = Replacing.TestCase
TestReplacing.settings = settings(max_examples=200, stateful_step_count=20)
