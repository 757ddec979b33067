"""From text to ids: reading files and Wikipedia dumps, normalising, encoding."""

from .builder import CorpusBuilder
from .corpus import Corpus
from .normalizer import Normalizer

__all__ = ["Corpus", "CorpusBuilder", "Normalizer"]
