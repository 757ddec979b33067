"""Sentence vectors as a scikit-learn transformer, for pipelines; scikit-learn is imported where it is installed."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .errors import LexvecError, ParameterError
from .progress import resolved
from .vectors import SentenceRules, WordVectors
from .vectors.sentences import encode

if TYPE_CHECKING:
    from .corpus import Normalizer

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:  # without scikit-learn there are no pipelines, and fit and transform are all that is needed

    class TransformerMixin:  # type: ignore[no-redef]
        """Stands for scikit-learn's."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Stands for scikit-learn's."""


class SentenceEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into vectors, as a scikit-learn transformer.

    ``vectors`` are a `WordVectors`, or the name of a file or folder to load. The other parameters are those of
    `WordVectors.sentences`. With ``remove_component`` the direction to remove is found by ``fit`` and used by
    ``transform``.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> words = ["cat", "dog", "car", "bus"]
    >>> vectors = WordVectors(words, np.array([[3, 0], [3, 1], [0, 3], [1, 3]]), counts=[9, 8, 7, 6])
    >>> model = make_pipeline(SentenceEncoder(vectors), LogisticRegression())
    >>> model = model.fit(["cat dog", "car bus", "dog", "bus"], ["pet", "vehicle", "pet", "vehicle"])
    >>> model.predict(["a cat", "the car"]).tolist()
    ['pet', 'vehicle']
    """

    def __init__(
        self,
        vectors: WordVectors | str | os.PathLike[str],
        *,
        weights: str = "sif",
        a: float = 1e-3,
        remove_component: bool = False,
        normalize: bool = True,
        oov: str = "compose",
        normalizer: "Normalizer | None" = None,
    ) -> None:
        self.vectors = vectors
        self.weights = weights
        self.a = a
        self.remove_component = remove_component
        self.normalize = normalize
        self.oov = oov
        self.normalizer = normalizer

    def fit(self, texts: Iterable[Any], y: Any = None) -> Self:
        """Load the vectors and, with ``remove_component``, find the direction to remove."""
        del y
        rules = self._rules()
        given = self.vectors
        if not isinstance(given, WordVectors | str | os.PathLike):
            raise ParameterError(f"vectors is {type(given).__name__}: it must be WordVectors, or the name of a file")
        self.vectors_ = given if isinstance(given, WordVectors) else WordVectors.load(given)
        self.component_ = None
        if rules.remove_component:
            self.component_ = self._encoded(texts, rules).component
        return self

    def transform(self, texts: Iterable[Any]) -> npt.NDArray[np.float32]:
        """Return a vector per text."""
        self._require_fit()
        found: npt.NDArray[np.float32] = self._encoded(texts, self._rules()).matrix
        return found

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name per dimension, as data frames want them."""
        del input_features
        self._require_fit()
        return np.array([f"lexvec{number}" for number in range(self.vectors_.dim)], object)

    def _encoded(self, texts: Iterable[Any], rules: SentenceRules) -> Any:
        given: Sequence[Any] | Iterable[Any] = texts.tolist() if isinstance(texts, np.ndarray) else texts
        return encode(
            self.vectors_,
            given,
            rules,
            normalizer=self.normalizer,
            component=self.component_,
            progress=resolved(None, __name__),
        )

    def _rules(self) -> SentenceRules:
        return SentenceRules(**{name: getattr(self, name) for name in SentenceRules().get_params()})

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise LexvecError("this SentenceEncoder is not fitted: call fit first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectors_")
