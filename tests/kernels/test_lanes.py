"""Vectors of sixteen numbers do what the numbers would do one by one."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from lexvec.kernels import lanes
from lexvec.kernels.jit import kernel, power_of_two

Row = npt.NDArray[np.float32]


@kernel
def fused(x: Row, y: Row, z: Row, by: np.float32, out: Row) -> np.float32:
    """Write by · (x + y · z) from the second number on, which no vector would be aligned to; returns the sum of x."""
    moved = lanes.plus_product(lanes.load(x, 0), lanes.load(y, 0), lanes.load(z, 0))
    lanes.store(out, 1, lanes.product(lanes.splat(by), moved))
    sum_: np.float32 = lanes.total(lanes.plus_product(lanes.zeros(), lanes.load(x, 0), lanes.splat(np.float32(1))))
    return sum_


@kernel
def roots(x: Row, out: Row) -> None:
    lanes.store(out, 0, lanes.inverse_root(lanes.load(x, 0)))


@kernel
def power(n: float) -> float:
    raised: float = power_of_two(n)
    return raised


def test_arithmetic() -> None:
    draw = np.random.default_rng(0)
    x, y, z = (draw.normal(size=lanes.LANES).astype(np.float32) for _ in range(3))
    out = np.zeros(lanes.LANES + 2, np.float32)
    total = fused(x, y, z, np.float32(0.5), out)
    assert np.allclose(out[1:-1], 0.5 * (x + y * z), rtol=1e-6)
    assert out[0] == out[-1] == 0
    assert np.isclose(total, x.sum(), rtol=1e-5)


@given(st.floats(1e-30, 1e30))
def test_inverse_roots(value: float) -> None:
    x, out = np.full(lanes.LANES, value, np.float32), np.empty(lanes.LANES, np.float32)
    roots(x, out)
    assert np.allclose(out * np.sqrt(x.astype(float)), 1, rtol=6e-6)


@given(st.integers(-1022, 1023))
def test_powers_of_two(n: int) -> None:
    assert power(float(n)) == 2.0**n
