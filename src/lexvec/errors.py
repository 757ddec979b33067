"""What a user can get wrong, as types. Each message is one line: what is wrong, and what to do about it."""

import difflib
from collections.abc import Collection
from itertools import islice

_SEARCHED = 20_000  # how many words are looked through for one that may have been meant: some hundredths of a second


class LexvecError(Exception):
    """Base of all errors that this package raises on purpose.

    >>> from lexvec import LexVec
    >>> try:
    ...     LexVec(dim=0)
    ... except LexvecError as error:
    ...     print(error)
    dim=0: it must be at least 1
    """


class ParameterError(LexvecError, ValueError):
    """A parameter has a value, or a type, that it cannot have."""


class InputError(LexvecError):
    """Text, or a file to read it from, that cannot be used."""


class UnknownWordError(LexvecError, KeyError):
    """A word that has no vector. What may have been meant is looked for only when the message is read.

    >>> print(UnknownWordError("Paris", ["london", "paris"]))
    'Paris' is not in the vocabulary: did you mean 'paris'?
    """

    def __init__(self, word: object, known: Collection[str] = ()) -> None:
        super().__init__(word)
        self.word = word
        self._known = known

    def __str__(self) -> str:
        close = self._close() if isinstance(self.word, str) else []
        advice = f"did you mean {', '.join(map(repr, close))}?" if close else "check how it is spelt"
        return f"{self.word!r} is not in the vocabulary: {advice}"

    def _close(self) -> list[str]:
        """Other cases of the word, then similar words of about its length among the first, the most frequent ones."""
        word = str(self.word)
        cases = [case for case in (word.lower(), word.title(), word.upper()) if case != word and case in self._known]
        alike = (other for other in islice(self._known, _SEARCHED) if abs(len(other) - len(word)) <= 2)
        return list(dict.fromkeys([*cases, *difflib.get_close_matches(word, alike)]))[:3]


class ArtefactError(LexvecError):
    """A file or folder that is not, or is no longer, what this package wrote, or that stands in the way."""


class DivergenceError(LexvecError):
    """Training has left all bounds."""


class ResourceError(LexvecError):
    """Disk or memory is not enough."""
