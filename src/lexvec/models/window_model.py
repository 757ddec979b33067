"""What models that learn from windows and noise share: LexVec and SGNS."""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

from ..composition import Composition, SubwordMean
from ..engine.composed_rows import ComposedRows
from ..engine.losses import Loss
from ..engine.rows import Begin, Rows, plain_rows
from ..engine.schedule import Schedule
from ..engine.sources import WindowSizes
from ..engine.sources.windows import MOST_UNIT_PAIRS
from ..errors import Given, InputError, ParameterError
from ..parameters import Search, parameter
from ..storage.meta import file_record
from ..subwords.schemes import ListedParts
from ..vocabulary import Vocabulary
from .footprint import SideRows, Sizes
from .stepwise import StepwiseModel
from .subword_parameters import NGRAMS, NONE, SubwordParameters
from .training import Task, Workplace

_FEW_WORDS = 1 << 16
_NGRAM_BYTES = 400  # per word: the rows of some thirty n-grams, twice


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

    unit_pairs: int | None = parameter(
        None,
        "Approximate number of pairs that are drawn and learned from at once. It decides the order of steps, and so "
        "the exact result. With more, each row and each cell of a matrix on disk is read less often, and pairs take "
        "more memory. Default: 8,388,608, or 128 per word for more than 65,536 words; 16 per word with subwords. An "
        "epoch has 24 such units or more.",
        minimum=1 << 10,
        maximum=MOST_UNIT_PAIRS,
    )

    def _check(self) -> None:
        super()._check()
        self._check_subwords()

    def _check_distributable(self) -> None:
        if self.subwords != NONE:
            raise ParameterError(
                Given("subwords", self.subwords),
                ": all words share these rows, which workers cannot; train without them",
            )

    def _compose(self, vocabulary: Vocabulary, place: Workplace) -> Composition:
        """Return how words' vectors are composed, and report words without subwords."""
        if self.subwords not in (NONE, NGRAMS):
            place.pin("file of subwords", file_record(Path(self.subwords))["sha256"])
        composition = self.composition_of(vocabulary)
        if isinstance(composition, SubwordMean) and isinstance(composition.scheme, ListedParts):
            missing = sum(word not in composition.scheme.parts for word in vocabulary.words)
            if missing == len(vocabulary):
                raise InputError(
                    f"{self.subwords} lists none of the {missing:,} words of the vocabulary: check its words, which "
                    "must be normalised as those of the corpus"
                )
            place.progress.note(f"{missing:,} of {len(vocabulary):,} words are not in {self.subwords}: no subwords")
        return composition

    @property
    def _shares_noise(self) -> bool:
        return self.noise != "independent"

    def _parts_for(self, words: int) -> int:
        """Return the number of parts; with subwords units of work are short, and blocks would be too small."""
        if self.parts or self.subwords == NONE:
            return super()._parts_for(words)
        return 4 if words <= _FEW_WORDS else 8

    def _order(self, words: int) -> dict[str, int]:
        """Return the number of pairs of a unit, too."""
        return super()._order(words) | {"unit_pairs": self._pairs_at_once(words)}

    def _pairs_at_once(self, words: int) -> int:
        """Return how many pairs a unit of work has."""
        return self.unit_pairs or self._unit_pairs(words)

    def _word_rows(self, task: Task, begin: Begin, loss: Loss) -> Rows:
        """Return the rows of the words' side; without subwords only those of the parts that this process has."""
        composition, parts = task.composition, task.parts
        if not isinstance(composition, SubwordMean):
            return plain_rows(parts, composition.rows, self.dim, begin, task.own, task.files("words"))
        shared, bounded = self.subword_gradient == "shared", loss.bounded
        return ComposedRows(parts, *composition.input_rows(), composition.rows, self.dim, begin, shared, bounded)

    @abstractmethod
    def _window_sizes(self, words: int, longest_sentence: int) -> WindowSizes:
        """Return how many pairs windows give."""

    def _side_rows(self, sizes: Sizes) -> SideRows:
        """Return the rows of both sides; words that are composed also have vectors now and before a unit."""
        if self.subwords == NONE:
            return SideRows(self.dim, sizes.words, sizes.contexts)
        inputs = sizes.input_rows or self._most_input_rows(sizes.words)
        return SideRows(self.dim, inputs + 2 * sizes.words, sizes.contexts, _NGRAM_BYTES * sizes.words)

    @property
    def schedule(self) -> Schedule:
        """A learning rate that falls linearly."""
        return Schedule(self.epochs, self.learning_rate, decays=True)
