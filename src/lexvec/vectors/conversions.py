"""What vectors of words become: vectors of sentences, and objects and folders of other libraries."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import Given, ParameterError
from ..progress import ProgressLike, resolved
from ..storage.arguments import check_flag
from .derived import DerivedVectors
from .formats import LabelledRows
from .formats.exports.gensim_folder import keyed_vectors
from .formats.exports.model2vec import DTYPES, write_model2vec
from .formats.parquet import arrow_table
from .sentence_rules import SentenceRules
from .sentences import encode

if TYPE_CHECKING:
    from ..corpus import Normalizer


class Conversions(DerivedVectors):
    """What `WordVectors` can become."""

    def sentences(
        self,
        texts: Iterable[str] | Iterable[Sequence[str]],
        *,
        normalizer: "Normalizer | None" = None,
        progress: ProgressLike = None,
        **rules: Any,
    ) -> npt.NDArray[np.float32]:
        """Return a vector per text: the weighted mean of the vectors of its words.

        Texts are normalised as the text that the vectors were trained on, or by ``normalizer``; lists of words are
        looked up as they are. The ``rules`` are ``weights`` ("sif" or "mean"), ``a``, ``remove_component``,
        ``normalize`` and ``oov``: see `lexvec.vectors.SentenceRules`. Out-of-vocabulary words are reported. A text
        without any known word has a vector of zeros, which is reported as a warning.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["the", "cat", "car"], np.eye(3), counts=[900, 50, 50])
        >>> vectors.sentences(["The cat!", "the car"]).astype(float).round(2).tolist()
        [[0.06, 1.0, 0.0], [0.06, 0.0, 1.0]]
        >>> vectors.sentences([["cat", "car"]], weights="mean", normalize=False).tolist()
        [[0.0, 0.5, 0.5]]
        """
        reported = resolved(progress, __name__)
        return encode(self, texts, SentenceRules.of(rules), normalizer=normalizer, progress=reported).matrix

    def to_gensim(self) -> Any:
        """Return gensim's ``KeyedVectors``, with counts as the attribute ``count``; the matrix is shared.

        >>> from lexvec import WordVectors
        >>> keyed = WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3]).to_gensim()
        >>> keyed["dog"].tolist(), int(keyed.get_vecattr("dog", "count"))
        ([0.0, 1.0], 3)
        """
        return keyed_vectors(self._labelled())

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` with the columns ``word``, ``vector`` and, if known, ``count``.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3]).to_arrow().column_names
        ['word', 'vector', 'count']
        """
        return arrow_table(self._labelled())

    def save_model2vec(
        self,
        path: str | os.PathLike[str],
        *,
        weights: str = "sif",
        a: float = 1e-3,
        component_of: Iterable[str] | Iterable[Sequence[str]] | None = None,
        dtype: str = "float32",
        force: bool = False,
        progress: ProgressLike = None,
    ) -> None:
        """Write a folder that model2vec and sentence-transformers open; both then give our vectors of sentences.

        ``weights`` and ``a`` are those of `sentences`, and ``dtype`` is float32 or float16. ``component_of`` are texts
        whose first component is subtracted from all vectors of sentences, as `lexvec.SentenceEncoder` does that was
        fitted to them with ``remove_component``. ``lexvec convert --format model2vec`` does the same.

        >>> import tempfile
        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     vectors.save_model2vec(f"{folder}/static", weights="mean")
        """
        if dtype not in DTYPES:
            raise ParameterError(Given("dtype", dtype), f": it must be one of {', '.join(DTYPES)}")
        rules = SentenceRules(weights=weights, a=a, remove_component=component_of is not None)
        reported = resolved(progress, __name__)
        component = None if component_of is None else encode(self, component_of, rules, progress=reported).component
        write_model2vec(
            Path(path),
            self._labelled(),
            check_flag(force, "force"),
            reported,
            rules=rules,
            component=component,
            dtype=dtype,
        )

    def _labelled(self) -> LabelledRows:
        return LabelledRows(self.words, self.matrix, self.counts, self.normalisation, self.composer)
