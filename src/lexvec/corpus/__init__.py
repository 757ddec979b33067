"""Text to ids: files, normalising, Wikipedia dumps, encoding."""

from .encode import CorpusBuilder
from .encoded import Corpus
from .normalise import Normalizer

__all__ = ["Corpus", "CorpusBuilder", "Normalizer"]
