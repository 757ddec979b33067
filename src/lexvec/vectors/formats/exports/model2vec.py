"""A folder that model2vec (``StaticModel.from_pretrained``) and sentence-transformers (``SentenceTransformer``) open.

Both give the vectors that ``WordVectors.sentences`` gives: the weights of words are in the rows, our rules for text are
in ``tokenizer.json``, and results are scaled to length 1. Unknown words have a row of zeros: sentence-transformers
counts them in its mean, which scaling undoes.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError
from ....progress import Progress
from ...geometry import Doubles
from ...sentence_rules import SentenceRules, normalizer_of, word_weights
from ..labelled_rows import LabelledRows, check_words, rows_to_write
from .export_folder import export_format, exporting, write_json
from .tokenizer_json import tokenizer_json

_TARGET = "model2vec"
DTYPES = {"float32": "F32", "float16": "F16"}
_ALIGNED = 8
_MODULES = ("StaticEmbedding", "Normalize")


def write_model2vec(
    path: Path,
    vectors: LabelledRows,
    force: bool,
    progress: Progress,
    *,
    rules: SentenceRules | None = None,
    component: Doubles | None = None,
    dtype: str = "float32",
) -> None:
    """Write the folder; ``component`` is a direction that no vector of a sentence has.

    To subtract it from each row is to subtract it from each mean of rows.
    """
    rules = rules or SentenceRules()
    check_words(vectors, _TARGET, "")
    count, dim = vectors.matrix.shape
    weights = word_weights(rules, count, vectors.counts, progress)
    tokenizer = tokenizer_json(normalizer_of(vectors.normalisation, vectors.words, progress), vectors.words)
    config: dict[str, Any] = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": dim,
        "seq_length": 1_000_000,
        "max_length": None,
        "normalize": True,
        "embedding_dtype": dtype,
    }
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": "." if number == 0 else f"{number}_{name}",
            "type": f"sentence_transformers.models.{name}",
        }
        for number, name in enumerate(_MODULES)
    ]
    how = {"weights": rules.weights, "a": rules.a, "component_removed": component is not None}
    with exporting(path, _TARGET, vectors, force=force, **how) as folder:
        write_json(folder / "config.json", config)
        write_json(folder / "modules.json", modules)
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
        with (folder / "model.safetensors").open("wb") as file, progress.stage("writing", count, "words") as stage:
            file.write(_header(count + 1, dim, dtype))
            file.write(np.zeros(dim, dtype).tobytes())
            start = 0
            for words, rows in rows_to_write(vectors, stage):
                weighted = rows * weights[start : start + len(rows), None]
                if component is not None:
                    weighted -= np.outer(weighted @ component, component)
                with np.errstate(over="ignore"):
                    narrow = weighted.astype(np.dtype(dtype).newbyteorder("<"))
                if not np.isfinite(narrow).all():
                    word = words[int(np.flatnonzero(~np.isfinite(narrow).all(axis=1))[0])]
                    raise InputError(f"the vector of {word!r:.80} has numbers too large for {dtype}: use float32")
                file.write(narrow.tobytes())
                start += len(rows)


def _header(rows: int, dim: int, dtype: str) -> bytes:
    size = rows * dim * np.dtype(dtype).itemsize
    tensor = {"dtype": DTYPES[dtype], "shape": [rows, dim], "data_offsets": [0, size]}
    header = json.dumps({"embeddings": tensor}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % _ALIGNED)
    return len(header).to_bytes(8, "little") + header


MODEL2VEC = export_format(_TARGET, "a folder for model2vec and sentence-transformers", write_model2vec)
