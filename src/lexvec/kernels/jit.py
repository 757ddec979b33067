"""The one ``@kernel`` decorator, and the machine instructions that Numba has no name for.

Compiled code is cached in a private folder whose name is a digest of all kernel sources. Numba's own cache looks
only at the file of the function it compiles, so a kernel would go on using an old version of a helper that was
changed in another file; with the digest in the name it cannot. Where nothing can be written, kernels are compiled
anew in each process.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import platformdirs
from llvmlite import ir
from numba import types
from numba.core import config as _config
from numba.extending import intrinsic as _intrinsic

P = ParamSpec("P")
R = TypeVar("R")

# Numba's own types do not know that settings are attributes, nor that an intrinsic's first argument is not passed.
config: Any = _config
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = _intrinsic


def _cache_folder() -> str | None:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("lexvec", appauthor=False)
    folder = Path(base) / f"kernels-{digest}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except OSError:
        return None


#: Where compiled code is kept, or None where nothing can be written.
CACHE = _cache_folder()


def _compiled(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    before = config.CACHE_DIR
    config.CACHE_DIR = CACHE or before
    try:
        compiled: Callable[P, R] = numba.njit(
            nogil=True, cache=CACHE is not None, fastmath={"reassoc", "contract"}, error_model="numpy", **options
        )(function)
    finally:
        config.CACHE_DIR = before
    return compiled


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` without the GIL; sums may be reordered, but NaN and Inf keep their meaning."""
    return _compiled(function)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A part of kernels that is compiled into each of them: a call would pass every field of its tuples of arrays."""
    return _compiled(function, forceinline=True)


@intrinsic
def prefetch(_typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of ``array[index]``, to be read soon."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type = signature.args[0]
        view = context.make_array(array_type)(context, builder, arguments[0])
        pointer = builder.gep(view.data, [arguments[1]])
        address = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        prefetch_type = ir.FunctionType(ir.VoidType(), [address.type, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], prefetch_type)
        # read, to be kept in all levels of the cache, data
        builder.call(function, [address, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, index), build


@intrinsic
def trailing_zeros(_typing: Any, _value: Any) -> Any:
    """Index of the lowest bit set in a uint64 that is not zero."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), build
