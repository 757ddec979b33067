from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from lexvec import MEASURES, Association, Associator, Cooccurrence, CooccurrenceCounter, CorpusBuilder, ParameterError


def counted(sentences: list[list[str]], **parameters: Any) -> Cooccurrence:
    return CooccurrenceCounter(**{"subsample": 0, **parameters}).count(CorpusBuilder(min_count=1).build(sentences))


def test_a_corpus_of_ten_words_by_hand() -> None:
    """the cat sat · the dog sat · the cat ran fast: ten tokens, window 1, smoothing 3/4, all written out.

    M (rows and columns: the, cat, sat, dog, fast, ran):
        the–cat 2, the–dog 1, cat–sat 1, cat–ran 1, dog–sat 1, ran–fast 1; symmetric, so M_** = 14
        M_*c: the 3, cat 4, sat 2, dog 2, fast 1, ran 2
    """
    counts = counted([["the", "cat", "sat"], ["the", "dog", "sat"], ["the", "cat", "ran", "fast"]], window=1)
    assert counts.vocabulary.words == ["the", "cat", "sat", "dog", "fast", "ran"]
    assert counts.matrix.toarray().tolist() == [
        [0, 2, 0, 1, 0, 0],
        [2, 0, 1, 0, 0, 1],
        [0, 1, 0, 1, 0, 0],
        [1, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 1],
        [0, 1, 0, 0, 1, 0],
    ]
    assert counts.column_totals.tolist() == [3, 4, 2, 2, 1, 2]
    # Σ_c M_*c^¾ = 3^¾ + 4^¾ + 3 · 2^¾ + 1 = 2.279507 + 2.828427 + 5.045378 + 1
    z = 11.153313
    expected = {
        ("the", "cat"): np.log(2 * z / (3 * 2.828427)),  # 0.966551
        ("the", "dog"): np.log(1 * z / (3 * 1.681793)),  # 0.793264
        ("cat", "the"): np.log(2 * z / (4 * 2.279507)),
        ("cat", "sat"): np.log(1 * z / (4 * 1.681793)),
        ("cat", "ran"): np.log(1 * z / (4 * 1.681793)),
        ("sat", "cat"): np.log(1 * z / (2 * 2.828427)),
        ("sat", "dog"): np.log(1 * z / (2 * 1.681793)),
        ("dog", "the"): np.log(1 * z / (2 * 2.279507)),
        ("dog", "sat"): np.log(1 * z / (2 * 1.681793)),
        ("fast", "ran"): np.log(1 * z / (1 * 1.681793)),
        ("ran", "cat"): np.log(1 * z / (2 * 2.828427)),
        ("ran", "fast"): np.log(1 * z / (2 * 1.0)),
    }
    ppmi = Associator().associate(counts)
    found = {
        (ppmi.vocabulary.words[row], ppmi.vocabulary.words[column]): value
        for (row, column), value in np.ndenumerate(ppmi.matrix.toarray())
        if value
    }
    assert found == pytest.approx(expected, rel=1e-5)
    assert found["the", "cat"] == pytest.approx(0.966551, rel=1e-5)
    assert found["the", "dog"] == pytest.approx(0.793264, rel=1e-5)


_SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=8), min_size=1, max_size=15)


@pytest.mark.slow
@given(
    _SENTENCES,
    st.sampled_from(sorted(MEASURES)),
    st.sampled_from([0.0, 0.5, 0.75, 1.0]),
    st.sampled_from(["fixed", "harmonic"]),
)
@settings(max_examples=200)
def test_measures_agree_with_a_dense_computation(
    sentences: list[list[str]], measure: str, smoothing: float, kind: str
) -> None:
    counts = counted(sentences, window_kind=kind)
    dense = counts.matrix.toarray().astype(np.float64)
    pmi = twins.dense_pmi(dense, smoothing)
    seen = dense > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        normalised = np.where(seen & (dense < dense.sum()), pmi / -np.log(dense / dense.sum()), np.where(seen, 1, -1))
    expected = {
        "pmi": pmi,
        "ppmi": np.maximum(pmi, 0),
        "shifted_ppmi": np.maximum(pmi - np.log(1.5), 0),
        "clipped_pmi": np.maximum(pmi, -0.25),
        "npmi": normalised,
        "nnegpmi": np.where(seen & (pmi >= 0), pmi, normalised),
        "log_count": np.log(1 + dense),
    }[measure]
    found = Associator(measure=measure, smoothing=smoothing, shift=1.5, floor=-0.25, threads=2).associate(counts)
    restored = np.full(dense.shape, found.unseen)
    rows = np.repeat(np.arange(len(dense)), np.diff(found.indptr))
    restored[rows, found.indices] = found.data
    assert np.allclose(restored, expected, rtol=1e-5, atol=1e-6)
    assert not np.any(found.data == np.float32(found.unseen))
    assert found.data.dtype == np.float32
    assert found.bytes_per_cell == 8


def test_the_measures_of_the_authors_program() -> None:
    """Written out as in association.go, on counts large enough for its divisor to be positive."""
    draw = np.random.default_rng(3)
    words = np.minimum(draw.geometric(0.25, (400, 8)), 12)
    counts = counted([[f"w{n}" for n in sentence] for sentence in words.tolist()], contexts="positional")
    totals, contexts = counts.row_totals.astype(float), counts.column_totals.astype(float)
    log_cds_total = np.log((contexts**0.75).sum())
    npmi, nneg = (Associator(measure=name, normaliser="smoothed").associate(counts) for name in ("npmi", "nnegpmi"))
    negative = 0
    for (row, column), count in np.ndenumerate(counts.matrix.toarray()):
        found = npmi.matrix[row, column], nneg.matrix[row, column]
        if not count:
            assert found == (0, 0)  # not stored
            continue
        pmi = np.log(count) - np.log(totals[row]) - np.log(contexts[column] ** 0.75) + log_cds_total
        normalised = pmi / -(np.log(count) - log_cds_total)
        assert found == pytest.approx((normalised, pmi if pmi >= 0 else normalised), rel=1e-5)
        negative += pmi < 0
    assert negative > 100
    assert (npmi.unseen, nneg.unseen) == (-1, -1)
    plain = Associator(measure="npmi").associate(counts)
    assert not np.array_equal(plain.data, npmi.data)  # the total of all pairs is larger


def test_a_smoothed_total_below_a_count_leaves_the_sign() -> None:
    counts = counted([["a", "b"]] * 1000)
    for measure in ("npmi", "nnegpmi"):
        values = Associator(measure=measure, normaliser="smoothed").associate(counts).data
        assert np.isfinite(values).all() and np.abs(values).max() <= 1


def test_only_positive_cells_are_stored_for_ppmi() -> None:
    counts = counted([list("aab"), list("abc"), list("aaa")])
    ppmi = Associator().associate(counts)
    assert 0 < len(ppmi.data) < len(counts.data)
    assert np.all(ppmi.data > 0)


def test_threads_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(2)
    counts = counted([[f"w{n}" for n in sentence] for sentence in draw.integers(0, 300, (2000, 10)) ** 2 // 300])
    monkeypatch.setattr("lexvec.association._BLOCK_CELLS", 1000)
    made = [Associator(threads=threads).associate(counts) for threads in (1, 2, 8)]
    assert len(made[0].data) > 10_000
    assert made[0].meta == made[1].meta == made[2].meta


def test_saved_and_loaded(tmp_path: Path) -> None:
    made = Associator(measure="pmi").associate(counted([["a", "b"], ["a", "c"]]), tmp_path / "pmi")
    loaded = Association.load(tmp_path / "pmi")
    loaded.verify()
    assert loaded.unseen == -np.inf
    assert loaded.matrix.toarray().tolist() == made.matrix.toarray().tolist()
    assert repr(loaded) == f"<Association '{tmp_path}/pmi': pmi, 3 words, 4 cells>"


def test_words_without_any_pair_have_empty_rows() -> None:
    matrix = Associator().associate(counted([["a", "b"], ["c"]])).matrix
    assert matrix.toarray()[2].tolist() == [0, 0, 0]
    assert np.isfinite(matrix.toarray()).all()


def test_parameters_out_of_range() -> None:
    with pytest.raises(ParameterError, match="measure='tfidf': it must be one of ppmi, pmi"):
        Associator(measure="tfidf")
    with pytest.raises(ParameterError, match="smoothing=2.0: it must be at most 1"):
        Associator(smoothing=2)
