"""Word vectors from any source: look-up, neighbours, analogies, and files."""

from .encodings import ENCODINGS, EncodedMatrix
from .formats import FORMATS, Format, LabelledRows
from .reduction import Reduction
from .sentence_rules import SentenceRules
from .word_vectors import WordVectors
from .wordmap import WordMap

__all__ = [
    "ENCODINGS",
    "FORMATS",
    "EncodedMatrix",
    "Format",
    "LabelledRows",
    "Reduction",
    "SentenceRules",
    "WordMap",
    "WordVectors",
]
