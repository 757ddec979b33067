"""Standard input, output and error, also where the caller has closed them (``<&-``, ``>&-``)."""

import errno
import io
import os
import sys
from typing import Any, TextIO

_READ, _WRITTEN = "standard input", "standard output"


class _Closed(io.RawIOBase):
    """A stream that reports every use: Python has None for a closed one, and printing to None loses the result."""

    def __init__(self, name: str) -> None:
        self._name = name

    def readable(self) -> bool:
        return self._name == _READ

    def writable(self) -> bool:
        return self._name == _WRITTEN

    def readinto(self, _: Any) -> int:
        raise OSError(errno.EBADF, f"{self._name} is closed")

    def write(self, _: Any) -> int:
        raise OSError(errno.EBADF, f"{self._name} is closed")


def settle_streams() -> None:
    """Make the three streams usable, each in its own way."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # the next file would get this number, and with it what others write to the stream
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed(_READ)))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed(_WRITTEN)))
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter shows another one instead
            stream.reconfigure(errors="replace")


def drop_output() -> None:
    """Forget what standard output did not take, so that Python does not try again as it exits."""
    sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
