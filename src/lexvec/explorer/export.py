"""The page as one HTML file that works offline: maps, neighbours, compressed vectors, and scores."""

import base64
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import LexvecError
from ..parameters import check_whole
from ..vectors import WordVectors
from ..vectors.exported_page import ExportedPage
from . import differences
from .bundle import joined_modules
from .exported_model import exported_model
from .labels import Labels
from .maps import MOST_WORDS
from .opening import Content, ShownModel, content_of
from .page_files import page_files
from .scores import Scorer, losses, reproduced

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
        "models": [exported_model(content, most, labels) for content in contents],
        "different": _finished(lambda: differences.most_different(*contents[:2])) if len(contents) > 1 else None,
        "scores": {"tables": [], **_scores(models, scorer), "losses": losses(models), "reports": reproduced(paths)},
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


def _scores(models: list[ShownModel], scorer: Scorer | None) -> Record:
    if scorer is None:
        return {"state": "failed", "error": "Scores were not exported."}
    return _finished(lambda: {"tables": scorer.tables([(model.name, model.ready.vectors) for model in models])})


def _finished(work: Callable[[], Record]) -> Record:
    """Return the result of work, or why there is none: the rest of the page does without it."""
    try:
        return {"state": "ready", **work()}
    except LexvecError as error:
        return {"state": "failed", "error": error.for_command_line()}


def _page(record: Record) -> str:
    """Return the page with its style, its data and its script in it, which a policy allows by their checksums alone."""
    files = page_files()
    style, script = f"\n{files['style.css']}", f"\n{joined_modules(files)}\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A lone surrogate cannot be written. In base64 nothing could end the element that holds the data.
    data = base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode("ascii")
    head, rest = files["index.html"].split("<!-- head -->\n")[0], files["index.html"].split("<!-- /head -->\n")[1]
    embedded = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<style>{style}</style>\n"
        f'<script type="application/gzip" id="embedded">{data}</script>\n'
        f'<script type="module">{script}</script>\n'
    )
    return head + embedded + rest


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"
