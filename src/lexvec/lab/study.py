"""The trials of a search in a SQLite file, by optuna: what to try next, what to stop, and what came out.

Only the process of the search opens the file. The suggestion for a trial depends on the seed and on the finished
trials, so a search with one worker that was killed and resumed tries the same parameters as one that was not. Anybody
can edit the file, so everything in it is checked first: a value that does not follow from the scores beside it is
computed again, and whatever else is impossible raises an error.
"""

import math
import sqlite3
import threading
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..errors import ArtefactError, LexvecError, ResourceError
from ..evaluation.tasks import TASKS
from ..storage.files import size_of
from ..trained import Combine
from .search_space import Objective, Space
from .trials import Outcome

FILE = "trials.db"
_NAME, _FORMAT = "lexvec", 2
_STARTUP = 5  # trials before any is pruned
_RANDOM = 10  # trials before suggestions depend on results
_ATTEMPTS = 20  # draws for a trial with parameters that were not tried before


@dataclass(frozen=True)
class Tried:
    """A finished trial."""

    #: Its place among all finished trials, from 1.
    number: int
    #: The parameters that it tried.
    parameters: dict[str, Any]
    #: Its score on the development half; for a pruned trial the last one before it was stopped, if any.
    value: float | None
    #: ``"complete"``, ``"pruned"`` or ``"failed"``.
    state: str
    #: Why it failed.
    failure: str | None = None
    #: Whether it failed for lack of memory.
    lacked_memory: bool = False
    #: The vectors that have the score, if the trial is complete.
    combine: Combine | None = None
    #: The parts of the objective, by the vectors that were scored.
    scores: dict[Combine, dict[str, float]] = field(default_factory=dict)


def optuna() -> Any:
    """Return the library, or say how to install it."""
    try:
        import optuna as library
    except ImportError as error:
        raise ResourceError("a search needs optuna: install it with pip install 'lexvec[tune]'") from error
    library.logging.set_verbosity(library.logging.ERROR)
    return library


class Study:
    """Suggests parameters, and keeps what came of them. Safe to use from several threads."""

    def __init__(
        self,
        path: Path,
        space: Space,
        objective: Objective,
        settings: str,
        *,
        seed: int,
        prune: float,
        workers: int,
        memory: str = "",
    ) -> None:
        self._optuna = optuna()
        self._path, self._space, self._seed, self._workers = path, space, seed, workers
        self._objective, self._file = objective, StudyFile(path, space, objective)
        self._lock = threading.RLock()
        self._states = self._optuna.trial.TrialState
        with self._errors():
            self._file.check_tables()
            self._storage = self._opened()
            self._study = self._optuna.create_study(
                storage=self._storage,
                study_name=_NAME,
                direction="maximize",
                load_if_exists=True,
                pruner=self._pruner(prune),
            )
            for name, expected, owner in (
                ("format", _FORMAT, "was written by another version of lexvec"),
                ("settings", settings, "belongs to another search"),
            ):
                if self._study.user_attrs.get(name, expected) != expected:
                    raise ArtefactError(f"{path} {owner}: choose another output")
                self._study.set_user_attr(name, expected)
            if [direction.name for direction in self._study.directions] != ["MAXIMIZE"]:
                raise self._file.damage("it does not maximise")
            # Read past the cache of the study, which would keep the values from before they were corrected.
            self._file.settle(self._optuna, self._storage.get_all_trials(self._study._study_id))
            self._recover(memory)

    def _opened(self) -> Any:
        """Return optuna's storage; its URLs cannot name all paths, so the file is opened here."""
        from sqlalchemy.pool import QueuePool

        connect = partial(sqlite3.connect, self._path, check_same_thread=False)
        return self._optuna.storages.RDBStorage("sqlite://", engine_kwargs={"creator": connect, "poolclass": QueuePool})

    def _pruner(self, prune: float) -> Any:
        pruners = self._optuna.pruners
        return pruners.PercentilePruner(100 * (1 - prune), n_startup_trials=_STARTUP) if prune else pruners.NopPruner()

    def _recover(self, memory: str) -> None:
        """Try again what a killed search left behind, and what did not fit into another limit of memory."""
        for trial in self._study.get_trials(deepcopy=False, states=[self._states.RUNNING]):
            self._try_again(trial)
        ended = self._ended()
        scored = any(trial.state is self._states.COMPLETE for trial in ended)
        for trial in ended:  # the same limit again only where nothing is lost by it; more memory may be free now
            if trial.user_attrs.get("lacked") not in ((None, memory) if scored else (None,)):
                self._study.enqueue_trial(trial.params, user_attrs={INSTEAD: trial.number})
        waiting = self._study.get_trials(deepcopy=False, states=[self._states.WAITING])
        if not self._ended() and not waiting:
            self._study.enqueue_trial(self._space.first())

    def close(self) -> None:
        """Close the file."""
        self._storage.remove_session()
        self._storage.engine.dispose()

    def ask(self, target: int) -> tuple[Any, dict[str, Any]] | None:
        """Return a new trial and its parameters, unless enough are finished or under way."""
        with self._lock, self._errors():
            running = self._study.get_trials(deepcopy=False, states=[self._states.RUNNING])
            begun = len(self._ended()) + len(running)
            if begun >= target:
                return None
            known = [trial.user_attrs.get("parameters") for trial in [*self._ended(), *running]]
            for attempt in range(_ATTEMPTS):
                trial, parameters = self._suggested([self._seed, begun, attempt])
                if parameters not in known or attempt == _ATTEMPTS - 1:
                    break
                # Where values are few, the sampler repeats itself; another draw may not.
                self._study.tell(trial, state=self._states.FAIL)
            trial.set_user_attr("parameters", parameters)
            return trial, parameters

    def _suggested(self, entropy: list[int]) -> tuple[Any, dict[str, Any]]:
        draw = np.random.SeedSequence(entropy).generate_state(1)
        self._study.sampler = self._optuna.samplers.TPESampler(
            seed=int(draw[0]), n_startup_trials=_RANDOM, constant_liar=self._workers > 1
        )
        trial = self._study.ask()
        return trial, self._space.suggest(trial)

    def report(self, trial: Any, epoch: int, value: float) -> bool:
        """Keep a score after an epoch, and return whether the trial is hopeless."""
        with self._lock, self._errors():
            trial.report(value, epoch)
            return bool(trial.should_prune())

    def tell(self, trial: Any, outcome: Outcome) -> None:
        """Keep how a trial ended."""
        with self._lock, self._errors():
            if outcome.failure is not None:
                trial.set_user_attr("failure", outcome.failure)
            for name in ("combine", "scores", "lacked"):
                trial.set_user_attr(name, getattr(outcome, name))
            # A trial that failed counts as pruned: the search learns to avoid such parameters.
            state = self._states.PRUNED if outcome.value is None else self._states.COMPLETE
            self._study.tell(trial, outcome.value, state=state)

    def give_up(self, trial: Any) -> None:
        """Forget a trial whose worker was killed; its parameters are tried again."""
        with self._lock, self._errors():
            self._try_again(self._study.get_trials(deepcopy=False)[trial.number])

    def _try_again(self, trial: Any) -> None:
        """Give a trial up, and queue its parameters; one that was killed while it was suggested has not got all."""
        whole = "parameters" in trial.user_attrs
        queued = trial.params if whole else trial.system_attrs.get("fixed_params")
        kept = {name: value for name, value in trial.user_attrs.items() if name == INSTEAD}
        self._study.tell(trial.number, state=self._states.FAIL)
        if queued:
            self._study.enqueue_trial(queued, user_attrs=kept)

    def _ended(self) -> list[Any]:
        """Return all trials that ended, without those that another trial replaces."""
        trials = self._study.get_trials(deepcopy=False)
        replaced = {trial.user_attrs.get(INSTEAD) for trial in trials}
        ended = (self._states.COMPLETE, self._states.PRUNED)
        return [trial for trial in trials if trial.state in ended and trial.number not in replaced]

    def finished(self) -> list[Tried]:
        """Return all finished trials, in the order in which they began."""
        with self._lock, self._errors():
            return [self._tried(place, trial) for place, trial in enumerate(self._ended(), 1)]

    def _tried(self, place: int, trial: Any) -> Tried:
        kept = trial.user_attrs
        failure = kept.get("failure")
        state = "failed" if failure else "complete" if trial.state is self._states.COMPLETE else "pruned"
        scores = kept.get("scores", {})
        best = self._objective.best(scores) if state == "complete" else None
        return Tried(
            place, kept["parameters"], trial.value, state, failure, kept.get("lacked") is not None,
            best and best[1], scores,
        )  # fmt: skip

    def importances(self) -> dict[str, float]:
        """Return the share of each parameter in how scores vary, largest first; nothing if there are too few trials."""
        complete = self._study.get_trials(deepcopy=False, states=[self._states.COMPLETE])
        if len(complete) < _RANDOM or len({trial.value for trial in complete}) < 2:
            return {}
        evaluator = self._optuna.importance.PedAnovaImportanceEvaluator()
        found = self._optuna.importance.get_param_importances(self._study, evaluator=evaluator)
        return {name: float(share) for name, share in found.items()}

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what goes wrong with the file into errors of one line."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, self._optuna.exceptions.StorageInternalError) as error:
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            if "is full" in reason:
                advice = "make room on the disk, then run the same command again"
                raise ResourceError(f"cannot write {self._path} ({reason[:100]}): {advice}") from error
            raise ArtefactError(
                f"cannot use {self._path} ({reason[:100]}): restore it, or choose another output"
            ) from error
        except LexvecError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
            # What optuna makes of damaged records.
            raise self._file.damage(type(error).__name__) from error
        except RuntimeError as error:
            if "version" not in str(error):
                raise
            raise ArtefactError(
                f"{self._path} was written by another version of optuna: install that one, or choose another output"
            ) from error


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
