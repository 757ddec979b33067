"""Subwords: which n-grams a word has, which rows of a table they are hashed to, and vectors composed from these."""

from .composer import ArrayRows, NgramComposer, RowSource, SubwordComposer
from .schemes import SCHEMES, FastTextScheme, FloretScheme, LexVecScheme, NgramScheme, Scheme, recorded_scheme

__all__ = [
    "SCHEMES",
    "ArrayRows",
    "FastTextScheme",
    "FloretScheme",
    "LexVecScheme",
    "NgramComposer",
    "NgramScheme",
    "RowSource",
    "Scheme",
    "SubwordComposer",
    "recorded_scheme",
]
