"""Scores of word vectors on test sets, and whether they differ: numpy and scipy only, whatever made the vectors."""

from ..presentation.render import FORMATS, render
from .comparison import Comparer, Comparison, compare
from .evaluator import Evaluator, evaluate
from .fetch import fetch, fetchable
from .finding import locate
from .registry import DATASETS, Dataset
from .results import Evaluation, Score

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
