import bz2
import io
import itertools
import random
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexvec import (
    ArtefactError,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    InputError,
    Normalizer,
    ParameterError,
    Vocabulary,
)
from lexvec.corpus import blocks
from lexvec.storage.files import opened
from notes import Notes
from restamped import restamp

_WORDS = ["a", "b", "c", "the", "café", "naïve", "</s>", "nan", "null", "New York", "a\tb", "\x85", "中文"]
_LISTS = st.lists(st.lists(st.sampled_from(_WORDS), max_size=8), min_size=1, max_size=30)


@given(_LISTS, st.integers(1, 4), st.none() | st.integers(1, 5))
def test_token_lists_are_encoded_as_they_are(lists: list[list[str]], min_count: int, max_vocab: int | None) -> None:
    counts = Counter(itertools.chain.from_iterable(lists))
    ranked = sorted((-n, word) for word, n in counts.items() if n >= min_count)[:max_vocab]
    builder = CorpusBuilder(min_count=min_count, max_vocab=max_vocab)
    if not ranked:
        with pytest.raises((InputError, ParameterError), match=r"no words in|no word is left"):
            builder.build(lists)
        return
    corpus = builder.build(lists)
    assert list(corpus.vocabulary) == [(word, -n) for n, word in ranked]
    known = [[word for word in sentence if word in corpus.vocabulary] for sentence in lists]
    assert list(corpus) == [sentence for sentence in known if sentence]
    assert corpus.tokens == len(corpus.ids) == corpus.vocabulary.total
    assert corpus.ids.dtype == np.int32
    assert corpus.offsets.dtype == np.int64


def _text(seed: int, paragraphs: int) -> str:
    draw = random.Random(seed)
    words = ["The", "cat's", "Éa", "1984", "mp3", "dog.", "sat,", "ran!", "İ", "well-known", "中文。", "Mr."]
    return "\n".join(" ".join(draw.choices(words, k=draw.randrange(40))) for _ in range(paragraphs))


@pytest.mark.parametrize("rules", [Normalizer(), Normalizer(numbers="cardinal", hyphens="keep", lowercase=False)])
def test_a_corpus_is_its_text_normalised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Normalizer) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 2000)
    text = _text(1, 300)
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    made = {}
    for threads in (1, 2, 5):
        builder = CorpusBuilder.of({**rules.record(), "min_count": 1, "threads": threads})
        corpus = builder.build(tmp_path / "a.txt", tmp_path / f"corpus-{threads}")
        assert list(corpus) == rules.sentences(text)
        made[threads] = {file.name: file.read_bytes() for file in corpus.path.iterdir()}
    assert made[1] == made[2] == made[5]
    assert list(made[1]) and {"ids.npy", "offsets.npy", "vocab.tsv", "meta.json"} == set(made[1])


def test_many_sources_are_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no full stop at the end")
    (tmp_path / "b.txt").write_text("\ufeffsecond file", encoding="utf-8")
    builder = CorpusBuilder(min_count=1)
    expected = [["no", "full", "stop", "at", "the", "end"], ["second", "file"]]
    assert list(builder.build(tmp_path)) == expected
    assert list(builder.build([tmp_path / "a.txt", tmp_path / "b.txt"])) == expected
    assert list(builder.build(["no full stop at the end", "second file"])) == expected
    assert list(builder.build(sentence for sentence in expected)) == expected
    facts = builder.build(tmp_path).meta
    assert [source["name"] for source in facts["provenance"]["sources"]] == [
        str(tmp_path / "a.txt"), str(tmp_path / "b.txt"),
    ]  # fmt: skip


def test_a_line_of_ten_million_tokens(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("w") as file:
        for _ in range(100):
            file.write("the cat sat on " * 25_000)
    corpus = CorpusBuilder(min_count=1).build(tmp_path / "a.txt")
    assert len(corpus) == 1
    assert corpus.tokens == 10_000_000
    assert corpus.vocabulary.counts.tolist() == [2_500_000] * 4


def test_a_given_vocabulary_is_used_and_counted_anew() -> None:
    vocabulary = Vocabulary(["dog", "sat", "mouse", "cat"], [9, 9, 9, 9])
    corpus = CorpusBuilder().build(["the cat sat. the dog sat."], vocabulary=vocabulary)
    assert list(corpus.vocabulary) == [("sat", 2), ("cat", 1), ("dog", 1), ("mouse", 0)]
    assert list(corpus) == [["cat", "sat", "dog", "sat"]]
    assert list(CorpusBuilder().build(["the cat"], vocabulary=["cat"])) == [["cat"]]
    with pytest.raises(ParameterError, match="the text has no word of the vocabulary"):
        CorpusBuilder().build(["the cat"], vocabulary=[])
    with pytest.raises(ParameterError, match="the text has no word of the vocabulary"):
        CorpusBuilder().build(["the cat"], vocabulary=Vocabulary(["x"], [1]))


def test_one_word_type_is_a_corpus() -> None:
    corpus = CorpusBuilder(min_count=1).build(["ab ab ab. Ab ab."])
    assert (list(corpus), list(corpus.vocabulary)) == ([["ab", "ab", "ab"], ["ab", "ab"]], [("ab", 5)])


def test_what_is_dropped_is_told() -> None:
    corpus = CorpusBuilder(min_count=2).build(["x y y", "z"])
    facts = corpus.meta["facts"]
    assert {key: facts[key] for key in ("tokens", "sentences", "words", "tokens_read", "types_read")} == {
        "tokens": 2, "sentences": 1, "words": 1, "tokens_read": 4, "types_read": 3,
    }  # fmt: skip


def test_everything_below_min_count() -> None:
    message = r"no word is left: lower min_count=100 \(the most frequent word, 'b', occurs 2 times\)"
    with pytest.raises(ParameterError, match=message):
        CorpusBuilder().build(["a b", "b"])


@pytest.mark.parametrize("text", ["", "\n\n", "... !!! ---", "\ufeff"])
def test_no_words_at_all(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"there are no words in .*a\.txt: give text"):
        CorpusBuilder(min_count=1).build(tmp_path / "a.txt", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_generator_walked_before_is_no_empty_corpus() -> None:
    texts = (text for text in ["a b", "a c"])
    assert list(CorpusBuilder(min_count=1).build(texts)) == [["a", "b"], ["a", "c"]]
    with pytest.raises(InputError, match=r"the generator is empty \(an iterator can be used only once: give a list"):
        CorpusBuilder(min_count=1).build(texts)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "the list is empty"),
        (7, "cannot read int: give file names"),
        (b"text", "cannot read bytes"),
        ([1, 2], "cannot read an iterable of int"),
        (["a", ["b"]], "item 1 is list, but those before it are strings"),
        ([["b"], "a"], "item 1 is str, but those before it are lists"),
        ([["a", ""]], "sentence 0 has the token ''"),
        ([["a\nb"]], r"has the token 'a\\nb'"),
        ([["a", 5]], "has the token 5"),
        ([["a\ud800"]], "half a surrogate pair"),
        ("no/such/file.txt", r"no/such/file.txt does not exist"),
    ],
)
def test_what_is_no_text(inputs: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CorpusBuilder(min_count=1).build(inputs)


def test_file_names_in_a_list_are_not_taken_for_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b")
    for names in ([str(tmp_path / "a.txt")], ["text first", str(tmp_path / "a.txt")]):
        with pytest.raises(InputError, match=r"is the name of a file, but strings in a list are text: give pathlib"):
            CorpusBuilder(min_count=1).build(names)
    long = "word " * 60  # no name of a file can be as long, and some systems say so instead of saying no
    assert CorpusBuilder(min_count=1).build([long, long.strip().replace(" ", "")]).tokens == 61


def test_a_byte_order_mark_in_a_token_is_kept() -> None:
    corpus = CorpusBuilder(min_count=1).build([["\ufeffa", "\ufeffa", "a"]])
    assert list(Corpus.load(corpus.path)) == [["\ufeffa", "\ufeffa", "a"]]


def test_a_dump_from_a_pipe_is_a_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"<page><title>T</title><ns>0</ns><revision><text>''the'' [[cat]]s</text></revision></page>"
    dump = b"<mediawiki>" + page + b"</mediawiki>"
    for data in (dump, bz2.compress(dump)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert list(CorpusBuilder(min_count=1, threads=1).build("-")) == [["the", "cats"]]


def test_the_output_may_not_lie_in_the_input(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("a b")
    for output in (tmp_path / "texts" / "out", tmp_path / "texts", tmp_path):
        with pytest.raises(ArtefactError, match="overlaps the input .*: choose another output"):
            CorpusBuilder(min_count=1).build(tmp_path / "texts", output, force=True)
    corpus = CorpusBuilder(min_count=1).build(tmp_path / "texts", tmp_path / "corpus")
    with pytest.raises(ArtefactError, match="overlaps the input"):
        CooccurrenceCounter().count(corpus, corpus.path, force=True)
    assert len(Corpus.load(tmp_path / "corpus")) == 1


def test_arrays_that_do_not_fit_are_noticed(tmp_path: Path) -> None:
    """Kernels trust their input: rubbish of the right size must not reach them."""
    corpus = CorpusBuilder(min_count=1).build(["a b a c. D e."], tmp_path / "corpus")
    for name, value in (("ids", 10**9), ("ids", -5), ("offsets", 3), ("offsets", 2**40)):
        before = (corpus.path / f"{name}.npy").read_bytes()
        np.save(corpus.path / f"{name}.npy", np.full_like(getattr(corpus, name), value))
        restamp(corpus.path)
        with pytest.raises(ArtefactError, match="its arrays do not fit together"):
            CooccurrenceCounter().count(tmp_path / "corpus")
        (corpus.path / f"{name}.npy").write_bytes(before)
        restamp(corpus.path)
    assert CooccurrenceCounter(subsample=0).count(str(tmp_path / "corpus")).meta["facts"]["cells"] > 0


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    line = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)) + "\n"
    peaks = []
    for megabytes in (8, 32):
        path = tmp_path / f"{megabytes}.txt"
        path.write_text(line * (megabytes * 10**6 // len(line)))
        tracemalloc.start()
        CorpusBuilder(min_count=1, threads=1).build(path)  # with one thread the peak is the same in each run
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


def test_a_temporary_corpus_is_removed_with_its_object() -> None:
    corpus = CorpusBuilder(min_count=1).build(["a b"])
    path = corpus.path
    assert path.exists()
    assert "2 tokens, 1 sentences, 2 words" in repr(corpus)
    del corpus
    assert not path.parent.exists()


def test_real_text(real_text: Path) -> None:
    with opened(real_text) as reader:
        text = reader.stream.read(3_000_000).decode(errors="ignore")
    corpus = CorpusBuilder(min_count=1).build([text])
    assert isinstance(corpus, Corpus)
    assert list(corpus) == Normalizer().sentences(text)
    assert 15 < corpus.tokens / len(corpus) < 30  # an English sentence
    assert corpus.vocabulary.words[:3] == ["the", "of", "and"]


def test_a_min_count_that_drops_most_of_the_text_is_reported() -> None:
    text = [["often"] * 6, [f"rare{number}" for number in range(10)]]
    for min_count, reported in ((5, ["only 6 of 16 tokens are words that occur 5 times or more"]), (1, [])):
        notes = Notes()
        CorpusBuilder(min_count=min_count).build(text, progress=notes)
        assert [note.partition(":")[0] for note in notes.texts] == reported
    notes = Notes()  # fewer words were asked for
    CorpusBuilder(min_count=1, max_vocab=1).build(text, progress=notes)
    CorpusBuilder().build(text, vocabulary=["rare1"], progress=notes)
    assert notes.texts == []
