"""Word vectors, however they were made: look-up and neighbours."""

from .vectors import WordVectors

__all__ = ["WordVectors"]
