"""Rows in parts are the same rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec.engine.rows import PartedArray, adaptive_rows, aligned, default_parts, plain_rows, uniform
from lexvec.kernels import steps


@given(st.sampled_from((1, 4, 32)), st.integers(1, 200), st.integers(1, 40))
@settings(max_examples=50)
def test_parts_hold_the_rows_of_the_whole(parts: int, length: int, columns: int) -> None:
    array = PartedArray(parts, length, columns)
    array.begin(uniform(np.uint64(7), columns))
    whole = np.zeros((length, columns), np.float32)
    steps.fill_uniform(whole, columns, 1 / columns, np.uint64(7), 0, 1)
    assert np.array_equal(array.whole(), whole)
    for row in range(length):
        assert np.array_equal(array.parts[row % parts][row // parts, :columns], whole[row])
    assert sum(len(part) for part in array.parts.values()) == length


def test_parts_grow_with_the_vocabulary() -> None:
    sizes = {1: 16, 131_072: 16, 131_073: 32, 262_144: 32, 300_000: 64, 524_289: 128, 10**8: 128}
    assert {words: default_parts(words) for words in sizes} == sizes


def test_rows_begin_at_cache_lines_and_padding_is_zero() -> None:
    array = PartedArray(16, 100, 17, value=0.0)
    array.begin(uniform(np.uint64(1), 17))
    for part in array.parts.values():
        assert part.flags.c_contiguous
        assert part.ctypes.data % 64 == 0 or not part.size
        assert part.shape[1] == 32
        assert not part[:, 17:].any()
    assert aligned(0, 5).shape == (0, 16)


def test_numbers_without_columns() -> None:
    bias = PartedArray(16, 70, value=1.0)
    bias.parts[3][1] = 5
    assert bias.whole().shape == (70,)
    assert bias.whole()[3 + 16] == 5
    assert bias.is_finite
    bias.parts[0][0] = np.nan
    assert not bias.is_finite


@pytest.mark.parametrize("make", [plain_rows, adaptive_rows])
def test_a_part_has_the_arrays_of_its_rule_of_update(make: object) -> None:
    rows = make(8, 40, 8, uniform(np.uint64(2), 8))  # type: ignore[operator]
    part = rows.part(5)
    assert list(part._asdict()) == [*rows.arrays, *part._field_defaults]
    assert all(np.shares_memory(getattr(part, name), array.parts[5]) for name, array in rows.arrays.items())
    assert all(not part._asdict()[name].size for name in part._field_defaults)  # all rows take whole gradients
