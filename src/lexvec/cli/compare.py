"""``lexvec compare``: two models, or two methods with several seeds each, set by set."""

import contextlib
import glob
import os
from pathlib import Path
from typing import Any

import click

from ..errors import ArtefactError, InputError
from ..evaluation import FORMATS, Comparer, Evaluation, Evaluator
from ..parameters import declared
from ..storage.artefact import read_meta
from ..vectors import WordVectors
from ..vectors.model import Combine
from .console import Console, console_flags
from .evaluate import ChosenSets, set_flags, show
from .flags import combine_flag, format_flag, parameter_flags


@click.command()
@click.argument("a")
@click.argument("b")
@set_flags()
@format_flag(FORMATS)
@combine_flag
@console_flags
@parameter_flags(Evaluator, leave_out=[name for name, *_ in declared(Comparer)])
@parameter_flags(Comparer)
def compare(
    a: str,
    b: str,
    chosen: ChosenSets,
    form: str,
    combine: Combine,
    oov: str,
    lowercase: bool,
    threads: int | None,
    console: Console,
    **parameters: Any,
) -> None:
    """Test whether two models differ, set by set.

    A and B are models as in lexvec evaluate. Both are scored on the items that both cover. Each difference has a
    confidence interval and a p-value: from a paired bootstrap for similarity sets, from an exact McNemar test for
    analogies. The verdict follows from the p-value after Holm's correction for the number of tests.

    Either can be several models of one method, trained with different seeds: a list separated by commas, or a pattern
    in quotes, such as 'sgns-*'. Then the tests resample items and models, and report which differences are within seed
    noise.
    """
    comparer = Comparer(**parameters)
    evaluator = Evaluator(oov=oov, lowercase=lowercase, threads=threads, resamples=1)  # only differences get intervals
    progress = console.progress

    def evaluated(model: str) -> Evaluation:
        vectors = WordVectors.load(model, combine=combine, progress=progress)
        return evaluator.evaluate(vectors, sets=chosen.names, data=chosen.data, progress=progress)

    groups = _models(a), _models(b)
    places = [{os.path.realpath(model) for model in models} for models in groups]
    if places[0] & places[1] and places[0] != places[1]:
        raise InputError("a model is on both sides: name each on one side only")
    for given, models in zip((a, b), groups, strict=True):
        if mixed := _differing(models):
            what = f"the models of {given} differ in {', '.join(mixed)}, not only in their seeds"
            console.say(f"warning: {what}: their spread is not that of one method")
    first, second = ([evaluated(model) for model in models] for models in groups)
    one, other = map(_name, groups)
    compared = comparer.compare(first, second, names=(one, other) if one != other and one and other else (a, b))
    show(compared, form)
    if form in ("json", "csv"):
        for warning in compared.warnings:
            console.say(f"warning: {warning}")


def _name(models: list[str]) -> str:
    """Return what all names begin with, such as "sgns" for "sgns" and "sgns-seed-2"."""
    names = [Path(model).name for model in models]
    return names[0] if len(names) == 1 else os.path.commonprefix(names).rstrip("-_. ")  # noqa: RUF071 (of texts, not of paths)


def _models(given: str) -> list[str]:
    """Return the models that an argument names: one, a list separated by commas, or what a pattern matches."""
    if not given.strip():
        raise InputError("the name of a model is empty: name a folder or a file of vectors")
    if os.path.exists(given):
        return [given]
    models: list[str] = []
    for part in filter(None, given.split(",")):
        found = [part]
        if glob.has_magic(part) and not os.path.exists(part):
            found = [match for match in sorted(glob.glob(part)) if not match.endswith(".run")]  # those are unfinished
        if not found:
            raise InputError(f"no model matches {part!r:.200}: name folders or files of vectors")
        models += found
    places = [os.path.realpath(model) for model in models]
    if double := next((model for model, place in zip(models, places, strict=True) if places.count(place) > 1), None):
        raise InputError(f"{double!r:.200} is named twice: name each model once, or its spread would look too small")
    return models or [given]


def _differing(models: list[str]) -> list[str]:
    """Return the parameters other than the seed that models differ in, as far as they are folders that record them."""
    records: list[dict[str, Any]] = []
    for model in models:
        with contextlib.suppress(ArtefactError):
            meta = read_meta(Path(model))
            records.append({"model": meta["facts"].get("model"), **meta["parameters"]})
    names = dict.fromkeys(name for record in records for name in record)
    return [name for name in names if name != "seed" and any(r.get(name) != records[0].get(name) for r in records)]
