"""Test items in two halves: a search sees the development half, and only the report sees the test half.

A hash of its words decides to which half an item goes. So the split never changes, an item that is in several sets is
in the same half of each, and so is a pair whose words are swapped. The halves are files of items that anyone can read.
"""

import hashlib
import logging
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import InputError
from ..evaluation.datasets import DATASETS
from ..evaluation.sets import TestSet, gather
from ..evaluation.tasks import Item
from ..progress import Progress
from ..storage.outputs import write_text

FEWEST = 20  # items in a half, with all words in the vocabulary

Half = Literal["development", "test"]


def half_of(item: Item) -> Half:
    """Return the half that an item belongs to.

    >>> half_of(Item(("cat", "dog"), 9.0)) == half_of(Item(("Dog", "cat"), 3.0))
    True
    """
    words = "\t".join(sorted(word.lower() for word in item.words))
    return "test" if hashlib.sha256(words.encode()).digest()[0] & 1 else "development"


@dataclass(frozen=True)
class Halves:
    """Test sets, each split into two halves."""

    sets: tuple[TestSet, ...]

    @classmethod
    def gathered(
        cls, sets: Sequence[str | os.PathLike[str]], data: str | os.PathLike[str] | None, progress: Progress
    ) -> "Halves":
        """Find sets by key, kind of task or path; omit small sets that were named by their kind."""
        found, _ = gather(sets, data)
        asked = {os.fspath(name) for name in sets}
        stems = [_stem(test) for test in found]
        if double := next((stem for stem in stems if stems.count(stem) > 1), None):
            raise InputError(f"two test sets are called {double}: rename one of the files")
        kept = [test for test in found if _is_large_enough(test, test.items, asked, progress)]
        return cls(_some(kept))

    def covered(self, vocabulary: Collection[str], asked: Collection[str], progress: Progress) -> "Halves":
        """Return the sets that have enough items whose words are all in a vocabulary."""
        words = set(vocabulary)
        kept = []
        for test in self.sets:
            items = test.items
            if test.task.looked_up:
                items = [item for item in items if all(word.lower() in words or word in words for word in item.words)]
            if _is_large_enough(test, items, asked, progress, " with all words in the vocabulary"):
                kept.append(test)
        for kind in {test.kind for test in self.sets} & set(asked):
            if not any(test.kind == kind and test.key in DATASETS for test in kept):
                raise InputError(
                    f"no {kind} set has {FEWEST} items in each half with all words in the vocabulary: maximise "
                    "something else, or keep rarer words"
                )
        return Halves(_some(kept))

    def write(self, folder: Path) -> None:
        """Write a file for each half of each set."""
        for half in ("development", "test"):
            for test in self.sets:
                task = test.task
                lines = [f"{task.text(item)}\n" for item in test.items if half_of(item) == half]
                path = self.path(folder, half, test)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, f"# task: {test.kind}\n{''.join(lines)}")

    def paths(self, folder: Path, half: Half) -> list[Path]:
        """Return the files of a half."""
        return [self.path(folder, half, test) for test in self.sets]

    @staticmethod
    def path(folder: Path, half: Half, test: TestSet) -> Path:
        """Return the file of half a set."""
        return folder / half / f"{_stem(test)}.txt"

    def digests(self) -> dict[str, str]:
        """Return what identifies the items, by set."""
        return {_stem(test): test.sha256 for test in self.sets}


def _stem(test: TestSet) -> str:
    return Path(test.key).stem


def _some(kept: list[TestSet]) -> tuple[TestSet, ...]:
    if not kept:
        raise InputError(f"no test set has {FEWEST} items in each half: choose larger sets, or a larger vocabulary")
    return tuple(kept)


def _is_large_enough(
    test: TestSet, items: Sequence[Item], asked: Collection[str], progress: Progress, which: str = ""
) -> bool:
    """Return whether both halves can be scored; raise an error if not, and the set was asked for by its name."""
    halves = [[item for item in items if half_of(item) == half] for half in ("development", "test")]
    fewest = min(len({item.words for item in half}) for half in halves)
    if fewest < FEWEST:
        problem = f"{_stem(test)} has only {fewest} different items{which} in one half, and {FEWEST} are needed"
        advice = f"choose a larger set{', or keep rarer words' if which else ''}"
    elif test.task.is_rated(items[0]) and any(len({item.rating for item in half}) == 1 for half in halves):
        problem, advice = f"{_stem(test)} has only one rating in one half", "choose a set with different ratings"
    else:
        return True
    if test.key in asked:
        raise InputError(f"{problem}: {advice}")
    progress.note(f"{problem}; it is left out", logging.WARNING)
    return False
