"""Subwords: which n-grams a word has, and which rows of a table they are hashed to."""

from .schemes import SCHEMES, FastTextScheme, FloretScheme, LexVecScheme, Scheme, recorded_scheme

__all__ = ["SCHEMES", "FastTextScheme", "FloretScheme", "LexVecScheme", "Scheme", "recorded_scheme"]
