"""Which way a model is trained: the fastest one that fits into the memory that there is."""

import logging
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..engine import Executor
from ..errors import Given, MemoryLimitError, TooLittleMemoryError
from ..machine import free_memory
from ..parameters import bytes_of
from ..progress import Progress
from .footprint import Footprint, Sizes
from .inputs import Recipe

_log = logging.getLogger(__name__)

Ways = Callable[[Sizes], list[Footprint]]


class Memory:
    """A limit of memory, as it was given (None: what is free), and who trains in it."""

    def __init__(self, given: str | int | None, executor: Executor, progress: Progress) -> None:
        self._given, self._executor, self._progress = given, executor, progress

    def choose(self, ways: Ways, sizes: Sizes) -> Footprint:
        """Report what training needs, the first of the ways that fits, and raise if none does."""
        if self._executor.crew is not None:
            return self._choose_for_workers(ways, sizes, self._executor.crew.threads())
        way = self._first_fitting_here(ways(sizes))
        self._progress.note(f"training {way.described()}")
        return way

    def check(self, ways: Ways, sizes: Sizes, recipe: Recipe) -> None:
        """Raise, before a matrix is counted, if counting or training cannot fit however few cells the matrix has.

        The error states what is enough however many they are.
        """
        if self._executor.crew is not None or not ways(sizes):
            return
        counting, most = recipe.least_memory(sizes), self._possible(ways(recipe.most(sizes)))
        enough = max(counting, min((way.total for way in most), default=0))
        self._first_fitting_here(ways(recipe.begun(sizes)), counting, enough)

    def _possible(self, ways: Sequence[Footprint]) -> list[Footprint]:
        """Return the ways that the executor can go: parts that nobody holds while they are used must be in memory."""
        return [way for way in ways if self._executor.holds_parts or way.resident is None]

    def _first_fitting_here(self, ways: Sequence[Footprint], before: int = 0, enough: int = 0) -> Footprint:
        free = free_memory()
        _log.debug("%.2f GB of memory are free", free / 1e9)
        if self._given is None:
            return self._first_fitting(self._possible(ways), free, free)
        limit = bytes_of("memory", self._given)
        return self._first_fitting(self._possible(ways), limit, free, before=before, enough=enough)

    def _first_fitting(
        self, ways: Sequence[Footprint], limit: int, free: int, where: str = "", before: int = 0, enough: int = 0
    ) -> Footprint:
        """Return the first way that fits, if what is needed before training does, too.

        An error states what is ``enough``, if that is more than the least of the ways takes.
        """
        fitting = [way for way in ways if max(way.total, before) <= limit]
        if not fitting:
            raise self._too_small(min(ways, key=lambda way: way.total), free, where, max(before, enough))
        return fitting[0]

    def _choose_for_workers(self, ways: Ways, sizes: Sizes, threads: list[int]) -> Footprint:
        """Report what each worker needs, and return how this process gathers what they learn.

        Each worker compares its own free memory, if there is no limit.
        """
        shared = replace(sizes, workers=len(threads), threads=max(threads))
        where = f" on each of {len(threads)} workers" if len(threads) > 1 else " on the worker"
        limit = sys.maxsize if self._given is None else bytes_of("memory", self._given)
        in_memory = [way for way in ways(shared) if way.resident is None]
        gathering = [way.gathering() for way in ways(sizes)]
        result = min(way.total for way in gathering)
        chosen = self._first_fitting(in_memory, limit, 0, where, enough=result)
        self._progress.note(f"training {chosen.described()}{where}")
        return self._first_fitting(gathering, limit, 0)

    def _too_small(self, least: Footprint, free: int, where: str, enough: int) -> Exception:
        if self._given is None:
            return TooLittleMemoryError(
                f"training {least.described()}, and {free / 1e9:.1f} GB are free; use a smaller dim, or a larger "
                "min_count for fewer words"
            )
        more = ", more workers" if where else ""
        return MemoryLimitError(
            Given("memory", self._given),
            f" is too small: training {least.described()}{where}; use at least "
            f"{math.ceil(max(least.total, enough) / 1e6)}MB{more}, a smaller dim, or a larger min_count for fewer "
            "words",
        )
