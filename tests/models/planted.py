"""A corpus with known neighbours: words of a topic occur together, and with words that all topics share.

Now and then a word of another topic strays in, so that all pairs occur and only differ in how often: GloVe, which never
sees a pair that does not occur, could learn nothing otherwise.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from lexvec import Corpus, CorpusBuilder, WordVectors

TOPICS, WORDS = 6, 10


def corpus(sentences: int = 4000, seed: int = 0) -> Corpus:
    draw = np.random.default_rng(seed)
    topics = draw.integers(0, TOPICS, sentences)
    topical = draw.integers(0, WORDS, (sentences, 8))
    strays = np.where(draw.random((sentences, 8)) < 0.15, draw.integers(0, TOPICS, (sentences, 8)), topics[:, None])
    common = draw.integers(0, 20, (sentences, 4))
    text = []
    for which, own, shared in zip(strays, topical, common, strict=True):
        words = [f"t{topic}w{word}" for topic, word in zip(which, own, strict=True)]
        words += [f"common{word}" for word in shared]
        text.append([words[place] for place in draw.permutation(len(words))])
    return CorpusBuilder(min_count=1).build(text)


def precision(vectors: WordVectors) -> float:
    """The share of the five nearest neighbours of topic words that are of the same topic."""
    hits = [
        neighbour.startswith(f"t{topic}w")
        for topic in range(TOPICS)
        for word in range(WORDS)
        for neighbour, _ in vectors.most_similar(f"t{topic}w{word}", count=5)
    ]
    return sum(hits) / len(hits)


def write_sets(folder: Path, words: Sequence[str], questions: Sequence[Sequence[str]]) -> Path:
    """Write two sets into a new folder: pairs of consecutive words with ratings, and questions."""
    folder.mkdir()
    pairs = [f"{a}\t{b}\t{(i * 7) % 11}\n" for i, (a, b) in enumerate(pairwise(words))]
    (folder / "mc-30.txt").write_text("".join(pairs), encoding="utf-8")
    lines = [f"{' '.join(question)}\n" for question in questions]
    (folder / "msr-analogies.txt").write_text(": all\n" + "".join(lines), encoding="utf-8")
    return folder
