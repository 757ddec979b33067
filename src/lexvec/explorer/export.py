"""The page as one HTML file that works offline: maps, neighbours of the exported words, and scores."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from .._version import __version__
from ..errors import LexvecError
from ..storage.arguments import check_whole
from ..vectors import WordVectors
from ..vectors.exported_page import ExportedPage
from . import differences
from .bundle import joined_modules
from .labels import Labels
from .maps import MOST_WORDS, Mapped, layouts
from .neighbourhoods import nearest_rows
from .opening import Content, ShownModel, content_of
from .page_files import page_files
from .scores import Scorer, losses, reproduced
from .session import map_record

NEAREST = 10  # neighbours of each exported word

Record = dict[str, Any]


def explored(vectors: WordVectors, *, words: int = 5_000) -> ExportedPage:
    """Return a page with a map and the neighbours of the first ``words`` words: `WordVectors.explore`."""
    check_whole(words, "words", 3)
    return exported_page([ShownModel("vectors", content_of(vectors, []))], words=words)


def exported_page(
    models: list[ShownModel],
    *,
    words: int = MOST_WORDS,
    labels: Labels | None = None,
    scorer: Scorer | None = None,
    paths: tuple[Path, ...] = (),
) -> ExportedPage:
    """Return a page of the first ``words`` words of the models, which share that number; ``scorer`` adds scores."""
    contents = [model.ready for model in models]
    most = max(3, words // len(models))
    record: Record = {
        "about": _about(models, contents, labels),
        "models": [_model(content, most, labels) for content in contents],
        "different": differences.most_different(*contents[:2]) if len(contents) > 1 else None,
        "scores": {**_scores(models, scorer), "losses": losses(models), "reports": reproduced(paths)},
    }
    return ExportedPage(_page(record), sum(len(model["map"]["words"]) for model in record["models"]))


def _about(models: list[ShownModel], contents: list[Content], labels: Labels | None) -> Record:
    described = [
        {
            "number": number,
            "name": model.name,
            "words": len(content.vectors),
            "dim": content.vectors.dim,
            "composes": False,
            "live": False,
            "layouts": ["pca"],
            "generation": 0,
        }
        for number, (model, content) in enumerate(zip(models, contents, strict=True))
    ]
    kinds = labels.kinds if labels else []
    return {"lexvec": __version__, "models": described, "label_kinds": kinds, "exported": True}


def _model(content: Content, most: int, labels: Labels | None) -> Record:
    mapped = Mapped(content.vectors, most)
    layout = mapped.neighbour_layout() if "umap" in layouts(len(mapped.words)) else mapped.plane()
    near = nearest_rows(mapped.units, np.arange(len(mapped.words)), NEAREST)
    cosines = np.rint((near.cosines.astype(np.float64) + 1) * 32_767.5)
    return {
        "map": map_record(mapped, layout, content, labels),
        "nearest": near.rows.shape[1],
        "rows": _packed(near.rows.astype("<u4" if len(mapped.words) > 65_536 else "<u2")),
        "cosines": _packed(np.clip(cosines, 0, 65_535).astype("<u2")),
    }


def _packed(numbers: Any) -> str:
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def _scores(models: list[ShownModel], scorer: Scorer | None) -> Record:
    if scorer is None:
        return {"state": "failed", "error": "Scores were not exported.", "tables": []}
    try:
        return {"state": "ready", "tables": scorer.tables([(model.name, model.ready.vectors) for model in models])}
    except LexvecError as error:
        return {"state": "failed", "error": error.for_command_line(), "tables": []}


def _page(record: Record) -> str:
    """Return the page with its style, its data and its script in it, which a policy allows by their checksums alone."""
    files = page_files()
    style, script = f"\n{files['style.css']}", f"\n{joined_modules(files)}\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    # Within a script no character but "<" could end the data or begin a comment.
    data = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    data = data.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    data = data.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be written
    head, rest = files["index.html"].split("<!-- head -->\n")[0], files["index.html"].split("<!-- /head -->\n")[1]
    embedded = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<style>{style}</style>\n"
        f'<script type="application/json" id="embedded">{data}</script>\n'
        f'<script type="module">{script}</script>\n'
    )
    return head + embedded + rest


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"
