"""The page as one HTML file that works offline: maps, exact neighbours, compressed vectors, and scores.

Its modules are joined in the order of their imports, without a build step. Modules of the page import by name
(``import { a, b } from "./x.js";``), export functions, classes and constants where they are declared, and no two export
the same name. Each becomes a function that returns its exports, so names that are not exported stay apart.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from .._version import __version__
from ..errors import LexvecError
from ..parameters import check_whole
from ..progress import resolved
from ..vectors import WordVectors
from ..vectors.encodings.product import ProductMatrix
from ..vectors.exported_page import ExportedPage
from .maps import MOST_WORDS, Labels, Mapped, layouts, nearest_rows
from .questions import most_different
from .scores import Scorer, losses, reproduced
from .session import map_record
from .shown_models import Content, Record, ShownModel, content_of

NEAREST = 10  # exact neighbours of each exported word
COSINE_STEPS = 2_000  # from 0 to 1: three digits are shown
MAIN = "main.js"
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
#: Bytes of compressed vectors in a page, which all its words share: 28 each for 50,000, and at most one per dimension.
_BYTES = 1_400_000
_LEAST = 16  # bytes per word, however many words share the page
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


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
        "different": _finished(lambda: most_different(*contents[:2])) if len(contents) > 1 else None,
        "scores": {"tables": [], **_scores(models, scorer), "losses": losses(models), "reports": reproduced(paths)},
    }
    return ExportedPage(_page(record), sum(len(model["map"]["words"]) for model in record["models"]))


def exported_model(content: Content, most: int, labels: Labels | None) -> Record:
    """Return the first ``most`` words of a model; packed numbers are little-endian, in base64."""
    mapped = Mapped(content.vectors, most)
    layout = mapped.neighbour_layout() if "umap" in layouts(len(mapped.words)) else mapped.plane()
    near = nearest_rows(mapped.units, np.arange(len(mapped.words)), NEAREST)
    return {
        "map": map_record(mapped, layout, content, labels),
        "nearest": near.rows.shape[1],
        "rows": _packed(near.rows, "<u4" if len(mapped.words) > 65_536 else "<u2"),
        # From one neighbour to the next cosines fall by little, and small numbers compress well.
        "falls": _packed(np.diff(np.rint((1 - near.cosines.astype(np.float64)) * COSINE_STEPS), prepend=0), "<i2"),
        "steps": COSINE_STEPS,
        **_compressed(mapped),
    }


def joined_modules(files: dict[str, str]) -> str:
    r"""Return one script that does what ``main.js`` and its imports do.

    >>> files = {"main.js": 'import { one } from "./one.js";\nshow(one);\n', "one.js": "export const one = 1;\n"}
    >>> print(joined_modules(files))
    const { one } = (() => {
    const one = 1;
    return { one };
    })();
    (() => {
    show(one);
    })();
    """
    parts: list[str] = []
    done: set[str] = set()

    def add(name: str) -> None:
        if name in done:
            return
        done.add(name)
        for _, imported in _IMPORT.findall(files[name]):
            add(imported)
        names = _EXPORT.findall(files[name])
        body = _EXPORT.sub("", _IMPORT.sub("", files[name])).strip()
        shared = ", ".join(names)
        start, end = (f"const {{ {shared} }} = ", f"\nreturn {{ {shared} }};") if names else ("", "")
        parts.append(f"{start}(() => {{\n{body}{end}\n}})();")

    add(MAIN)
    return "\n".join(parts)


def page_files() -> dict[str, str]:
    """Return the content of each file by its name."""
    return {
        each.name: each.read_text(encoding="utf-8")
        for each in (files(__package__) / "page").iterdir()
        if each.name.rpartition(".")[2] in TYPES
    }


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


def _compressed(mapped: Mapped) -> Record:
    """Return codes per word, and what they stand for. Cosines are the same in any rotation, so none is exported."""
    size = _bytes_per_word(*mapped.units.shape)
    encoded = ProductMatrix.encode(mapped.units, size, resolved(None, __name__)).tensors
    return {
        "widths": encoded["widths"].tolist(),
        "codes": _packed(encoded["codes"], "u1"),
        "centroids": _packed(np.rint(encoded["centroids"].astype(np.float64) * 32_767), "<i2"),
    }


def _bytes_per_word(words: int, dim: int) -> int:
    return min(dim, max(_LEAST, _BYTES // words))


def _packed(numbers: Any, dtype: str) -> str:
    return base64.b64encode(numbers.astype(dtype).tobytes()).decode("ascii")
