"""lexvec: word vectors from a weighted factorisation of the PPMI matrix, and the data half that they stand on."""

from ._version import __version__
from .association import MEASURES, Association, Associator
from .cooccurrence import Cooccurrence, CooccurrenceCounter
from .corpus import Corpus, CorpusBuilder, Normalizer
from .errors import ArtefactError, DivergenceError, InputError, LexvecError, ParameterError, ResourceError
from .models import MODELS, PPMISVD, SGNS, GloVe, LexVec, Model
from .vectors import WordVectors
from .vocabulary import Vocabulary

__all__ = [
    "MEASURES",
    "MODELS",
    "PPMISVD",
    "SGNS",
    "ArtefactError",
    "Association",
    "Associator",
    "Cooccurrence",
    "CooccurrenceCounter",
    "Corpus",
    "CorpusBuilder",
    "DivergenceError",
    "GloVe",
    "InputError",
    "LexVec",
    "LexvecError",
    "Model",
    "Normalizer",
    "ParameterError",
    "ResourceError",
    "Vocabulary",
    "WordVectors",
    "__version__",
]
