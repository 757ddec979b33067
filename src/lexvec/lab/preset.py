"""What a paper's experiment consists of, from a TOML file: the corpus's parameters, the models, and rows of tables."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from ..corpus import CorpusBuilder
from ..errors import Given, InputError, ParameterError, did_you_mean
from ..evaluation import DATASETS, TASKS
from ..models import MODELS, Model
from ..storage.bounded import parse_toml, read_settings
from ..trained import Combine, check_combine
from .runner import Runner
from .workspace import RUN_NAME, SEED_SUFFIX

#: Every method is shown with both, so that the choice favours none.
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


_FOLDER = resources.files(__package__) / "presets"

#: Presets that come with the package.
PRESETS = tuple(sorted(entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.name.endswith(".toml")))

_KINDS = {
    "extends": str,
    "title": str,
    "corpus_of_paper": str,
    "corpus": dict,
    "models": dict,
    "runs": dict,
    "rows": list,
    "more_rows": list,
}
_LARGEST = 1e6  # figure of a paper
_ROW_KINDS = {"label": str, "run": str, "combine": str, "similarity": dict, "analogy": dict}
_KIND_NAMES: dict[type, str] = {str: "a text in quotes", dict: "a table", list: "a list of tables"}
_NAMES = {kind: [each.name for each in DATASETS.values() if each.kind == kind] for kind in ("similarity", "analogy")}


def read_preset(name: str, base: Path | None = None, seen: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the content of a preset: one of the package, or a file (relative to the one that extends it)."""
    path = (base / name) if base else Path(name)
    if name in PRESETS:
        content, place = parse_toml((_FOLDER / f"{name}.toml").read_bytes(), name), name
    elif os.path.isfile(path):  # False for a name that is too long, too
        content, place = parse_toml(read_settings(path), name), str(path.resolve())
    else:
        advice = did_you_mean(name, PRESETS) or f"give the name of a TOML file, or one of {', '.join(PRESETS)}"
        raise InputError(f"there is no preset {name!r:.200}: {advice}")
    _check_kinds(content, _KINDS, name)
    if place in seen:
        raise InputError(f"{name} extends itself: extend another preset, or none")
    if "extends" in content:
        below = read_preset(content.pop("extends"), path.parent, (*seen, place))
        content = _over(below, content)
    more = content.pop("more_rows", [])
    return {**content, "rows": [*content.get("rows", []), *more]}


def check_preset(content: dict[str, Any], name: str) -> None:
    """Raise an error unless a preset has runs and rows that go together."""
    for kind, parameters in content.get("models", {}).items():
        if kind not in MODELS or not isinstance(parameters, dict):
            raise InputError(f"{name} has [models.{kind}]: write tables for {', '.join(sorted(MODELS))} only")
        if "label" in parameters:
            raise InputError(f"{name}, models.{kind} has a label: give each run a label of its own")
    runs = content.get("runs", {})
    for run, parameters in runs.items():
        _check_run(run, parameters, name)
    rows = content.get("rows", [])
    if not runs or not rows:
        raise InputError(f"{name} has no runs or no rows: write both")
    for row in rows:
        _check_row(row, runs, name)
    shown = {row["run"] for row in rows}
    methods = [parameters.get("label", run) for run, parameters in runs.items() if run in shown]
    for what, labels in (("rows", [row["label"] for row in rows]), ("runs", methods)):
        double = next((label for label in labels if labels.count(label) > 1), None)
        if double is not None:
            raise InputError(f"{name} has two {what} {double!r:.40}: give each a label of its own")


def _check_run(run: str, parameters: Any, name: str) -> None:
    if not RUN_NAME.fullmatch(run) or run.endswith(".run") or not isinstance(parameters, dict):
        raise InputError(f"{name} has the run {run!r}: write a table whose name has letters, digits, - _ and .")
    if SEED_SUFFIX.search(run):
        raise InputError(f"{name} has the run {run!r}: choose a name that does not end like those of other seeds")
    if not isinstance(parameters.get("label", ""), str):
        raise InputError(f"{name}, run {run} has label = {parameters['label']!r:.40}: it must be a text in quotes")
    model = parameters.get("model")
    if not isinstance(model, str) or model not in MODELS:
        raise InputError(f"{name}, run {run} has model = {model!r:.40}: choose one of {', '.join(sorted(MODELS))}")


def _check_kinds(table: Any, kinds: Mapping[str, type], where: str) -> None:
    if not isinstance(table, dict):
        raise InputError(f"{where} is not a table: write one with {', '.join(kinds)}")
    for key, value in table.items():
        if key not in kinds:
            advice = did_you_mean(key, kinds) or f"use {', '.join(kinds)}"
            raise InputError(f"{where} has the unknown key {key!r}: {advice}")
        if not isinstance(value, kinds[key]):
            raise InputError(f"{where} has {key} = {value!r:.40}: it must be {_KIND_NAMES[kinds[key]]}")


def _check_row(row: Any, runs: Mapping[str, Any], name: str) -> None:
    where = f"{name}, row {row.get('label', '?') if isinstance(row, dict) else row!r:.40}"
    _check_kinds(row, _ROW_KINDS, where)
    if "label" not in row or row.get("run") not in runs:
        raise InputError(f"{where} needs a label, a run of this preset: add what is missing")
    try:
        check_combine(row.get("combine", "word"))
    except ParameterError as error:
        raise InputError(f"{where}: {error}") from error
    for kind, names in _NAMES.items():
        for key, figures in row.get(kind, {}).items():
            if key not in names:
                advice = did_you_mean(key, names) or f"choose one of {', '.join(names)}"
                raise InputError(f"{where} has the unknown {kind} set {key!r}: {advice}")
            measures = TASKS[kind].measures
            listed = figures if len(measures) > 1 and isinstance(figures, list) else [figures]
            if len(listed) != len(measures) or not all(map(_is_figure, listed)):
                several = f"two numbers, [{', '.join(measures)}] (nan for none)"
                what = several if len(measures) > 1 else "one number"
                raise InputError(f"{where} has {key} = {figures!r:.40}: it must be {what}")


def _is_figure(value: Any) -> bool:
    return type(value) in (int, float) and not abs(value) > _LARGEST  # NaN stands for none


def _over(base: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the base with tables merged and everything else replaced."""
    merged = dict(base)
    for key, value in content.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
