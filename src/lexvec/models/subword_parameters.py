"""Parameters of subwords, and what follows from them: how words' vectors are composed, and the rows to learn."""

from dataclasses import dataclass
from pathlib import Path

from ..composition import Composition, OwnRow, SubwordMean
from ..engine.sources.windows import UNIT_PAIRS, default_unit_pairs
from ..errors import Given, ParameterError
from ..parameters import Parameters, Search, parameter
from ..subwords import SCHEMES, NgramScheme, Scheme
from ..subwords.schemes import LONGEST_NGRAM, MOST_BUCKETS, ListedParts, read_parts
from ..vocabulary import Vocabulary

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
