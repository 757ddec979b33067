"""Scores of word vectors on test sets, and tests of whether two models differ; any vectors will do."""

from ..presentation.render import FORMATS, render
from .averaging import average
from .comparison import Comparer, compare
from .datasets import DATASETS, Dataset
from .differences import Comparison
from .evaluator import Evaluator, evaluate
from .results import Evaluation, Score
from .sets import fetch, fetchable, locate
from .tasks import TASKS, AccuracyTask, Item, Paired, Task

__all__ = [
    "DATASETS",
    "FORMATS",
    "TASKS",
    "AccuracyTask",
    "Comparer",
    "Comparison",
    "Dataset",
    "Evaluation",
    "Evaluator",
    "Item",
    "Paired",
    "Score",
    "Task",
    "average",
    "compare",
    "evaluate",
    "fetch",
    "fetchable",
    "locate",
    "render",
]
