"""Many short texts → words, all in one pass of the kernel: what sentences of any length are looked up by."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.tokens import END, SINGLE, UNCASED
from .normalise import Normalizer
from .type_table import TypeTable

# NUL separates words with any rules, so a space can take its place in a text, and it can mark the end of one.
_MARK = "\0"
_SPACES = re.compile(r"[ \t\n\v\f\r]")
# Where punctuation is removed, its marks in Chinese and Japanese, too, which write long texts without whitespace.
_MARKS = re.compile(r"[ \t\n\v\f\r\u3001\u3002\uff01\uff0c\uff1f]")


class CutTexts(NamedTuple):
    """Texts as numbers of types: text t is types[ends[t − 1]:ends[t]]."""

    types: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class TextCutter:
    """Cuts texts into types, and knows the words that each type becomes; types keep their numbers between calls.

    >>> cutter = TextCutter(Normalizer())
    >>> cut = cutter.cut(["It's 42!", "", "Its end."])
    >>> cut.ends.tolist(), [cutter.words[number] for number in cut.types]
    ([4, 4, 6], [['it'], ['s'], ['four'], ['two'], ['its'], ['end']])
    """

    def __init__(self, normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        #: What is surely between two words, with these rules.
        self.separators = _MARKS if normalizer.punctuation == "remove" else _SPACES
        rules = normalizer.rules()
        marked = rules.table.copy()
        marked[ord(_MARK)] = UNCASED | SINGLE
        self._rules = rules._replace(table=marked)
        self._types = TypeTable()
        self._mark = int(self._types.intern([_MARK])[0])
        #: The words of each type, by its number.
        self.words: list[list[str]] = [[]]

    def cut(self, texts: Sequence[str]) -> CutTexts:
        """Cut texts; sentences within a text make no difference."""
        whole = "".join(f"{text.replace(_MARK, ' ')}{_MARK}" for text in texts)
        stream = self._types.segment(whole.encode("utf-8", "replace"), self._rules)
        new = np.arange(len(self.words), len(self._types))
        self.words += [self._normalizer.words(raw) for raw in self._types.words(new)]
        stream = stream[stream != END].astype(np.int64)
        marks = np.flatnonzero(stream == self._mark)
        return CutTexts(np.delete(stream, marks), marks - np.arange(len(marks)))
