"""Where pairs come from: windows over a corpus with noise, or the cells of a matrix. Both yield blocks in one form."""

from .cells import CellSource
from .protocol import Source, Unit
from .windows import WindowSampling, WindowSizes, WindowSource

__all__ = ["CellSource", "Source", "Unit", "WindowSampling", "WindowSizes", "WindowSource"]
