"""Text for ``lexvec demo``: a real corpus, from a package index, the web, or this installation."""

from .corpora import CORPORA, DemoCorpus, prepare
from .docstrings import collect

__all__ = ["CORPORA", "DemoCorpus", "collect", "prepare"]
