"""Answers to the questions that the page asks: plain records, as ``docs/explorer.md`` describes them.

A question is a word, or a formula such as ``king - man + woman``, put to one model or to two side by side. No alignment
is needed to compare models: what is compared is how far their neighbourhoods of the same words agree.
"""

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InputError, UnknownWordError
from ..vectors.geometry import cosines_of, unit_vectors
from .maps import nearest_rows, single_units
from .shown_models import Content, Record

SUGGESTED = 8
MOST_FOUND = 200
MOST_COMPARED = 50  # words of which one does not match
MOST_TERMS = 20
LONGEST = 300  # characters of a formula
_SHARED = 20_000  # words of both vocabularies that are searched for neighbours
_ASKED = 5_000  # words, the most frequent of these, whose neighbours are compared
_NEAREST = 10
_LISTED = 100


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
    if not 3 <= len(words) <= MOST_COMPARED:
        raise InputError(f"give 3 to {MOST_COMPARED} words to compare, not {len(words)}")
    _, vectors = _vectors(content, [Term(word, 1) for word in words])
    rows = [content.vectors[given] if isinstance(given, str) else given for given in vectors]
    units = unit_vectors(np.array(rows, np.float64))
    cosines = cosines_of(units, unit_vectors(units.mean(axis=0)[None])[0])
    order = np.argsort(-cosines, kind="stable").tolist()
    ranked = [{"word": words[place], "cosine": round(float(cosines[place]), 6)} for place in order]
    return {"odd": ranked[-1]["word"], "words": ranked, "generation": content.generation}


def side_by_side(one: Content, other: Content, text: str, count: int) -> Record:
    """Return the neighbours of the same word or formula in both models, and how many they share.

    A model that does not know the word has an "error" instead; if neither knows it, that is an error of the question.
    """
    both = [_side(content, text, count) for content in (one, other)]
    if all("error" in side for side in both):
        neighbours(one, text, count)
    words = [[found["word"] for found in answer["found"]] for answer in both]
    shared = set(words[0]) & set(words[1])
    return {
        "text": text,
        "sides": both,
        "shared": [word for word in words[0] if word in shared],
        "overlap": len(shared) / max(1, *map(len, words)),
    }


def most_different(one: Content, other: Content) -> Record:
    """Return the frequent words whose nearest neighbours among the words of both models differ most."""
    known = other.vectors.index
    shared = [word for word in one.vectors.words if word in known][:_SHARED]
    if len(shared) < 3:
        raise InputError("the two models share fewer than three words: there is nothing to compare")
    count = min(_NEAREST, len(shared) - 1)
    asked = np.arange(min(_ASKED, len(shared)))
    near = [
        nearest_rows(single_units(vectors.matrix[[vectors.index[word] for word in shared]]), asked, count).rows
        for vectors in (one.vectors, other.vectors)
    ]
    kept = (near[0][:, :, None] == near[1][:, None, :]).any(axis=2).sum(axis=1)
    order = np.argsort(kept, kind="stable")[:_LISTED].tolist()
    return {
        "compared": len(asked),
        "among": len(shared),
        "nearest": count,
        "mean": float(kept.mean()) / count,
        "words": [
            {
                "word": shared[row],
                "overlap": int(kept[row]) / count,
                "sides": [[shared[near_row] for near_row in side[row, :5].tolist()] for side in near],
            }
            for row in order
        ],
    }


class Term(NamedTuple):
    """A word and its sign, 1 or −1."""

    word: str
    sign: int


def parsed(text: str, known: Container[str]) -> list[Term]:
    """Return the terms of a formula; a text that is a word of the vocabulary is that word.

    >>> parsed("king - man + woman", {"king"})
    [Term(word='king', sign=1), Term(word='man', sign=-1), Term(word='woman', sign=1)]
    >>> parsed("king -man", {"king"}), parsed("e -mail", {"e", "-mail"})[1]
    ([Term(word='king', sign=1), Term(word='man', sign=-1)], Term(word='-mail', sign=1))
    """
    if len(text) > LONGEST:
        raise InputError(f"a formula of {len(text):,} characters is too long: give at most {LONGEST}")
    text = text.strip()
    if text in known:
        return [Term(text, 1)]
    terms: list[Term] = []
    sign = 0  # of the next word, if a sign stands before it
    for token in text.replace("−", "-").split():
        if token in "+-" and token not in known:
            if sign:
                raise InputError(f"there are two signs in a row before {token!r}: leave one out")
            sign = 1 if token == "+" else -1
            continue
        if token[0] in "+-" and len(token) > 1 and token not in known:
            sign, token = (1 if token[0] == "+" else -1), token[1:]
        terms.append(Term(token, sign or 1))
        sign = 0
    if sign or not terms:
        raise InputError("a word is missing: type one, or a formula such as king - man + woman")
    if len(terms) > MOST_TERMS:
        raise InputError(f"{len(terms)} words are too many for a formula: give at most {MOST_TERMS}")
    return terms


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


def _side(content: Content, text: str, count: int) -> Record:
    try:
        return neighbours(content, text, count)
    except UnknownWordError as error:
        return {"text": text, "found": [], "error": f"“{error.word}” is not in the vocabulary of this model."}
