"""Word vectors from any source: look-up, neighbours, analogies, and files."""

from .formats import FORMATS, Format, LabelledRows
from .sentence_rules import SentenceRules
from .vectors import WordVectors
from .wordmap import WordMap

__all__ = ["FORMATS", "Format", "LabelledRows", "SentenceRules", "WordMap", "WordVectors"]
