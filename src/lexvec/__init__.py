"""lexvec: word vectors from a weighted factorisation of the PPMI matrix, and the data half that they stand on."""

from ._version import __version__
from .association import MEASURES, Association, Associator
from .cooccurrence import Cooccurrence, CooccurrenceCounter
from .corpus import Corpus, CorpusBuilder, Normalizer
from .errors import ArtefactError, InputError, LexvecError, ParameterError, ResourceError
from .vocabulary import Vocabulary

__all__ = [
    "MEASURES",
    "ArtefactError",
    "Association",
    "Associator",
    "Cooccurrence",
    "CooccurrenceCounter",
    "Corpus",
    "CorpusBuilder",
    "InputError",
    "LexvecError",
    "Normalizer",
    "ParameterError",
    "ResourceError",
    "Vocabulary",
    "__version__",
]
