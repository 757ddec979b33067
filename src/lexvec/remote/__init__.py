"""Files from elsewhere, read as data: members of archives on the user's package index, and pages on the web.

No library does this for us. unearth finds archives, but it reads none of pip's settings, falls back to a public index
where the user has none, limits neither size nor time, and unpacks whole archives to disk; it would replace some 140 of
our lines and bring nine packages.
"""

from .index import Fetcher, Package, first
from .web import member

__all__ = ["Fetcher", "Package", "first", "member"]
