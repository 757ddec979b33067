"""What an executor asks of a source of pairs."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ...threads import Threads
from ..schedule import Tally


class Unit(Protocol):
    """A unit of work: blocks of pairs. Block (i, j) has the pairs of word part i and context part j.

    In round r of a sweep the blocks (i, i + r mod P) have no row in common, so they may be done at the same time, in
    any order, with the same result.
    """

    rounds: Sequence[int]

    @property
    def occurrences(self) -> npt.NDArray[np.int64]:
        """How many tokens, or cells, of each word the unit has."""

    def prepare(self, thread: int, part: int) -> None:
        """Draw the pairs of one word part."""

    def block(self, i: int, j: int) -> NamedTuple:
        """Return the pairs of one block, in the order in which they are learned from, in the form the step takes."""

    def counts(self) -> npt.NDArray[np.int64]:
        """Return what `tally` needs to know of what was prepared: a row per word part, 0 for parts that were not.

        So the counts of several machines, each of which prepared some parts, are added up to those of one.
        """

    def tally(self, losses: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> Tally:
        """Add up losses[i, j] (seen, noise) of all blocks; ``counts`` are those of all parts."""


class Source(Protocol):
    """Pairs for all epochs. What is drawn depends on the seed and the place, never on threads or machines."""

    units: int  # of work per epoch; a checkpoint may fall between any two
    size: int  # of an epoch, for the progress bar
    size_name: str

    def unit(self, epoch: int, number: int, threads: Threads) -> Unit:
        """Return a unit of work, made on ``threads``."""

    def rewind(self, epoch: int, number: int, threads: Threads) -> None:
        """Get ready to resume at this unit in a new process."""
