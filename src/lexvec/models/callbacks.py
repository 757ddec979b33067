"""What is called after each epoch of a fit."""

import inspect
from collections.abc import Callable
from typing import Any

from ..engine.training import EpochCallback

#: Takes the number of the epoch and its losses, and the model if it has room for a third argument.
Callback = Callable[..., bool | None]


def callback_of(callback: Callback, model: Any) -> EpochCallback:
    """Return a callback of an epoch and its losses, which hands the model on if the given one takes it."""
    if not accepts(callback, 3):
        return callback
    return lambda epoch, losses: callback(epoch, losses, model)


def accepts(callback: Callback, arguments: int) -> bool:
    """Return whether a callback takes so many arguments; one that does not say, such as a builtin, takes two.

    >>> accepts(lambda epoch, losses: None, 2), accepts(lambda: None, 2), accepts(lambda *_: None, 3)
    (True, False, True)
    """
    try:
        inspect.signature(callback).bind(*range(arguments))
    except ValueError:
        return arguments == 2
    except TypeError:
        return False
    return True
