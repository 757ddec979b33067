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
from typing import Any, Self

from ..corpus import Corpus, CorpusBuilder
from ..errors import DivergenceError, ParameterError, ResourceError, TooLittleMemoryError
from ..evaluation import Comparison, Evaluation, compare, evaluate
from ..models import MODELS
from ..models.inputs import digest_of
from ..parameters import Parameters, declared, parameter, seed_parameter, threads_parameter
from ..progress import Progress, ProgressLike, Silent, Stage, resolved
from ..storage.files import size_of
from ..trained import Combine, check_combine
from .halves import Halves
from .preset import EQUAL
from .search_space import Objective, Space
from .study import FILE, Study, Tried
from .study import optuna as needed_library
from .trials import Outcome, Reported, Trials, Worker, WorkerLostError, memory_limit
from .workspace import MATRICES, SETS, Workspace, encoded_corpus, pin, place_for
from .workspace import MODELS as TRAINED

_COMMAND = "tune"
_LOST = 3  # workers killed in a row before a search gives up
_FAILED = 10  # trials without any score before a search gives up

_Run = Callable[[dict[str, Any], Reported], Outcome]


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """The result of a search; a `lexvec.lab.tuning_report.TuningReport` shows and writes it."""

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
    #: Where the search started, "defaults" or, if those cannot be trained, the first trial with a score ("trial 3").
    start: str
    #: Scores on the test half of these parameters.
    start_test: Evaluation
    #: The vectors with these scores.
    start_combine: Combine
    #: Parameters of the best model, for ``lexvec train``.
    parameters: dict[str, Any]
    #: How ``lexvec train`` encodes the same text, such as ``min_count``; empty if it was encoded before.
    text: dict[str, Any]

    def comparison(self) -> Comparison:
        """Test whether the best parameters beat those at the start on the test half."""
        return compare(self.start_test, self.test, names=(self.start, "best"))


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
        "Stop a trial whose best score so far is below this quantile of the scores of unstopped trials at the same "
        "epoch. 0 never stops one.",
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
        question = _Question.checked(model, fixed, searched, objective, combine, builder)
        needed_library()
        halves = Halves.gathered(list(question.objective.weights), data, progress)
        folder = Path(output)
        with Workspace.held(folder, corpus, question.builder, progress, command=_COMMAND) as work:
            # Before settings are recorded: a command with larger sets works in the same folder.
            halves = halves.covered(work.corpus.vocabulary.words, question.objective.weights, progress)
            settings = {**question.record(work.corpus, halves), "seed": self.seed, "prune": self.prune}
            pin(folder, settings)
            halves.write(folder / SETS)
            if (folder / TRAINED).exists() and not size_of(folder / FILE):
                progress.note(f"{folder / FILE} is missing or empty: the search starts again", logging.WARNING)
            study = Study(
                folder / FILE,
                question.space,
                question.objective,
                digest_of(settings),
                seed=self.seed,
                prune=self.prune,
                workers=self.workers,
                memory=memory_limit(question.fixed),
            )
            with closing(study):
                return self._searched(question, study, work, halves, progress)

    def _searched(
        self, question: "_Question", study: Study, work: Workspace, halves: Halves, progress: Progress
    ) -> Tuned:
        """Run the trials that are missing, and train and score the defaults and the best of them."""
        trials = question.trials(work, halves, self.threads if self.workers == 1 else 1)
        Search(study, self.trials, progress).run(trials, self.workers)
        finished, importances = study.finished(), study.importances()
        complete = [trial for trial in finished if trial.state == "complete"]
        best = max(complete, key=lambda trial: trial.value or 0.0)
        run = partial(self._tested, trials, work, halves, progress)
        start = "defaults"
        try:
            start_test, start_combine = run(start, {})
        except (DivergenceError, ParameterError, TooLittleMemoryError) as error:
            start = f"trial {complete[0].number}"
            progress.note(f"the defaults cannot be trained ({error}); {start} stands for them", logging.WARNING)
            start_test, start_combine = run(start.replace(" ", "-"), complete[0].parameters)
        test, chosen = run(f"best-{best.number}", best.parameters)
        shutil.rmtree(work.folder / MATRICES, ignore_errors=True)  # large, and quickly rebuilt
        return Tuned(
            model=question.model,
            corpus=work.corpus,
            combine=chosen,
            start=start,
            start_combine=start_combine,
            objective=question.objective,
            space=question.space,
            trials=finished,
            best=best,
            importances=importances,
            test=test,
            start_test=start_test,
            parameters=trials.new_model(best.parameters).record(),
            text=_text_flags(question.builder) if encoded_corpus(work.folder).exists() else {},
        )

    def _tested(
        self, trials: Trials, work: Workspace, halves: Halves, progress: Progress, name: str, parameters: dict[str, Any]
    ) -> tuple[Evaluation, Combine]:
        """Train these parameters into the folder, or find them trained; score their best vectors on the test half."""
        model = trials.new_model(parameters).set_params(threads=self.threads)
        progress.note(f"training {name}, to score it on the test half")
        trained, _ = work.train(model, place_for(name, model, work.folder / TRAINED), Silent())
        sets = halves.paths(work.folder / SETS, "test")
        combine = trials.score(trained).combine or trials.combine[0]
        return evaluate(trained.vectors(combine), sets=sets, threads=self.threads, progress=False), combine


@dataclass(frozen=True, kw_only=True)
class _Question:
    """What is searched for, and among what."""

    model: str
    fixed: dict[str, Any]
    space: Space
    objective: Objective
    combine: Combine | None
    builder: CorpusBuilder

    @classmethod
    def checked(
        cls,
        model: str,
        fixed: Mapping[str, Any] | None,
        searched: Sequence[str],
        objective: Sequence[str],
        combine: Combine | None,
        builder: CorpusBuilder | None,
    ) -> Self:
        """Raise an error if the question makes no sense; needs no corpus for that."""
        if not isinstance(model, str) or model not in MODELS:
            raise MODELS.unknown(model)
        if combine is not None:
            check_combine(combine)
        space = Space.from_model(MODELS[model], fixed, searched)
        return cls(
            model=model,
            fixed=dict(fixed or {}),
            space=space,
            objective=Objective.parsed(objective),
            combine=combine,
            builder=builder or CorpusBuilder(),
        )

    def record(self, corpus: Corpus, halves: Halves) -> dict[str, Any]:
        """Return what a folder is for: another question needs another one."""
        effort = {name for name, spec, *_ in declared(MODELS[self.model]) if spec.effort}
        return {
            "content": corpus.meta["files"],
            "model": self.model,
            "fixed": {name: value for name, value in self.fixed.items() if name not in effort},
            "space": self.space.record(),
            "objective": self.objective.weights,
            "combine": self.combine,
            "sets": halves.digests(),
        }

    def trials(self, work: Workspace, halves: Halves, threads: int | None) -> Trials:
        """Return how a trial is run."""
        return Trials(
            model=self.model,
            fixed=self.fixed,
            corpus=str(work.corpus.path),
            matrices=str(work.folder / MATRICES),
            sets=[str(path) for path in halves.paths(work.folder / SETS, "development")],
            weights=self.objective.weights,
            combine=EQUAL if self.combine is None else [self.combine],
            threads=threads,
        )


def _text_flags(builder: CorpusBuilder) -> dict[str, Any]:
    """Return the flags of ``lexvec train`` for a builder."""
    is_tokenized = builder.record() == CorpusBuilder.tokenized(min_count=builder.min_count).record()
    return {"min_count": builder.min_count, **({"tokenized": True} if is_tokenized else {})}


class Search:
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
            if self._ended.is_set():  # while the trial was suggested
                return
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
            problem = f"none of {len(trials)} trials has a score ({failed[-1].failure})"
            if failed[-1].lacked_memory:
                raise TooLittleMemoryError(f"{problem}: give more memory, or search other values in another output")
            raise DivergenceError(f"{problem}: search other values in another output")
