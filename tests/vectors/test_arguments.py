"""Wrongly typed calls of vectors: each is an error of ours that names the parameter."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lexvec import ParameterError, UnknownWordError, WordMap, WordVectors
from lexvec.vectors.arguments import checked_list

VECTORS: Any = WordVectors(["cat", "dog", "car", "bus"], np.array([[1, 0.1], [1, 0], [0, 1], [0.1, 1]]))
New: Any = WordVectors
Map: Any = WordMap

CALLS: list[tuple[str, Callable[[], Any]]] = [
    ("words=5", lambda: New(5, np.eye(2))),
    ("words='ab'", lambda: New("ab", np.eye(2))),
    ("words=b'ab'", lambda: New(b"ab", np.eye(2))),
    ("words has 3 in it", lambda: New(["a", 3], np.eye(2))),
    ("words has None in it", lambda: New(["a", None], np.eye(2))),
    ("matrix=None", lambda: New(["a"], None)),
    ("matrix='x'", lambda: New(["a"], "x")),
    ("matrix=\\[\\['x'\\]\\]", lambda: New(["a"], [["x"]])),
    ("matrix=\\[\\[1, 2\\], \\[3\\]\\]", lambda: New(["a", "b"], [[1, 2], [3]])),
    ("matrix=array.* it must be a matrix of real numbers", lambda: New(["a"], np.ones((1, 2), complex))),
    ("matrix has the shape \\(3,\\)", lambda: New(["a", "b", "c"], np.ones(3))),
    ("path=None", lambda: New.load(None)),
    ("path=3", lambda: New.load(3)),
    ("path=b'v.txt'", lambda: New.load(b"v.txt")),
    ("path=''", lambda: New.load("")),
    ("path='a\\\\x00b'", lambda: New.load("a\0b")),
    ("format=3", lambda: New.load("v.txt", format=3)),
    ("format=\\['glove'\\]", lambda: New.load("v.txt", format=["glove"])),
    ("limit='3'", lambda: New.load("v.txt", limit="3")),
    ("limit=2.5", lambda: New.load("v.txt", limit=2.5)),
    ("limit=True", lambda: New.load("v.txt", limit=True)),
    ("combine=3", lambda: New.load("v.txt", combine=3)),
    ("progress=3", lambda: New.load("v.txt", progress=3)),
    ("path=3", lambda: VECTORS.save(3)),
    ("path=None", lambda: VECTORS.save(None)),
    ("format=3", lambda: VECTORS.save("v.txt", format=3)),
    ("force='yes'", lambda: VECTORS.save("v.txt", force="yes")),
    ("words=3", lambda: VECTORS[3]),
    ("words=None", lambda: VECTORS[None]),
    ("words=slice", lambda: VECTORS[1:2]),
    ("words has 3 in it", lambda: VECTORS[["cat", 3]]),
    ("words has \\['cat'\\] in it", lambda: VECTORS[[["cat"]]]),
    ("one, other has 3 in it", lambda: VECTORS.similarity("cat", 3)),
    ("one, other has \\['cat'\\] in it", lambda: VECTORS.similarity(["cat"], "dog")),
    ("pairs=3", lambda: VECTORS.similarities(3)),
    ("pairs='cat'", lambda: VECTORS.similarities("cat")),
    ("pairs has 'ab' in it", lambda: VECTORS.similarities(["ab", "cd"])),
    ("pairs has \\('cat',\\) in it", lambda: VECTORS.similarities([("cat",)])),
    ("pairs has 3 in it", lambda: VECTORS.similarities([3])),
    ("positive=3", lambda: VECTORS.most_similar(3)),
    ("positive=None", lambda: VECTORS.most_similar(None)),
    ("positive has 3 in it", lambda: VECTORS.most_similar(["cat", 3])),
    ("positive has None in it", lambda: VECTORS.most_similar([None])),
    ("positive has \\['cat'\\] in it", lambda: VECTORS.most_similar([["cat"]])),
    ("positive has array\\(\\[1., 1., 1.\\]\\) in it: give a word or 2", lambda: VECTORS.most_similar(np.ones(3))),
    ("positive has array\\(\\[nan,  ?1. ?\\]\\) in it", lambda: VECTORS.most_similar(np.array([np.nan, 1]))),
    ("negative=3", lambda: VECTORS.most_similar("cat", 3)),
    ("positive and negative are empty", lambda: VECTORS.most_similar([])),
    ("count='3'", lambda: VECTORS.most_similar("cat", count="3")),
    ("count=True", lambda: VECTORS.most_similar("cat", count=True)),
    ("count=None", lambda: VECTORS.most_similar("cat", count=None)),
    ("terms='cat'", lambda: VECTORS.neighbors("cat")),
    ("terms=3", lambda: VECTORS.neighbors(3)),
    ("terms has 3 in it", lambda: VECTORS.neighbors([3])),
    ("questions=3", lambda: VECTORS.analogies(3)),
    ("questions='cat'", lambda: VECTORS.analogies("cat")),
    ("questions has \\('cat', 'dog'\\) in it", lambda: VECTORS.analogies([("cat", "dog")])),
    ("method='plus'", lambda: VECTORS.analogy("cat", "dog", "car", method="plus")),
    ("method=\\['add'\\]", lambda: VECTORS.analogy("cat", "dog", "car", method=["add"])),
    ("words='cat'", lambda: VECTORS.doesnt_match("cat")),
    ("words=3", lambda: VECTORS.doesnt_match(3)),
    ("words is empty", lambda: VECTORS.doesnt_match([])),
    ("words='cat'", lambda: VECTORS.plane("cat")),
    ("words=3", lambda: VECTORS.plane(3)),
    ("rows='cat'", lambda: VECTORS.unit_rows("cat")),
    ("rows=array\\(\\[9\\]\\)", lambda: VECTORS.unit_rows(np.array([9]))),
    ("vectors='v.txt': it must be WordVectors; load them", lambda: Map.of("v.txt", [["cat"]])),
    ("groups=3", lambda: Map.of(VECTORS, 3)),
    ("groups='cat'", lambda: Map.of(VECTORS, "cat")),
    ("groups='cat': it must be a list of words", lambda: Map.of(VECTORS, ["cat", "dog"])),
    ("groups has 3 in it", lambda: Map.of(VECTORS, [["cat", 3]])),
    ("neighbors='3'", lambda: Map.of(VECTORS, [["cat", "dog", "car"]], neighbors="3")),
    ("neighbors=-1", lambda: Map.of(VECTORS, [["cat", "dog", "car"]], neighbors=-1)),
    ("join='yes'", lambda: Map.of(VECTORS, [["cat", "dog", "car"]], join="yes")),
]


@pytest.mark.parametrize(("message", "call"), CALLS, ids=[message for message, _ in CALLS])
def test_wrongly_typed_calls(message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_words_of_another_type_are_not_there() -> None:
    assert 3 not in VECTORS and ["cat"] not in VECTORS and None not in VECTORS
    for word in (3, None, ("cat",)):
        with pytest.raises(UnknownWordError):
            VECTORS.analogy("cat", word, "dog")


def test_what_is_plainly_meant_is_accepted() -> None:
    assert VECTORS.most_similar("cat", count=np.int64(1)) == VECTORS.most_similar(["cat"], (), count=1)
    assert New(("a", "b"), ((1, 0), (0, 1))).words == ["a", "b"]
    assert New((word for word in "ab"), np.eye(2, dtype=int)).dim == 2
    assert VECTORS[("cat", "dog")].shape == VECTORS[np.array(["cat", "dog"])].shape == (2, 2)
    assert len(VECTORS.similarities(pair for pair in [("cat", "dog"), ["cat", "car"]])) == 2


def test_lists() -> None:
    assert checked_list("c", (1, 2), int, "numbers") == [1, 2]
    with pytest.raises(ParameterError, match=r"c has 'x{56}\.\.\. in it: it must be numbers"):
        checked_list("c", ["x" * 1000], int, "numbers")
