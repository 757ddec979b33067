"""One line where the system ends the process because a mapped file was cut off (SIGBUS).

The handler may run in any thread, in the middle of compiled code, so it cannot be Python. It is five instructions that
call only `read`, `write` and `_exit` of the C library, which signal handlers may call. Making it takes some 35 ms, or 5
where kernels are used anyway, so it is made just before the first file is mapped.
"""

import contextlib
import ctypes
import os
import signal
from typing import Any

_LINE = (
    b"lexvec: a file that is in use was cut off by another program, or its disk failed: restore it, then run the "
    b"command again\n"
)
# Addresses are written as numbers, which all versions of LLVM read alike.
_CODE = """
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
_kept: list[Any] = []  # what the handler uses


def report_bus_errors() -> None:
    """Let SIGBUS end this process with a line and exit code 1, unless something else handles it."""
    if not hasattr(signal, "SIGBUS"):  # Windows
        return
    with contextlib.suppress(ImportError, OSError, RuntimeError, AttributeError):  # then the system ends the process
        address = _compiled()
        library = ctypes.CDLL(None)
        library.signal.argtypes, library.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
        before = library.signal(signal.SIGBUS, address)
        if before:  # such as that of faulthandler
            library.signal(signal.SIGBUS, before)


def _compiled() -> int:
    """Return the address of the handler."""
    from llvmlite import binding as llvm  # which Numba comes with

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Several threads may fail at once. The first takes the byte out of the pipe, and the others wait for the end.
    pipe, into = os.pipe()
    os.write(into, b"1")
    byte, line = ctypes.create_string_buffer(1), ctypes.create_string_buffer(_LINE, len(_LINE))
    code = _CODE.format(
        pipe=pipe, byte=ctypes.addressof(byte), line=ctypes.addressof(line), length=len(_LINE)
    )  # fmt: skip
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(code), machine)
    engine.finalize_object()
    _kept.extend([byte, line, machine, engine, into])
    return int(engine.get_function_address("end"))
