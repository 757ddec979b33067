"""Two models side by side: how far their neighbourhoods of the same words agree. No alignment is needed."""

from typing import Any

import numpy as np

from ..errors import InputError, UnknownWordError
from . import answers
from .neighbourhoods import nearest_rows, single_units
from .opening import Content

_SHARED = 20_000  # words of both vocabularies among which neighbours are looked for, and
_ASKED = 5_000  # the most frequent of them, whose neighbours are compared
_NEAREST = 10
_LISTED = 100


def side_by_side(one: Content, other: Content, text: str, count: int) -> dict[str, Any]:
    """Return the neighbours of the same word or formula in both models, and how many they share.

    A model that does not know the word has an "error" instead; if neither knows it, that is an error of the question.
    """
    both = [_side(content, text, count) for content in (one, other)]
    if all("error" in side for side in both):
        answers.neighbours(one, text, count)
    words = [[found["word"] for found in answer["found"]] for answer in both]
    shared = set(words[0]) & set(words[1])
    return {
        "text": text,
        "sides": both,
        "shared": [word for word in words[0] if word in shared],
        "overlap": len(shared) / max(1, *map(len, words)),
    }


def _side(content: Content, text: str, count: int) -> dict[str, Any]:
    try:
        return answers.neighbours(content, text, count)
    except UnknownWordError as error:
        return {"text": text, "found": [], "error": f"“{error.word}” is not in the vocabulary of this model."}


def most_different(one: Content, other: Content) -> dict[str, Any]:
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
