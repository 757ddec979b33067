"""Vectors of sentences on pairs of sentences (STS), beside plain means with gensim.

    python benchmarks/sentences.py VECTORS PAIRS.csv [--corpus CORPUS] [--epochs 3]

gensim cuts text with ``simple_preprocess`` (or at whitespace, if the text of VECTORS was tokenized) and takes
``KeyedVectors.get_mean_vector`` without weights, which is what its documentation offers for sentences. Ours is
``WordVectors.sentences`` with plain means (of our words, of our words without numbers, and of gensim's words), with SIF
weights, and with SIF weights and the first component removed. All use the same vectors. With ``--corpus``, gensim also
trains vectors of its own (SGNS, as in ``peers.py``) on that corpus, and the plain mean of those comes first. Intervals
and tests are those of ``lexvec.evaluate`` and ``lexvec.compare``.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gensim.models import KeyedVectors, Word2Vec
from gensim.utils import simple_preprocess

from lexvec import Corpus, Normalizer, WordVectors
from lexvec.evaluation import TASKS
from lexvec.evaluation.sets import parse, read_text
from lexvec.uncertainty import Array, generator, interval
from lexvec.vectors.geometry import cosines_of, unit_vectors

RESAMPLES = 1000


def cosines(rows: npt.NDArray[Any]) -> Array:
    units = unit_vectors(np.asarray(rows, np.float64))
    return np.round(cosines_of(units[::2], units[1::2]), 6)


def gensim_words(texts: list[str], *, tokenized: bool) -> list[list[str]]:
    return [text.split() if tokenized else simple_preprocess(text, min_len=1, max_len=100) for text in texts]


def gensim_means(keyed: KeyedVectors, texts: list[list[str]]) -> Array:
    means = np.zeros((len(texts), keyed.vector_size))
    for row, text in enumerate(texts):
        words = [word for word in text if word in keyed]
        if words:
            means[row] = keyed.get_mean_vector(words, pre_normalize=False)
    return means


def trained_by_gensim(place: Path, dim: int, epochs: int) -> KeyedVectors:
    """Return vectors that gensim trained on the sentences of a corpus of lexvec, whose words are already chosen."""
    corpus = Corpus.load(place)
    words = corpus.vocabulary.words
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        for begin, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
            file.write(" ".join(words[number] for number in corpus.ids[begin:end]) + "\n")
        file.flush()
        options = {"sg": 1, "negative": 5, "window": 10, "sample": 1e-4, "min_count": 1, "alpha": 0.025, "seed": 1}
        model = Word2Vec(corpus_file=file.name, vector_size=dim, epochs=epochs, workers=2, **options)
    return model.wv


def main(place: Path, pairs: Path, corpus: Path | None, epochs: int) -> None:
    vectors = WordVectors.load(place)
    kind, items = parse(read_text(pairs), str(pairs))
    task = TASKS[kind]
    texts = [sentence for item in items for sentence in item.words]
    ratings = np.array([item.rating for item in items])
    theirs = gensim_words(texts, tokenized=(vectors.normalisation or {}).get("punctuation") == "keep")
    found: dict[str, npt.NDArray[Any]] = {}
    if corpus is not None:
        found["gensim's vectors, plain mean"] = gensim_means(trained_by_gensim(corpus, vectors.dim, epochs), theirs)
    found |= {
        "gensim, plain mean": gensim_means(vectors.to_gensim(), theirs),
        "lexvec, mean": vectors.sentences(texts, weights="mean"),
        "lexvec, mean of gensim's words": vectors.sentences(theirs, weights="mean"),
        "lexvec, SIF": vectors.sentences(texts),
        "lexvec, SIF, component removed": vectors.sentences(texts, remove_component=True),
    }
    rules = vectors.normalisation or {}
    if rules.get("punctuation") == "remove":  # else numbers are part of other words
        numberless = Normalizer.of({**rules, "numbers": "remove"})
        found["lexvec, mean without numbers"] = vectors.sentences(texts, weights="mean", normalizer=numberless)
    base = cosines(next(iter(found.values())))
    print("| vectors of sentences | Spearman | 95 % interval | difference from gensim |")
    print("|---|---|---|---|")
    for name, rows in found.items():
        outcomes = cosines(rows)
        random = generator(1, name)
        low, high = interval(task.resampled(outcomes, ratings, resamples=RESAMPLES, random=random), 0.95)
        tested = task.paired(base, outcomes, ratings=ratings, resamples=RESAMPLES, random=random)
        below, above = interval(tested.differences, 0.95)
        difference = f"{tested.second - tested.first:+.3f} ({below:+.3f} … {above:+.3f})" if "lexvec" in name else ""
        print(f"| {name} | {task.value(outcomes, ratings):.3f} | {low:.3f} … {high:.3f} | {difference} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--corpus", type=Path, help="corpus by lexvec on which gensim trains vectors of its own")
    parser.add_argument("--epochs", type=int, default=3, help="epochs of gensim's training")
    given = parser.parse_args()
    main(given.vectors, given.pairs, given.corpus, given.epochs)
