"""Text for ``lexvec demo``: a real corpus that needs no download beyond packages."""

from .corpora import CORPORA, DemoCorpus, prepare
from .docstrings import collect

__all__ = ["CORPORA", "DemoCorpus", "collect", "prepare"]
