import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from lexvec.draws import stream_key
from lexvec.kernels import rng

_KEYS = st.integers(0, 2**64 - 1)
_COUNTERS = st.integers(0, 2**62)


@given(_KEYS, _COUNTERS, st.integers(1, 2**32 - 1))
def test_numbers_are_those_of_a_readable_twin(key: int, counter: int, bound: int) -> None:
    assert int(rng.bits(np.uint64(key), counter)) == reference.random_bits(key, counter)
    assert rng.uniform(np.uint64(key), counter) == reference.uniform(key, counter)
    assert rng.below(np.uint64(key), counter, bound) == reference.below(key, counter, bound) < bound


def test_the_generator_is_the_published_one() -> None:
    """The first numbers of SplitMix64 from seed 1234567, as its reference implementation prints them."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [int(rng.bits(np.uint64(1234567), n)) for n in range(4)] == published


def test_streams_differ_by_seed_purpose_and_epoch() -> None:
    keys = [
        stream_key(seed, purpose, epoch)
        for seed in (0, 1, 2**70)
        for purpose in ("subsampling", "window sizes")
        for epoch in (0, 1)
    ]
    assert len(set(keys)) == len(keys)
    assert stream_key(1, "subsampling") == np.uint64(6651666526363356749)  # what a seed means must not change
