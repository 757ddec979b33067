"""lexvec: word vectors from a weighted factorisation of the PPMI matrix, from raw text to scores.

Names are imported when they are first used, so that looking at vectors does not wait for the compiler of the kernels.
"""

from ._version import __version__

TYPE_CHECKING = False  # without importing typing, so that Ctrl-C finds nothing to interrupt before the program runs
if TYPE_CHECKING:
    from .association import MEASURES, Association, Associator, Measure
    from .cooccurrence import Cooccurrence, CooccurrenceCounter
    from .corpus import Corpus, CorpusBuilder, Normalizer
    from .encoder import SentenceEncoder
    from .errors import (
        ArtefactError,
        ClusterError,
        DivergenceError,
        InputError,
        LexvecError,
        ParameterError,
        ResourceError,
        UnknownWordError,
    )
    from .evaluation import Comparison, Evaluation, compare, evaluate
    from .model_cards import model_card
    from .models import MODELS, PPMISVD, SGNS, GloVe, LexVec, Model
    from .vectors import WordMap, WordVectors
    from .vocabulary import Vocabulary

__all__ = [
    "MEASURES",
    "MODELS",
    "PPMISVD",
    "SGNS",
    "ArtefactError",
    "Association",
    "Associator",
    "ClusterError",
    "Comparison",
    "Cooccurrence",
    "CooccurrenceCounter",
    "Corpus",
    "CorpusBuilder",
    "DivergenceError",
    "Evaluation",
    "GloVe",
    "InputError",
    "LexVec",
    "LexvecError",
    "Measure",
    "Model",
    "Normalizer",
    "ParameterError",
    "ResourceError",
    "SentenceEncoder",
    "UnknownWordError",
    "Vocabulary",
    "WordMap",
    "WordVectors",
    "__version__",
    "compare",
    "evaluate",
    "model_card",
]

_HOMES = {
    "association": ("MEASURES", "Association", "Associator", "Measure"),
    "cooccurrence": ("Cooccurrence", "CooccurrenceCounter"),
    "corpus": ("Corpus", "CorpusBuilder", "Normalizer"),
    "encoder": ("SentenceEncoder",),
    "errors": (
        "ArtefactError",
        "ClusterError",
        "DivergenceError",
        "InputError",
        "LexvecError",
        "ParameterError",
        "ResourceError",
        "UnknownWordError",
    ),
    "evaluation": ("Comparison", "Evaluation", "compare", "evaluate"),
    "model_cards": ("model_card",),
    "models": ("MODELS", "PPMISVD", "SGNS", "GloVe", "LexVec", "Model"),
    "vectors": ("WordMap", "WordVectors"),
    "vocabulary": ("Vocabulary",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
