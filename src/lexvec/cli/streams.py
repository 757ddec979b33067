"""Standard input, output and error, also where the caller has closed them (``<&-``, ``>&-``)."""

import errno
import io
import os
import sys
from typing import Any

_READ, _WRITTEN = "standard input", "standard output"


class _Closed(io.RawIOBase):
    """A stream that refuses every use: Python has None for a closed one, and printing to None loses the result."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._refused = False

    def readable(self) -> bool:
        return self._name == _READ

    def writable(self) -> bool:
        return self._name == _WRITTEN

    def readinto(self, _: Any) -> int:
        raise OSError(errno.EBADF, "it is closed", self._name)

    def write(self, data: Any) -> int:
        if self._refused:  # once is enough: Python tries again as it exits
            return len(data)
        self._refused = True
        raise OSError(errno.EBADF, "it is closed", self._name)


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
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (it stays open)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter shows another one instead
            stream.reconfigure(errors="replace")


def forget_output() -> None:
    """Let what is still printed go nowhere: the reader of standard output, or of standard error, has left."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
