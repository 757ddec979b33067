"""Signatures as people write them: ``ArrayLike`` and ``NDArray[float32]``, not what these names stand for in numpy."""

import re
from typing import Any

import numpy.typing as npt
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

_ARRAY_LIKE = stringify_annotation(npt.ArrayLike, "smart")
_ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([~\w.]+)\]\]")


def readable(text: str) -> str:
    """Return the text of a signature or type with the names that the source has."""
    return _ARRAY.sub(r"~numpy.typing.NDArray[\1]", text.replace(_ARRAY_LIKE, "~numpy.typing.ArrayLike"))


def shorten(
    _app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Replace what numpy's names stand for by the names."""
    return (readable(signature) if signature else signature), (readable(returned) if returned else returned)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect it."""
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True}
