"""What a search varies, derived from the fields of a model (see `lexvec.parameters.Search`), and what it maximises."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Given, ParameterError, did_you_mean
from ..evaluation import DATASETS, TASKS, Evaluation
from ..models import Model
from ..parameters import Search, declared
from ..trained import Combine

_ALL = "all"
_EXAMPLES = "write NAME, NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=A,B,C"


@dataclass(frozen=True)
class Dimension:
    """A parameter that is searched."""

    name: str
    kind: type
    search: Search

    def suggest(self, trial: Any) -> Any:
        """Return a value for an optuna trial."""
        search = self.search
        if search.values:
            return trial.suggest_categorical(self.name, search.values)
        if self.kind is int:
            step = 1 if search.log else int(search.step or 1)
            return trial.suggest_int(self.name, int(search.low), int(search.high), step=step, log=search.log)
        value = trial.suggest_float(
            self.name, float(search.low), float(search.high), step=None if search.log else search.step, log=search.log
        )
        return float(f"{value:.6g}")  # 0.15, and not 0.15000000000000002, is what users copy

    def holds(self, value: Any) -> bool:
        """Return whether a value is in this dimension, on its grid if there is one."""
        search = self.search
        if search.values:
            return value in search.values
        if not isinstance(value, int | float) or not search.low <= value <= search.high:
            return False
        steps = (value - search.low) / search.step if search.step and not search.log else 0.0
        return abs(steps - round(steps)) < 1e-9


@dataclass(frozen=True)
class Space:
    """All parameters that a search varies, those first on which others depend.

    >>> from lexvec import LexVec
    >>> space = Space.from_model(LexVec, fixed={"dim": 50}, searched=["window=2..10", "learning_rate", "epochs=1,5"])
    >>> space.names
    ['window', 'learning_rate', 'epochs']
    >>> "window" in Space.from_model(LexVec, fixed={"window": 5}).names
    False
    """

    dimensions: tuple[Dimension, ...]
    #: All parameters of the model, fixed ones with their values, the others with their defaults.
    start: dict[str, Any]

    @classmethod
    def from_model(
        cls, model: type[Model], fixed: Mapping[str, Any] | None = None, searched: Collection[str] = ()
    ) -> "Space":
        """Derive the space of a model.

        ``searched`` names parameters to search, perhaps with other ranges; ``"all"`` among them stands for those that
        are searched without it.
        """
        if isinstance(searched, str):
            raise ParameterError(Given("search", searched), ": it must be a list of texts")
        fixed = dict(fixed or {})
        start = model.of(fixed).get_params()
        kinds = {name: kinds for name, spec, kinds, _ in declared(model) if not spec.effort}
        known = {name: spec.search for name, spec, *_ in declared(model) if spec.search and name not in fixed}
        usual = {name: search for name, search in known.items() if not search.costly}
        named = [_parsed(text, kinds, known, fixed) for text in searched if text.strip() != _ALL]
        if len(dict(named)) < len(named):
            raise ParameterError(Given("search"), " names a parameter twice: name each once")
        given = {**({} if len(named) == len(searched) > 0 else usual), **dict(named)}
        for name, when in _without_effect(given, start).items():
            if name in dict(named):
                needed = ", ".join(f"{other}={value}" for other, value in when.items())
                raise ParameterError(
                    Given("search", name), f" has no effect with {needed}: search that, too, or omit it"
                )
            del given[name]
        dimensions = [Dimension(name, _plain(kinds[name]), search) for name, search in given.items()]
        for dimension in dimensions:
            for value in _extremes(dimension):
                model.of({**fixed, dimension.name: value})  # raises if the parameter cannot have the value
        if not dimensions:
            raise ParameterError("the search space is empty: fix fewer parameters, or name some with ", Given("search"))
        return cls(tuple(sorted(dimensions, key=lambda each: len(each.search.when) > 0)), start)

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [dimension.name for dimension in self.dimensions]

    def _matters(self, dimension: Dimension, values: Mapping[str, Any]) -> bool:
        """Return whether a parameter has an effect, given the values of the others."""
        return all(values[name] in needed for name, needed in dimension.search.when.items())

    def suggest(self, trial: Any) -> dict[str, Any]:
        """Return values for an optuna trial; parameters without an effect are left out."""
        values: dict[str, Any] = {}
        for dimension in self.dimensions:
            if self._matters(dimension, {**self.start, **values}):
                values[dimension.name] = dimension.suggest(trial)
        return values

    def first(self) -> dict[str, Any]:
        """Return the defaults, as far as they are in the space: the first trial, which the others have to beat."""
        values = {}
        for dimension in self.dimensions:
            value = self.start[dimension.name]
            value = 0.0 if value is None else value
            if self._matters(dimension, self.start) and dimension.holds(value):
                values[dimension.name] = value
        return values

    def record(self) -> dict[str, Any]:
        """Return what must not change while a search goes on."""
        found: dict[str, Any] = json.loads(json.dumps({each.name: asdict(each.search) for each in self.dimensions}))
        return found  # as a file has it, which has no tuples


def _without_effect(given: Mapping[str, Search], start: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return parameters that no trial would use, each with the values of other parameters that rule it out."""
    reasons = {
        name: {
            other: start[other]
            for other, needed in search.when.items()
            if other not in given and start[other] not in needed
        }
        for name, search in given.items()
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _plain(kinds: tuple[type, ...]) -> type:
    return next(kind for kind in (bool, int, float, str) if kind in kinds)


def _extremes(dimension: Dimension) -> Sequence[Any]:
    search = dimension.search
    return search.values or (dimension.kind(search.low), dimension.kind(search.high))


def _parsed(
    text: str, kinds: Mapping[str, tuple[type, ...]], known: Mapping[str, Search], fixed: Mapping[str, Any]
) -> tuple[str, Search]:
    """Return the name of a parameter, and its values as the user gives them or as its field declares them."""
    name, separator, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if name not in kinds:
        advice = did_you_mean(name, kinds) or _EXAMPLES
        raise ParameterError(Given("search", text), f": there is no parameter {name!r:.40}; {advice}")
    if name in fixed:
        raise ParameterError(Given("search", text), f": {name} is fixed; omit one of the two")
    if not separator:
        if name not in known:
            raise ParameterError(Given("search", text), f": {name} declares no range; {_EXAMPLES}")
        return name, known[name]
    when = known[name].when if name in known else {}
    return name, replace(_range(text, values, _plain(kinds[name])), when=when)


def _range(text: str, values: str, kind: type) -> Search:
    try:
        if ".." in values:
            bounds, _, scale = values.partition(":")
            low, high = (kind(bound) for bound in bounds.split(".."))
            if kind in (int, float) and scale in ("", "log") and low < high and (low > 0 or not scale):
                return Search(low, high, log=scale == "log")
        elif values.strip():
            listed = [value.strip() for value in values.split(",")]
            if kind is not bool:
                return Search(values=tuple(dict.fromkeys(map(kind, listed))))
            return Search(values=tuple({"true": True, "false": False}[value.lower()] for value in listed))
    except (ValueError, KeyError):
        pass
    raise ParameterError(Given("search", text), f": {_EXAMPLES}, with LOW below HIGH")


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
