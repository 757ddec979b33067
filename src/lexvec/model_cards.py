"""Model cards: a README.md that says what vectors are, how they were made, and how they score.

The metadata at the top have the form that Hugging Face's hub and its library read. Nothing is uploaded.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._version import __version__
from .evaluation import Evaluation, Score
from .parameters import Parameters, parameter
from .presentation.render import render
from .presentation.visible import visible
from .vectors import WordVectors

_TAGS = ("static-embeddings", "word-embeddings", "sentence-embeddings", "model2vec", "sentence-transformers", "lexvec")
_USE = """## Use

`lexvec convert VECTORS FOLDER --format model2vec` makes a folder that either of these libraries opens:

```python
from model2vec import StaticModel

StaticModel.from_pretrained("FOLDER").encode(["A sentence."])
```

```python
from sentence_transformers import SentenceTransformer

SentenceTransformer("FOLDER").encode(["A sentence."])
```"""


@dataclass(frozen=True, kw_only=True)
class CardDetails(Parameters):
    """What only the author of vectors knows."""

    name: str = parameter("lexvec-vectors", "Name of the vectors.")
    language: str | None = parameter(None, "Language of the text, as a code such as en or de.")
    license: str | None = parameter(None, "Licence of the vectors, as an identifier such as mit or cc-by-sa-4.0.")


def model_card(
    vectors: WordVectors,
    scores: Evaluation | None = None,
    *,
    training: Mapping[str, Any] | None = None,
    **details: Any,
) -> str:
    """Return a model card in Markdown.

    ``scores`` is what `evaluate` returned, and ``training`` the parameters of the model. The other parameters are
    ``name``, ``language`` and ``license``.

    >>> import numpy as np
    >>> vectors = WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3])
    >>> card = model_card(vectors, name="pets", language="en")
    >>> card.splitlines()[:3]
    ['---', 'language: "en"', 'library_name: "model2vec"']
    """
    given = CardDetails.of(details)
    metadata: dict[str, Any] = {
        "language": given.language,
        "license": given.license,
        "library_name": "model2vec",
        "pipeline_tag": "sentence-similarity",
        "tags": list(_TAGS),
    }
    if scores and (results := [_result(score) for score in scores.scores if not math.isnan(score.value)]):
        metadata["model-index"] = [{"name": given.name, "results": results}]
    # JSON is YAML, and quotes whatever might mean something there.
    lines = [f"{key}: {json.dumps(value)}" for key, value in metadata.items() if value is not None]
    return "\n".join(["---", *lines, "---", "", *_body(vectors, scores, training, visible(given.name)), ""])


def _result(score: Score) -> dict[str, Any]:
    interval = None if math.isnan(score.low) else f"{score.measure}, interval {score.low:.3f} to {score.high:.3f}"
    return {
        "task": {"type": score.task.hub_name or score.kind},
        "dataset": {"type": score.name, "name": score.name},
        "metrics": [
            {
                "type": score.task.metric,
                "value": round(score.value, 4),
                "name": interval or score.measure,
            }
        ],
    }


def _body(vectors: WordVectors, scores: Evaluation | None, training: Mapping[str, Any] | None, name: str) -> list[str]:
    tokens = f", from {int(vectors.counts.sum()):,} tokens" if vectors.counts is not None else ""
    size = f"{len(vectors):,} words of {vectors.dim} dimensions{tokens}"
    parts = [f"# {name}", f"Static word vectors: {size}. Made with lexvec {__version__}.", _USE]
    if scores:
        parts += ["## Scores", render(scores, "markdown").strip()]
    for title, record in (("How the text was normalised", vectors.normalisation), ("Training", training)):
        if record:
            rows = [f"| {visible(str(key))} | {visible(json.dumps(value))} |" for key, value in record.items()]
            parts += [f"## {title}", "\n".join(["| parameter | value |", "|---|---|", *rows])]
    return "\n\n".join(parts).split("\n")
