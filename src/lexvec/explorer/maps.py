"""Maps of the most frequent words: a plane that is there at once, and a layout that preserves neighbours."""

import hashlib
import importlib.util
import io
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError, InputError
from ..storage.files import cache_folder
from ..storage.outputs import replacing
from ..vectors import WordVectors
from ..vectors.geometry import first_two
from .neighbourhoods import Singles, nearest_rows, single_units

MOST_WORDS = 50_000
_SEED = 1
_NEAREST = 15  # neighbours that the layout is made from, and
_JUDGED = 10  # those by which it is judged, for
_SAMPLE = 500  # words, drawn at random
_LEAST = 50  # words for which a layout is worth its time
_VERSION = 1  # of the layout: another one is not found in the cache

NEEDS = "pip install 'lexvec[explore]'"


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
    """Return the layouts that a map of so many words may have; "umap" needs umap-learn, and words enough to lay out."""
    return ["pca", "umap"] if words >= _LEAST and importlib.util.find_spec("umap") else ["pca"]


def _umap(units: Singles) -> npt.NDArray[np.float32]:
    """Return UMAP's layout of our exact neighbours, from a fixed seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that a seed means one thread, and of a search that is not wanted
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
