"""Scores of an experiment on disk: figures for the tables, and the outcome of each item for tests between methods."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..evaluation import TASKS, Evaluation
from ..uncertainty import Array
from .folder import read_sealed, write_sealed

_FIGURES = ("value", "low", "high", "covered", "total")
_TEXTS = ("key", "name", "kind", "measure")


class Scores:
    """The scores of one set of vectors, by the name of the test set and the measure."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = {name: value for name, value in record.items() if name != "items"}
        keys = [(score["name"], score["measure"]) for score in record["scores"]]
        self._scores = dict(zip(keys, record["scores"], strict=True))
        self._items = dict(zip(keys, record["items"], strict=True))

    def __getitem__(self, which: tuple[str, str]) -> dict[str, float]:
        """Return ``value``, ``low``, ``high``, ``covered`` and ``total``; NaN where there is no score."""
        none = dict.fromkeys(_FIGURES, math.nan)
        found = self._scores.get(which, {})
        return {name: missing if found.get(name) is None else found[name] for name, missing in none.items()}

    def columns(self) -> list[tuple[str, str]]:
        """Return the sets and measures that have a score."""
        return list(self._scores)

    def __contains__(self, which: object) -> bool:
        return which in self._scores

    def kind(self, which: tuple[str, str]) -> str:
        """Return the kind of task of a set."""
        return str(self._scores[which]["kind"])

    def items(self, which: tuple[str, str]) -> tuple[Array, Array]:
        """Return the outcome of each item of a set (NaN if it is not covered) and its rating."""
        outcomes, ratings = self._items[which]
        return _numbers(outcomes), _numbers(ratings)


def scores_record(evaluation: Evaluation) -> dict[str, Any]:
    """Return what is written of an evaluation: its figures and, as texts, the outcomes and ratings of its items."""
    items = [[_text(score.outcomes), _text(score.ratings)] for score in evaluation.scores]
    return {**evaluation.as_dict(), "items": items}


def write_scores(path: Path, record: dict[str, Any], about: dict[str, Any]) -> None:
    """Write scores, with what they were made from."""
    path.parent.mkdir(exist_ok=True)
    write_sealed(path, {**record, **about})


def read_scores(path: Path, about: dict[str, Any]) -> Scores | None:
    """Return the scores in a file if it is whole and they were made from the same; otherwise they are made again."""
    found = read_sealed(path)
    if not found or not _is_whole(found) or any(found.get(name) != value for name, value in about.items()):
        return None
    return Scores(found)


def _is_whole(record: dict[str, Any]) -> bool:
    """Whether a file of scores holds what a report reads from it."""
    scores, missing, items = (record.get(name) for name in ("scores", "missing", "items"))
    if not isinstance(scores, list) or not isinstance(missing, list) or not isinstance(items, list):
        return False
    return len(items) == len(scores) and all(map(_is_score, scores, items))


def _is_score(score: Any, items: Any) -> bool:
    if not isinstance(score, dict) or not all(isinstance(score.get(name), str) for name in _TEXTS):
        return False
    if score["kind"] not in TASKS:
        return False
    if not all(isinstance(score.get(name), int | float | None) for name in _FIGURES):
        return False
    if not isinstance(items, list) or len(items) != 2 or not all(isinstance(text, str) for text in items):
        return False
    try:
        return all(len(_numbers(text)) == score["total"] for text in items)
    except ValueError:
        return False


def _text(values: Array) -> str:
    return " ".join(f"{value:.15g}" for value in values)


def _numbers(text: str) -> Array:
    return np.array(text.split(), np.float64)
