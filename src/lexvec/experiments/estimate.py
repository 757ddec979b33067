"""How long an experiment will take: a rough estimate from the corpus and the parameters, before anything is trained.

The figures per pair are from machines with AVX-512 and two cores. Other machines differ, so times that were measured in
the same folder replace them for the same kind of model.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..corpus import Corpus
from ..draws import WindowParameters
from ..machine import available_threads
from ..models import Model

_PAIR, _CELL, _PRODUCT = 0.25e-9, 0.5e-9, 0.15e-9  # seconds per dimension, on one thread
_COUNT = 25e-9  # seconds per counted pair, on one thread
_SCORE = 0.1e-9  # seconds per question, word and dimension, on one thread
_QUESTIONS = 30_000


def training_seconds(model: Model, corpus: Corpus) -> float:
    """Return how long a run may take, without its matrix."""
    threads = available_threads(model.threads)
    epochs = _value(model, "epochs", 1)
    if hasattr(model, "negative"):  # windows and noise
        wide = _value(model, "window_sampling", "") == "sgns"
        window = _value(model, "sampling_window", 0) + 1 if wide else _window(model)
        noise = model.negative * (window if _value(model, "variant", "minibatch") == "minibatch" else 1)
        return float(_kept(model, corpus) * (window + noise) * epochs * model.dim * _PAIR / threads)
    if hasattr(model, "epochs"):
        return float(_cells(model, corpus) * epochs * model.dim * _CELL / threads)
    return float(_cells(model, corpus) * 6 * model.dim * _PRODUCT / threads)


def counting_seconds(model: Model, corpus: Corpus) -> float:
    """Return how long the matrix of a run may take."""
    return float(_kept(model, corpus) * _window(model) * _COUNT / available_threads(model.threads))


def scoring_seconds(model: Model, corpus: Corpus) -> float:
    """Return how long it may take to score one choice of vectors."""
    return float(_QUESTIONS * len(corpus.vocabulary) * model.dim * _SCORE / available_threads(model.threads))


def correction(measured: Iterable[tuple[float, float]]) -> float:
    """Return how much longer than estimated runs took; ``measured`` has estimates and times."""
    estimates, times = np.array(list(measured) or [(1.0, 1.0)]).sum(axis=0)
    return float(times / estimates) if estimates > 0 else 1.0


def _value(model: Model, name: str, default: Any) -> Any:
    return getattr(model, name, default)


def _window(model: Model) -> float:
    """Return the mean number of contexts of a token."""
    window = _value(model, "window", 5)
    random = model.name == "sgns" or _value(model, "window_kind", "") == "random"
    return float(window + 1 if random else 2 * window)


def _kept(model: Model, corpus: Corpus) -> float:
    """Return about how many tokens subsampling keeps."""
    counts = corpus.vocabulary.counts
    kept = model.keep_probabilities(counts) if isinstance(model, WindowParameters) else 1.0
    return float((counts * kept).sum())


def _cells(model: Model, corpus: Corpus) -> float:
    """Return about how many cells of the matrix are not empty: the more pairs, the more of them were seen before."""
    pairs = _kept(model, corpus) * _window(model)
    return float(min(len(corpus.vocabulary) ** 2, pairs**0.91))
