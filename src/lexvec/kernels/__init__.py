"""The hot room: arrays in, arrays and scalars out. Imports numpy and numba, and nothing else of ours but errors."""

from .numba_start import import_numba

import_numba()  # before any module of this package does
