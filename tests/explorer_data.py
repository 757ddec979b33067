"""Small vectors for tests of the explorer, some of whose words are hostile."""

from typing import Any

import numpy as np

from lexvec import WordVectors

EVIL = "<script>alert(1)</script>"
ANIMALS = ["cat", "dog", "horse", "cow", "sheep", "goat", "lion", "tiger", "wolf", "bear"]
COLOURS = ["red", "green", "blue", "yellow", "black", "white", "brown", "pink", "grey", "purple"]
ROYAL = ["man", "woman", "king", "queen"]
WORDS = [*ANIMALS, *COLOURS, *ROYAL, "Paris", "PARIS2", EVIL, '"><img src=x onerror=alert(2)>', "=1+1"]
#: Words that could break what stands around them: other directions of writing, what cannot be seen, what is too long.
HOSTILE = ["\u202egnirts", "שלום", "a\u0000b\u0007c", "\u200b", "x" * 10_000, "</script>", "a&amp;b", "%41#?&=", "🙂"]


def vectors_of(seed: int, *, composer: Any = None, counts: bool = True) -> WordVectors:
    """Animals near animals, colours near colours, and king − man + woman = queen."""
    draw = np.random.default_rng(seed)
    matrix = draw.normal(size=(len(WORDS), 12)).astype(np.float32)
    matrix[: len(ANIMALS), 0] += 6
    matrix[len(ANIMALS) : len(ANIMALS) + len(COLOURS), 1] += 6
    start = len(ANIMALS) + len(COLOURS)
    matrix[start : start + 4] *= 0.01
    matrix[start : start + 4, 2:5] = [[5, 0, 1], [0, 5, 1], [5, 0, 6], [0, 5, 6]]
    numbers = np.arange(len(WORDS), 0, -1, dtype=np.int64) * 10 if counts else None
    return WordVectors(WORDS, matrix, counts=numbers, composer=composer)


def hostile_vectors() -> WordVectors:
    """A cat among hostile words."""
    words = ["cat", *HOSTILE]
    return WordVectors(words, np.random.default_rng(4).normal(size=(len(words), 6)) + 2)


class Composing:
    """Composes the vector of any word that begins with that of a cat."""

    def __init__(self, vector: Any) -> None:
        self._vector = vector

    def composed(self, words: Any) -> Any:
        return np.array([self._vector if word.startswith("cat") else self._vector * 0 for word in words], np.float32)
