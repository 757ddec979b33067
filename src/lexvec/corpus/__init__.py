"""Text to ids: files, normalising, Wikipedia dumps, encoding."""

from .builder import CorpusBuilder
from .corpus import Corpus
from .normalise import Normalizer

__all__ = ["Corpus", "CorpusBuilder", "Normalizer"]
