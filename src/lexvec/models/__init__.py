"""The models of the paper: LexVec, and what it compares with."""

from .base import MODELS, Model
from .glove import GloVe
from .lexvec import LexVec
from .sgns import SGNS
from .svd import PPMISVD

__all__ = ["MODELS", "PPMISVD", "SGNS", "GloVe", "LexVec", "Model"]
