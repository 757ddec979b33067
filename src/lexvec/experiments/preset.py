"""What the experiment of a paper consists of: the corpus's parameters, the models, and the rows of the tables."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..corpus import CorpusBuilder
from ..errors import Given, ParameterError, did_you_mean
from ..models import MODELS, Model
from ..vectors.model import Combine
from .preset_file import check_preset, read_preset
from .runner import Runner


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

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> "Preset":
        """Load a preset of the package by its name, or one of your own by its file."""
        if not isinstance(name, str | os.PathLike):
            raise ParameterError(Given("name", name), ": it must be the name of a preset or a TOML file")
        content = read_preset(os.fspath(name))
        check_preset(content, os.fspath(name))
        kinds = content.get("models", {})
        runs = {run: kinds.get(own.get("model"), {}) | own for run, own in content["runs"].items()}
        rows = tuple(_row(row) for row in content["rows"])
        title = content.get("title", os.fspath(name))
        preset = cls(title, content.get("corpus_of_paper", ""), content.get("corpus", {}), runs, rows)
        preset.builder()
        for run in runs:
            preset.model(run)
        return preset

    def builder(self) -> CorpusBuilder:
        """Return what encodes the corpus."""
        return CorpusBuilder.of(self.corpus)

    def model(self, run: str, **more: Any) -> Model:
        """Return the model of a run, not fitted yet."""
        self._check_run(run)
        parameters = dict(self.runs[run])
        return MODELS[parameters.pop("model")].of({**parameters, **more})

    def runner(
        self, folder: str | os.PathLike[str], *, seed: int = 1, effort: Mapping[str, Any] | None = None
    ) -> Runner:
        """Return what trains and scores all runs in a folder; ``effort`` is threads and memory, for all of them."""
        if effort is not None and not isinstance(effort, Mapping):
            raise ParameterError(Given("effort", effort), ": it must map threads and memory to values")
        models = {run: self.model(run, seed=seed, **(effort or {})) for run in self.runs}
        combine = {run: list(dict.fromkeys(row.combine for row in self.rows if row.run == run)) for run in self.runs}
        if not isinstance(folder, str | os.PathLike):
            raise ParameterError(Given("folder", folder), ": it must be a path")
        return Runner(Path(folder), models, builder=self.builder(), combine=combine, fixed={"seed": seed})

    def only(self, runs: Collection[str]) -> "Preset":
        """Return the part of the experiment that needs these runs."""
        if isinstance(runs, str) or not isinstance(runs, Collection):
            raise ParameterError(Given("runs", runs), ": it must be a list of names")
        for run in runs:
            self._check_run(run)
        rows = tuple(row for row in self.rows if row.run in runs)
        if not rows:
            raise ParameterError(f"no row of the tables shows {', '.join(runs)}: choose other runs")
        return replace(self, runs={run: own for run, own in self.runs.items() if run in runs}, rows=rows)

    def _check_run(self, run: str) -> None:
        if not isinstance(run, str) or run not in self.runs:
            advice = did_you_mean(run, self.runs) or f"choose one of {', '.join(self.runs)}"
            raise ParameterError(f"there is no run {run!r:.40}: {advice}")


def _row(row: dict[str, Any]) -> Row:
    paper: dict[str, tuple[float, ...]] = {key: (float(value),) for key, value in row.get("similarity", {}).items()}
    paper |= {key: tuple(map(float, values)) for key, values in row.get("analogy", {}).items()}
    return Row(row["label"], row["run"], row.get("combine", "word"), paper)
