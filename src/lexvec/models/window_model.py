"""What models that learn from windows and noise share: LexVec and SGNS."""

from dataclasses import dataclass

from ..engine.schedule import Schedule
from ..parameters import Search, parameter
from .base import StepwiseModel


@dataclass(kw_only=True, eq=False)
class WindowModel(StepwiseModel):
    """Base of the models whose pairs come from windows, with noise drawn beside them."""

    negative: int = parameter(
        5, "Number of noise contexts per pair (the paper's k).", minimum=0, maximum=10_000, search=Search(1, 15)
    )
    noise: str = parameter(
        "shared",
        "shared: four words at a time meet the same four noise contexts, which is faster; independent: draw noise for "
        "each word alone, as in the paper.",
        choices=("shared", "independent"),
    )
    noise_power: float = parameter(
        0.75,
        "Power to which the counts behind the noise distribution are raised.",
        minimum=0,
        maximum=5,
        search=Search(0.25, 1.0, step=0.05),
    )

    @property
    def schedule(self) -> Schedule:
        """A learning rate that falls linearly."""
        return Schedule(self.epochs, self.learning_rate, decays=True)
