"""Ids to counts of word and context."""

from .counter import CooccurrenceCounter
from .counts import Cooccurrence

__all__ = ["Cooccurrence", "CooccurrenceCounter"]
