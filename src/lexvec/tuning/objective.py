"""What a search maximises: the score of a set, the mean of a kind of task, or a weighted mean of several."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import Given, ParameterError
from ..evaluation import DATASETS, TASKS, Evaluation
from ..trained import Combine


@dataclass(frozen=True)
class Objective:
    """Sets and kinds of task, each with a weight.

    >>> Objective.parsed(["similarity=2", "msr"]).weights
    {'similarity': 2.0, 'msr': 1.0}
    """

    weights: dict[str, float]

    @classmethod
    def parsed(cls, texts: Sequence[str]) -> "Objective":
        """Read ``SET`` or ``SET=WEIGHT``, where SET is a key, a kind of task, or a file."""
        if isinstance(texts, str) or not texts:
            raise ParameterError(Given("objective", texts), ": it must be a list, such as ['similarity', 'msr=0.5']")
        weights: dict[str, float] = {}
        for text in texts:
            name, separator, weight = (text, "", "") if Path(text).is_file() else text.rpartition("=")
            if not separator:
                name, weight = text, "1"
            try:
                number = float(weight)
            except ValueError:
                number = math.nan
            if not (0 < number < math.inf) or not name or name in weights:
                raise ParameterError(
                    Given("objective", text), ": write each set once, as SET or SET=WEIGHT with a weight above 0"
                )
            weights[name] = number
        return cls(weights)

    def value(self, evaluation: Evaluation) -> float:
        """Return the weighted mean; NaN if a part has no score."""
        return self.mean(self.parts(evaluation))

    def parts(self, evaluation: Evaluation) -> dict[str, float]:
        """Return the score of each set or kind of task; NaN for one without."""
        own = {Path(name).stem for name in self.weights if name not in DATASETS and name not in TASKS}
        return {name: self._part(name, evaluation, own) for name in self.weights}

    def mean(self, parts: Mapping[str, float]) -> float:
        """Return the weighted mean of parts; NaN if one has no score."""
        return sum(weight * parts[name] for name, weight in self.weights.items()) / sum(self.weights.values())

    def best(self, scores: Mapping[Combine, Mapping[str, float]]) -> tuple[float, Combine] | None:
        """Return the highest weighted mean among several vectors, and the vectors that have it; None without one."""
        means = {combine: mean for combine in scores if not math.isnan(mean := self.mean(scores[combine]))}
        if not means:
            return None
        chosen = max(means, key=means.__getitem__)
        return means[chosen], chosen

    @staticmethod
    def _part(name: str, evaluation: Evaluation, own: Collection[str]) -> float:
        """Return the mean over all measures and sets that a name stands for; a kind of task for none of one's own."""
        scores = [score for score in evaluation.scores if name == score.kind and score.name not in own]
        scores = scores or [score for score in evaluation.scores if Path(name).stem == score.name]
        values = [score.value for score in scores if not math.isnan(score.value)]
        return float(np.mean(values)) if values else math.nan

    def __str__(self) -> str:
        names = [f"mean {name}" if name in TASKS else Path(name).stem for name in self.weights]
        if len(names) == 1:
            return names[0]
        return " + ".join(f"{weight:g} × {name}" for name, weight in zip(names, self.weights.values(), strict=True))
