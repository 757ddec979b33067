"""Words and how often they occur. A word's position in the list is its id, everywhere in this package."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .errors import ArtefactError, Given, InputError, LexvecError, ParameterError, UnknownWordError
from .parameters import check_flag, check_whole, path_from
from .presentation import cards
from .storage.artefact import Artefact
from .storage.bounded import numbered_lines
from .storage.outputs import replacing

FILE = "vocab.tsv"
LAYOUTS = ("tsv", "lexvec-go")
_COUNT = re.compile(r"[0-9]{1,19}")
_SHOWN = 10  # words in a notebook
_SPACED = re.compile(r"\S+ [0-9]{1,19}")
#: What the authors' program and word2vec call the end of a sentence. It is in their vocabularies, but no word.
BREAK = "</s>"


class Vocabulary:
    """A list of distinct words with counts; iterating gives both.

    ``words`` and ``counts`` are in the order of ids; ``vocabulary[word]`` is the id of a word.

    >>> vocabulary = Vocabulary.from_counts(["cat", "the", "dog"], [3, 7, 3], min_count=2)
    >>> vocabulary.words, vocabulary["dog"], "mouse" in vocabulary
    (['the', 'cat', 'dog'], 2, False)
    >>> list(vocabulary), vocabulary.total
    ([('the', 7), ('cat', 3), ('dog', 3)], 13)
    """

    def __init__(self, words: Sequence[str], counts: npt.ArrayLike) -> None:
        self.words, self.counts = _checked(words, counts)
        if len(self.counts) and self.counts.min() < 0:
            raise InputError("the vocabulary has a negative count: counts are 0 or more")
        if len(self.index) != len(self.words):
            double = next(word for place, word in enumerate(self.words) if self.index[word] != place)
            raise InputError(f"the vocabulary has the word {double!r:.80} twice: remove one of them")

    @classmethod
    def from_counts(
        cls, words: Sequence[str], counts: npt.ArrayLike, *, min_count: int = 0, max_vocab: int | None = None
    ) -> Self:
        """Keep the most frequent words, most frequent first; equal counts are sorted by word, so that runs agree."""
        words, counts = _checked(words, counts)
        min_count = check_whole(min_count, "min_count", 0)
        if max_vocab is not None:
            max_vocab = check_whole(max_vocab, "max_vocab", 0)
        by_word = sorted(np.flatnonzero(counts >= min_count).tolist(), key=words.__getitem__)
        by_count = np.argsort(-counts[by_word], kind="stable")[:max_vocab].tolist()
        order = [by_word[place] for place in by_count]
        return cls([words[place] for place in order], counts[order])

    @classmethod
    def ensure(cls, given: Any) -> "Vocabulary":
        """Return a vocabulary itself, or make one from its file or from words, whose counts are then 0."""
        if isinstance(given, Vocabulary):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.load(given)
        if isinstance(given, bytes) or not isinstance(given, Iterable):
            raise ParameterError(
                Given("vocabulary", given), ": it must be a Vocabulary, the name of its file, or words"
            )
        words = list(given)
        return cls(words, np.zeros(len(words), np.int64))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, exact: bool = False) -> Self:
        """Read ``word<TAB>count`` lines; a count that is missing is 0.

        Empty lines at the end and a byte order mark at the start are ignored, unless ``exact``. A file whose lines are
        all ``word<SPACE>count``, as the authors' program and word2vec write them, is read too, without ``</s>``.
        """
        check_flag(exact, "exact")
        try:
            with path_from(path, "path").open("rb") as file:
                raw = b"".join(line for _, line in numbered_lines(file, str(path)))
            text = raw.decode("utf-8" if exact else "utf-8-sig")
            text = text.removesuffix("\n") if exact else text.rstrip("\r\n")
        except OSError as error:
            raise InputError(f"cannot read {path} ({error.strerror}): check the name and the permissions") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8 (byte {error.start}): convert it first") from error
        words: list[str] = []
        counts: list[int] = []
        lines = [line.rstrip("\r") for line in text.split("\n")] if text else []
        spaced = not exact and all(map(_SPACED.fullmatch, lines))
        for number, line in enumerate(lines, 1):
            word, found, count = line.rpartition(" " if spaced else "\t")
            if spaced and word == BREAK:
                continue
            if not found:
                word, count = count, "0"
            if not word or not _COUNT.fullmatch(count) or int(count) >= 2**63:
                raise InputError(f"{path}, line {number}: expected word<TAB>count, found {line[:40]!r}")
            words.append(word)
            counts.append(int(count))
        return cls(words, counts)

    def save(self, path: str | os.PathLike[str], *, layout: str = "tsv") -> None:
        """Write a line per word; the file is complete or absent.

        With ``layout="tsv"`` lines are ``word<TAB>count``; with ``"lexvec-go"`` they are as the authors' program reads
        them (``word<SPACE>count``, and ``</s>`` with the count 0 at the end). It also reads the counts of contexts:
        `Cooccurrence.save_vocabulary` writes both.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Vocabulary(["the", "cat"], [7, 3]).save(f"{folder}/vocab.tsv")
        ...     Vocabulary.load(f"{folder}/vocab.tsv")
        <Vocabulary: 2 words, 10 tokens>
        """
        if layout not in LAYOUTS:
            raise ParameterError(Given("layout", layout), f": it must be one of {', '.join(LAYOUTS)}")
        if layout == "lexvec-go":
            write_spaced(path, self if BREAK in self else [*self, (BREAK, 0)])
            return
        with replacing(path) as file:
            file.write("".join(f"{word}\t{count}\n" for word, count in self).encode())

    def prune(self, *, min_count: int = 0, max_vocab: int | None = None) -> "Vocabulary":
        """Return a vocabulary without rare words.

        >>> Vocabulary(["the", "cat", "hapax"], [7, 3, 1]).prune(min_count=2).words
        ['the', 'cat']
        """
        return Vocabulary.from_counts(self.words, self.counts, min_count=min_count, max_vocab=max_vocab)

    @cached_property
    def index(self) -> dict[str, int]:
        """Word → id."""
        return {word: place for place, word in enumerate(self.words)}

    @property
    def total(self) -> int:
        """Sum of the counts."""
        return int(self.counts.sum())

    def first(self) -> str:
        """Return the first words as a line of text."""
        return ", ".join(self.words[:_SHOWN]) + (", …" if len(self) > _SHOWN else "")

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = list(zip(self.words[:_SHOWN], self.counts[:_SHOWN].tolist(), strict=True))
        rows += [("…", "")] if len(self) > _SHOWN else []
        heading = f"Vocabulary: {len(self):,} words, {self.total:,} tokens"
        return cards.card(heading, cards.columns(("word", "count"), rows))

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return zip(self.words, self.counts.tolist(), strict=True)

    def __getitem__(self, word: str) -> int:
        try:
            return self.index[word]
        except (KeyError, TypeError):
            raise UnknownWordError(word, self.index) from None

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.words == other.words and bool(np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self):,} words, {self.total:,} tokens>"


def write_spaced(path: str | os.PathLike[str], entries: Iterable[tuple[str, int]]) -> None:
    """Write ``word<SPACE>count`` lines that the authors' program reads back as they are."""
    entries = list(entries)
    for word, count in entries:
        # It cuts at any white space, takes a full stop that begins a token for the end of a sentence, and counts in
        # 32 bits.
        if any(map(str.isspace, word)) or word.startswith(".") or count >= 2**32:
            raise InputError(
                f"the layout lexvec-go cannot hold {word!r:.80} with the count {count}: remove words that have white "
                "space or begin with a full stop, and counts from 2**32 on"
            )
    with replacing(path) as file:
        file.write("".join(f"{word} {count}\n" for word, count in entries).encode())


def _checked(words: Any, counts: Any) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return words as a list and their counts as an array of the same length."""
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        raise ParameterError(Given("words", words), ": it must be a list of words")
    listed = list(words)
    if not all(isinstance(word, str) and word and "\n" not in word for word in listed):
        odd = next(word for word in listed if not isinstance(word, str) or not word or "\n" in word)
        raise InputError(f"the vocabulary has the word {odd!r:.80}: a word is text without a line feed")
    return listed, _whole_numbers(counts, len(listed))


def _whole_numbers(counts: Any, length: int) -> npt.NDArray[np.int64]:
    try:
        array = np.asarray(counts)
    except ValueError:  # lists of different lengths
        array = np.empty(0, object)
    numbers = array.dtype.kind in "iu" or (array.dtype == np.float64 and array.size == 0)  # as numpy takes []
    if not numbers or (array.dtype == np.uint64 and array.max(initial=0) >= 2**63):
        raise ParameterError(Given("counts", counts), ": it must be whole numbers below 2**63")
    if array.shape != (length,):
        raise ParameterError(f"{length} words but counts of shape {array.shape}: give one for each")
    return array.astype(np.int64, copy=False)


def folder_vocabulary(folder: Artefact) -> Vocabulary:
    """Return the vocabulary of a corpus, matrix or model, once its file agrees with its checksum."""
    path = folder.check_file(FILE)
    try:
        return Vocabulary.load(path, exact=True)
    except LexvecError as error:
        raise ArtefactError(f"{path} is damaged ({error}): rebuild {folder.path}") from error
