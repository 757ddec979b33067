"""Folders for other programs: written by lexvec, and read by those programs."""

from .gensim_folder import GENSIM
from .model2vec import MODEL2VEC
from .projector import PROJECTOR
from .spacy_pipeline import SPACY

__all__ = ["GENSIM", "MODEL2VEC", "PROJECTOR", "SPACY"]
