"""The command line. One file per command; flags come from the fields of the parameter classes."""

from .main import main

__all__ = ["main"]
