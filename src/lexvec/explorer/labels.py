"""A file of labels, by which the words of a map are coloured: a word, a tab and its label on each line."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..storage.bounded import numbered_lines
from ..storage.files import opened

MOST_KINDS = 8  # that have a colour of their own; the others share one
OTHER = "other"


@dataclass(frozen=True)
class Labels:
    """The label of each word, by its number in ``kinds``; 255 for words without one."""

    kinds: list[str]
    by_word: dict[str, int]

    @classmethod
    def read(cls, path: Path) -> "Labels":
        """Read a file; of a word that occurs twice the first label counts."""
        found: dict[str, str] = {}
        with opened(path) as file:
            for number, line in numbered_lines(file.stream, file.name):
                try:
                    text = line.decode("utf-8").rstrip("\r\n")
                except UnicodeDecodeError:
                    raise InputError(f"{path}, line {number} is not UTF-8: convert the file first") from None
                if not text.strip():
                    continue
                word, tab, label = text.partition("\t")
                if not (tab and word and label.strip()):
                    raise InputError(f"{path}, line {number}: write a word, a tab and its label")
                found.setdefault(word, label.strip())
        if not found:
            raise InputError(f"{path} has no labels: write a word, a tab and its label on each line")
        kinds = [kind for kind, _ in Counter(found.values()).most_common()]
        if len(kinds) > MOST_KINDS:
            kinds = [*kinds[: MOST_KINDS - 1], OTHER]
        places = {kind: place for place, kind in enumerate(kinds)}
        return cls(kinds, {word: places.get(kind, len(kinds) - 1) for word, kind in found.items()})

    def of(self, words: Sequence[str]) -> bytes:
        """Return a byte per word: the number of its label, or 255."""
        return bytes(self.by_word.get(word, 255) for word in words)
