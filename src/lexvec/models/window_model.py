"""What models that learn from windows and noise share: LexVec and SGNS."""

from dataclasses import dataclass
from pathlib import Path

from ..composition import Composition, SubwordMean
from ..engine.schedule import Schedule
from ..errors import InputError
from ..parameters import Search, parameter
from ..storage.checksums import file_record
from ..subwords.listed import ListedParts
from ..vocabulary import Vocabulary
from .base import StepwiseModel
from .fit import Fit
from .subword_parameters import NGRAMS, NONE, SubwordParameters

_FEW_WORDS = 1 << 16


@dataclass(kw_only=True, eq=False)
class WindowModel(SubwordParameters, StepwiseModel):
    """Base of the models whose pairs come from windows, with noise drawn beside them."""

    negative: int = parameter(
        5, "Number of noise contexts per pair (the paper's k).", minimum=0, maximum=10_000, search=Search(1, 15)
    )
    noise: str | None = parameter(
        None,
        "shared (default): four words at a time meet the same four noise contexts, which is faster; independent: draw "
        "noise for each word alone, as in the paper.",
        choices=("shared", "independent"),
    )
    noise_power: float = parameter(
        0.75,
        "Power to which the counts behind the noise distribution are raised.",
        minimum=0,
        maximum=5,
        search=Search(0.25, 1.0, step=0.05),
    )

    def _check(self) -> None:
        super()._check()
        self._check_subwords()

    def _compose(self, fit: Fit, vocabulary: Vocabulary) -> Composition:
        """Return how words' vectors are composed, and report words without subwords."""
        if self.subwords not in (NONE, NGRAMS):
            fit.pin("file of subwords", file_record(Path(self.subwords))["sha256"])
        composition = self.composition_ = self._composition(vocabulary)
        if isinstance(composition, SubwordMean) and isinstance(composition.scheme, ListedParts):
            missing = sum(word not in composition.scheme.parts for word in vocabulary.words)
            if missing == len(vocabulary):
                raise InputError(
                    f"{self.subwords} lists none of the {missing:,} words of the vocabulary: check its words, which "
                    "must be normalised as those of the corpus"
                )
            fit.progress.note(f"{missing:,} of {len(vocabulary):,} words are not in {self.subwords}: no subwords")
        return composition

    @property
    def _shares_noise(self) -> bool:
        return self.noise != "independent"

    def _parts(self, words: int) -> int:
        """Return the number of parts; with subwords units of work are short, and blocks would be too small."""
        if self.parts or self.subwords == NONE:
            return super()._parts(words)
        return 4 if words <= _FEW_WORDS else 8

    @property
    def schedule(self) -> Schedule:
        """A learning rate that falls linearly."""
        return Schedule(self.epochs, self.learning_rate, decays=True)
