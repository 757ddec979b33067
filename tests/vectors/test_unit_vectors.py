import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lexvec.vectors.geometry import cosines_of, norms_of, unit_vectors

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)
SINGLES = hnp.arrays(np.float32, SHAPES, elements=st.floats(width=32, allow_nan=False, allow_infinity=False))
DOUBLES = hnp.arrays(np.float64, SHAPES, elements=st.floats(allow_nan=False, allow_infinity=False))


@given(st.one_of(SINGLES, DOUBLES))
def test_every_row_gets_length_one_or_stays_zero(rows: npt.NDArray[np.floating]) -> None:
    lengths = norms_of(unit_vectors(rows))
    np.testing.assert_allclose(lengths, np.any(rows != 0, axis=1).astype(float), atol=1e-12)


@given(SINGLES)
def test_singles_and_the_same_numbers_as_doubles_give_the_same_bits(rows: npt.NDArray[np.float32]) -> None:
    np.testing.assert_array_equal(unit_vectors(rows), unit_vectors(rows.astype(np.float64)))


@given(SINGLES)
def test_a_row_has_cosine_one_with_itself_and_the_given_rows_stay(rows: npt.NDArray[np.float32]) -> None:
    before = rows.copy()
    units = unit_vectors(rows)
    np.testing.assert_allclose(cosines_of(units, units), np.any(rows != 0, axis=1).astype(float), atol=1e-12)
    np.testing.assert_array_equal(rows, before)
