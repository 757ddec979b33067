"""A search for good parameters of a model, on one half of the test items and reported on the other.

`Tuner` searches; its `Tuned` result writes the page, the table of trials and a configuration for ``lexvec train``.
"""

from .halves import Half, Halves
from .objective import Objective
from .space import Space
from .tuner import Tuned, Tuner

__all__ = ["Half", "Halves", "Objective", "Space", "Tuned", "Tuner"]
