"""Several machines: workers that encode, count and train together. Models know nothing of it but an `Executor`."""

from .driver import open_executor
from .engine import Engine, check_engine, open_engine
from .ring import RingExecutor

__all__ = ["Engine", "RingExecutor", "check_engine", "open_engine", "open_executor"]
