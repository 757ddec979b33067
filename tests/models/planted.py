"""A corpus with known neighbours: words of a topic occur together, and with words that all topics share."""

import numpy as np

from lexvec import Corpus, CorpusBuilder, WordVectors

TOPICS, WORDS = 6, 10


def corpus(sentences: int = 4000, seed: int = 0) -> Corpus:
    draw = np.random.default_rng(seed)
    topics = draw.integers(0, TOPICS, sentences)
    topical = draw.integers(0, WORDS, (sentences, 8))
    common = draw.integers(0, 20, (sentences, 4))
    text = []
    for topic, own, shared in zip(topics, topical, common, strict=True):
        words = [f"t{topic}w{word}" for word in own] + [f"common{word}" for word in shared]
        text.append([words[place] for place in draw.permutation(len(words))])
    return CorpusBuilder(min_count=1).build(text)


def precision(vectors: WordVectors) -> float:
    """The share of the five nearest neighbours of topic words that are of the same topic."""
    hits = [
        neighbour.startswith(f"t{topic}w")
        for topic in range(TOPICS)
        for word in range(WORDS)
        for neighbour, _ in vectors.most_similar(f"t{topic}w{word}", 5)
    ]
    return sum(hits) / len(hits)
