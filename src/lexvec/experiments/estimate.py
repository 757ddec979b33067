"""How long an experiment will take: a rough estimate from the corpus and the parameters, before anything is trained.

The constants are the order of magnitude of an ordinary core. Machines differ, so times that were measured in the same
folder correct them for the same kind of model.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..corpus import Corpus
from ..draws import WindowParameters
from ..machine import available_threads
from ..models import Model

# Seconds on one thread: for a pair or cell, and for each of its dimensions.
_PAIR, _CELL = (25e-9, 0.12e-9), (75e-9, 0.5e-9)
_PRODUCT = 0.15e-9  # seconds for a cell of the matrix and a column of the solver's basis
_START = 1.0  # seconds to begin and to save a run
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
        steps, cost = _kept(model, corpus) * (window + noise) * epochs, _PAIR
    elif hasattr(model, "epochs"):
        steps, cost = _cells(model, corpus) * epochs, _CELL
    else:
        steps, cost = _cells(model, corpus) * 6, (0.0, _PRODUCT)
    return float(_START + steps * (cost[0] + cost[1] * model.dim) / threads)


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
    repeated = 0.96 if _value(model, "subsample", 0) else 0.9  # frequent words meet the same contexts again
    return float(min(len(corpus.vocabulary) ** 2, pairs**repeated))
