"""What models of a matrix of association share: LexVec and PPMI-SVD."""

from dataclasses import dataclass

from ..association import AssociationParameters, Associator
from ..cooccurrence import CooccurrenceCounter
from ..cooccurrence.counter import CountingParameters
from ..errors import ParameterError
from .base import Model
from .recipe import Recipe


@dataclass(kw_only=True, eq=False)
class MatrixModel(AssociationParameters, CountingParameters, Model):
    """Base of the models that factorise a matrix of association; it has all parameters of counting and association."""

    @property
    def recipe(self) -> Recipe:
        """Counts of one draw of the subsampled corpus, and their association."""
        if self.measure == "pmi":
            raise ParameterError("measure='pmi' has no value for unseen pairs: use clipped_pmi or ppmi")
        return Recipe(self.as_parameters(CooccurrenceCounter), self.as_parameters(Associator))
