"""What models of a matrix of association share: LexVec and PPMI-SVD."""

import math
from dataclasses import dataclass

from ..association import MEASURES, AssociationParameters, Associator
from ..cooccurrence import CooccurrenceCounter
from ..cooccurrence.counting import CountingParameters
from ..errors import Given, ParameterError
from .base import Model
from .inputs import Recipe


@dataclass(kw_only=True, eq=False)
class MatrixModel(AssociationParameters, CountingParameters, Model):
    """Base of the models that factorise a matrix of association; it has all parameters of counting and association."""

    def _check(self) -> None:
        super()._check()
        if not math.isfinite(MEASURES[self.measure].unseen(self)):
            raise ParameterError(
                Given("measure", self.measure), " has no value for unseen pairs: use clipped_pmi or ppmi"
            )

    @property
    def recipe(self) -> Recipe:
        """Counts of one draw of the subsampled corpus, and their association."""
        return Recipe(self.as_parameters(CooccurrenceCounter), self.as_parameters(Associator))
