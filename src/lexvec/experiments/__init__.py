"""Experiments: a grid of models on one corpus, run so that it can be stopped at any time, to the tables of a paper."""

from .grid import Grid
from .preset import Preset
from .preset_file import PRESETS

__all__ = ["PRESETS", "Grid", "Preset"]
