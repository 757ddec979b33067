"""What the experiment of a paper consists of: the corpus's parameters, the models, and the rows of the tables."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..corpus import CorpusBuilder
from ..errors import Given, InputError, ParameterError, did_you_mean
from ..models import MODELS, Model
from ..trained import Combine
from .folder import SEED_SUFFIX
from .preset_file import check_preset, read_preset
from .runner import Runner

#: Vectors that are shown of every method, so that none gets an advantage by the choice.
EQUAL: tuple[Combine, ...] = ("word", "sum")
MOST_SEEDS = 1000
_COMMAND_SETS = {"seed", "threads", "memory"}


@dataclass(frozen=True)
class Row:
    """A row of the tables: which vectors of which run, and what the paper measured for each set."""

    #: The text in its first column.
    label: str
    #: The run whose vectors it shows.
    run: str
    #: Which of its vectors.
    combine: Combine
    #: The paper's figures by set, one for a similarity set and two (3CosAdd, 3CosMul) for analogies; NaN for none.
    paper: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Preset:
    """An experiment, as a TOML file describes it.

    >>> preset = Preset.load("small")
    >>> preset.builder().min_count, sorted(preset.runs)[:3]
    (5, ['glove', 'lexvec-mb-ws_ppmi', 'lexvec-mb-ws_sgns'])
    >>> preset.model("glove").x_max
    10.0
    """

    #: The name of the package's preset, or the file.
    name: str
    #: Title of the report.
    title: str
    #: The corpus that the paper's figures were measured on.
    corpus_of_paper: str
    #: Parameters of `lexvec.CorpusBuilder`.
    corpus: dict[str, Any]
    #: By name, the model's name and its parameters.
    runs: dict[str, dict[str, Any]]
    #: Rows of the tables.
    rows: tuple[Row, ...]
    #: By name of the run, what the method is called in tables that show all its vectors.
    labels: dict[str, str]
    #: The runs that `only` has chosen; empty for all.
    chosen: tuple[str, ...] = ()

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> "Preset":
        """Load a preset of the package by its name, or one of your own by its file."""
        if not isinstance(name, str | os.PathLike):
            raise ParameterError(Given("name", name), ": it must be the name of a preset or a TOML file")
        content = read_preset(os.fspath(name))
        check_preset(content, os.fspath(name))
        kinds = content.get("models", {})
        runs = {run: kinds.get(own.get("model"), {}) | own for run, own in content["runs"].items()}
        labels = {run: parameters.pop("label", run) for run, parameters in runs.items()}
        rows = tuple(_row(row) for row in content["rows"])
        preset = cls(
            name=os.fspath(name),
            title=content.get("title", os.fspath(name)),
            corpus_of_paper=content.get("corpus_of_paper", ""),
            corpus=content.get("corpus", {}),
            runs=runs,
            rows=rows,
            labels=labels,
        )
        preset._check_parameters()
        return preset

    def _check_parameters(self) -> None:
        try:
            self.builder()
        except ParameterError as error:
            raise InputError(f"{self.name}, corpus: {error}") from error
        for run in self.runs:
            if given := _COMMAND_SETS & self.runs[run].keys():
                raise InputError(
                    f"{self.name}, run {run} has {min(given)}: all runs get it from the command, so give it there"
                )
            try:
                self.model(run)
            except ParameterError as error:
                raise InputError(f"{self.name}, run {run}: {error}") from error

    def builder(self) -> CorpusBuilder:
        """Return what encodes the corpus."""
        return CorpusBuilder.of(self.corpus)

    def model(self, run: str, **more: Any) -> Model:
        """Return the model of a run, not fitted yet."""
        self._check_run(run)
        parameters = dict(self.runs[run])
        return MODELS[parameters.pop("model")].of({**parameters, **more})

    @property
    def used(self) -> list[str]:
        """The runs that rows of the tables show; the others are not trained."""
        shown = {row.run for row in self.rows}
        return [run for run in self.runs if run in shown]

    def vectors(self, run: str) -> list[Combine]:
        """Return which vectors of a run are scored: W and W + C of every method, and what rows show beside them."""
        return list(dict.fromkeys([*EQUAL, *(row.combine for row in self.rows if row.run == run)]))

    def runner(
        self, folder: str | os.PathLike[str], *, seed: int = 1, seeds: int = 1, effort: Mapping[str, Any] | None = None
    ) -> Runner:
        """Return what trains and scores the runs of all rows in a folder.

        ``seeds`` is how often each is trained, with ``seed``, ``seed + 1`` and so on; further seeds of the run ``sgns``
        are named ``sgns-seed-2`` and so on. ``effort`` is threads and memory, for all of them.
        """
        if effort is not None and not isinstance(effort, Mapping):
            raise ParameterError(Given("effort", effort), ": it must map threads and memory to values")
        if not isinstance(seeds, int) or isinstance(seeds, bool) or not 1 <= seeds <= MOST_SEEDS:
            raise ParameterError(Given("seeds", seeds), f": it must be a number from 1 to {MOST_SEEDS}")
        if not isinstance(folder, str | os.PathLike):
            raise ParameterError(Given("folder", folder), ": it must be a path")
        # All methods get their first seed before any gets its second, so that early results can be compared.
        models = {run: self.model(run, seed=seed, **(effort or {})) for run in self.used}
        for further in range(seed + 1, seed + seeds):
            models |= {f"{run}-seed-{further}": self.model(run, seed=further, **(effort or {})) for run in self.used}
        combine = {name: self.vectors(SEED_SUFFIX.sub("", name)) for name in models}
        return Runner(Path(folder), models, builder=self.builder(), combine=combine)

    def only(self, runs: Collection[str]) -> "Preset":
        """Return the part of the experiment that needs these runs."""
        if isinstance(runs, str) or not isinstance(runs, Collection):
            raise ParameterError(Given("runs", runs), ": it must be a list of names")
        for run in runs:
            self._check_run(run)
        rows = tuple(row for row in self.rows if row.run in runs)
        if not rows:
            raise ParameterError(f"no row of the tables shows {', '.join(runs)}: choose other runs")
        kept = {run: own for run, own in self.runs.items() if run in runs}
        return replace(self, runs=kept, rows=rows, chosen=tuple(kept))

    def _check_run(self, run: str) -> None:
        if not isinstance(run, str) or run not in self.runs:
            advice = did_you_mean(run, self.runs) or f"choose one of {', '.join(self.runs)}"
            raise ParameterError(f"there is no run {run!r:.40}: {advice}")


def _row(row: dict[str, Any]) -> Row:
    paper: dict[str, tuple[float, ...]] = {key: (float(value),) for key, value in row.get("similarity", {}).items()}
    paper |= {key: tuple(map(float, values)) for key, values in row.get("analogy", {}).items()}
    return Row(row["label"], row["run"], row.get("combine", "word"), paper)
