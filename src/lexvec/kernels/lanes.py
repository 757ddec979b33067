"""Sixteen float32 numbers at once: vectors of the processor, for loops that its compiler cannot find them in.

A loop over several rows is not turned into vector instructions by the compiler, which has to allow for rows that
overlap. Written in lanes it is: each function here is one instruction where registers are 512 bits wide, two where they
are 256, and four where they are 128. The order of sums is always the same, so the bits depend on nothing but whether
the processor multiplies and adds in one step.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import register_model

from .jit import inlined, intrinsic

#: How many numbers there are in a vector. Rows are padded to a multiple of it.
LANES = 16

_FLOAT, _INT = ir.FloatType(), ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_NUMBER_BYTES = 4


class _LanesType(types.Type):
    """The type of a vector."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes{LANES}")


_lanes = _LanesType()


@register_model(_LanesType)
class _LanesModel(PrimitiveModel):
    """A vector is held in registers."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _VECTOR)  # type: ignore[no-untyped-call]


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(view.data, [arguments[1]]), _VECTOR.as_pointer())


def _chosen(builder: Any, vector: Any, places: list[int]) -> Any:
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(_INT, len(places)), places))


@intrinsic
def load(_typing: Any, array: Any, _index: Any) -> Any:
    """Return the numbers of a flat array from an index on."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = builder.load(_pointer(context, builder, signature, arguments))
        loaded.align = _NUMBER_BYTES  # rows begin at cache lines, but a copy of a part need not
        return loaded

    return _lanes(array, types.int64), build


@intrinsic
def store(_typing: Any, array: Any, _index: Any, _value: Any) -> Any:
    """Write numbers to a flat array from an index on."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _pointer(context, builder, signature, arguments)).align = _NUMBER_BYTES
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), build


@intrinsic
def zeros(_typing: Any) -> Any:
    """Return zeros."""
    return _lanes(), lambda *_: ir.Constant(_VECTOR, [0.0] * LANES)


@intrinsic
def splat(_typing: Any, _value: Any) -> Any:
    """Return one number in all lanes."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[0], _INT(0))
        return _chosen(builder, first, [0] * LANES)

    return _lanes(types.float32), build


@intrinsic
def plus_product(_typing: Any, _sum: Any, _one: Any, _other: Any) -> Any:
    """Return sum + one · other, in one step if the processor can."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        name = f"llvm.fmuladd.v{LANES}f32"
        function = builder.module.globals.get(name)
        if function is None:  # llvmlite declares intrinsics of plain numbers only
            function = ir.Function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), name)
        return builder.call(function, [arguments[1], arguments[2], arguments[0]])

    return _lanes(_lanes, _lanes, _lanes), build


@intrinsic
def product(_typing: Any, _one: Any, _other: Any) -> Any:
    """Return one · other."""
    return _lanes(_lanes, _lanes), lambda _context, builder, _signature, arguments: builder.fmul(*arguments)


@intrinsic
def inverse_root_guess(_typing: Any, _vector: Any) -> Any:
    """Return 1/√x within 4 %: half the exponent, negated, by arithmetic on the bits of the number."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        words = ir.VectorType(_INT, LANES)
        halved = builder.lshr(builder.bitcast(arguments[0], words), ir.Constant(words, [1] * LANES))
        return builder.bitcast(builder.sub(ir.Constant(words, [0x5F375A86] * LANES), halved), _VECTOR)

    return _lanes(_lanes), build


@inlined
def inverse_root(x: Any) -> Any:
    """Return 1/√x with a relative error below 5e-6, by two steps of Newton's method.

    A root and a division take several times as long, and the instruction that processors have for this purpose gives
    other bits on each make.
    """
    half, more = product(x, splat(np.float32(-0.5))), splat(np.float32(1.5))
    y = inverse_root_guess(x)
    y = product(y, plus_product(more, product(half, y), y))
    return product(y, plus_product(more, product(half, y), y))


@intrinsic
def total(_typing: Any, _vector: Any) -> Any:
    """Return the sum of all lanes: halves are added until one number is left."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        vector, width = arguments[0], LANES
        while width > 1:
            width //= 2
            low, high = list(range(width)), list(range(width, 2 * width))
            vector = builder.fadd(_chosen(builder, vector, low), _chosen(builder, vector, high))
        return builder.extract_element(vector, _INT(0))

    return types.float32(_lanes), build
