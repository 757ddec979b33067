"""Scores on small sets of known outcome, and on the real ones against scipy and gensim."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy.stats import spearmanr

from lexvec import InputError, ParameterError, WordVectors, evaluate
from lexvec.evaluation import DATASETS
from lexvec.evaluation.sets import gather, read_known
from lexvec.vectors import analogies
from twins_evaluation import answer, units

SIMILARITY = "Cat\tDog\t9\ncar\tbus\t8\ncat\tcar\t2\ndog\tbus\t1\ncat\tunicorn\t5\n"
ANALOGY = ": family\nking queen man woman\nman woman king queen\n: gram1\nking unicorn man woman\n"


@pytest.fixture
def folder(no_sets: Path, tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mc-30.txt").write_text(SIMILARITY)
    (tmp_path / "data" / "google-analogies.txt").write_text(ANALOGY)
    return tmp_path / "data"


@pytest.fixture
def vectors() -> WordVectors:
    words = {
        "cat": [1, 0.1, 0], "dog": [1, 0, 0.1], "car": [0, 1, 0.1], "bus": [0.3, 1, 0],
        "man": [0, 0, 1], "woman": [0, 0.5, 1], "king": [0.5, 0, 1], "queen": [0.5, 0.5, 1],
    }  # fmt: skip
    return WordVectors(list(words), np.array(list(words.values())))


def test_scores_by_hand(folder: Path, vectors: WordVectors) -> None:
    done = evaluate(vectors, data=folder)
    correlation = done["mc-30"]
    cosines = units(vectors.matrix) @ units(vectors.matrix).T
    of = [cosines[vectors.index[a], vectors.index[b]] for a, b in (("cat", "dog"), ("car", "bus"), ("cat", "car"))]
    of.append(cosines[vectors.index["dog"], vectors.index["bus"]])
    assert correlation.value == pytest.approx(spearmanr(of, [9, 8, 2, 1]).statistic)
    assert (correlation.covered, correlation.total, correlation.known) == (4, 5, False)
    for solver in ("3CosAdd", "3CosMul"):
        score = done["google-semantic", solver]
        right = [
            answer(vectors.matrix, [vectors.index[w] for w in asked[:3]], solver) == vectors.index[asked[3]]
            for asked in (("king", "queen", "man", "woman"), ("man", "woman", "king", "queen"))
        ]
        assert (score.value, score.covered, score.total) == (sum(right) / 2, 2, 2)
        syntactic = done["google-syntactic", solver]
        assert math.isnan(syntactic.value) and (syntactic.covered, syntactic.total) == (0, 1)
    assert done.mean_similarity == correlation.value
    assert {dataset.key for dataset in done.missing} == set(DATASETS) - {s.key for s in done.scores}
    assert repr(done) == "<Evaluation: 8 words, 3 sets, mean similarity 0.800>"
    assert "MC *" in str(done) and "Not found: ws353-similarity" in str(done)


def test_the_same_figures_each_time_and_for_any_choice_of_sets(folder: Path, vectors: WordVectors) -> None:
    done = evaluate(vectors, data=folder)
    assert done.as_dict() == evaluate(vectors, data=folder, threads=1).as_dict()
    assert evaluate(vectors, data=folder, sets=["mc-30"])["mc-30"] == done["mc-30"]
    assert evaluate(vectors, data=folder, seed=2)["mc-30"].value == done["mc-30"].value
    narrow = evaluate(vectors, data=folder, sets=["google-semantic"], confidence=0.5)["google-semantic"]
    assert done["google-semantic"].low <= narrow.low <= narrow.high <= done["google-semantic"].high


def test_words_out_of_vocabulary(folder: Path, vectors: WordVectors) -> None:
    zero = evaluate(vectors, data=folder, oov="zero")
    score = zero["mc-30"]
    assert (score.covered, score.total) == (4, 5)
    assert sorted(score.outcomes)[0] == 0 and not np.isnan(score.outcomes).any()
    assert zero["google-syntactic"].value == 0
    with pytest.raises(
        InputError, match="mc-30 has words that are not in the vocabulary: unicorn; set oov to skip or zero"
    ):
        evaluate(vectors, data=folder, oov="error")
    with pytest.raises(ParameterError, match="oov='drop': it must be one of skip, zero, error"):
        evaluate(vectors, data=folder, oov="drop")
    assert evaluate(vectors, data=folder, sets=["mc-30"], lowercase=False)["mc-30"].covered == 3


def test_vectors_at_their_limits(folder: Path) -> None:
    empty = evaluate(WordVectors([], np.empty((0, 5))), data=folder)
    assert all(math.isnan(score.value) and score.covered == 0 for score in empty.scores)
    assert math.isnan(empty.mean_similarity) and empty.as_dict()["mean_similarity"] is None
    words = ["cat", "dog", "car", "bus", "king", "queen", "man", "woman"]
    zeros = evaluate(WordVectors(words, np.zeros((8, 5))), data=folder)
    assert math.isnan(zeros["mc-30"].value) and zeros["mc-30"].covered == 4
    assert zeros["google-semantic"].value == 0
    huge = np.random.default_rng(1).standard_normal((8, 5)).astype(np.float32)
    assert (
        evaluate(WordVectors(words, huge * np.float32(1e37)), data=folder)["mc-30"].value
        == evaluate(WordVectors(words, huge), data=folder)["mc-30"].value
    )
    for poison in (np.nan, np.inf):
        huge[2, 3] = poison
        with pytest.raises(InputError, match=f"the vector of 'car' has {poison}, or a number too large"):
            evaluate(WordVectors(words, huge), data=folder, sets=["similarity"])


def test_a_set_of_ones_own(tmp_path: Path, no_sets: Path, vectors: WordVectors) -> None:
    (tmp_path / "own.txt").write_text(SIMILARITY)
    (tmp_path / "asked.txt").write_text(ANALOGY)
    done = evaluate(vectors, sets=[tmp_path / "own.txt", str(tmp_path / "asked.txt")])
    assert [(score.name, score.measure, score.total) for score in done.scores] == [
        ("own", "Spearman", 5), ("asked", "3CosAdd", 3), ("asked", "3CosMul", 3),
    ]  # fmt: skip
    assert done["own"].known


# --- the real sets ---


def planted(folder: Path, share: float = 1.0, dim: int = 40) -> WordVectors:
    """Vectors over the words of all sets in which many analogies hold: the second word is the first plus a step."""
    rng = np.random.default_rng(7)
    tests, _ = gather(None, folder)
    words = sorted({word.lower() for test in tests for item in test.items for word in item.words})
    words = [word for word in words if rng.random() < share]
    matrix = rng.standard_normal((len(words), dim))
    index = {word: row for row, word in enumerate(words)}
    step = rng.standard_normal((3, dim))
    for number, test in enumerate(test for test in tests if test.kind == "analogy"):
        for item in test.items[::7]:
            a, b, *_ = (index.get(word.lower()) for word in item.words)
            if a is not None and b is not None:
                matrix[b] = matrix[a] + step[number] + 0.3 * rng.standard_normal(dim)
    return WordVectors(words, matrix.astype(np.float32))


@pytest.fixture(scope="module")
def real_vectors(real_sets: Path) -> WordVectors:
    return planted(real_sets, share=0.95)


@pytest.fixture(scope="module")
def keyed(real_vectors: WordVectors) -> Any:
    peer = KeyedVectors(real_vectors.matrix.shape[1])
    peer.add_vectors(real_vectors.words, real_vectors.matrix)
    return peer


def test_the_registry_knows_the_real_sets(real_sets: Path) -> None:
    for dataset in DATASETS.values():
        test = read_known(dataset, real_sets)
        assert test and test.known and len(test.items) == dataset.size


def test_correlations_are_scipys_and_gensims(real_sets: Path, real_vectors: WordVectors, keyed: Any) -> None:
    done = evaluate(real_vectors, data=real_sets, sets=["similarity"])
    rows = units(real_vectors.matrix)
    for score in done.scores:
        pairs = [line.split() for line in (real_sets / DATASETS[score.key].file).read_text().splitlines()]
        known = [(a.lower(), b.lower(), float(r)) for a, b, r in pairs]
        known = [each for each in known if each[0] in real_vectors and each[1] in real_vectors]
        cosines = [rows[real_vectors.index[a]] @ rows[real_vectors.index[b]] for a, b, _ in known]
        expected = spearmanr(np.round(cosines, 12), [rating for *_, rating in known]).statistic
        assert score.value == pytest.approx(expected, abs=1e-12)
        assert (score.covered, score.total) == (len(known), len(pairs))
        assert 0 < score.covered < score.total or score.total < 100
        assert score.low < score.value < score.high
        _, gensims, oov = keyed.evaluate_word_pairs(str(real_sets / DATASETS[score.key].file), case_insensitive=True)
        # gensim ranks the pairs of a word with itself, of which SCWS has many, by rounding errors
        assert score.value == pytest.approx(gensims.statistic, abs=0.02 if score.key == "scws" else 1e-4)
        assert oov == pytest.approx(100 * (1 - score.covered / score.total))


@pytest.mark.filterwarnings("ignore:Call to deprecated `init_sims`:DeprecationWarning")  # gensim calls it itself
def test_analogies_are_gensims(
    real_sets: Path, real_vectors: WordVectors, keyed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analogies, "EPSILON", 1e-6)  # gensim's
    lines = [line for line in (real_sets / "google-analogies.txt").read_text().splitlines() if ":" not in line]
    lines += (real_sets / "msr-analogies.txt").read_text().splitlines()[1:]
    sample = [line.lower().split() for line in lines[::23]]
    path = tmp_path / "sample.txt"
    path.write_text(": sample\n" + "\n".join(" ".join(question) for question in sample))
    done = evaluate(real_vectors, sets=[path])
    expected, sections = keyed.evaluate_word_analogies(str(path))
    right, wrong = (len(sections[0][name]) for name in ("correct", "incorrect"))
    added, multiplied = done["sample", "3CosAdd"], done["sample", "3CosMul"]
    assert (added.covered, added.total) == (right + wrong, len(sample))
    assert added.value == pytest.approx(expected)
    # gensim's evaluation has no 3CosMul, but its vectors have
    known = [question for question in sample if all(word in real_vectors for word in question)]
    found = [keyed.most_similar_cosmul(positive=[b, c], negative=[a], topn=1)[0][0] == d for a, b, c, d in known]
    assert multiplied.value == pytest.approx(sum(found) / len(known))
    assert added.value != multiplied.value
    for score in (added, multiplied):
        assert 0.2 < score.value < 0.95
        assert score.low < score.value < score.high
