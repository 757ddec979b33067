"""Vectors as objects of other libraries, each imported when it is asked for."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..composition import Composer
from ..errors import Given, ParameterError
from ..progress import ProgressLike, resolved
from ..storage.arguments import check_flag
from .formats import LabelledRows
from .formats.exports.gensim_folder import keyed_vectors
from .formats.exports.model2vec import DTYPES, write_model2vec
from .formats.parquet import arrow_table
from .sentence_rules import SentenceRules


class Conversions:
    """What `WordVectors` can become."""

    words: list[str]
    matrix: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64] | None
    normalisation: Mapping[str, Any] | None
    composer: Composer | None

    def to_gensim(self) -> Any:
        """Return gensim's ``KeyedVectors``, with counts as the attribute ``count``; the matrix is shared.

        >>> from lexvec import WordVectors
        >>> keyed = WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3]).to_gensim()
        >>> keyed["dog"].tolist(), keyed.get_vecattr("dog", "count")
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
        dtype: str = "float32",
        force: bool = False,
        progress: ProgressLike = None,
    ) -> None:
        """Write a folder that model2vec and sentence-transformers open; both then give our vectors of sentences.

        ``weights`` and ``a`` are those of `sentences`, and ``dtype`` is float32 or float16. ``lexvec convert --format
        model2vec`` does the same with the defaults.
        """
        if dtype not in DTYPES:
            raise ParameterError(Given("dtype", dtype), f": it must be one of {', '.join(DTYPES)}")
        rules = SentenceRules(weights=weights, a=a)
        reported = resolved(progress, __name__)
        write_model2vec(Path(path), self._labelled(), check_flag(force, "force"), reported, rules=rules, dtype=dtype)

    def _labelled(self) -> LabelledRows:
        return LabelledRows(self.words, self.matrix, self.counts, self.normalisation, self.composer)
