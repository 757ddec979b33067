"""Word vectors, however they were made: look-up, neighbours, analogies, and files."""

from .formats import FORMATS
from .vectors import WordVectors

__all__ = ["FORMATS", "WordVectors"]
