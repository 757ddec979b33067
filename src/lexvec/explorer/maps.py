"""Maps of the most frequent words, the labels that colour them, and the nearest words of many words at once.

A plane is there at once, and a layout that preserves neighbours takes minutes. `WordVectors.neighbors` judges ties in
double precision, one query at a time. For tens of thousands of queries `nearest_rows` does the same in single
precision, so words whose cosines agree to six digits may change places.
"""

import hashlib
import importlib.util
import io
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError, InputError
from ..storage.bounded import numbered_lines
from ..storage.files import cache_folder, opened
from ..storage.outputs import replacing
from ..vectors import WordVectors
from ..vectors.geometry import first_two

MOST_WORDS = 50_000
NEEDS = "pip install 'lexvec[explore]'"
MOST_KINDS = 8  # that have a colour of their own; the others share one
OTHER = "other"
_SEED = 1
_NEAREST = 15  # neighbours of each word that the layout is computed from
_JUDGED = 10  # neighbours of each sampled word that judge the layout
_SAMPLE = 500  # words, drawn at random, whose neighbours judge the layout
_LEAST = 50  # words for which a layout is worth its time
_VERSION = 1  # of the layout: the cache does not return one of another version
_COSINES = 1 << 24  # that are held at once: 64 MB
_CHUNK = 64  # columns whose largest cosine is compared first
Singles = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Layout:
    """Where the first words are on a map, from 0 to 65,535 each way, and how much of their neighbourhood it keeps."""

    name: str
    points: npt.NDArray[np.uint16]
    #: The share of the ten nearest words (by cosine, among the words of the map) that are also nearest on the map.
    preserved: float


class Mapped:
    """The words of a model that are on the map: the first, which files order by frequency."""

    def __init__(self, vectors: WordVectors, most: int = MOST_WORDS) -> None:
        if len(vectors) < 3:
            raise InputError("a map needs at least three words: give a model with more")
        self.words = vectors.words[:most]
        self.units = single_units(vectors.matrix[:most])
        if not np.isfinite(self.units).all():
            raise InputError("the vectors hold NaN or infinity: mend the file")

    def plane(self) -> Layout:
        """Return the plane of the two directions in which the words differ most."""
        centred = self.units - self.units.mean(axis=0)
        _, directions = np.linalg.eigh(np.asarray(centred.T @ centred, np.float64))
        signed = first_two(directions.T[::-1])
        return self._layout("pca", np.asarray(centred @ signed.T.astype(np.float32), np.float64))

    def neighbour_layout(self) -> Layout:
        """Return the layout that keeps neighbours together, from the cache if it was computed before."""
        file = cache_folder("maps") / f"{self._checksum()}.npy"
        points = _cached(file, len(self.units))
        if points is None:
            points = _umap(self.units)
            try:
                with replacing(file) as out:
                    np.save(out, points, allow_pickle=False)
            except (ArtefactError, OSError):  # a cache that cannot be written is no reason to show no map
                pass
        return self._layout("umap", points)

    def _checksum(self) -> str:
        about = f"lexvec map {_VERSION} {self.units.shape} {_NEAREST} {_SEED}"
        digest = hashlib.sha256(about.encode())
        digest.update(np.ascontiguousarray(self.units).view(np.uint8).data)
        return digest.hexdigest()

    def _layout(self, name: str, points: npt.NDArray[np.floating]) -> Layout:
        low, high = points.min(axis=0), points.max(axis=0)
        # Both axes share one scale, so that distances can be compared.
        scale = 65_535 / max(float((high - low).max()), 1e-12)
        middle = (low + high) / 2
        placed = np.clip(np.rint((points - middle) * scale + 32_767.5), 0, 65_535).astype(np.uint16)
        return Layout(name, placed, self._preserved(points))

    def _preserved(self, points: npt.NDArray[np.floating]) -> float:
        from scipy.spatial import cKDTree

        total, count = len(points), min(_JUDGED, len(points) - 1)
        sample = np.random.default_rng(_SEED).choice(total, min(_SAMPLE, total), replace=False)
        near = nearest_rows(self.units, sample, count).rows
        shown = np.asarray(cKDTree(points).query(points[sample], count + 1)[1])
        kept = [
            len(set(one.tolist()) & set([row for row in other.tolist() if row != own][:count]))
            for one, other, own in zip(near, shown, sample.tolist(), strict=True)
        ]
        return float(np.mean(kept)) / count


def layouts(words: int) -> list[str]:
    """Return the layouts that a map of this number of words can have; "umap" needs umap-learn and enough words."""
    return ["pca", "umap"] if words >= _LEAST and importlib.util.find_spec("umap") else ["pca"]


@dataclass(frozen=True)
class Labels:
    """The label of each word, by its number in ``kinds``; 255 for words without one."""

    kinds: list[str]
    by_word: dict[str, int]

    @classmethod
    def read(cls, path: Path) -> "Labels":
        """Read a file; of a word that occurs twice the first label counts."""
        found: dict[str, str] = {}
        with opened(path) as file:
            for number, line in numbered_lines(file.stream, file.name):
                try:
                    text = line.decode("utf-8").rstrip("\r\n")
                except UnicodeDecodeError:
                    raise InputError(f"{path}, line {number} is not UTF-8: convert the file first") from None
                if not text.strip():
                    continue
                word, tab, label = text.partition("\t")
                if not (tab and word and label.strip()):
                    raise InputError(f"{path}, line {number}: write a word, a tab and its label")
                found.setdefault(word, label.strip())
        if not found:
            raise InputError(f"{path} has no labels: write a word, a tab and its label on each line")
        kinds = [kind for kind, _ in Counter(found.values()).most_common()]
        if len(kinds) > MOST_KINDS:
            kinds = [*kinds[: MOST_KINDS - 1], OTHER]
        places = {kind: place for place, kind in enumerate(kinds)}
        return cls(kinds, {word: places.get(kind, len(kinds) - 1) for word, kind in found.items()})

    def of(self, words: Sequence[str]) -> bytes:
        """Return a byte per word: the number of its label, or 255."""
        return bytes(self.by_word.get(word, 255) for word in words)


class Neighbourhoods(NamedTuple):
    """For each query its nearest rows, best first, and their cosines."""

    rows: Rows
    cosines: Singles


def nearest_rows(units: Singles, queries: npt.NDArray[np.integer], count: int) -> Neighbourhoods:
    """Return the ``count`` rows nearest to each query, which is a row too and is left out of its own list."""
    count = min(count, len(units) - 1)
    found = Neighbourhoods(np.empty((len(queries), count), np.int32), np.empty((len(queries), count), np.float32))
    step = max(1, _COSINES // max(1, len(units)))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        cosines = units[some] @ units.T
        cosines[np.arange(len(some)), some] = -np.inf
        for place, candidates in enumerate(_candidates(cosines, count)):
            order = np.argsort(-cosines[place, candidates], kind="stable")[:count]
            found.rows[start + place] = candidates[order]
            found.cosines[start + place] = cosines[place, candidates[order]]
    return found


def single_units(matrix: Singles) -> Singles:
    """Return rows of length 1 in single precision; zero rows stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64, casting="safe"))
    lengths[lengths == 0] = 1
    return np.asarray(matrix / lengths[:, None], np.float32)


def _umap(units: Singles) -> npt.NDArray[np.float32]:
    """Return UMAP's layout of our exact neighbours, from a fixed seed."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # it warns that a seed means one thread, and about its own search, which we do not use
        from umap import UMAP

        count = min(_NEAREST, len(units) - 1)
        near = nearest_rows(units, np.arange(len(units)), count)
        own = np.arange(len(units), dtype=np.int32)[:, None]
        rows = np.concatenate([own, near.rows], axis=1)
        distances = np.concatenate([np.zeros((len(units), 1), np.float32), np.maximum(1 - near.cosines, 0)], axis=1)
        layout = UMAP(
            n_neighbors=count + 1,
            metric="cosine",
            min_dist=0.05,
            random_state=_SEED,
            init="pca",
            precomputed_knn=(rows, distances.astype(np.float32), None),
        )
        return np.asarray(layout.fit_transform(units), np.float32)


def _cached(file: Path, length: int) -> npt.NDArray[np.float32] | None:
    try:
        points = np.load(io.BytesIO(file.read_bytes()), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    if points.shape != (length, 2) or points.dtype != np.float32 or not np.isfinite(points).all():
        return None
    return np.asarray(points)


def _candidates(cosines: Singles, count: int) -> list[npt.NDArray[np.intp]]:
    """Return, for each row of cosines, the columns that are not below the ``count`` best chunks' largest values.

    At least ``count`` columns reach the smallest of these values, so the best are among the candidates.
    """
    chunks = cosines.shape[1] // _CHUNK
    if chunks < 2 * count:
        best = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        worst = np.take_along_axis(cosines, best, 1).min(axis=1)
    else:
        whole = cosines[:, : chunks * _CHUNK].reshape(len(cosines), chunks, _CHUNK).max(axis=2)
        worst = -np.partition(-whole, count - 1, axis=1)[:, count - 1]
    reached = np.flatnonzero(cosines >= worst[:, None])
    places, columns = np.divmod(reached, cosines.shape[1])
    return np.split(columns, np.searchsorted(places, np.arange(1, len(cosines))))
