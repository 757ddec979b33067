"""What an experiment consists of: the corpus's parameters, the models, and the rows of the tables."""

import difflib
import os
from dataclasses import dataclass, replace
from typing import Any

from ..corpus import CorpusBuilder
from ..errors import ParameterError
from ..models import MODELS, Model
from ..vectors.model import Combine
from .preset_file import check_preset, read_preset


@dataclass(frozen=True)
class Row:
    """A row of the tables: which vectors of which run, and what the paper measured for each set."""

    #: What stands in its first column.
    label: str
    #: The run whose vectors it shows.
    run: str
    #: Which of its vectors.
    combine: Combine
    #: The paper's figures by set, one for a similarity set and two (3CosAdd, 3CosMul) for analogies.
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

    #: Of the report.
    title: str
    #: What the paper's figures were measured on.
    corpus_of_paper: str
    #: Parameters of `lexvec.CorpusBuilder`.
    corpus: dict[str, Any]
    #: By name, the model's name and its parameters.
    runs: dict[str, dict[str, Any]]
    #: Of the tables.
    rows: tuple[Row, ...]

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> "Preset":
        """A preset of the package by its name, or one of the user's own by its file."""
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
        """What encodes the corpus."""
        return CorpusBuilder.of(self.corpus)

    def model(self, run: str, **more: Any) -> Model:
        """The model of a run, not trained yet."""
        parameters = dict(self.runs[run])
        name = parameters.pop("model", None)
        if name not in MODELS:
            raise ParameterError(f"run {run} has model={name!r}: it must be one of {', '.join(sorted(MODELS))}")
        return MODELS[name].of({**parameters, **more})

    def only(self, runs: tuple[str, ...]) -> "Preset":
        """The part of the experiment that needs these runs."""
        for run in runs:
            if run not in self.runs:
                close = difflib.get_close_matches(run, self.runs, 1)
                advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(self.runs)}"
                raise ParameterError(f"there is no run {run}: {advice}")
        rows = tuple(row for row in self.rows if row.run in runs)
        if not rows:
            raise ParameterError(f"no row of the tables shows {', '.join(runs)}: choose other runs")
        return replace(self, runs={run: own for run, own in self.runs.items() if run in runs}, rows=rows)


def _row(row: dict[str, Any]) -> Row:
    paper: dict[str, tuple[float, ...]] = {key: (float(value),) for key, value in row.get("similarity", {}).items()}
    paper |= {key: tuple(map(float, values)) for key, values in row.get("analogy", {}).items()}
    return Row(row["label"], row["run"], row.get("combine", "word"), paper)
