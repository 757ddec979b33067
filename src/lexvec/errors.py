"""The errors that this package raises on purpose. Each message is one line: what is wrong, then what to do.

```
LexvecError
├── ParameterError     a parameter has a value or type that it cannot have
├── InputError         text or a file that cannot be used
├── UnknownWordError   a word without a vector
├── ArtefactError      a folder or file that is damaged, foreign, or in the way
├── DivergenceError    training diverged
├── ResourceError      not enough disk or memory
└── ClusterError       workers that cannot be reached, differ, or were lost
```

A message that names a parameter names it with `Given`, so that Python code reads ``force=True`` and the command line
``--force``. A name that is not known gets its suggestion from `did_you_mean`, and a word from `close_words`; both look
in one place, `_most_alike`, which uses rapidfuzz where it is installed and difflib elsewhere.
"""

import difflib
import shlex
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

_SEARCHED = {"rapidfuzz": 500_000, "difflib": 20_000}  # words that are compared: some hundredths of a second
_ALIKE = 0.6  # least likeness of a suggestion, from 0 to 1
_LONGEST = 200  # characters of a value in a message


class _Omitted:
    """The value of a parameter that is only named."""

    def __repr__(self) -> str:
        return "omitted"


_OMITTED = _Omitted()


@dataclass(frozen=True)
class Given:
    """A parameter in an error message, with its value or without.

    >>> given = Given("min_count", 0)
    >>> str(given), given.flag
    ('min_count=0', '--min-count 0')
    >>> Given("force", True).flag, Given("lowercase", False).flag, Given("matrix").flag
    ('--force', '--no-lowercase', '--matrix')
    """

    #: The name of the parameter in Python.
    name: str
    #: Its value; omit it to name the parameter alone.
    value: object = _OMITTED

    def __str__(self) -> str:
        return self.name if self.value is _OMITTED else f"{self.name}={_cut(_on_one_line(repr(self.value)))}"

    @property
    def flag(self) -> str:
        """The parameter as it is typed on the command line."""
        dashed = self.name.replace("_", "-")
        if isinstance(self.value, bool):
            return f"--{dashed}" if self.value else f"--no-{dashed}"
        return f"--{dashed}" if self.value is _OMITTED else f"--{dashed} {_cut(shlex.quote(str(self.value)))}"


class LexvecError(Exception):
    """Base of all errors that this package raises on purpose. The message is its arguments, joined.

    >>> from lexvec import LexVec
    >>> try:
    ...     LexVec(dim=0)
    ... except LexvecError as error:
    ...     print(error)
    dim=0: it must be at least 1
    >>> error = ArtefactError("model exists: choose another output, or replace it with ", Given("force", True))
    >>> print(error)
    model exists: choose another output, or replace it with force=True
    >>> print(error.for_command_line())
    model exists: choose another output, or replace it with --force
    """

    def __str__(self) -> str:
        return _one_line("".join(map(str, self.args)))

    def for_command_line(self) -> str:
        """Return the message with parameters named as flags."""
        return _one_line("".join(part.flag if isinstance(part, Given) else str(part) for part in self.args))


class ParameterError(LexvecError, ValueError):
    """A parameter has a value, or a type, that it cannot have."""


class InputError(LexvecError):
    """Text, or a file to read it from, that cannot be used."""


class UnknownWordError(LexvecError, KeyError):
    """A word that has no vector. Similar words are looked for only when the message is read.

    >>> print(UnknownWordError("Paris", ["london", "paris"]))
    'Paris' is not in the vocabulary: did you mean 'paris'?
    """

    def __init__(
        self,
        word: object,
        known: Collection[str] = (),
        *,
        uncomposable: bool = False,
        advice: str = "check the spelling",
    ) -> None:
        super().__init__(word)
        self.word = word
        self._known = known
        self._advice = advice
        self._what = "is not in the vocabulary"
        if uncomposable:
            self._what += " and has no n-gram to compose a vector from"

    def __str__(self) -> str:
        close = close_words(self.word, self._known) if isinstance(self.word, str) else []
        return f"{_cut(repr(self.word))} {self._what}: {_question(close) or self._advice}"

    def for_command_line(self) -> str:
        """Return the message, which names no parameter."""
        return str(self)


class ArtefactError(LexvecError):
    """A file or folder that is damaged, that lexvec did not write, or that is in the way."""


class DivergenceError(LexvecError):
    """Training diverged: the loss or the rows are not finite, or absurdly large."""


class ResourceError(LexvecError):
    """There is not enough disk or memory."""


class TooLittleMemoryError(ResourceError):
    """Counting or training with these parameters needs more memory than is free."""


class MemoryLimitError(TooLittleMemoryError, ParameterError):
    """Counting or training needs more than the parameter ``memory`` allows."""


class ClusterError(LexvecError):
    """Workers cannot be reached, do not see the data, would compute other bits, or were lost."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question that suggests the known name closest to ``name``, or an empty text if none is close.

    >>> did_you_mean("trian", ["train", "count"])
    "did you mean 'train'?"
    >>> did_you_mean("xyzzy", ["train", "count"]) or "choose one of train, count"
    'choose one of train, count'
    """
    return _question(_most_alike(_cut(str(name)), list(known), 1))


def close_words(word: str, known: Collection[str], count: int = 3) -> list[str]:
    """Return other cases of a word, then words of about its length that are spelt alike, the most similar first.

    >>> close_words("Pariss", ["london", "paris", "pairs"], 1), close_words("PARIS", ["paris"])
    (['paris'], ['paris'])
    """
    word = word[:_LONGEST]
    cases = [case for case in (word.lower(), word.title(), word.upper()) if case != word and case in known]
    searched = islice(known, _SEARCHED["rapidfuzz" if _rapidfuzz_extract() else "difflib"])
    near = [other for other in searched if abs(len(other) - len(word)) <= 2]
    alike = _most_alike(word.lower(), near, count + 1, typed=True)
    return [other for other in dict.fromkeys([*cases, *alike]) if other != word][:count]


def _most_alike(name: str, known: list[str], count: int, *, typed: bool = False) -> list[str]:
    """Return the known names that are spelt most like a name, best first, and of equal ones the first.

    ``typed`` is for words that somebody typed: two letters that changed places are one mistake.
    """
    extract = _rapidfuzz_extract()
    if extract is None:
        return difflib.get_close_matches(name, known, count, _ALIKE)
    from rapidfuzz.distance import OSA, Indel

    scorer = OSA.normalized_similarity if typed else Indel.normalized_similarity
    found = extract(name, known, scorer=scorer, limit=count, score_cutoff=_ALIKE)
    return [str(each[0]) for each in found]


def _rapidfuzz_extract() -> Callable[..., Any] | None:
    """Return the search of rapidfuzz, or None where it is not installed (it comes with the extra ``explore``)."""
    try:
        from rapidfuzz import process
    except ImportError:
        return None
    extract: Callable[..., Any] = process.extract
    return extract


def _question(close: list[str]) -> str:
    return f"did you mean {', '.join(map(repr, close))}?" if close else ""


def _on_one_line(text: str) -> str:
    """Return the representation of a value, which may have several lines (an array, say), on one."""
    return " ".join(line.strip() for line in text.splitlines())


def _one_line(text: str) -> str:
    """Escape control characters, which come from names in files: a message is one line, and moves no cursor."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
