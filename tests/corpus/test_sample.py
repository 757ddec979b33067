"""Bootstrap samples of an encoded corpus."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import ArtefactError, Corpus, CorpusBuilder, ParameterError


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(300)


class Sentences:
    """The sentences of a sample as lists of words, which can be read several times."""

    def __init__(self, corpus: Corpus, seed: int, block: int) -> None:
        self.sentences, self.block = list(corpus), block
        blocks = -(-len(corpus) // block)
        self.drawn = np.sort(np.random.default_rng([seed, block]).integers(0, blocks, blocks)).tolist()

    def __iter__(self) -> Iterator[list[str]]:
        for number in self.drawn:
            yield from self.sentences[number * self.block : (number + 1) * self.block]


@pytest.mark.parametrize("block", [1, 7, 300, 1000])
def test_a_sample_is_what_encoding_its_sentences_gives(
    corpus: Corpus, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexvec.corpus.corpus._AT_ONCE", 64)  # several batches
    for seed in (1, 2):
        sentences = Sentences(corpus, seed, block)
        wanted = CorpusBuilder(min_count=1).build(sentences, vocabulary=corpus.vocabulary, progress=False)
        sample = corpus.sampled(seed, block=block).check()
        assert list(sample.vocabulary) == list(wanted.vocabulary)
        assert np.array_equal(sample.ids, wanted.ids) and np.array_equal(sample.offsets, wanted.offsets)
        assert sample.ids.dtype == wanted.ids.dtype and sample.meta["facts"] == wanted.meta["facts"]


def test_words_that_a_sample_lacks_keep_their_place() -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b"], ["c"], ["d", "e"]])
    sample = corpus.sampled(2).check()
    assert list(sample) == [["a", "b"], ["a", "b"], ["d", "e"]]
    assert list(sample.vocabulary) == [("a", 2), ("b", 2), ("d", 1), ("e", 1), ("c", 0)]


def test_a_sample_has_sentences_of_the_corpus(corpus: Corpus) -> None:
    sample = corpus.sampled(3)
    known = Counter(map(tuple, corpus))
    assert len(sample) == len(corpus) and {tuple(sentence) for sentence in sample} <= set(known)
    # With replacement: about 63 % of all sentences are drawn at least once.
    assert 0.5 < len(set(map(tuple, sample))) / len(known) < 0.75
    assert list(corpus.sampled(3)) == list(sample) != list(corpus.sampled(4))


def test_blocks_stay_together(corpus: Corpus) -> None:
    sentences, sample = list(corpus), list(corpus.sampled(1, block=7))
    starts = [sentences[start : start + 7] for start in range(0, len(sentences), 7)]
    place = 0
    while place < len(sample):
        block = next(block for block in starts if sample[place : place + len(block)] == block)
        place += len(block)
    assert place == len(sample)


def test_a_sample_says_where_it_came_from(tmp_path: Path) -> None:
    text = CorpusBuilder(min_count=1, lowercase=False).build(["The cat sat. The dog ran."])
    sample = text.sampled(2, block=2, output=tmp_path / "sample")
    assert sample.path == tmp_path / "sample" and Corpus.load(sample.path).normalisation == text.normalisation
    assert sample.meta["provenance"]["sample"] == {"seed": 2, "block": 2}
    with pytest.raises(ArtefactError, match="overlaps|input"):
        sample.sampled(1, output=sample.path)


@pytest.mark.parametrize("given", [{"seed": -1}, {"seed": "x"}, {"seed": 1, "block": 0}, {"seed": 1, "block": 1.5}])
def test_wrong_arguments_are_parameter_errors(corpus: Corpus, given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="|".join(given)):
        corpus.sampled(**given)
