"""Text → sentences of words, as in the paper: split into sentences, without punctuation, numbers as words, lowercase.

Each step is an option. The work has two parts. A kernel cuts the bytes into types by a table with one entry per code
point, which `Normalizer.rules` builds from the options. The rest (lowercase beyond ASCII, NFC, numbers) is done by
`Normalizer.words` once per *type*, with Python's Unicode tables.

Words. A word is a run of letters of any script (general categories L, Nl) with the marks (M) and joiners (ZWJ, ZWNJ)
that follow them. Everything else separates words, except format characters such as the soft hyphen, which are removed.
Apostrophes and hyphens separate words like other punctuation (``split``), are kept between letters (``keep``: all
kinds of apostrophe become ', all hyphens -), or are removed between letters (``join``).

Sentences. A line break ends a sentence. Within a line, a sentence ends at . ! ? or … and the quotation marks or
brackets that close there, if whitespace and then a digit or a letter that is not lowercase follow. A full stop after
a single letter ("J.", "c.", but not "I.") or a known abbreviation does not end a sentence. The full stops of scripts
that have their own (。 । ።) need no whitespace.
"""

import functools
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels import tokens
from ..kernels.tokens import (
    BEGINS,
    BINDS,
    BLANK,
    CLOSER,
    CONTINUES,
    END,
    LINE,
    LOWER,
    PLAIN,
    SINGLE,
    STOP,
    TERMINATOR,
    UNCASED,
    UPPER,
    Rules,
)
from ..parameters import Parameters, check_text, parameter
from .number_words import cardinal, spelled
from .type_table import TypeTable

_JOINERS = "\u200c\u200d"
_APOSTROPHES = "'\u2019\uff07"
_HYPHENS = "-\u2010\u2011"
_LINE_BREAKS = "\n\r\x85\u2028\u2029"
_TERMINATORS = ".!?\u2026\u0589\u061f\u06d4"
_STOPS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u1362\u104b\u17d4"
_CLOSERS = "\"'\u2019\u201d\xbb\u203a)]}\uff02\uff07"
_ABBREVIATIONS = (
    "mr mrs ms messrs dr prof st sts mt ft rev hon gen col lt maj capt cpt sgt adm gov sen rep pres jr sr bros "
    "vs no nos vol vols fig figs eq ch pp pg ed eds et al cf ca approx est op cit inc corp co ltd dept univ "
    "jan feb mar apr jun jul aug sept sep oct nov dec"
)


@dataclass(frozen=True, kw_only=True)
class Normalizer(Parameters):
    """Rules that turn text into sentences of words; the defaults are the paper's.

    >>> Normalizer().sentences("In 1984, Mr. Orwell's café closed. He left!")
    [['in', 'one', 'nine', 'eight', 'four', 'mr', 'orwell', 's', 'café', 'closed'], ['he', 'left']]
    """

    sentences_by: str = parameter(
        "rules",
        "What ends a sentence: rules (line breaks and full stops), lines (line breaks only, for text with one sentence "
        "per line), paragraphs (empty lines and full stops, for hard-wrapped text).",
        choices=("rules", "lines", "paragraphs"),
    )
    punctuation: str = parameter(
        "remove",
        "Punctuation: remove (words are runs of letters), keep (words are separated by whitespace only).",
        choices=("remove", "keep"),
    )
    numbers: str = parameter(
        "digits",
        "How to write the number 1984: digits (one nine eight four), cardinal (one thousand nine hundred eighty four), "
        "keep (1984), remove (nothing).",
        choices=("digits", "cardinal", "keep", "remove"),
    )
    lowercase: bool = parameter(True, "Convert text to lowercase.")
    apostrophes: str = parameter(
        "split",
        "How to write a word with an apostrophe: split (don t), keep (don't), join (dont).",
        choices=("split", "keep", "join"),
    )
    hyphens: str = parameter(
        "split",
        "How to write a word with a hyphen: split (well known), keep (well-known), join (wellknown).",
        choices=("split", "keep", "join"),
    )

    @classmethod
    def tokenized(cls) -> "Normalizer":
        """Make rules for tokenised text: one sentence per line, words separated by whitespace, nothing changed.

        >>> Normalizer.tokenized().sentences("It 's 5 o'clock .")
        [['It', "'s", '5', "o'clock", '.']]
        """
        return cls(sentences_by="lines", punctuation="keep", numbers="keep", lowercase=False)

    def sentences(self, text: str) -> list[list[str]]:
        """Normalise a text. Return a list of words for each sentence that has any.

        >>> Normalizer(numbers="keep", hyphens="keep").sentences("A well-known film of 1984. Not the book.")
        [['a', 'well-known', 'film', 'of', '1984'], ['not', 'the', 'book']]
        """
        check_text(text, "text")
        table = TypeTable()
        stream = table.segment(f"{text}\n\n".encode("utf-8", "replace"), self.rules())
        words = [self.words(raw) for raw in table.words(np.arange(len(table)))]
        sentences: list[list[str]] = [[]]
        for type_ in stream.tolist():
            if type_ == tokens.END:
                sentences.append([])
            else:
                sentences[-1].extend(words[type_])
        return [sentence for sentence in sentences if sentence]

    def words(self, raw: str) -> list[str]:
        """Return the words that a type becomes: one, several (for a number), or none.

        >>> Normalizer(numbers="cardinal").words("1984")
        ['one', 'thousand', 'nine', 'hundred', 'eighty', 'four']
        """
        check_text(raw, "raw")
        text = unicodedata.normalize("NFC", raw.lower() if self.lowercase else raw)
        if self.punctuation == "keep":
            return self._number(text) if text.isdecimal() else [text]
        text = _vanishing().sub("", text)
        for characters, treatment, kept in ((_APOSTROPHES, self.apostrophes, "'"), (_HYPHENS, self.hyphens, "-")):
            if treatment != "split":
                text = re.sub(f"[{characters}]", kept if treatment == "keep" else "", text)
        words: list[str] = []
        # Two joiners in a row are a dash or a quotation mark, not part of a word.
        for piece in re.split(rf"[-'{_JOINERS}]{{2,}}", text):
            for part in self._parts(piece):
                if part[0].isdecimal() and self.numbers != "keep":
                    words += self._number(part)
                elif part := part.strip(f"-'{_JOINERS}"):
                    words.append(part)
        return words

    def _parts(self, piece: str) -> list[str]:
        """Separate letters and numbers, if numbers become words."""
        if self.numbers == "keep":
            return [piece] if piece else []
        return re.findall(r"\d+(?:[.,]\d+)*|[^\d.,]+", piece)

    def _number(self, digits: str) -> list[str]:
        if self.numbers == "digits":
            return spelled(digits)
        if self.numbers == "cardinal":
            return cardinal(digits)
        return [digits] if self.numbers == "keep" else []

    def rules(self) -> Rules:
        """Return the table for the kernel."""
        return _rules(self)


@functools.cache
def _categories() -> npt.NDArray[np.str_]:
    """Return the general category of each code point; those beyond the assigned planes are all alike (Cn, Co)."""
    categories = np.full(sys.maxunicode + 1, "Cn", "<U2")
    for first, last in ((0, 0x32400), (0xE0000, 0xE0200)):
        categories[first:last] = list(map(unicodedata.category, map(chr, range(first, last))))
    return categories


@functools.cache
def _vanishing() -> re.Pattern[str]:
    """Match format characters inside a word (soft hyphens, direction marks), but not joiners, which are spelling."""
    formats = "".join(map(chr, np.flatnonzero(_categories() == "Cf")))
    return re.compile(f"[{re.escape(formats.translate({ord(c): None for c in _JOINERS}))}]")


def _points(characters: str) -> list[int]:
    return [ord(character) for character in characters]


@functools.cache
def _rules(options: Normalizer) -> Rules:
    categories = _categories()
    major = categories.astype("<U1")
    table = np.full(categories.size, PLAIN, np.uint8)
    letters = (major == "L") | (categories == "Nl")
    table[letters] = UNCASED | BEGINS | CONTINUES
    table[categories == "Ll"] = LOWER | BEGINS | CONTINUES
    table[0x10D0:0x1100] = (
        UNCASED | BEGINS | CONTINUES
    )  # Georgian sentences begin with letters that Unicode calls lowercase
    table[(categories == "Lu") | (categories == "Lt")] = UPPER | BEGINS | CONTINUES
    table[(major == "M") | (categories == "Cf")] = CONTINUES
    digits = categories == "Nd"
    table[digits] = UNCASED
    table[_points(_CLOSERS)] = CLOSER
    if options.sentences_by != "lines":
        table[_points(_TERMINATORS)] = TERMINATOR
        # If punctuation is kept, a stop belongs to its word, and ends a sentence only before whitespace.
        table[_points(_STOPS)] = TERMINATOR if options.punctuation == "keep" else STOP

    if options.punctuation == "keep":
        table |= BEGINS | CONTINUES
    elif options.numbers == "digits":
        table[digits] |= SINGLE
    elif options.numbers != "remove":
        table[digits] |= BEGINS | CONTINUES
    if options.punctuation == "remove":
        if options.numbers == "cardinal":
            table[_points(".,")] |= BINDS
        for characters, treatment in ((_APOSTROPHES, options.apostrophes), (_HYPHENS, options.hyphens)):
            if treatment != "split":
                table[_points(characters)] |= CONTINUES

    # With any options these separate words: whitespace, control characters (with NUL), the zero width space, and the
    # character that replaces invalid bytes.
    blanks = (major == "Z") | (categories == "Cc")
    table[blanks] = BLANK
    table[_points("\u200b\ufffd")] = BLANK
    table[_points(_LINE_BREAKS)] = LINE
    # `table` knows the lowercase letters of all scripts, so abbreviations need only their usual three spellings.
    spellings = {form(word) for word in _ABBREVIATIONS.split() for form in (str.lower, str.title, str.upper)}
    hashes = [tokens.hash_bytes(np.frombuffer(bytearray(w.encode()), np.uint8), 0, len(w)) for w in sorted(spellings)]
    return Rules(
        table, np.array(hashes, np.uint64), options.lowercase, 2 if options.sentences_by == "paragraphs" else 1
    )


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
