"""How a command ends: errors as one line on standard error, exit codes, and streams that are closed.

The exit code is 2 for invalid usage, 130 after Ctrl-C, 143 after SIGTERM where it stops worker processes first, and 1
for every other error. If the reader of standard output leaves, as head does, there is no line, and the exit code is
that of other tools: 141.
"""

import contextlib
import errno
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import LexvecError, ParameterError
from ..progress import Lines

_READER_LEFT = 128 + 13  # what shells report of a program that died by SIGPIPE
_ROOM = "make room on the disk, or write elsewhere"
_ADVICE = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "raise the limit on the size of files (ulimit -f), or write to another file system",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.EBADF: "redirect it to or from a file",
    errno.EIO: "check the disk",
    errno.EFAULT: "a file that is in use was cut off by another program; restore it, then run the command again",
}
# What the interpreter says where it has no memory left to make an error.
_NO_ERROR = re.compile("without (setting an exception|exception set)")
_LESS = {
    "--memory": "give a smaller --memory",
    "--threads": "use fewer --threads",
    "--dim": "lower --dim",
    "--limit": "read fewer words with --limit",
}
_STDIN, _STDOUT = "standard input", "standard output"
_CUT_OFF = (
    b"lexvec: a file that is in use was cut off by another program, or its disk failed: restore it, then run the "
    b"command again\n"
)
# Addresses are written as numbers, which all versions of LLVM read alike.
_HANDLER = """
declare i64 @read(i32, i64, i64)
declare i64 @write(i32, i64, i64)
declare void @_exit(i32)

define void @end(i32 %signal) {{
  %first = call i64 @read(i32 {pipe}, i64 {byte}, i64 1)
  %written = call i64 @write(i32 2, i64 {line}, i64 {length})
  call void @_exit(i32 1)
  unreachable
}}
"""
_used_by_handler: list[Any] = []  # kept for as long as the process runs


def complain(text: str) -> None:
    """Print a line on standard error, under the program's name."""
    Lines().note(f"lexvec: {text}")


@contextmanager
def resumable(advice: str | Callable[[], str] = "run the same command to resume") -> Iterator[None]:
    """Report Ctrl-C, or another signal that stops a command in the same way, with a line that says how to go on."""
    try:
        yield
    except KeyboardInterrupt as stop:
        complain(f"stopped; {advice if isinstance(advice, str) else advice()}")
        sys.exit(_stopped_by(stop))


@contextmanager
def reported(flags: Callable[[], Collection[str]] = tuple) -> Iterator[None]:
    """Turn errors into a line and an exit code; ``flags`` returns those that the advice may name."""
    try:
        with resumable("nothing was left behind"):
            yield
        return
    except LexvecError as error:
        complain(error.for_command_line())
        sys.exit(2 if isinstance(error, ParameterError) else 1)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            forget_output()
            sys.exit(_READER_LEFT)
        place = f"{error.filename}: " if error.filename else ""
        advice = _ADVICE.get(error.errno or 0, "check the path and its permissions")
        complain(f"{place}{error.strerror or error}: {advice}")
    except (MemoryError, SystemError) as error:
        if isinstance(error, SystemError) and not _NO_ERROR.search(str(error)):
            raise
        known = flags()
        advice = " or ".join(text for flag, text in _LESS.items() if flag in known)
        complain(f"there is not enough memory: {advice or 'close other programs, or use a larger machine'}")
    sys.exit(1)


def settle_streams() -> None:
    """Make the three streams usable, each in its own way."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # the next file would get this number, and with it what others write to the stream
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed(_STDIN)))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed(_STDOUT)))
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


def report_bus_errors() -> None:
    """Let SIGBUS end this process with a line and exit code 1, unless something else handles it.

    The system sends it when a mapped file is cut off.
    """
    if not hasattr(signal, "SIGBUS"):  # Windows
        return
    with contextlib.suppress(ImportError, OSError, RuntimeError, AttributeError):  # then the system ends the process
        import ctypes  # which few commands need

        address = _compiled()
        library = ctypes.CDLL(None)
        library.signal.argtypes, library.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
        before = library.signal(signal.SIGBUS, address)
        if before:  # such as that of faulthandler
            library.signal(signal.SIGBUS, before)


def _compiled() -> int:
    """Return the address of the handler of SIGBUS.

    It may run in any thread, in the middle of compiled code, so it cannot be Python. It is five instructions that call
    only `read`, `write` and `_exit` of the C library, which signal handlers may call. Making it takes some 35 ms, or 5
    where kernels are used anyway, so it is made just before the first file is mapped.
    """
    import ctypes

    from llvmlite import binding as llvm  # which Numba comes with

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Several threads may fail at once. The first takes the byte out of the pipe, and the others wait for the end.
    pipe, into = os.pipe()
    os.write(into, b"1")
    byte, line = ctypes.create_string_buffer(1), ctypes.create_string_buffer(_CUT_OFF, len(_CUT_OFF))
    code = _HANDLER.format(
        pipe=pipe, byte=ctypes.addressof(byte), line=ctypes.addressof(line), length=len(_CUT_OFF)
    )  # fmt: skip
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(code), machine)
    engine.finalize_object()
    _used_by_handler.extend([byte, line, machine, engine, into])
    return int(engine.get_function_address("end"))


def _stopped_by(stop: KeyboardInterrupt) -> int:
    """Return the exit code after a signal."""
    return 128 + int(stop.args[0] if stop.args else signal.SIGINT)


class _Closed(io.RawIOBase):
    """A stream that refuses every use: Python has None for a closed one, and printing to None loses the result."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._refused = False

    def readable(self) -> bool:
        return self._name == _STDIN

    def writable(self) -> bool:
        return self._name == _STDOUT

    def readinto(self, _: Any) -> int:
        raise OSError(errno.EBADF, "it is closed", self._name)

    def write(self, data: Any) -> int:
        if self._refused:  # once is enough: Python tries again as it exits
            return len(data)
        self._refused = True
        raise OSError(errno.EBADF, "it is closed", self._name)
