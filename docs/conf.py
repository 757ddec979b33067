"""How the documents become a site: ``sphinx-build -W --keep-going -n -b html docs docs/_build``.

Nothing is fetched, neither by who builds the pages nor by who reads them: no fonts, scripts or inventories of others,
and formulas are MathML (see ``_ext/mathml.py``).
"""

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

from lexvec import __version__  # noqa: E402 (the path comes first)

project = "lexvec"
author = "The lexvec authors"
copyright = author  # noqa: A001 (Sphinx's name)
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "commands", "mathml", "signatures"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
smartquotes = False  # flags have two hyphens
html_math_renderer = "mathml"

default_role = "py:obj"  # what docstrings have in single backticks are names of Python
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_use_param = False  # types of parameters are for people: ranges, choices, defaults
python_use_unqualified_type_names = True
python_display_short_literal_types = True
python_maximum_signature_line_length = 80
# Names of others, which are not documented here, and aliases that are spelled out.
nitpick_ignore_regex = [
    ("py:.*", r"(numpy|np|npt|os|scipy|pathlib|typing|collections|contextlib)\..*"),
    ("py:.*", r"lexvec\.(presentation\.table|engine\.(rows|schedule|sources)|kernels)\..*"),
    ("py:.*", r"lexvec\.(engine\.executors\.Step|threads\.(State|Task|Result)|cluster\.engine\.(Message|Wrap))"),
    ("py:.*", r"(Message|Wrap|socket.*|tuple\[.*|lexvec\.shared_work\.Helpers)"),
    ("py:.*", r"lexvec\.(composition\.Composer|subwords\..*|vectors\.(word_vectors\.T|exported_page\..*))"),
    ("py:.*", r"(Any|Path|Self|Sequence|Iterable|Iterator|Mapping|Literal|PathLike|csr_array|Callable|ClassVar)"),
    ("py:.*", r"(NDArray|ArrayLike|dtype|np|npt|float32|float64|int32|int64|optional|default:?.*)"),
]

html_theme = "furo"
html_title = f"lexvec {release}"
html_static_path = ["_static"]
html_css_files = ["lexvec.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False

#: Documents of the repository that are pages here: links to the one become links to the other.
ELSEWHERE = {"../benchmarks/README.md": "benchmarks.md", "../CHANGELOG.md": "changelog.md"}


def relink(_: Sphinx, page: str, source: list[str]) -> None:
    """Let links to documents outside of this folder, which are right on a code host, lead to their pages here."""
    if f"{page}.md" not in ELSEWHERE.values():
        for there, here in ELSEWHERE.items():
            source[0] = source[0].replace(f"]({there}", f"]({here}")


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("source-read", relink)
