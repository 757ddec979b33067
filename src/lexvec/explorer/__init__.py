"""A page to look at vectors: `lexvec explore` serves it on this machine, and `exported_page` writes it as one file.

``docs/explorer.md`` describes what the server answers. The page itself is in ``page/``: plain HTML, CSS and ES modules.
"""

from .export import explored, exported_page
from .session import Session

__all__ = ["Session", "explored", "exported_page"]
