"""A search for good parameters in a folder, which the same call resumes and extends."""

import logging
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from ..corpus import Corpus, CorpusBuilder
from ..errors import ArtefactError, DivergenceError, Given, InputError, ParameterError, ResourceError
from ..evaluation import Comparison, Evaluation, compare, evaluate
from ..experiments.folder import LOCK, MATRICES, check_folder, is_experiment, pin, started_with
from ..experiments.folder import MODELS as TRAINED
from ..experiments.preset import EQUAL
from ..experiments.training import describe_corpus, encode, train
from ..models import MODELS
from ..parameters import Parameters, declared, parameter, seed_parameter, threads_parameter
from ..progress import Progress, ProgressLike, Silent, Stage, resolved
from ..storage.artefact import locked
from ..storage.files import STDIN
from ..vectors.model import Combine
from .halves import Halves
from .objective import Objective
from .space import Space
from .study import FILE, Study, Tried
from .study import optuna as needed_library
from .trial import Outcome, Reported, Trials
from .worker import Worker, WorkerLostError

_COMMAND, _SETS = "tune", "sets"
_LOST = 3  # workers killed in a row before a search gives up
_FAILED = 10  # trials without any score before a search gives up

_Run = Callable[[dict[str, Any], Reported], Outcome]


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """The result of a search; a `lexvec.tuning.report.TuningReport` shows and writes it."""

    #: Name of the model.
    model: str
    #: The encoded corpus.
    corpus: Corpus
    #: The best vectors of the best model, "word", "context" or "sum".
    combine: Combine
    #: What was maximised.
    objective: Objective
    #: What was searched.
    space: Space
    #: All finished trials.
    trials: list[Tried]
    #: The one with the best score on the development half.
    best: Tried
    #: Share of each parameter in how scores vary; empty if there are too few trials.
    importances: dict[str, float]
    #: Scores on the test half of the best parameters.
    test: Evaluation
    #: Scores on the test half of the parameters that the search started from.
    start_test: Evaluation
    #: The vectors with these scores.
    start_combine: Combine
    #: Parameters of the best model, for ``lexvec train``.
    parameters: dict[str, Any]
    #: Parameters of the corpus that ``lexvec train`` needs, if it was text.
    min_count: int | None

    def comparison(self) -> Comparison:
        """Test whether the best parameters beat the defaults on the test half."""
        return compare(self.start_test, self.test, names=("defaults", "best"))


@dataclass(frozen=True, kw_only=True)
class Tuner(Parameters):
    """Searches for the parameters of a model with the best score on one half of the test items."""

    trials: int = parameter(50, "Number of trials in total; a finished search is extended by a larger one.", minimum=1)
    workers: int = parameter(
        1,
        "Number of trials that run at once, each in a process of its own with one thread. That is faster than one "
        "trial on all cores for small corpora; results of a search with several workers depend on their timing.",
        minimum=1,
        maximum=256,
        effort=True,
    )
    prune: float = parameter(
        0.5,
        "Stop a trial if its score after an epoch is below this quantile of the scores of earlier trials after that "
        "epoch; 0 stops none.",
        minimum=0,
        maximum=1,
    )
    seed: int = seed_parameter()
    threads: int | None = threads_parameter()

    def tune(
        self,
        model: str,
        corpus: Any,
        output: str | os.PathLike[str],
        *,
        fixed: Mapping[str, Any] | None = None,
        searched: Sequence[str] = (),
        objective: Sequence[str] = ("similarity",),
        combine: Combine | None = None,
        builder: CorpusBuilder | None = None,
        data: str | os.PathLike[str] | None = None,
        progress: ProgressLike = None,
    ) -> Tuned:
        """Search in a folder, or resume there; then train the best parameters and score them on the test half.

        ``fixed`` are parameters that are not searched. ``searched`` limits the search to some, each written as
        ``NAME``, ``NAME=LOW..HIGH``, ``NAME=LOW..HIGH:log`` or ``NAME=A,B,C``. ``objective`` lists sets, kinds of task
        or files, each perhaps with a weight (``"similarity=2"``). ``combine`` says which vectors are scored; by default
        W and W + C of each trial, and the better ones count.
        """
        progress = resolved(progress, __name__)
        if not isinstance(model, str) or model not in MODELS:
            raise MODELS.unknown(model)
        if combine is not None and combine not in get_args(Combine):
            raise ParameterError(Given("combine", combine), f": it must be one of {', '.join(get_args(Combine))}")
        if corpus == STDIN:
            raise InputError("a search may read its text again: encode standard input with lexvec corpus first")
        effort = {name for name, spec, *_ in declared(MODELS[model]) if spec.effort}
        space = Space.from_model(MODELS[model], fixed, searched)
        goal = Objective.parsed(objective)
        needed_library()
        halves = Halves.gathered(list(goal.weights), data, progress)
        builder = builder or CorpusBuilder()
        described = describe_corpus(corpus, builder)
        folder = Path(output)
        check_folder(folder)
        if is_experiment(folder) and started_with(folder).get("command") != _COMMAND:
            raise ArtefactError(f"{folder} holds another experiment: choose another output")
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK, f"another search is running in {folder}: choose another output"):
            for name, value in {"command": _COMMAND, **described}.items():
                pin(folder, name, value)
            encoded = encode(corpus, builder, folder, progress)
            # Before settings are recorded: a command with larger sets works in the same folder.
            halves = halves.covered(encoded.vocabulary.words, goal.weights, progress)
            given = {name: value for name, value in (fixed or {}).items() if name not in effort}
            settings: dict[str, Any] = {
                "content": encoded.meta["files"],
                "model": model,
                "fixed": given,
                "space": space.record(),
                "objective": goal.weights,
            }
            settings |= {"combine": combine, "sets": halves.digests(), "seed": self.seed, "prune": self.prune}
            for name, value in settings.items():
                pin(folder, name, value)
            halves.write(folder / _SETS)
            trials = Trials(
                model=model,
                fixed=dict(fixed or {}),
                corpus=str(encoded.path),
                matrices=str(folder / MATRICES),
                sets=[str(path) for path in halves.paths(folder / _SETS, "development")],
                weights=goal.weights,
                combine=EQUAL if combine is None else [combine],
                threads=self.threads if self.workers == 1 else 1,
            )
            study = Study(folder / FILE, space, seed=self.seed, prune=self.prune, workers=self.workers)
            with closing(study):
                _Search(study, self.trials, progress).run(trials, self.workers)
                finished, importances = study.finished(), study.importances()
            best = max((trial for trial in finished if trial.state == "complete"), key=lambda trial: trial.value or 0.0)
            run = partial(self._tested, trials, encoded, folder, halves, progress)
            start_test, start_combine = run("defaults", {})
            test, chosen = run(f"best-{best.number}", best.parameters)
            shutil.rmtree(folder / MATRICES, ignore_errors=True)  # large, and quickly rebuilt
        return Tuned(
            model=model, corpus=encoded, combine=chosen, start_combine=start_combine, objective=goal, space=space,
            trials=finished, best=best, importances=importances, test=test, start_test=start_test,
            parameters=trials.new_model(best.parameters).record(),
            min_count=builder.min_count if (folder / "corpus").exists() else None,
        )  # fmt: skip

    def _tested(
        self,
        trials: Trials,
        corpus: Corpus,
        folder: Path,
        halves: Halves,
        progress: Progress,
        name: str,
        parameters: dict[str, Any],
    ) -> tuple[Evaluation, Combine]:
        """Train these parameters into the folder, or find them trained; score their best vectors on the test half."""
        model = trials.new_model(parameters).set_params(threads=self.threads)
        progress.note(f"training {name}, to score it on the test half")
        trained, _ = train(model, corpus, folder / TRAINED / name, folder / MATRICES, Silent())
        sets = halves.paths(folder / _SETS, "test")
        combine = trials.score(trained).combine or trials.combine[0]
        return evaluate(trained.vectors(combine), sets=sets, threads=self.threads, progress=False), combine


class _Search:
    """Runs trials until there are enough."""

    def __init__(self, study: Study, target: int, progress: Progress) -> None:
        self._study, self._target, self._progress = study, target, progress
        self._lost = 0
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def run(self, trials: Trials, workers: int) -> None:
        """Run the trials that are missing."""
        done = len(self._study.finished())
        with self._progress.stage("trials", self._target, "trials") as stage:
            stage.advance(min(done, self._target), self._summary())
            if workers == 1:
                self._work(stage, trials.run)
            elif done < self._target:
                self._work_together(stage, trials, min(workers, self._target - done))
        self._require_a_score(at_end=True)

    def _work_together(self, stage: Stage, trials: Trials, workers: int) -> None:
        with ExitStack() as stack:
            pool = stack.enter_context(ThreadPoolExecutor(workers))
            # Leaving this block stops the processes first, which ends the threads that wait for them.
            processes = [stack.enter_context(Worker(trials)) for _ in range(workers)]
            stack.callback(self._ended.set)
            futures = [pool.submit(self._work, stage, process.run) for process in processes]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()

    def _work(self, stage: Stage, run: _Run) -> None:
        while not self._ended.is_set() and (asked := self._study.ask(self._target)):
            trial, parameters = asked
            try:
                outcome = run(parameters, partial(self._study.report, trial))
            except WorkerLostError:
                self._lose(trial)
                continue
            self._study.tell(trial, outcome)
            with self._lock:
                self._lost = 0
                stage.advance(1, self._summary())
            self._require_a_score(at_end=False)

    def _lose(self, trial: Any) -> None:
        if self._ended.is_set():
            return  # the search is being stopped; the next one gives the trial up
        self._study.give_up(trial)
        with self._lock:
            self._lost += 1
            if self._lost >= _LOST:
                raise ResourceError(
                    f"{_LOST} workers in a row were killed, perhaps for lack of memory: use fewer workers; finished "
                    "trials are kept"
                )
        self._progress.note("a worker was killed: its trial is started again", logging.WARNING)

    def _summary(self) -> str:
        scored = [trial for trial in self._study.finished() if trial.state == "complete"]
        if not scored:
            return "no score yet"
        best = max(scored, key=lambda trial: trial.value or 0.0)
        return f"best {best.value:.3f} (trial {best.number})"

    def _require_a_score(self, *, at_end: bool) -> None:
        """Raise an error if no trial has a score, and none can be expected."""
        trials = self._study.finished()
        failed = [trial for trial in trials if trial.state == "failed"]
        if failed and len(failed) == len(trials) and (at_end or len(failed) >= _FAILED):
            raise DivergenceError(
                f"none of {len(trials)} trials has a score ({failed[-1].failure}): search other values in another "
                "output"
            )
