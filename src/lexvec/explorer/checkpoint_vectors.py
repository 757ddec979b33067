"""The vectors of words in a checkpoint: what `WordVectors.load` gives of a finished model, while it trains."""

from functools import cached_property
from pathlib import Path

from ..composition import Composition, OwnRow
from ..contexts import Contexts, recorded_contexts
from ..corpus import Corpus
from ..models import MODELS
from ..models.checkpoints import Checkpoint, saved_rows
from ..models.run import RunFolder, Start
from ..models.subword_parameters import SubwordParameters
from ..storage.meta import read_meta
from ..trained import Combine, Trained
from ..vectors import WordVectors
from ..vocabulary import Vocabulary


class CheckpointVectors:
    """Reads the checkpoints of one run; what all of them share (words, subwords, contexts) is read once."""

    def __init__(self, run: RunFolder, start: Start, combine: Combine) -> None:
        self._run, self._start, self._combine = run, start, combine

    def read(self, checkpoint: Checkpoint) -> WordVectors:
        """Return the vectors of a checkpoint, in memory: training removes its files."""
        W = saved_rows(checkpoint, "words", self._composition.rows)
        C = saved_rows(checkpoint, "contexts", len(self._contexts)) if self._combine != "word" else W[:0]
        trained = Trained(W, C, self._vocabulary, self._contexts, self._composition, self._corpus.normalisation)
        return WordVectors.of_rows(trained.rows(self._combine))

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.load(self._start.corpus or self._run.path / "corpus")

    @property
    def _vocabulary(self) -> Vocabulary:
        return self._corpus.vocabulary

    @cached_property
    def _composition(self) -> Composition:
        model = MODELS[self._start.model].of(self._start.parameters)
        if isinstance(model, SubwordParameters):
            return model.composition_of(self._vocabulary)
        return OwnRow(self._vocabulary.words)

    @cached_property
    def _contexts(self) -> Contexts:
        given = self._start.parameters
        made = {"context_kind": given.get("contexts", "words"), "context_reach": given.get("window", 0)}
        facts = read_meta(Path(self._start.matrix))["facts"] if self._start.matrix else made
        return recorded_contexts(facts, self._vocabulary, self._run.path)
