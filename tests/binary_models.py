"""Binary files of other programs, written and read as plainly as their sources say: twins of the package's own code."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

MAGIC = 793712314
HEADER = 92  # bytes before the words of a fastText file


def fasttext_bytes(
    words: Sequence[bytes],
    matrix: npt.NDArray[np.float32] | bytes,
    *,
    ngrams: tuple[int, int, int] = (0, 0, 0),
    labels: Sequence[bytes] = (),
    version: int = 12,
    model: int = 2,
    pruned: Sequence[tuple[int, int]] | None = None,
    floret: tuple[int, int] | None = None,
    output: npt.NDArray[np.float32] | bytes | None = None,
    dim: int | None = None,
) -> bytes:
    """A file with a matrix of words and n-grams; matrices that are bytes are quantised ones."""
    dim = dim or matrix.shape[1]  # type: ignore[union-attr]
    buckets, min_n, max_n = ngrams
    out = struct.pack("<ii11i", MAGIC, version, dim, 5, 5, 1, 5, 1, 2, model, buckets, min_n, max_n)
    out += struct.pack("<ii", *floret) if floret else b""
    out += struct.pack("<id", 100, 1e-4)
    size = -1 if pruned is None else len(pruned)
    out += struct.pack("<iiiqq", len(words) + len(labels), len(words), len(labels), 1000, size)
    for kind, some in ((0, words), (1, labels)):
        for place, word in enumerate(some):
            out += word + b"\0" + struct.pack("<qb", 100 - place, kind)
    for pair in pruned or ():
        out += struct.pack("<ii", *pair)
    for each in (matrix, np.zeros((len(words), dim), np.float32) if output is None else output):
        if isinstance(each, bytes):
            out += b"\1" + each
        else:
            out += b"\0" + struct.pack("<qq", *each.shape) + each.astype("<f4").tobytes()
    return out


class Quantised(NamedTuple):
    """A quantised matrix as a file has it, and the rows that it stands for."""

    data: bytes
    rows: npt.NDArray[np.float32]


def quantised(rows: int, dim: int, dsub: int, *, norms: bool, seed: int = 1) -> Quantised:
    """A matrix of random codes."""
    random = np.random.default_rng(seed)
    pieces = -(-dim // dsub)
    last = dim - (pieces - 1) * dsub
    codes = random.integers(256, size=(rows, pieces), dtype=np.uint8)
    centroids = [random.normal(size=(256, last if piece == pieces - 1 else dsub)) for piece in range(pieces)]
    made = np.concatenate([centroids[piece][codes[:, piece]] for piece in range(pieces)], axis=1).astype(np.float32)
    flat = np.concatenate([each.reshape(-1) for each in centroids]).astype("<f4")
    data = struct.pack("<?qqi", norms, rows, dim, codes.size) + codes.tobytes()
    data += struct.pack("<iiii", dim, pieces, dsub, last) + flat.tobytes()
    if norms:
        chosen = random.integers(256, size=rows, dtype=np.uint8)
        lengths = random.uniform(1, 2, size=256).astype("<f4")
        data += chosen.tobytes() + struct.pack("<iiii", 1, 1, 1, 1) + lengths.tobytes()
        made = made * lengths[chosen][:, None]
    return Quantised(data, made)


def fasttext_buckets(word: bytes, buckets: int, min_n: int, max_n: int) -> list[int]:
    """fastText's n-grams: of characters, hashed by FNV-1a of signed bytes."""
    marked = b"<" + word + b">"
    edges = [place for place, byte in enumerate(marked) if byte & 0xC0 != 0x80] + [len(marked)]
    found = []
    for start in range(len(edges) - 1):
        for length in range(max(1, min_n), max_n + 1):
            if start + length >= len(edges) or (length == 1 and (start == 0 or start + 2 == len(edges))):
                continue
            hashed = 2166136261
            for byte in marked[edges[start] : edges[start + length]]:
                hashed = ((hashed ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
            found.append(hashed % buckets)
    return found


class GoModel(NamedTuple):
    """A model of the authors' program."""

    words: list[bytes]
    rows: list[tuple[float, ...]]
    min_n: int
    max_n: int

    def vector(self, word: bytes) -> list[float]:
        """What ``lexvec embed`` prints: the mean of the word's own row and of its n-grams' rows."""
        rows = [self.rows[self.words.index(word)]] if word in self.words else []
        marked = b"<" + word + b">"
        for start in range(len(marked)) if self.min_n else ():
            for length in range(self.min_n, self.max_n + 1):
                gram = marked[start : start + length]
                if len(gram) < length or gram == marked:
                    continue
                hashed = 2166136261
                for byte in gram:
                    hashed = ((hashed * 16777619) & 0xFFFFFFFF) ^ byte
                rows.append(self.rows[len(self.words) + hashed % (len(self.rows) - len(self.words))])
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)] if rows else [0.0] * len(self.rows[0])


def read_go(data: bytes) -> GoModel:
    """Read a ``.bin`` of the authors' program."""
    magic, version, count, total, dim, min_n, max_n = struct.unpack_from("<7I", data)
    assert (magic, version) == (0xBEA25956, 1)
    place, words = 28, []
    for _ in range(count):
        (length,) = struct.unpack_from("<I", data, place)
        words.append(data[place + 4 : place + 4 + length])
        place += 4 + length
    assert len(data) == place + 8 * total * dim
    rows = [struct.unpack_from(f"<{dim}d", data, place + 8 * dim * row) for row in range(total)]
    return GoModel(words, rows, min_n, max_n)
