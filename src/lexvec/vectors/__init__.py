"""Word vectors, however they were made: look-up, neighbours, analogies, and files."""

from .formats import FORMATS
from .vectors import WordVectors
from .wordmap import WordMap

__all__ = ["FORMATS", "WordMap", "WordVectors"]
