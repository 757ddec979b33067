from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import LexVec, Model, Vocabulary
from lexvec.composition import OwnRow, recorded_composition
from lexvec.contexts import WordContexts, recorded_contexts
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
