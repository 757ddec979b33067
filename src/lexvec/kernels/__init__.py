"""The hot room: arrays in, arrays and scalars out. Imports numpy and numba, and nothing else of ours."""
