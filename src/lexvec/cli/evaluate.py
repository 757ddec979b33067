"""``lexvec evaluate``: from vectors to scores."""

import click

from ..evaluation import FORMATS, Evaluator, average
from ..trained import Combine
from .flags import gathered_parameters
from .inputs import ModelGroup
from .options import ChosenSets, report_flags, set_flags, vector_flags
from .output import Console
from .paths import InputNames, files_and_patterns


@click.command()
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, type=InputNames(files_and_patterns))
@set_flags()
@vector_flags()
@report_flags(forms=FORMATS)
@gathered_parameters("evaluator", Evaluator)
def evaluate(
    models: tuple[str, ...],
    chosen: ChosenSets,
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
    console.show(average(group.evaluations(evaluator, chosen, combine, console.progress)))
