"""``lexvec compare``: two models, or two methods with several seeds each, set by set."""

import logging
from typing import Any

import click

from ..errors import InputError
from ..evaluation import FORMATS, Comparer, Evaluator
from ..parameters import declared
from ..trained import Combine
from .flags import parameter_flags
from .inputs import ModelGroup
from .options import ChosenSets, report_flags, set_flags, vector_flags
from .output import Console
from .paths import InputNames, files_and_patterns


@click.command()
@click.argument("a", type=InputNames(files_and_patterns))
@click.argument("b", type=InputNames(files_and_patterns))
@set_flags()
@vector_flags()
@report_flags(forms=FORMATS)
@parameter_flags(Evaluator, leave_out=[name for name, *_ in declared(Comparer)])
@parameter_flags(Comparer)
def compare(
    a: str,
    b: str,
    chosen: ChosenSets,
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
    in quotes, such as 'sgns-*'. Then the tests include the noise of training, and report which differences are within
    seed noise.
    """
    comparer = Comparer(**parameters)
    evaluator = Evaluator(oov=oov, lowercase=lowercase, threads=threads, resamples=1)  # only differences get intervals
    one, other = ModelGroup.parse(a), ModelGroup.parse(b)
    if one.places & other.places and one.places != other.places:
        raise InputError("a model is on both sides: name each on one side only")
    first, second = (each.evaluations(evaluator, chosen, combine, console.progress) for each in (one, other))
    names = (one.name, other.name) if one.name != other.name and one.name and other.name else (a, b)
    compared = comparer.compare(first, second, names=names)
    console.show(compared)
    if console.form in ("json", "csv"):
        level = logging.INFO if console.form == "json" else logging.WARNING  # JSON has the warnings in it
        for warning in compared.warnings:
            console.progress.note(f"warning: {warning}", level)
