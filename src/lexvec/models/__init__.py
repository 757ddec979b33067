"""The models of the paper: LexVec, and what it compares with; and what models of your own are made of."""

from ..parameters import parameter
from ..trained import Trained
from .base import MODELS, Model
from .footprint import Footprint
from .glove import GloVe
from .lexvec import LexVec
from .planning import Plan, planned
from .sgns import SGNS
from .stepwise import StepwiseModel
from .svd import PPMISVD
from .training_preset import TrainingPreset, approximate_tokens

__all__ = [
    "MODELS",
    "PPMISVD",
    "SGNS",
    "Footprint",
    "GloVe",
    "LexVec",
    "Model",
    "Plan",
    "StepwiseModel",
    "Trained",
    "TrainingPreset",
    "approximate_tokens",
    "parameter",
    "planned",
]
