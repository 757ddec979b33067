"""Parameters that proved good for a purpose, by the size of the corpus: ``lexvec train --preset``.

Each preset is a TOML file in ``presets/`` with settings for corpora of up to so many tokens, the smallest first.
"""

import math
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ..corpus import Corpus
from ..corpus.inputs import text_inputs
from ..corpus.source import CorpusSource
from ..errors import Given, InputError, ParameterError, did_you_mean
from ..storage.files import STDIN, opened
from ..trained import Combine
from .base import MODELS, Model

_FOLDER = resources.files(__package__) / "presets"
_BYTES_PER_TOKEN = 6  # of English text
_COMPRESSION = 3  # what compressed text unpacks to, about

#: Presets that come with the package.
TRAINING_PRESETS = tuple(sorted(entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir()))


@dataclass(frozen=True)
class TrainingPreset:
    """A model and its parameters, for a purpose and a size of corpus.

    >>> preset = TrainingPreset.load("good-similarity", tokens=17_000_000)
    >>> preset.new_model(dim=100).dim, preset.combine
    (100, 'sum')
    """

    name: str
    #: The most tokens that it is meant for.
    tokens: float
    #: Name of the model.
    model: str
    #: Parameters of the model that are not at their defaults.
    parameters: dict[str, Any]
    #: The vectors that are good for the purpose.
    combine: Combine
    #: How often words must occur, if the corpus is text.
    min_count: int

    @classmethod
    def load(cls, name: str, tokens: float) -> "TrainingPreset":
        """Return the settings of a preset for a corpus with so many tokens."""
        if name not in TRAINING_PRESETS:
            advice = did_you_mean(name, TRAINING_PRESETS) or f"choose one of {', '.join(TRAINING_PRESETS)}"
            raise ParameterError(Given("preset", name), f": {advice}")
        sizes = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["sizes"]
        found = next(size for size in sizes if tokens <= size.get("tokens", math.inf))
        return cls(name, **{"tokens": math.inf, **found})

    def min_count_for(self, corpus: Any) -> int | None:
        """Return how often words of a text must occur; None for a corpus that is encoded already."""
        return None if CorpusSource(corpus).corpus_path else self.min_count

    def new_model(self, **changes: Any) -> Model:
        """Return the model, not fitted yet, with other values of some parameters."""
        return MODELS[self.model].of({**self.parameters, **changes})


def approximate_tokens(corpus: Any) -> float:
    """Return how many tokens an encoded corpus has, or about how many a text has, by its size on disk."""
    source = CorpusSource(corpus)
    source.check_corpus()
    if source.corpus_path:
        return float(Corpus.ensure(corpus).meta["facts"]["tokens"])
    if corpus == STDIN:
        raise InputError("a preset needs the size of the corpus: encode standard input with lexvec corpus first")
    return sum(_unpacked_bytes(given.items) for given in text_inputs(corpus)) / _BYTES_PER_TOKEN


def _unpacked_bytes(path: Path) -> float:
    with opened(path) as reader:
        return reader.size or _COMPRESSION * path.stat().st_size
