import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexvec.uncertainty import bootstrap_p, holm, mcnemar


@pytest.mark.slow
def test_p_of_a_bootstrap_is_fair() -> None:
    """Under no difference, p below .1 in a tenth of all cases."""
    rng = np.random.default_rng(2)
    low = 0
    for _ in range(400):
        differences = rng.standard_normal(60)
        samples = np.array([rng.choice(differences, 60).mean() for _ in range(200)])
        low += bootstrap_p(samples) < 0.1
    assert 22 <= low <= 65
    assert bootstrap_p(np.full(99, 1.0)) == 2 / 100
    assert math.isnan(bootstrap_p(np.full(3, np.nan)))


def test_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1
    assert mcnemar(0, 5) == mcnemar(5, 0) == pytest.approx(2 * 0.5**5)
    assert mcnemar(1, 4) == pytest.approx(2 * (1 + 5) * 0.5**5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_as_defined(values: list[float]) -> None:
    corrected = holm([*values, math.nan])
    assert math.isnan(corrected.pop())
    for value, found in zip(values, corrected, strict=True):
        smaller = [other for other in values if other <= value]
        expected = max(min(1.0, sum(1 for other in values if other >= each) * each) for each in smaller)
        assert found == pytest.approx(expected)
