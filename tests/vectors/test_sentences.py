"""Vectors of sentences, compared with a slow twin, and what they do with unknown words, empty texts and wrong calls."""

import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from children import run_code, running
from lexvec import InputError, Normalizer, ParameterError, WordVectors
from lexvec.cli import main
from lexvec.vectors import SentenceRules
from notes import Notes

WORDS = ["the", "cat", "dog", "sat", "four", "two", "s", "it", "naïve", "字"]
COUNTS = [500, 40, 30, 20, 10, 10, 9, 8, 2, 1]
RULES = Normalizer().record()
TEXT = st.text(
    st.one_of(st.sampled_from("the cat dog sat 42 It's naïve 字 .\n\0'-\u200d\u00ad"), st.characters()), max_size=30
)


def some(**known: Any) -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    return WordVectors(WORDS, matrix, **{"counts": COUNTS, "normalisation": RULES, **known})


def twin(vectors: WordVectors, texts: list[str], a: float | None = 1e-3) -> npt.NDArray[np.float64]:
    """What the definition says, word by word."""
    found = []
    total = sum(COUNTS)
    for text in texts:
        words = [word for sentence in Normalizer().sentences(text) for word in sentence if word in vectors]
        weights = [1.0 if a is None else a / (a + COUNTS[vectors.index[word]] / total) for word in words]
        rows = [weight * vectors[word].astype(np.float64) for weight, word in zip(weights, words, strict=True)]
        found.append(np.mean(rows, axis=0) if rows else np.zeros(vectors.dim))
    return np.array(found).reshape(len(texts), vectors.dim)


class Doubling:
    """Composes words that are written twice, such as catcat."""

    def composed(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = [np.full(5, 2.0) if word[: len(word) // 2] * 2 == word else np.zeros(5) for word in words]
        return np.array(rows, np.float32)


@given(st.lists(TEXT, max_size=8))
def test_against_a_twin(texts: list[str]) -> None:
    vectors = some()
    found = vectors.sentences(texts, normalize=False)
    assert found.dtype == np.float32 and found.shape == (len(texts), 5)
    np.testing.assert_allclose(found, twin(vectors, texts), atol=1e-6)
    np.testing.assert_allclose(
        vectors.sentences(texts, normalize=False, weights="mean"), twin(vectors, texts, None), atol=1e-6
    )


def test_batches_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"The cat{'s' * (n % 3)} sat {n}." for n in range(40)] + [""]
    whole = some().sentences(texts, remove_component=True)
    monkeypatch.setattr("lexvec.vectors.long_text._TEXTS_AT_ONCE", 3)
    np.testing.assert_array_equal(some().sentences(iter(texts), remove_component=True), whole)
    listed = [[word for sentence in Normalizer().sentences(text) for word in sentence] for text in texts]
    np.testing.assert_allclose(some().sentences(listed, remove_component=True), whole, atol=1e-6)


def test_length_one_and_the_first_component() -> None:
    texts = ["the cat", "the dog", "a dog sat", "it"]
    vectors = some()
    np.testing.assert_allclose(np.linalg.norm(vectors.sentences(texts), axis=1), 1, rtol=1e-6)
    means = twin(vectors, texts)
    direction = np.linalg.svd(means)[2][0]
    expected = means - np.outer(means @ direction, direction)
    found = vectors.sentences(texts, remove_component=True, normalize=False)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    with pytest.raises(ParameterError, match="remove_component=True: it needs at least two sentences"):
        vectors.sentences(["the cat", "xyzzy"], remove_component=True)


def test_unknown_words_are_reported_and_empty_sentences_are_zeros() -> None:
    notes = Notes()
    found = some().sentences(["The unicorn, the unicorn!", "", "a zebra"], progress=notes)
    assert found[0].any() and not found[1:].any()
    assert notes.texts == [
        "4 of 6 words (66.7%) are out of vocabulary and left out, such as 'unicorn' (2), 'a' (1), 'zebra' (1)",
        "2 of 3 sentences have no known word: their vectors are zeros (the first is sentence 2)",
    ]
    with pytest.raises(InputError, match="'unicorn' is not in the vocabulary: set oov to skip or compose"):
        some().sentences(["the unicorn"], oov="error")


@pytest.mark.parametrize(
    ("text", "is_split"), [("一个人在跳舞", False), ("一个 人 在 跳舞", True), ("Donaudampfschiff", True)]
)
def test_text_without_spaces_has_to_be_split_first(text: str, is_split: bool) -> None:
    notes = Notes()
    WordVectors(["一个", "跳舞"], np.eye(2)).sentences([text], progress=notes)
    assert ("split text without spaces into words first" in "".join(notes.texts)) != is_split


def test_unknown_words_are_composed() -> None:
    notes = Notes()
    vectors = some(composer=Doubling())
    found = vectors.sentences(["catcat xyzzy", "the catcat"], normalize=False, progress=notes)
    np.testing.assert_allclose(found[0], 2)  # a word that was never counted has the weight 1
    weight = 1e-3 / (1e-3 + COUNTS[0] / sum(COUNTS))
    np.testing.assert_allclose(found[1], (2 + weight * vectors["the"]) / 2, rtol=1e-5)
    assert notes.texts[-1] == "2 of 4 words are out of vocabulary and composed"
    assert not vectors.sentences(["catcat"], oov="skip").any()


def test_without_counts_and_rules() -> None:
    notes = Notes()
    vectors = WordVectors(["the", "cat", "1984"], np.eye(3))
    found = vectors.sentences(["The cat 1984!"], normalize=False, progress=notes)[0]
    assert found[0] < found[1] < found[2]
    assert "do not record how their text was normalised" in notes.texts[0] and "case is lowered" in notes.texts[0]
    assert "estimated from the order" in notes.texts[1]
    cased = WordVectors(["The", "the"], np.eye(2), counts=[1, 1])
    assert cased.sentences(["The"]).tolist() == [[1, 0]]
    assert cased.sentences(["The"], normalizer=Normalizer()).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("texts", "more", "message"),
    [
        ("the cat", {}, "texts='the cat': it must be a list of texts"),
        (7, {}, "texts=7: it must be a list of texts"),
        (["the", 3], {}, "texts has 3 at position 1: it must be a text"),
        ([["the"], "cat"], {}, "texts has 'cat' at position 1"),
        ([["the"]], {"normalizer": Normalizer()}, "normalizer is for texts"),
        (["the"], {"normalizer": "lower"}, "normalizer='lower': it must be Normalizer"),
        (["the"], {"weights": "tfidf"}, "weights='tfidf': it must be one of sif, mean"),
        (["the"], {"a": 0}, "a=0.0: it must be at least 1e-09"),
        (["the"], {"weigths": "sif"}, "SentenceRules has no parameter weigths: did you mean 'weights'?"),
    ],
)
def test_wrong_calls(texts: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        some().sentences(texts, **more)
    assert str(caught.value).startswith(message)


def test_damage_is_found_when_it_is_used() -> None:
    vectors = WordVectors(["the", "cat"], np.array([[1, 2], [np.nan, 1]]), counts=[2, 1], normalisation=RULES)
    vectors.sentences(["the"])
    with pytest.raises(InputError, match="the vector of 'cat' has nan"):
        vectors.sentences(["the cat"])
    odd = WordVectors(["the"], np.eye(1), normalisation={"numbers": "roman"})
    with pytest.raises(ParameterError, match="the normalisation of these vectors is unusable"):
        odd.sentences(["the"])


def test_nothing_is_compiled_for_lists_of_words() -> None:
    code = (
        "import sys, numpy as np; from lexvec import WordVectors; "
        "WordVectors(['a'], np.eye(1), counts=[1]).sentences([['a']]); assert 'numba' not in sys.modules"
    )
    run_code(code, check=True)


def test_embed(tmp_path: Path) -> None:
    vectors = some()
    vectors.save(tmp_path / "v")
    lines = b"\xef\xbb\xbfThe cat.\r\n\nthe \xff dog\n42"
    expected = vectors.sentences(["The cat.", "", "the dog", "42"])
    piped = CliRunner().invoke(main, ["embed", str(tmp_path / "v")], input=lines)
    assert piped.exit_code == 0
    assert "line 3 is not UTF-8: its invalid bytes are read as spaces" in piped.stderr
    (tmp_path / "piped.npy").write_bytes(piped.stdout_bytes)
    np.testing.assert_array_equal(np.load(tmp_path / "piped.npy"), expected)
    (tmp_path / "lines").write_bytes(lines)
    command = ["embed", str(tmp_path / "v"), str(tmp_path / "lines"), "-o", str(tmp_path / "out.npy")]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert (tmp_path / "out.npy").read_bytes() == piped.stdout_bytes
    again = CliRunner().invoke(main, command)
    assert again.exit_code == 1 and "exists: choose another output" in again.stderr
    tokens = CliRunner().invoke(main, [*command, "--force", "--tokenized", "--weights", "mean"])
    assert tokens.exit_code == 0 and "'The' (1)" in tokens.stderr
    refused = CliRunner().invoke(main, ["embed", str(tmp_path / "v"), "--json"], input=b"")
    assert refused.exit_code == 2 and "add --output FILE" in refused.stderr
    empty = CliRunner().invoke(main, ["embed", str(tmp_path / "v")], input=b"")
    (tmp_path / "empty.npy").write_bytes(empty.stdout_bytes)
    assert np.load(tmp_path / "empty.npy").shape == (0, 5)


def test_embed_into_a_closed_pipe_says_nothing(tmp_path: Path) -> None:
    some().save(tmp_path / "v")
    (tmp_path / "lines").write_text("the cat\n" * 50_000)
    command = [sys.executable, "-m", "lexvec", "embed", str(tmp_path / "v"), str(tmp_path / "lines"), "-q"]
    with running(command, stdout=PIPE, stderr=PIPE, text=False) as process:
        assert process.stdout and process.stderr
        process.stdout.read(20)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_rules_are_parameters() -> None:
    assert SentenceRules(a=0.01).record()["a"] == 0.01
