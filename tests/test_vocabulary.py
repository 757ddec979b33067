from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexvec import InputError, ParameterError, Vocabulary

_WORDS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1).filter(
    lambda word: not word.endswith("\r") and not word.startswith("\ufeff")
)


@given(words=st.dictionaries(_WORDS, st.integers(0, 2**62)))
def test_saved_and_loaded(tmp_path_factory: pytest.TempPathFactory, words: dict[str, int]) -> None:
    path = tmp_path_factory.getbasetemp() / "vocab.tsv"
    vocabulary = Vocabulary.from_counts(list(words), list(words.values()))
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary
    assert path.read_bytes() == "".join(f"{word}\t{count}\n" for word, count in vocabulary).encode()
    assert [p.name for p in path.parent.iterdir() if p.name.endswith(".partial")] == []


def test_order_and_pruning() -> None:
    vocabulary = Vocabulary.from_counts(["b", "a", "z", "y"], [2, 2, 9, 1])
    assert vocabulary.words == ["z", "a", "b", "y"]
    assert vocabulary.counts.tolist() == [9, 2, 2, 1]
    assert vocabulary.prune(min_count=2).words == ["z", "a", "b"]
    assert vocabulary.prune(max_vocab=2).words == ["z", "a"]
    assert (vocabulary["b"], "b" in vocabulary, "q" in vocabulary, vocabulary.total) == (2, True, False, 14)
    assert repr(vocabulary) == "<Vocabulary: 4 words, 14 tokens>"


@pytest.mark.parametrize("text", ["the\t3\r\ncat\t2\r\n", "\ufeffthe\t3\ncat\t2", "the\t3\ncat\t2\n"])
def test_files_of_other_programs(tmp_path: Path, text: str) -> None:
    (tmp_path / "v").write_bytes(text.encode())
    assert list(Vocabulary.load(tmp_path / "v")) == [("the", 3), ("cat", 2)]


def test_counts_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("the\n</s>\nnan\n")
    assert list(Vocabulary.load(tmp_path / "v")) == [("the", 0), ("</s>", 0), ("nan", 0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a\t1\na\t2\n", "the word 'a' twice"),
        (b"a\tx\n", "line 1: expected word<TAB>count, found"),
        (b"a\t1\n\t5\n", "line 2"),
        (b"a\t-1\n", "line 1"),
        (b"a\t1\n\nb\t1\n", "line 2"),
        (b"a\t99999999999999999999\n", "line 1"),
        (b"caf\xe9\t1\n", "not UTF-8"),
    ],
)
def test_bad_files(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "v").write_bytes(text)
    with pytest.raises(InputError, match=message):
        Vocabulary.load(tmp_path / "v")


def test_a_missing_file_and_missing_counts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        Vocabulary.load(tmp_path / "nothing")
    with pytest.raises(ParameterError, match="2 words but counts of shape"):
        Vocabulary(["a", "b"], [1])
