"""Our rules for text as a ``tokenizer.json``, which the tokenizers library of Hugging Face reads.

The library normalises a whole text and then cuts it; we cut first and normalise each token. So each rule is written in
the form that gives the same words: see the tests, which compare both on text of all kinds.
"""

import functools
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....errors import ParameterError

if TYPE_CHECKING:
    from ....corpus import Normalizer

_JOINERS = r"\u200c\u200d"
_APOSTROPHES = r"'\u2019\uff07"
_HYPHENS = r"\-\u2010\u2011"
# With any rules these separate words: whitespace, control characters, the zero width space, the replacement character.
_BLANK = r"[\p{Z}\p{Cc}\u200b\ufffd]"


def tokenizer_json(normalizer: "Normalizer", words: Sequence[str]) -> dict[str, Any]:
    """Return a tokenizer whose token 0 stands for unknown words, and whose other tokens are the words in order."""
    if normalizer.numbers == "cardinal" or (normalizer.punctuation == "keep" and normalizer.numbers == "digits"):
        kept = ", punctuation='keep'" if normalizer.punctuation == "keep" else ""
        raise ParameterError(
            f"no tokenizer.json can spell numbers as these vectors want them (numbers={normalizer.numbers!r}{kept}): "
            "train with numbers='keep', or export to word2vec"
        )
    unknown = "[UNK]"
    while unknown in words:
        unknown = f"[{unknown}]"
    vocabulary = {unknown: 0, **{word: number for number, word in enumerate(words, 1)}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": list(_normalizers(normalizer))},
        "pre_tokenizer": _cut(normalizer),
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": unknown},
    }


def _normalizers(rules: "Normalizer") -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    removes = rules.punctuation == "remove"
    if rules.lowercase:
        # A capital sigma at the end of a word becomes ς, which the library's Lowercase does not know. Between it
        # and the other letters may be what Unicode calls case-ignorable, as far as it can be part of a word.
        kept = rf"\p{{L}}\p{{M}}\p{{Cf}}{_APOSTROPHES if rules.apostrophes != 'split' else ''}" if removes else r"\S"
        ignored = rf"[[{kept}]&&\p{{Case_Ignorable}}&&[^\u200b]]*"
        steps.append(_replace(rf"(?<=\p{{Cased}}{ignored})Σ(?!{ignored}\p{{Cased}})", "ς"))
        steps.append({"type": "Lowercase"})
    steps.append({"type": "NFC"})
    if not removes:
        return steps
    steps.append(_replace(rf"[\p{{Cf}}&&[^\u200b{_JOINERS}]]", ""))
    inside = rf"(?<=[\p{{L}}\p{{Nl}}\p{{M}}\p{{Nd}}{_JOINERS}{_APOSTROPHES}{_HYPHENS}])"
    for characters, treatment, kept in ((_APOSTROPHES, rules.apostrophes, "'"), (_HYPHENS, rules.hyphens, "-")):
        if treatment == "keep":
            steps.append(_replace(f"[{characters}]", kept))
        elif treatment == "join":
            steps.append(_replace(f"{inside}[{characters}]", ""))
    if rules.numbers == "digits":
        from ....corpus.number_words import DIGITS

        steps += [_replace(f"[{_digits()[value]}]", f" {name} ") for value, name in enumerate(DIGITS)]
    return steps


def _cut(rules: "Normalizer") -> dict[str, Any]:
    if rules.punctuation == "keep":
        return {"type": "Split", "pattern": {"Regex": _BLANK}, "behavior": "Removed", "invert": False}
    begins = r"\p{L}\p{Nl}" + (r"\p{Nd}" if rules.numbers == "keep" else "")
    joiners = _JOINERS + ("'" if rules.apostrophes == "keep" else "") + (r"\-" if rules.hyphens == "keep" else "")
    word = rf"[{begins}][{begins}\p{{M}}]*(?:[{joiners}][{begins}\p{{M}}]+)*"
    return {"type": "Split", "pattern": {"Regex": word}, "behavior": "Removed", "invert": True}


def _replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


@functools.cache
def _digits() -> list[str]:
    """Return the digits of all scripts that stand for 0, for 1, and so on."""
    found = [""] * 10
    for point in map(chr, range(sys.maxunicode + 1)):
        if point.isdecimal():
            found[unicodedata.decimal(point)] += point
    return found
