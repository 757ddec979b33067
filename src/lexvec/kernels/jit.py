"""The ``@kernel`` decorator, its cache on disk, and the machine instructions that Numba has no name for."""

import contextlib
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic as _intrinsic

from ..errors import LexvecError
from .cache import CACHE, KernelCache
from .numba_start import PROBLEMS, skip_blas_import

skip_blas_import()

P = ParamSpec("P")
R = TypeVar("R")

# Numba's own types do not know that an intrinsic's first argument is not passed.
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = _intrinsic


def _compiled(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    if PROBLEMS:
        return _refused
    options = {"fastmath": {"reassoc", "contract"}, **options}
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if CACHE.folder:
        with contextlib.suppress(RuntimeError):  # typed at a prompt: Numba has no file to name its cache by
            compiled._cache = KernelCache(function)
    return compiled


def _refused(*_: Any, **__: Any) -> Any:
    """Stand for every kernel where Numba cannot read its settings."""
    raise LexvecError(PROBLEMS[0])


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` without the GIL; sums may be reordered, but NaN and Inf keep their meaning.

    A function defined inside another one may use ``inlined`` functions that the outer one was given: each
    combination is compiled and cached by itself.
    """
    return _compiled(function)


def exact_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` as ``kernel`` does, with every operation rounded by itself."""
    return _compiled(function, fastmath=False)


def exact_inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part of an ``exact_kernel`` into it."""
    return _compiled(function, fastmath=False, forceinline=True)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a part of kernels into each of them: a call would pass every field of its tuples of arrays."""
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


@intrinsic
def power_of_two(_typing: Any, _power: Any) -> Any:
    """Return 2ⁿ for a whole float64 n from −1022 to 1023, by writing n into the exponent."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        # In 1.5 · 2⁵² + n the lowest bits are those of n: processors without a conversion of vectors can do that, too.
        shifted = builder.fadd(arguments[0], ir.Constant(ir.DoubleType(), 1.5 * 2.0**52))
        exponent = builder.shl(builder.bitcast(shifted, word), word(52))
        return builder.bitcast(builder.add(exponent, word(1023 << 52)), ir.DoubleType())

    return types.float64(types.float64), build
