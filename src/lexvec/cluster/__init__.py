"""Several machines: a ring of workers that pass context parts on, and engines that place them. Names no model."""

from .engine import Engine, check_engine, open_engine
from .ring import Preparation, RingExecutor

__all__ = ["Engine", "Preparation", "RingExecutor", "check_engine", "open_engine"]
