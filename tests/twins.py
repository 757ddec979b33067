"""Slow, readable twins of the kernels: what the tests hold the fast code against."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lexvec import Normalizer
from lexvec.corpus import normalizer
from reference import below, uniform


def cooccurrences(
    sentences: list[list[int]],
    *,
    window: int,
    kind: str,
    side: str,
    keep: npt.NDArray[np.float64],
    clean: bool,
    keep_key: int,
    size_key: int,
) -> Counter[tuple[int, int]]:
    """Cells of M; for harmonic windows the weights are added as floats."""
    cells: Counter[tuple[int, int]] = Counter()
    position = 0
    for sentence in sentences:
        numbered = list(enumerate(sentence, position))
        position += len(sentence)
        kept = [(p, w if uniform(keep_key, p) < keep[w] else None) for p, w in numbered]
        if not clean:
            kept = [(p, w) for p, w in kept if w is not None]
        for i, (p, word) in enumerate(kept):
            if word is None:
                continue
            size = 1 + below(size_key, p, window) if kind == "random" else window
            for j, (_, context) in enumerate(kept):
                distance = j - i
                if context is None or distance == 0 or abs(distance) > size:
                    continue
                if (side == "left" and distance > 0) or (side == "right" and distance < 0):
                    continue
                cells[word, context] += 1 / abs(distance) if kind == "harmonic" else 1  # type: ignore[assignment]
    return cells


def dense_pmi(counts: npt.NDArray[np.float64], smoothing: float) -> npt.NDArray[np.float64]:
    """The formula, on a dense matrix; −inf where nothing was seen."""
    context = counts.sum(axis=0) ** smoothing
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = counts.sum(axis=1, keepdims=True) * context / context.sum()
        return np.asarray(np.log(np.where(counts > 0, counts / expected, 0)))


def sentences(text: str, rules: Normalizer) -> list[list[str]]:
    """The normaliser, one character at a time."""
    found = []
    for line in _lines(text, wrapped=rules.sentences_by == "paragraphs"):
        bounds = [0, *(_sentence_starts(line, rules) if rules.sentences_by != "lines" else []), len(line)]
        for start, stop in pairwise(bounds):
            words = [word for token in _tokens(line[start:stop], rules) for word in rules.words(token)]
            if words:
                found.append(words)
    return found


def _lines(text: str, *, wrapped: bool) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\u2029", "\n\n")
    for other in "\r\x85\u2028":
        text = text.replace(other, "\n")
    if not wrapped:
        return text.split("\n")
    paragraphs, held = [], ""
    for line in text.split("\n"):
        if all(_blank(c) for c in line):
            paragraphs.append(held)
            held = ""
        else:
            held += line + "\n"
    return [*paragraphs, held]


def _blank(c: str) -> bool:
    return unicodedata.category(c)[0] == "Z" or unicodedata.category(c) == "Cc" or c in "\u200b\ufffd"


def _wordlike(c: str) -> bool:
    return unicodedata.category(c) in ("Ll", "Lu", "Lt", "Lo", "Lm", "Nl", "Nd")


def _sentence_starts(line: str, rules: Normalizer) -> list[int]:
    """Places of the letters and digits that begin a new sentence, moved back to the start of their token."""
    starts = []
    waiting = "nothing"
    for i, c in enumerate(line):
        if _wordlike(c):
            small = unicodedata.category(c) == "Ll" and _cased(c)
            if waiting == "letter" and not small:
                starts.append(_token_start(line, i, rules))
            waiting = "nothing"
        elif c in normalizer._TERMINATORS:
            if not (c == "." and _is_abbreviation(_token_before(line, i, rules))):
                waiting = "blank"
        elif c in normalizer._STOPS:
            waiting = "letter" if rules.punctuation == "remove" else "blank"
        elif _blank(c):
            waiting = "letter" if waiting == "blank" else waiting
        elif c not in normalizer._CLOSERS and waiting == "blank":
            waiting = "nothing"
    return starts


def _is_abbreviation(token: str) -> bool:
    """Of the letters at the end of a token: one letter with its marks, or a known abbreviation."""
    run = re.search(r"[A-Za-z\x80-\U0010ffff]*$", token)
    letters = run[0] if run else ""
    alone = not any(_wordlike(c) or c in normalizer._CLOSERS for c in letters[1:])
    if letters and _cased(letters[0]) and alone:
        return not token.endswith("I")
    known = normalizer._ABBREVIATIONS.split()
    return letters in known or letters in [w.title() for w in known] or letters in [w.upper() for w in known]


def _cased(c: str) -> bool:
    georgian = 0x10D0 <= ord(c) < 0x1100
    return unicodedata.category(c) in ("Ll", "Lu", "Lt") and not georgian


def _token_before(line: str, i: int, rules: Normalizer) -> str:
    spans = [span for span in _spans(line[:i], rules) if span[1] == i and not _single(line[span[0]], rules)]
    if not spans:
        return ""
    token = line[spans[0][0] : i]
    if not rules.lowercase or token.endswith("I"):
        return token
    return "".join(c.lower() if c.isascii() else c for c in token)


def _token_start(line: str, i: int, rules: Normalizer) -> int:
    return next((start for start, stop in _spans(line, rules) if start <= i < stop), i)


def _single(c: str, rules: Normalizer) -> bool:
    digit = unicodedata.category(c) == "Nd"
    return rules.punctuation == "remove" and rules.numbers == "digits" and digit


def _tokens(text: str, rules: Normalizer) -> list[str]:
    folded = "".join(c.lower() if c.isascii() and rules.lowercase else c for c in text)
    return [folded[start:stop] for start, stop in _spans(text, rules)]


def _spans(text: str, rules: Normalizer) -> list[tuple[int, int]]:
    """Where tokens begin and end."""
    spans: list[tuple[int, int]] = []
    start = None
    for i, c in enumerate([*text, "\n"]):
        inside = start is not None
        if _belongs(text, i, c, inside, rules):
            start = i if start is None else start
            continue
        if start is not None:
            spans.append((start, i))
            start = None
        if _single(c, rules):
            spans.append((i, i + 1))
    return spans


def _belongs(text: str, i: int, c: str, inside: bool, rules: Normalizer) -> bool:
    category = unicodedata.category(c)
    if _blank(c):
        return False
    if rules.punctuation == "keep":
        return True
    if category[0] == "L" or category == "Nl":
        return True
    if category == "Nd":
        return rules.numbers in ("keep", "cardinal")
    if not inside:
        return False
    if category[0] == "M" or category == "Cf":
        return True
    if rules.numbers == "cardinal" and c in ".,":
        return text[i - 1] in "0123456789" and text[i + 1 : i + 2] in [*"0123456789"]
    kept = (rules.apostrophes != "split", normalizer._APOSTROPHES), (rules.hyphens != "split", normalizer._HYPHENS)
    return any(wanted and c in characters for wanted, characters in kept)
