"""The SQLite file of a search. Anybody can edit it, so nothing in it counts before it was checked here.

A value that does not follow from the scores beside it is computed again. Whatever else is impossible raises an error.
"""

import math
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

from ..errors import ArtefactError
from ..evaluation.tasks import TASKS
from ..storage.files import size_of
from ..trained import Combine
from .objective import Objective
from .space import Space

#: Attribute of a trial: the number of the trial that it stands for.
INSTEAD = "instead of"
_TABLES = (
    "studies", "study_directions", "study_user_attributes", "trials", "trial_user_attributes",
    "trial_system_attributes", "trial_params", "trial_values", "trial_intermediate_values",
)  # fmt: skip
_ROUNDING = 1e-9  # such as of sums of the same scores in another order


class StudyFile:
    """Checks what a file says before a search goes on from it."""

    def __init__(self, path: Path, space: Space, objective: Objective) -> None:
        self.path, self._space, self._objective = path, space, objective

    def damage(self, what: str) -> ArtefactError:
        """Return the error for a file that cannot be as a search left it."""
        return ArtefactError(f"{self.path} is damaged ({what:.160}): restore it, or choose another output")

    def check_tables(self) -> None:
        """Raise an error if tables or rows are missing: optuna would make them again, without what was in them."""
        if not size_of(self.path):
            return
        with closing(sqlite3.connect(self.path)) as database:
            present = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            missing = [name for name in _TABLES if name not in present]
            # A search that was killed while it made the file has some tables, but no rows yet.
            kept = [name for name in _TABLES if name in present]
            if missing and any(database.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in kept):
                raise self.damage(f"the table {missing[0]} is missing")
            if (found := database.execute("PRAGMA quick_check(1)").fetchone()) != ("ok",):
                raise self.damage(str(found[0]))
            if not missing and (orphan := database.execute("PRAGMA foreign_key_check").fetchone()):
                raise self.damage(f"rows of {orphan[0]} belong to a row that is missing from {orphan[2]}")

    def settle(self, optuna: Any, trials: list[Any]) -> None:
        """Raise an error if a trial is impossible; correct values that do not follow from their scores."""
        if [trial.number for trial in trials] != list(range(len(trials))):
            raise self.damage("rows of trials are missing")
        states = optuna.trial.TrialState
        values = {}
        for trial in trials:
            what = next(filter(None, self._problems(optuna, trial, len(trials))), "")
            if what:
                raise self.damage(f"trial_id {trial._trial_id} {what}")
            if trial.state is states.COMPLETE:
                best = self._objective.best(trial.user_attrs["scores"])
                assert best
                expected = best[0]
            elif trial.state is states.PRUNED and trial.intermediate_values:
                expected = trial.intermediate_values[max(trial.intermediate_values)]
            else:
                continue
            if not math.isclose(trial.value, expected, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
                values[trial._trial_id] = expected
        if values:
            with closing(sqlite3.connect(self.path)) as database, database:
                database.executemany(
                    "UPDATE trial_values SET value = ?, value_type = 'FINITE' WHERE trial_id = ?",
                    [(value, trial) for trial, value in values.items()],
                )

    def _problems(self, optuna: Any, trial: Any, trials: int) -> Iterator[str]:
        """Yield what is impossible about a trial, or empty texts."""
        states, kept = optuna.trial.TrialState, trial.user_attrs
        ended = trial.state in (states.COMPLETE, states.PRUNED)
        instead = kept.get(INSTEAD)
        if instead is not None and not (type(instead) is int and 0 <= instead < trials):
            yield f"stands for a trial that is not there ({instead!r:.40})"
        steps = trial.intermediate_values.items()
        if not all(type(step) is int and step > 0 and _is_number(value) for step, value in steps):
            yield "has an impossible score after an epoch"
        queued = trial.system_attrs.get("fixed_params", {})
        if not isinstance(queued, dict) or not self._are_queued(queued):
            yield f"has impossible parameters ({queued!r:.80})"
        if ended or "parameters" in kept:
            yield self._wrong_parameters(optuna, trial)
        if ended:
            yield self._wrong_end(trial, is_complete=trial.state is states.COMPLETE)

    def _are_queued(self, queued: dict[str, Any]) -> bool:
        dimensions = {each.name: each for each in self._space.dimensions}
        return all(name in dimensions and dimensions[name].holds(value) for name, value in queued.items())

    def _wrong_parameters(self, optuna: Any, trial: Any) -> str:
        """Return what is wrong about the parameters of a trial: the space suggests them again from optuna's values."""
        again = optuna.trial.FixedTrial(dict(trial.params))
        try:
            with warnings.catch_warnings(action="ignore"):  # of values out of range, which are found below
                suggested = self._space.suggest(again)
        except (ValueError, KeyError, TypeError):
            suggested = None
        possible = again.distributions == trial.distributions and all(
            _holds(distribution, trial.params[name]) for name, distribution in again.distributions.items()
        )
        if possible and suggested == trial.user_attrs.get("parameters"):
            return ""
        return f"has impossible parameters ({trial.user_attrs.get('parameters', trial.params)!r:.80})"

    def _wrong_end(self, trial: Any, *, is_complete: bool) -> str:
        """Return what is wrong about how a trial ended."""
        kept = trial.user_attrs
        combine, scores = kept.get("combine"), kept.get("scores", {})
        failure, lacked = kept.get("failure"), kept.get("lacked")
        if not all(text is None or isinstance(text, str) for text in (failure, lacked)):
            return f"has a failure that is no text ({failure!r:.40}, {lacked!r:.40})"
        known = get_args(Combine)
        if (combine is not None or is_complete) and combine not in known:
            return f"has the vectors {combine!r:.40}, which are none of {', '.join(known)}"
        if not isinstance(scores, dict) or not all(
            name in known
            and isinstance(parts, dict)
            and parts.keys() == self._objective.weights.keys()
            and all(_is_score(part) for part in parts.values())
            for name, parts in scores.items()
        ):
            return f"has impossible scores ({scores!r:.80})"
        if is_complete and (failure is not None or combine not in scores or self._objective.best(scores) is None):
            return "is complete and has no score"
        if scores and not is_complete:
            return "has scores and is not complete"
        values = trial.values or ([] if is_complete else None)
        if values is not None and not (len(values) == 1 and _is_number(values[0])):
            return f"has an impossible value ({values!r:.60})"
        return "" if bool(values) == bool(is_complete or trial.intermediate_values) else "is pruned and has no value"


def _holds(distribution: Any, value: Any) -> bool:
    if hasattr(distribution, "choices"):
        return value in distribution.choices
    return _is_number(value) and bool(distribution.low <= value <= distribution.high)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_score(value: Any) -> bool:
    """Return whether some kind of task can have this score, but for rounding; NaN is a score that is missing."""
    bounds = [TASKS[kind].bounds for kind in TASKS]
    low, high = min(low for low, _ in bounds) - _ROUNDING, max(high for _, high in bounds) + _ROUNDING
    return type(value) is float and (math.isnan(value) or (math.isfinite(value) and low <= value <= high))
