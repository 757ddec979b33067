"""What is called after each epoch of a fit."""

import inspect
from collections.abc import Callable
from typing import Any

from ..engine.training import EpochCallback

#: Takes the number of the epoch and its losses, and the model if it has room for a third argument.
Callback = Callable[..., bool | None]


def callback_of(callback: Callback, model: Any) -> EpochCallback:
    """Return a callback of an epoch and its losses, which hands the model on if the given one takes it."""
    if not _takes_model(callback):
        return callback
    return lambda epoch, losses: callback(epoch, losses, model)


def _takes_model(callback: Callback) -> bool:
    try:
        inspect.signature(callback).bind(0, {}, None)
    except (TypeError, ValueError):  # it takes two, or does not say
        return False
    return True
