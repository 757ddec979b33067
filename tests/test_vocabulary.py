from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from lexvec import ArtefactError, CooccurrenceCounter, CorpusBuilder, InputError, ParameterError, Vocabulary
from lexvec.cli import main

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


def test_the_layout_of_the_authors_program(tmp_path: Path) -> None:
    vocabulary = Vocabulary(["the", "cat_1", "naïve"], [7, 3, 0])
    vocabulary.save(tmp_path / "vocab.txt", layout="lexvec-go")
    assert (tmp_path / "vocab.txt").read_text(encoding="utf-8") == "the 7\ncat_1 3\nnaïve 0\n</s> 0\n"
    assert Vocabulary.load(tmp_path / "vocab.txt") == vocabulary
    with pytest.raises(ParameterError, match="layout='csv': it must be one of tsv, lexvec-go"):
        vocabulary.save(tmp_path / "other", layout="csv")
    for word, count in (("New York", 1), ("a\u2003b", 1), (".net", 1), ("the", 2**32)):
        with pytest.raises(InputError, match="the layout lexvec-go cannot hold"):
            Vocabulary([word], [count]).save(tmp_path / "other", layout="lexvec-go")
    assert not (tmp_path / "other").exists()


def test_only_a_file_of_counted_words_is_in_that_layout(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"</s> 12\r\nthe 7\r\n")
    assert list(Vocabulary.load(path)) == [("the", 7)]
    path.write_text("New York\nunit 731\n")
    assert list(Vocabulary.load(path)) == [("New York", 0), ("unit 731", 0)]
    path.write_text("unit 731\t5\n</s> 1\t2\n")
    assert Vocabulary.load(path).words == ["unit 731", "</s> 1"]


@pytest.mark.parametrize("contexts", ["words", "positional"])
def test_words_and_contexts_for_the_authors_program(tmp_path: Path, contexts: str) -> None:
    corpus = CorpusBuilder(min_count=1).build([["the", "cat", "sat"], ["the", "dog"]])
    counts = CooccurrenceCounter(window=1, contexts=contexts, subsample=0).count(corpus)
    counts.save_vocabulary(tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_text() == "the 2\ncat 1\ndog 1\nsat 1\n</s> 0\n"
    lines = (tmp_path / "vocab.txt.context").read_text().splitlines()
    found = {label: int(count) for label, count in (line.split(" ") for line in lines)}
    totals = dict(zip(counts.contexts.labels, counts.column_totals.tolist(), strict=True))
    ends = {"</s>": 0} if contexts == "words" else {"</s>_-1": 0, "</s>_1": 0}
    assert found == totals | ends
    assert list(found.values()) == sorted(found.values(), reverse=True)
    weighted = CooccurrenceCounter(window_kind="harmonic", window=2, subsample=0).count(corpus)
    with pytest.raises(ArtefactError, match="has fractional counts: count with a fixed or random window"):
        weighted.save_vocabulary(tmp_path / "other")


def test_count_writes_a_vocabulary_for_the_authors_program(tmp_path: Path) -> None:
    CorpusBuilder(min_count=1).build([["the", "cat", "sat"]], tmp_path / "corpus")

    def count(*flags: str) -> Result:
        names = [str(tmp_path / name) for name in ("corpus", "counts", "vocab.txt")]
        return CliRunner().invoke(main, ["count", names[0], "-o", names[1], "--go-vocabulary", names[2], *flags])

    (tmp_path / "vocab.txt.context").write_text("mine")
    refused = count()
    assert refused.exit_code == 1 and "vocab.txt.context exists" in refused.stderr
    assert not (tmp_path / "counts").exists()
    assert count("--force", "--subsample", "0").exit_code == 0
    assert Vocabulary.load(tmp_path / "vocab.txt").words == ["cat", "sat", "the"]
    assert (tmp_path / "vocab.txt.context").read_text().splitlines()[0] == "cat 2"
