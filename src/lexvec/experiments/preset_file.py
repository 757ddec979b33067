"""Reading presets: TOML of the right shape, merged over the preset that it extends."""

import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from ..errors import InputError, did_you_mean
from ..evaluation import DATASETS, TASKS
from ..models import MODELS
from ..storage.bounded import parse_toml, read_settings
from ..trained import Combine
from .folder import RUN_NAME, SEED_SUFFIX

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
    if "label" not in row or row.get("run") not in runs or row.get("combine", "word") not in get_args(Combine):
        raise InputError(
            f"{where} needs a label, a run of this preset, and combine as one of {', '.join(get_args(Combine))}"
        )
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
