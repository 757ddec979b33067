"""The command line: one file per command; flags come from the fields of the parameter classes."""

from .main import main

__all__ = ["main"]
