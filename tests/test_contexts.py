from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import LexVec, Model, Vocabulary
from lexvec.composition import OwnRow, recorded_composition
from lexvec.contexts import PositionalContexts, WordContexts, recorded_contexts
from lexvec.errors import ArtefactError
from lexvec.storage.artefact import Artefact


def test_words_are_their_own_contexts() -> None:
    vocabulary = Vocabulary(["a", "b", "c"], [3, 2, 1])
    contexts = WordContexts(vocabulary, 2)
    C = np.ones((3, 4), np.float32)
    assert (len(contexts), contexts.labels) == (3, ["a", "b", "c"])
    assert contexts.by_word(C) is C
    assert contexts.record() == {"contexts": 3, "context_kind": "words", "context_reach": 2}
    assert isinstance(recorded_contexts(contexts.record(), vocabulary, "folder"), WordContexts)


def test_a_context_is_named_alone_as_among_all() -> None:
    vocabulary = Vocabulary(["a", "b_1", "c"], [3, 2, 1])
    for kind in (WordContexts, PositionalContexts):
        contexts = kind(vocabulary, 2)
        assert [contexts.label(place) for place in range(len(contexts))] == list(contexts.labels)
    assert PositionalContexts(vocabulary, 2).label(6) == "b_1_1"


def test_the_strongest_contexts() -> None:
    contexts = WordContexts(Vocabulary(list("abcdef"), np.zeros(6, np.int64)), 2)
    scores = np.array([1, 3, -2, 3, np.nan, 3], np.float32)
    assert contexts.strongest(scores, 2) == [("b", 3.0), ("d", 3.0)]
    assert contexts.strongest(scores, 9) == [("b", 3.0), ("d", 3.0), ("f", 3.0), ("a", 1.0), ("c", -2.0)]
    some = contexts.strongest(np.array([5, 7], np.uint32), 1, np.array([4, 2]))
    assert some == [("c", 7)] and type(some[0][1]) is int
    assert contexts.strongest(scores[:0], 3) == []


def test_folders_that_do_not_say_have_words_and_a_row_each() -> None:
    vocabulary = Vocabulary(["a", "b"], [2, 1])
    assert isinstance(recorded_contexts({}, vocabulary, "folder"), WordContexts)
    rows = np.ones((2, 3), np.float32)
    composition = recorded_composition(Artefact(Path("folder"), {"facts": {}}), vocabulary.words)
    assert (composition.rows, composition.composer(rows)) == (2, None)
    assert np.shares_memory(composition.vectors(rows), rows)
    wrong: list[dict[str, Any]] = [{"context_kind": "moods"}, {"context_kind": []}, {"context_reach": "far"}]
    for facts in wrong:
        with pytest.raises(ArtefactError, match="folder has contexts of an unknown kind"):
            recorded_contexts(facts, vocabulary, "folder")
    with pytest.raises(ArtefactError, match="its vocabulary has 2 contexts"):
        recorded_contexts({"contexts": 3}, vocabulary, "folder")
    with pytest.raises(ArtefactError, match="folder composes vectors in an unknown way, 'moods'"):
        recorded_composition(Artefact(Path("folder"), {"facts": {"composition": "moods"}}), vocabulary.words)


def test_a_model_records_both(tmp_path: object) -> None:
    LexVec(dim=4, epochs=1, subsample=0).fit([["a", "b", "a"]] * 100, f"{tmp_path}/model")
    model = Model.load(f"{tmp_path}/model")
    assert isinstance(model.contexts_, WordContexts)
    assert isinstance(model.composition_, OwnRow)
