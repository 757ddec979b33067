"""Word vectors from any source: look-up, neighbours, analogies, and files."""

from ..subwords import ArrayRows, FastTextScheme, NgramComposer
from .encodings import ENCODINGS, EncodedMatrix
from .formats import FORMATS, Format, LabelledRows
from .reduction import Reduction
from .sentence_rules import SentenceRules
from .word_vectors import WordVectors
from .wordmap import WordMap

__all__ = [
    "ENCODINGS",
    "FORMATS",
    "ArrayRows",
    "EncodedMatrix",
    "FastTextScheme",
    "Format",
    "LabelledRows",
    "NgramComposer",
    "Reduction",
    "SentenceRules",
    "WordMap",
    "WordVectors",
]
