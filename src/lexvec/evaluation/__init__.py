"""Scores of word vectors on test sets, and whether they differ: numpy and scipy only, whatever made the vectors."""

from .comparison import Comparer, Comparison, compare
from .evaluator import Evaluator, evaluate
from .fetch import fetch, fetchable
from .registry import DATASETS, Dataset
from .render import FORMATS, render
from .results import Evaluation, Score
from .sources import locate

__all__ = [
    "DATASETS",
    "FORMATS",
    "Comparer",
    "Comparison",
    "Dataset",
    "Evaluation",
    "Evaluator",
    "Score",
    "compare",
    "evaluate",
    "fetch",
    "fetchable",
    "locate",
    "render",
]
