"""What all models that learn step by step share: source → target → step. Names no model."""

from .executors import Executor, ThreadExecutor
from .losses import LOSSES, Loss

__all__ = ["LOSSES", "Executor", "Loss", "ThreadExecutor"]
