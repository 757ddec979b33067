"""Calls with values of the wrong type get one of our errors, and it names the parameter."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import Corpus, CorpusBuilder, LexvecError, Normalizer, Vocabulary
from lexvec.parameters import path_from
from lexvec.storage.artefact import ArtefactWriter

A: Any = [["a", "b"]]
VOCABULARY = Vocabulary(["a", "b"], [2, 1])
BUILDER = CorpusBuilder(min_count=1)

CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: CorpusBuilder(min_count="3"), "min_count='3'"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(min_count=2.5), "min_count=2.5"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(max_vocab=[1]), r"max_vocab=\[1\]"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(encoding=8), "encoding=8"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(input_format=["text"]), "input_format="),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(threads="all"), "threads='all'"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(lowercase="no"), "lowercase='no'"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder(numbers={}), "numbers={}"),  # type: ignore[arg-type]
    (lambda: CorpusBuilder.tokenized(min_cout=3), "no parameter min_cout"),
    (lambda: BUILDER.build(3), "cannot read int"),
    (lambda: BUILDER.build(None), "cannot read NoneType"),
    (lambda: BUILDER.build(b"a b"), "cannot read bytes"),
    (lambda: BUILDER.build([1, 2]), "iterable of int"),
    (lambda: BUILDER.build([["a", 3]]), "the token 3"),
    (lambda: BUILDER.build([None]), "iterable of NoneType"),
    (lambda: BUILDER.build("a\0b"), "inputs='a"),
    (lambda: BUILDER.build(A, 3), "output=3"),
    (lambda: BUILDER.build(A, b"out"), "output=b'out'"),
    (lambda: BUILDER.build(A, ["out"]), r"output=\['out'\]"),
    (lambda: BUILDER.build(A, "a\0b"), "output='a"),
    (lambda: BUILDER.build(A, vocabulary=3), "vocabulary=3"),
    (lambda: BUILDER.build(A, vocabulary=b"a"), "vocabulary=b'a'"),
    (lambda: BUILDER.build(A, vocabulary=[1]), "the vocabulary has the word 1"),
    (lambda: BUILDER.build(A, force="yes"), "force='yes'"),  # type: ignore[arg-type]
    (lambda: BUILDER.build(A, progress=3), "progress=3"),  # type: ignore[arg-type]
    (lambda: Corpus.load(3), "path=3"),  # type: ignore[arg-type]
    (lambda: Corpus.load(None), "path=None"),  # type: ignore[arg-type]
    (lambda: Corpus.load(b"x"), "path=b'x'"),  # type: ignore[arg-type]
    (lambda: Corpus.load("a\0b"), "path='a"),
    (lambda: Corpus.ensure(3), "expected a Corpus or its folder, not int"),
    (lambda: BUILDER.build(A).array("nothing"), "has no file 'nothing.npy'"),
    (lambda: BUILDER.build(A).array(3), "has no file '3.npy'"),  # type: ignore[arg-type]
    (lambda: BUILDER.build(A).array("ids", dtype=np.int64), "ids.npy is damaged"),
    (lambda: BUILDER.build(A).array("ids", dtype=np.int32, dimensions=2), "ids.npy is damaged"),
    (lambda: BUILDER.build(A).check_file(["ids"]), r"has no file \['ids'\]"),  # type: ignore[arg-type]
    (lambda: BUILDER.build(A).layout("vocab"), "has no file 'vocab.npy'"),
    (lambda: Normalizer(hyphens=3), "hyphens=3"),  # type: ignore[arg-type]
    (lambda: Normalizer().sentences(3), "text=3"),  # type: ignore[arg-type]
    (lambda: Normalizer().sentences(b"a"), "text=b'a'"),  # type: ignore[arg-type]
    (lambda: Normalizer().sentences(["a"]), r"text=\['a'\]"),  # type: ignore[arg-type]
    (lambda: Normalizer().words(None), "raw=None"),  # type: ignore[arg-type]
    (lambda: Vocabulary(3, [1]), "words=3"),  # type: ignore[arg-type]
    (lambda: Vocabulary("ab", [1, 2]), "words='ab'"),
    (lambda: Vocabulary(["a"], None), "counts=None"),  # type: ignore[arg-type]
    (lambda: Vocabulary(["a"], ["x"]), r"counts=\['x'\]"),
    (lambda: Vocabulary(["a"], [1.5]), r"counts=\[1.5\]"),
    (lambda: Vocabulary(["a"], [2**70]), r"counts=\[1180591620717411303424\]"),
    (lambda: Vocabulary(["a"], [2**63]), r"counts=\[9223372036854775808\]"),
    (lambda: Vocabulary(["a", "b"], [[1], [1, 2]]), "counts="),
    (lambda: Vocabulary(["a"], 1), "1 words but counts of shape"),
    (lambda: Vocabulary([1], [1]), "the vocabulary has the word 1"),  # type: ignore[list-item]
    (lambda: Vocabulary.from_counts(3, [1]), "words=3"),  # type: ignore[arg-type]
    (lambda: Vocabulary.from_counts(["a"], [1, 2]), "1 words but counts of shape"),
    (lambda: Vocabulary.from_counts([1, "b"], [1, 2]), "the vocabulary has the word 1"),  # type: ignore[list-item]
    (lambda: Vocabulary.from_counts(["a"], [1], min_count="1"), "min_count='1'"),  # type: ignore[arg-type]
    (lambda: Vocabulary.from_counts(["a"], [1], max_vocab=-1), "max_vocab=-1"),
    (lambda: VOCABULARY.prune(min_count=None), "min_count=None"),  # type: ignore[arg-type]
    (lambda: VOCABULARY.prune(min_count=1.5), "min_count=1.5"),  # type: ignore[arg-type]
    (lambda: VOCABULARY.prune(max_vocab=True), "max_vocab=True"),
    (lambda: Vocabulary.load(3), "path=3"),  # type: ignore[arg-type]
    (lambda: Vocabulary.load(None), "path=None"),  # type: ignore[arg-type]
    (lambda: Vocabulary.load("a\0b"), "path='a"),
    (lambda: Vocabulary.load("x", exact=1), "exact=1"),  # type: ignore[arg-type]
    (lambda: Vocabulary.ensure(3), "vocabulary=3"),
    (lambda: VOCABULARY.save(3), "output=3"),  # type: ignore[arg-type]
    (lambda: VOCABULARY["c"], "'c' is not in the vocabulary"),
    (lambda: VOCABULARY[3], "3 is not in the vocabulary"),  # type: ignore[index]
    (lambda: VOCABULARY[[]], r"\[\] is not in the vocabulary"),  # type: ignore[index]
    (lambda: ArtefactWriter(3, "corpus"), "output=3"),  # type: ignore[arg-type]
    (lambda: path_from(Path, "path"), "path=<class"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_a_wrong_call(call: Callable[[], object], message: str) -> None:
    with pytest.raises(LexvecError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_is_not_a_word_is_in_no_vocabulary() -> None:
    assert 3 not in VOCABULARY and [] not in VOCABULARY and None not in VOCABULARY


def test_numbers_of_numpy_are_numbers() -> None:
    assert len(VOCABULARY.prune(min_count=np.int32(2), max_vocab=np.uint8(1))) == 1  # type: ignore[arg-type]
    assert Vocabulary(np.array(["a"]), np.array([1], np.uint16)).total == 1  # type: ignore[arg-type]
    assert len(Vocabulary([], [])) == 0
