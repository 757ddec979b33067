"""``lexvec evaluate``: from vectors to scores."""

import click

from ..evaluation import FORMATS, Evaluator, average
from ..trained import Combine
from .console import Console, console_flags
from .flags import combine_flag, format_flag, gathered_parameters
from .model_group import ModelGroup
from .output import show
from .paths import InputNames, files_and_patterns
from .set_flags import ChosenSets, set_flags


@click.command()
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, type=InputNames(files_and_patterns))
@set_flags()
@format_flag(FORMATS)
@combine_flag
@console_flags
@gathered_parameters("evaluator", Evaluator)
def evaluate(
    models: tuple[str, ...],
    chosen: ChosenSets,
    form: str,
    combine: Combine,
    console: Console,
    evaluator: Evaluator,
) -> None:
    """Score vectors on similarity and analogy sets.

    MODEL is a folder written by lexvec train, or vectors in any format that lexvec convert reads. A similarity set is
    scored by Spearman's correlation of cosines with human ratings, an analogy set by the share of correct answers, with
    3CosAdd and with 3CosMul. Each score has a bootstrap interval and the number of items whose words are known. Use
    lexvec data fetch to get the sets.

    Several models are taken as one method, trained with different seeds. Scores are then means and standard deviations,
    and the intervals include the noise of training. To compare methods, use lexvec compare.
    """
    group = ModelGroup.parse(*models)
    show(average(group.evaluations(evaluator, chosen, combine, console.progress)), form)
