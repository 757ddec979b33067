"""``lexvec compare``: two models, set by set."""

from pathlib import Path
from typing import Any

import click

from ..evaluation import FORMATS, Comparer, Evaluator
from ..parameters import declared
from ..vectors import WordVectors
from ..vectors.model import Combine
from .console import Console, console_flags
from .evaluate import set_flags, show, split
from .flags import combine_flag, format_flag, parameter_flags


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@set_flags
@format_flag(FORMATS)
@combine_flag
@console_flags
@parameter_flags(Evaluator, leave_out=[name for name, *_ in declared(Comparer)])
@parameter_flags(Comparer)
def compare(
    a: Path,
    b: Path,
    data: Path | None,
    sets: tuple[str, ...],
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
    """
    comparer = Comparer(**parameters)
    evaluator = Evaluator(oov=oov, lowercase=lowercase, threads=threads, resamples=1)  # only differences get intervals
    progress = console.progress
    first, second = (
        evaluator.evaluate(
            WordVectors.load(model, combine=combine, progress=progress), sets=split(sets), data=data, progress=progress
        )
        for model in (a, b)
    )
    names = (a.name, b.name) if a.name != b.name else (str(a), str(b))
    show(comparer.compare(first, second, names=names), form)
