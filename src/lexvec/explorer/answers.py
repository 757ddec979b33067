"""Answers to the questions that the page asks: plain records, as ``docs/explorer.md`` describes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError, UnknownWordError
from ..vectors.geometry import cosines_of, unit_vectors
from .formulas import Term, parsed
from .opening import Content

SUGGESTED = 8
MOST_FOUND = 200
MOST_WORDS = 50  # of which one does not match

Record = dict[str, Any]


def suggested(content: Content, text: str) -> Record:
    """Return words that begin with a text, and others that were probably meant if there are none."""
    words = content.suggestions.beginning_with(text, SUGGESTED)
    meant = [] if words or not text.strip() else content.suggestions.meant(text, SUGGESTED)
    return {"text": text, "words": words, "meant": meant}


def neighbours(content: Content, text: str, count: int) -> Record:
    """Return the words nearest to a word or formula, over the whole vocabulary."""
    terms, vectors = _vectors(content, parsed(text, content.vectors))
    sides = [[given for term, given in zip(terms, vectors, strict=True) if term.sign == sign] for sign in (1, -1)]
    found = content.vectors.most_similar(*sides, count=count)
    return {
        "text": text,
        "terms": [described(content, term) for term in terms],
        "found": listed(content, found),
        "searched": len(content.vectors),
        "generation": content.generation,
    }


def analogy(content: Content, a: str, b: str, c: str, count: int) -> Record:
    """Return both methods' answers to "a is to b as c is to which word?"."""
    words = [word if _composed(content, word) is not None else _known(content, word) for word in (a, b, c)]
    both = {
        method: listed(content, content.vectors.analogy(*words, method=method, count=count))
        for method in ("add", "mul")
    }
    return {"words": words, **both, "generation": content.generation}


def odd_one_out(content: Content, words: Sequence[str]) -> Record:
    """Return the word that matches the others least, and the cosine of each with the mean of all."""
    if not 3 <= len(words) <= MOST_WORDS:
        raise InputError(f"give 3 to {MOST_WORDS} words to compare, not {len(words)}")
    _, vectors = _vectors(content, [Term(word, 1) for word in words])
    rows = [content.vectors[given] if isinstance(given, str) else given for given in vectors]
    units = unit_vectors(np.array(rows, np.float64))
    cosines = cosines_of(units, unit_vectors(units.mean(axis=0)[None])[0])
    order = np.argsort(-cosines, kind="stable").tolist()
    ranked = [{"word": words[place], "cosine": round(float(cosines[place]), 6)} for place in order]
    return {"odd": ranked[-1]["word"], "words": ranked, "generation": content.generation}


def described(content: Content, term: Term) -> Record:
    """Return what is known about a word of a formula; one without a row is composed."""
    row = content.vectors.index.get(term.word)
    return {"word": term.word, "sign": term.sign, "composed": row is None, **_frequency(content, row)}


def listed(content: Content, found: Sequence[tuple[str, float]]) -> list[Record]:
    """Return words and cosines as records, with their ranks and counts."""
    index = content.vectors.index
    return [{"word": word, "cosine": round(cosine, 6), **_frequency(content, index[word])} for word, cosine in found]


def _frequency(content: Content, row: int | None) -> Record:
    counts = content.vectors.counts
    return {
        "rank": None if row is None else row + 1,
        "count": None if row is None or counts is None else int(counts[row]),
    }


def _vectors(content: Content, terms: list[Term]) -> tuple[list[Term], list[str | npt.NDArray[np.float32]]]:
    """Return terms with words as the vocabulary spells them, and for words without a row their composed vectors."""
    found: list[Term] = []
    vectors: list[str | npt.NDArray[np.float32]] = []
    for term in terms:
        composed = _composed(content, term.word)
        word = term.word if composed is not None else _known(content, term.word)
        found.append(Term(word, term.sign))
        vectors.append(word if composed is None else composed)
    return found, vectors


def _composed(content: Content, word: str) -> npt.NDArray[np.float32] | None:
    """Return the vector of a word that has no row, if the model can compose one."""
    vectors = content.vectors
    if word in vectors or vectors.composer is None:
        return None
    row: npt.NDArray[np.float32] = vectors.composer.composed([word])[0]
    return row if row.any() else None


def _known(content: Content, word: str) -> str:
    """Return a word of the vocabulary, or the same word in lowercase if only that is known."""
    if word in content.vectors:
        return word
    if word.lower() in content.vectors:
        return word.lower()
    raise UnknownWordError(word, content.vectors.index)
