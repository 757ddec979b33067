"""Parts of an array in a file, a few of them in memory: for vocabularies whose rows do not fit.

A part is read when it is asked for, and written back when another one needs its room. While it is `held` it stays.
Threads read and write different parts at the same time.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition

import numpy as np
import numpy.typing as npt

from ..storage.arrays import ArrayFile

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PartFolder:
    """A scratch folder for the parts of one side, words or contexts, and how many of them are in memory at once."""

    path: Path
    resident: int


class PartFile(MutableMapping[int, Matrix]):
    """The parts of one array by number. A part that was never written has the numbers that ``room`` gives it."""

    def __init__(self, path: Path, sizes: Sequence[int], room: Callable[[int], Matrix], resident: int) -> None:
        self.starts = np.concatenate(([0], np.cumsum(sizes)))
        self.file = ArrayFile.scratch(path, np.float32, int(self.starts[-1]))
        self._room, self._resident = room, resident
        self._here: OrderedDict[int, Matrix] = OrderedDict()
        self._written: set[int] = set()
        self._held: Counter[int] = Counter()
        self._moving: set[int] = set()  # being read or written, while others may go on
        self._changed = Condition()

    def __getitem__(self, number: int) -> Matrix:
        """Return a part; it may leave memory once two more were asked for, so hold it if threads share the array."""
        with self._changed:
            return self._fetched(number)

    def __setitem__(self, number: int, part: Matrix) -> None:
        with self._changed:
            self._fetched(number)[...] = part

    def __delitem__(self, number: int) -> None:
        raise TypeError("a part in a file cannot be given away: train with all rows in memory on several machines")

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @contextmanager
    def held(self, number: int) -> Iterator[Matrix]:
        """Keep a part in memory for a block; waits while all that may be in memory are held by others."""
        with self._changed:
            part = self._fetched(number)
            self._held[number] += 1
        try:
            yield part
        finally:
            with self._changed:
                self._held[number] -= 1
                self._changed.notify_all()

    def flush(self) -> None:
        """Write all parts that the file does not have as they are."""
        with self._changed:
            for number in self:
                if number in self._here:
                    self._write(number)
                elif number not in self._written:
                    self.file.write(int(self.starts[number]), self._room(number).reshape(-1))

    def _fetched(self, number: int) -> Matrix:
        while number not in self._here or number in self._moving:
            idle = next((other for other in self._here if not self._held[other] and other not in self._moving), None)
            if number in self._moving:
                self._changed.wait()
            elif len(self._here.keys() | self._moving) < self._resident:
                with self._moves(number):
                    part = self._read(number)
                self._here[number] = part
            elif idle is None:
                self._changed.wait()
            else:
                with self._moves(idle):
                    self._write(idle)
                del self._here[idle]
        self._here.move_to_end(number)
        return self._here[number]

    @contextmanager
    def _moves(self, number: int) -> Iterator[None]:
        """Let other threads go on in a block that reads or writes a part."""
        self._moving.add(number)
        self._changed.release()
        try:
            yield
        finally:
            self._changed.acquire()
            self._moving.discard(number)
            self._changed.notify_all()

    def _read(self, number: int) -> Matrix:
        part = self._room(number)
        if number in self._written and part.size:
            self.file.read(int(self.starts[number]), int(self.starts[number + 1]), part.reshape(-1))
        return part

    def _write(self, number: int) -> None:
        self.file.write(int(self.starts[number]), self._here[number].reshape(-1))
        self._written.add(number)
