"""LexVec, SGNS and GloVe in plain NumPy: what the engine computes, one step after another.

`p` has the parameters of a model, by the names of the paper; P is the number of parts: word w is in part w mod P, and
pairs are learned from block by block. `sentences` are lists of word ids, V is the size of the vocabulary. All that is
random is the n-th number of a stream, whose key follows from the seed, a purpose, and a place.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]
Sentence = list[tuple[int, int]]  # positions in the corpus, and words
Tile = tuple[list[int], list[int]]  # four words and four contexts
PURPOSES = ("subsampling", "window sizes", "noise", "word rows", "context rows", "order")


def stream(p: Any, purpose: str, *which: int) -> int:
    sequence = np.random.SeedSequence(p.seed, spawn_key=(PURPOSES.index(purpose), *(which or (0,))))
    return int(sequence.generate_state(1, np.uint64)[0])


def random_bits(key: int, n: int) -> int:
    """SplitMix64, as its authors write it."""
    x = (key + (n + 1) * 0x9E3779B97F4A7C15) % 2**64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % 2**64
    return x ^ (x >> 31)


def uniform(key: int, n: int) -> float:
    return (random_bits(key, n) >> 11) / 2**53


def below(key: int, n: int, bound: int) -> int:
    return ((random_bits(key, n) >> 32) * bound) >> 32


def shuffled(items: Any, key: int, start: int = 0) -> list[Any]:
    """Fisher and Yates."""
    mixed = list[Any](items)
    for k in range(len(mixed) - 1, 0, -1):
        other = below(key, start + k, k + 1)
        mixed[k], mixed[other] = mixed[other], mixed[k]
    return mixed


def random_rows(p: Any, V: int, purpose: str) -> Matrix:
    key = stream(p, purpose)
    return np.array([[(uniform(key, i * p.dim + d) - 0.5) / p.dim for d in range(p.dim)] for i in range(V)], "f4")


def keep_probability(p: Any, counts: Matrix) -> Matrix:
    """Subsampling: √(t/f) in the paper; word2vec adds t/f."""
    ratio = (p.subsample or np.inf) * counts.sum() / counts
    return np.asarray(np.minimum(1, np.sqrt(ratio) + (ratio if p.keep_rule == "word2vec" else 0)))


def subsample(p: Any, sentences: list[list[int]], keep: Matrix, draw: int) -> list[Sentence]:
    """Counts come from draw 0 of the corpus, and epoch e learns from draw e + 1."""
    key, start, kept = stream(p, "subsampling", draw), 0, []
    for sentence in sentences:
        numbered = enumerate(sentence, start)
        kept.append([(n, w) for n, w in numbered if keep[w] >= 1 or uniform(key, n) < keep[w]])
        start += len(sentence)
    return kept


def window(sentence: Sentence, i: int, size: int) -> list[tuple[int, int]]:
    """Contexts and their distances: to the left from near to far, then to the right."""
    places = [i - d for d in range(1, size + 1)] + [i + d for d in range(1, size + 1)]
    return [(sentence[j][1], abs(j - i)) for j in places if 0 <= j < len(sentence)]


def cooccurrences(p: Any, kept: list[Sentence], V: int) -> Matrix:
    M = np.zeros((V, V))
    for sentence in kept:
        for i, (_, w) in enumerate(sentence):
            for c, distance in window(sentence, i, p.window):
                M[w, c] += 1 / distance if p.window_kind == "harmonic" else 1
    return M


def PPMI(M: Matrix) -> Matrix:  # noqa: N802 (the paper's name)
    """Equation 1, with contexts to the power 3/4."""
    contexts = M.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = M / (M.sum(axis=1, keepdims=True) * contexts / contexts.sum())
        return np.where(ratio > 1, np.log(ratio), 0).astype("f4")


def sample(shares: Matrix, tiles: int, offset: float) -> Matrix:
    """As many entries as cumulative shares say: column a of the tiles has the a-th quarter of them, in order."""
    places = (np.arange(4 * tiles) + offset) * (shares[-1] / (4 * tiles))
    entries: Matrix = np.searchsorted(shares, places, side="right").clip(max=len(shares) - 1)
    return entries.reshape(4, tiles)


def noise_tiles(key: int, block: int, order: list[int], noise: Matrix, P_n: Matrix) -> list[Tile]:
    """Tiles of a block: each word gets as much noise, and each context is it as often, as expected."""
    n, shares = block << 35, np.cumsum(P_n)
    tiles = int(noise[-1] * shares[-1] / 16 + uniform(key, n)) if len(noise) and len(shares) else 0
    if not tiles:
        return []
    words = [[order[k] for k in row] for row in sample(noise, tiles, uniform(key, n + 1)).T]
    columns = sample(shares, tiles, uniform(key, n + 2)).tolist()
    contexts = zip(*(shuffled(column, key, n + (a << 32)) for a, column in enumerate(columns, 1)), strict=True)
    return [(w, list(c)) for w, c in zip(words, contexts, strict=True)]


def blocks_of_unit(p: Any, windows: list[list[list[int]]], P_n: Matrix, epoch: int, unit: int) -> dict[Any, Any]:
    """Pairs and tiles of each block: `windows` has the contexts of each token, by word."""
    blocks, V = {}, len(windows)
    for i in range(p.P):
        order = [i + p.P * k for k in shuffled(range(len(range(i, V, p.P))), stream(p, "order", epoch, unit), i << 32)]
        pairs = [(w, c) for w in order for contexts in windows[w] for c in contexts]
        drawn = [sum(map(len, windows[w])) if p.per_pair else len(windows[w]) for w in order]
        noise, key = p.negative * np.cumsum(drawn, dtype=float), stream(p, "noise", epoch, unit)
        for j in range(p.P):
            dealt = noise_tiles(key, i * p.P + j, order, noise, P_n[j :: p.P])
            tiles = [(w, [j + p.P * k for k in contexts]) for w, contexts in dealt]
            blocks[i, j] = [pair for pair in pairs if pair[1] % p.P == j], tiles
    return blocks


def steps_of_block(pairs: list[tuple[int, int]], tiles: list[Tile]) -> Iterator[tuple[list[int], list[int], bool]]:
    """Pairs in four quarters side by side, in step with the tiles. Rows that occur twice move pair by pair."""
    n, last = len(tiles) + 1, len(pairs)
    for t in range(n):
        for begin, end in [(last * a // 4, last * (a + 1) // 4) for a in range(4)]:
            for w, c in pairs[begin + (end - begin) * t // n : begin + (end - begin) * (t + 1) // n]:
                yield [w], [c], True
        for words, contexts in tiles[t : t + 1]:
            distinct = len(set(words)) == len(set(contexts)) == 4
            yield from [(words, contexts, False)] if distinct else [([w], [c], False) for w in words for c in contexts]


def train(p: Any, sentences: list[list[int]], V: int, trace: list[Any]) -> tuple[Matrix, Matrix]:
    """LexVec or SGNS (sections 2 and 3); `trace` gets the blocks of every unit."""
    counts = np.bincount(np.concatenate(sentences), minlength=V)
    keep, sgns = keep_probability(p, counts), p.name == "sgns"
    kept = subsample(p, sentences, keep, 0)
    M = PPMI(cooccurrences(p, kept, V)) if not sgns else None
    noise = counts if sgns else np.bincount([w for sentence in kept for _, w in sentence], minlength=V)
    P_n = noise**0.75 / (noise**0.75).sum()
    W, C = random_rows(p, V, "word rows"), np.zeros((V, p.dim), "f4") if sgns else random_rows(p, V, "context rows")
    span = 2 * min(p.window, max(map(len, sentences)))  # contexts of a token, at most
    most = span * (1 + p.negative) if p.per_pair else span + p.negative
    fitting = int(p.unit_pairs / ((counts * keep).sum() / counts.sum() * most))
    tokens = max(1, min(fitting, -(-int(counts.sum()) // 24)))  # in a unit of work
    units = -(-int(counts.sum()) // tokens)
    for epoch in range(p.epochs):
        windows: list[Any] = [[[] for _ in range(V)] for _ in range(units)]
        for sentence in subsample(p, sentences, keep, epoch + 1):
            for i, (n, w) in enumerate(sentence):
                size = 1 + below(stream(p, "window sizes", epoch + 1), n, p.window) if sgns else p.window
                windows[n // tokens][w].append([c for c, _ in window(sentence, i, size)])
        for unit in range(units):
            rate = p.learning_rate * max(1 - (epoch + unit / units) / p.epochs, 1e-4)
            blocks = blocks_of_unit(p, windows[unit], P_n, epoch, unit)
            trace.append(blocks)
            for i, j in [(i, (i + r) % p.P) for r in range(p.P) for i in range(p.P)]:
                for words, contexts, seen in steps_of_block(*blocks[i, j]):
                    old_W, old_C = W[words], C[contexts]
                    score = old_W @ old_C.T
                    error = 1 / (1 + np.exp(-score)) - seen if M is None else score - M[np.ix_(words, contexts)]
                    W[words] = old_W - np.float32(rate) * error @ old_C
                    C[contexts] = old_C - np.float32(rate) * error.T @ old_W
    return W, C


def train_glove(p: Any, sentences: list[list[int]], V: int) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """GloVe by AdaGrad: f(X) ½ (w·c + b + b̃ − log X)²."""
    X = cooccurrences(p, subsample(p, sentences, np.ones(V), 0), V).astype("f4")
    rows = [random_rows(p, V, "word rows"), random_rows(p, V, "context rows")]
    biases = [np.zeros(V, "f4"), np.zeros(V, "f4")]
    squares, bias_squares = [np.ones((V, p.dim), "f4") for _ in "WC"], [np.ones(V, "f4") for _ in "WC"]
    for epoch, r, i in [(epoch, r, i) for epoch in range(p.epochs) for r in range(p.P) for i in range(p.P)]:
        j = (i + r) % p.P
        cells = [(w, c) for w, c in zip(*X.nonzero(), strict=True) if (w % p.P, c % p.P) == (i, j)]
        for w, c in shuffled(cells, stream(p, "order", epoch, i, j)):
            f = min(1, (X[w, c] / p.x_max) ** p.beta)
            slope = f * (rows[0][w] @ rows[1][c] + biases[0][w] + biases[1][c] - np.log(X[w, c]))
            steps = p.learning_rate * slope * rows[1][c], p.learning_rate * slope * rows[0][w]
            for side, row in enumerate((w, c)):
                rows[side][row] -= steps[side] / np.sqrt(squares[side][row])
                squares[side][row] += steps[side] ** 2
                biases[side][row] -= p.bias_rate * slope / np.sqrt(bias_squares[side][row])
                bias_squares[side][row] += (p.bias_rate * slope) ** 2
    return rows[0], rows[1], biases[0], biases[1]
