"""Vectors in less space: fewer words, fewer dimensions, fewer bytes per number, in this order."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import Given, ParameterError
from ..parameters import Parameters, parameter
from ..progress import Progress
from .encodings import ENCODINGS, PLAIN

if TYPE_CHECKING:
    from .word_vectors import WordVectors

_ENCODINGS = "; ".join(f"{name}: {ENCODINGS[name].help}" for name in ENCODINGS.present)


class _Names(Collection[str]):
    """The names of all encodings, those of other packages too, looked up when a value is checked."""

    @property
    def present(self) -> list[str]:
        """The names that are known without looking at other packages."""
        return [PLAIN, *ENCODINGS.present]

    def __iter__(self) -> Iterator[str]:
        return iter((PLAIN, *ENCODINGS))

    def __len__(self) -> int:
        return 1 + len(ENCODINGS)

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


@dataclass(frozen=True, kw_only=True)
class Reduction(Parameters):
    """What to leave out of vectors.

    >>> Reduction(limit=60_000, encoding="pq")
    Reduction(limit=60000, encoding='pq')
    """

    limit: int | None = parameter(
        None, "Number of words to keep, the most frequent ones; the first ones if there are no counts.", minimum=1
    )
    dim: int | None = parameter(None, "Number of dimensions to keep, by principal components.", minimum=1)
    encoding: str | None = parameter(
        None,
        f"How a folder stores the numbers; as the input does if not given. {PLAIN}: 4 bytes per number; {_ENCODINGS}.",
        choices=_Names(),
    )
    size: int | None = parameter(
        None, "Bytes per word with the encoding pq; a sixth of the dimensions if not given.", minimum=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is not None and self.encoding is None:
            raise ParameterError(Given("size", self.size), " is for an encoding: add ", Given("encoding", "pq"))

    def apply(self, vectors: "WordVectors", progress: Progress) -> "WordVectors":
        """Return smaller vectors."""
        if self.limit is not None:
            vectors = vectors.limit(self.limit)
        if self.dim is not None:
            vectors = vectors.reduced(self.dim)
        if self.encoding is not None:
            vectors = vectors.encoded(self.encoding, size=self.size, progress=progress)
        return vectors
