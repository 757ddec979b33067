"""What models that learn from windows and noise share: LexVec and SGNS. Their words may have subwords."""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

from ..composition import Composition, OwnRow, SubwordMean
from ..engine.composed_rows import ComposedRows
from ..engine.losses import Loss
from ..engine.rows import Begin, Rows, plain_rows
from ..engine.schedule import Schedule
from ..engine.sources import WindowSizes
from ..engine.sources.windows import MOST_UNIT_PAIRS, UNIT_PAIRS, default_unit_pairs
from ..errors import Given, InputError, ParameterError
from ..parameters import Parameters, Search, parameter
from ..storage.meta import file_record
from ..subwords import SCHEMES, NgramScheme, Scheme
from ..subwords.schemes import LONGEST_NGRAM, MOST_BUCKETS, ListedParts, read_parts
from ..vocabulary import Vocabulary
from .footprint import SideRows, Sizes
from .stepwise import StepwiseModel
from .training import Task, Workplace

NONE, NGRAMS = "none", "ngrams"

#: Words that share rows learn of one another between units, so units are short: about so many pairs per word …
_PAIRS_PER_WORD = 16
#: … but at least so many, or starting a unit would cost more than its pairs.
_LEAST_PAIRS = 1 << 16


@dataclass(kw_only=True, eq=False)
class SubwordParameters(Parameters):
    """What words' vectors are composed of."""

    subwords: str = parameter(
        NONE,
        "What a word's vector is composed of beside a row of its own. none: nothing; ngrams: its character n-grams; or "
        'the name of a file with lines "word part part …", which lists parts such as morphemes.',
        file_unless=(NONE, NGRAMS),
        search=Search(values=(NONE, NGRAMS), costly=True),
    )
    subword_scheme: str = parameter(
        "fasttext",
        "Which n-grams a word has and how they are hashed. fasttext: characters, as fastText; lexvec: bytes, as the "
        "authors' program; floret: as fastText, but words have no rows of their own, only rows of a small table.",
        choices=SCHEMES,
    )
    min_n: int = parameter(
        3, "Length of the shortest n-grams, with the marks of a word's ends.", minimum=1, maximum=LONGEST_NGRAM
    )
    max_n: int = parameter(6, "Length of the longest n-grams.", minimum=1, maximum=LONGEST_NGRAM)
    buckets: int | None = parameter(
        None,
        "Number of rows that n-grams are hashed to; 2,000,000 if not given, or 50,000 with floret. Only rows that the "
        "vocabulary uses are kept.",
        minimum=1, maximum=MOST_BUCKETS,
    )  # fmt: skip
    hash_count: int = parameter(
        2, "Number of rows per n-gram and word with subword_scheme floret.", minimum=1, maximum=4
    )
    subword_gradient: str = parameter(
        "full",
        "What each of the n rows of a word gets of its gradient. full: all of it, as in fastText; shared: one n-th, as "
        "in the authors' program.",
        choices=("full", "shared"),
    )

    def _check_subwords(self) -> None:
        """Raise if the parameters do not go together."""
        if self.subwords == NONE:
            return
        if self.min_n > self.max_n:
            raise ParameterError(
                Given("min_n", self.min_n), " is larger than ", Given("max_n", self.max_n), ": use a smaller one"
            )
        if self.subwords == NGRAMS:
            return
        if not SCHEMES[self.subword_scheme].has_word_rows:
            raise ParameterError(
                Given("subword_scheme", self.subword_scheme),
                " has no rows for words: use fasttext or lexvec with a file of subwords",
            )
        if not _is_file(self.subwords):
            raise ParameterError(
                Given("subwords", self.subwords),
                ": there is no such file; use none, ngrams, or a file with parts of words",
            )

    def _scheme(self) -> NgramScheme:
        scheme = SCHEMES[self.subword_scheme]
        given = {} if self.buckets is None else {"buckets": self.buckets}
        hashes = {} if scheme.has_word_rows else {"hash_count": self.hash_count}
        return scheme(self.min_n, self.max_n, **given, **hashes)

    def composition_of(self, vocabulary: Vocabulary) -> Composition:
        """Return how the vectors of a vocabulary are composed."""
        if self.subwords == NONE:
            return OwnRow(vocabulary.words)
        scheme: Scheme = self._scheme()
        if self.subwords != NGRAMS:
            scheme = ListedParts(read_parts(self.subwords), self._scheme())
        return SubwordMean.for_words(vocabulary.words, scheme)

    def input_rows(self, vocabulary: Vocabulary) -> int:
        """Return how many rows the vectors of a vocabulary are composed of."""
        return self.composition_of(vocabulary).rows

    def _unit_pairs(self, words: int) -> int:
        """Return how many pairs to draw at once; a function of the vocabulary and parameters only."""
        if self.subwords == NONE:
            return default_unit_pairs(words)
        return min(max(_PAIRS_PER_WORD * words, _LEAST_PAIRS), UNIT_PAIRS)

    def _most_input_rows(self, words: int) -> int:
        """Return how many input rows words can have at most."""
        scheme = self._scheme()
        return scheme.buckets + (words if scheme.has_word_rows else 0)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # such as a name that is too long
        return False


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
