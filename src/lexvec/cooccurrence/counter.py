"""Corpus → co-occurrence counts.

The corpus is counted in chunks that fit into ``memory``. One chunk goes straight to the artefact; several are spilled
to disk and merged. All sums are of whole numbers, so the result is the same, bit for bit, for any memory and any number
of threads.
"""

import logging
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..contexts import CONTEXT_KINDS, PositionalContexts, WordContexts
from ..corpus import Corpus, CorpusBuilder
from ..corpus.source import CorpusSource
from ..draws import WindowParameters, stream_key
from ..errors import Given, ParameterError
from ..kernels.counting import Window
from ..kernels.windows import TokenDraws
from ..machine import total_memory
from ..parameters import Search, bytes_of, memory_parameter, parameter, seed_parameter, threads_parameter
from ..progress import Progress, ProgressLike, Silent, Stage, resolved
from ..progress.meter import amount
from ..sparse import SparseWriter
from ..storage.artefact import ArtefactWriter
from ..threads import Threads, running
from ..vocabulary import FILE
from .chunks import BLOCK_CELLS, MAX_CHUNK, Chunk, CountedRows, empty_row
from .counts import Cooccurrence
from .spill import Spill, merged, reduced

_log = logging.getLogger(__name__)

_MIN_CHUNK = 1 << 16
_MAX_FAN_IN = 32  # spills read at once, two files each: far below any system's limit of open files
_CELL_BYTES = 12


#: Tokens of the corpus, from one number up to another.
Stretch = tuple[int, int]


class Elsewhere(Protocol):
    """Other processes that count."""

    @property
    def shares(self) -> int:
        """How many stretches the corpus should be cut into, at least."""

    def count(
        self, counter: "CooccurrenceCounter", corpus: Corpus, stretches: list[tuple[Stretch, Path]], stage: Stage
    ) -> None:
        """Have `CooccurrenceCounter.count_stretch` called for each stretch, with the path beside it."""


@dataclass(kw_only=True, eq=False)
class CountingParameters(WindowParameters):
    """How co-occurrences are counted; whatever learns from counts inherits these."""

    window_kind: str = parameter(
        "fixed",
        "fixed: each context counts 1; random: the window's size is drawn from 1..window for each token (as in SGNS); "
        "harmonic: a context at distance d counts 1/d (as in GloVe).",
        choices=("fixed", "random", "harmonic"),
    )
    contexts: str = parameter(
        WordContexts.kind,
        "words: a context is a word; positional: a context is a word at an offset, such as dog_1 for dog as next word.",
        choices=CONTEXT_KINDS,
        # There are two contexts per word and unit of the window, each with a row: a wide window would cost too much.
        search=Search(values=(WordContexts.kind, PositionalContexts.kind), when={"window": (1, 2, 3)}),
    )
    seed: int = seed_parameter()
    memory: str | int | None = memory_parameter()
    threads: int | None = threads_parameter()


@dataclass(kw_only=True, eq=False)
class CooccurrenceCounter(CountingParameters):
    """Counts how often words co-occur within a window; the defaults are those of the paper's PPMI* matrix.

    >>> from lexvec import CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=1, subsample=0).count(corpus)
    >>> counts.vocabulary.words, counts.matrix.toarray().tolist()
    (['a', 'b', 'c'], [[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    """

    def count(
        self,
        corpus: Any,
        output: Any = None,
        *,
        builder: CorpusBuilder | None = None,
        force: bool = False,
        progress: ProgressLike = None,
        threads: Threads | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> Cooccurrence:
        """Count a `Corpus`, the one in a folder, or text that ``builder`` encodes first.

        ``output`` is the folder to make (None: a temporary one). The result is the same for any ``memory`` and any
        number of threads. ``threads`` are those of a caller that has some already. Text is encoded into a folder that
        is removed when it has been counted; to keep it, encode it with `CorpusBuilder.build`. With ``elsewhere``,
        other processes count stretches of the corpus, and this one adds them up.

        >>> counter = CooccurrenceCounter(window=1, subsample=0)
        >>> counts = counter.count(["The cat sat."] * 100, builder=CorpusBuilder(min_count=100))
        >>> counts.top_contexts("cat")
        [('sat', 100), ('the', 100)]
        """
        reported = resolved(progress, __name__)
        source = CorpusSource(corpus, builder)
        source.check_corpus()
        paths = [path for path in (source.corpus_path, source.text_path) if path]
        with (
            running(threads, self.threads) as pool,
            ArtefactWriter(output, Cooccurrence.kind, force=force, inputs=paths) as out,
        ):
            encoded = source.build(out.scratch / "corpus", reported, pool)
            return _Counting(self, encoded, pool, reported, elsewhere).run(out)

    def least_memory(self, *, words: int, contexts: int, tokens: int, threads: int) -> int:
        """Return how many bytes of memory counting needs at least."""
        fixed, per_token = self._needs(words, contexts, threads)
        return fixed + per_token * min(_MIN_CHUNK, tokens)

    def _needs(self, words: int, contexts: int, threads: int) -> tuple[int, int]:
        """Return the bytes that counting needs for any number of tokens, and those for each token of a chunk."""
        in_flight = threads * 2 * _CELL_BYTES * 2 * max(BLOCK_CELLS, contexts)
        return 8 * words + threads * 17 * contexts + in_flight, 16 if self.window_kind == "random" else 12

    def count_stretch(self, corpus: Corpus, stretch: Stretch, *, path: Path, threads: Threads) -> None:
        """Count some tokens into files that another process takes over; called through ``elsewhere``."""
        _Counting(self, corpus, threads, Silent()).hand_over(stretch, path)


class _Plan(NamedTuple):
    """How the work is cut up."""

    tokens: int  # to count at once
    fan_in: int  # spills to merge at once
    denominator: int  # of the weights; the only one of these that the result could depend on


class _Counting:
    """One corpus being counted."""

    def __init__(
        self,
        parameters: CooccurrenceCounter,
        corpus: Corpus,
        threads: Threads,
        progress: Progress,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._parameters, self._corpus, self._threads, self._progress = parameters, corpus, threads, progress
        self._elsewhere = elsewhere
        # No window reaches beyond its sentence.
        self._widest = min(parameters.window, corpus.longest_sentence)
        self._harmonic = parameters.window_kind == "harmonic"
        self._contexts = CONTEXT_KINDS[parameters.contexts](corpus.vocabulary, self._widest)
        if len(self._contexts) >= 2**31:
            raise ParameterError(
                Given("window", parameters.window),
                f" gives {len(self._contexts):,} contexts, more than 2³¹; use a smaller window or a larger min_count",
            )
        self._axis = self._contexts.axis()
        self._plan = self._planned()
        self._states = [empty_row(len(self._contexts)) for _ in range(threads.count)]
        self._kept = np.zeros(len(corpus.vocabulary), np.int64)

    def run(self, out: ArtefactWriter) -> Cooccurrence:
        totals = self._write(out, self._rows(out.scratch))
        columns = np.sum([state.columns for state in self._states], axis=0)
        made = self._finish(out, totals, columns)
        if not totals.any():
            kept, tokens = int(self._kept.sum()), self._corpus.tokens
            reason = (
                "no sentence has two words of the vocabulary; give longer sentences or lower min_count"
                if kept == tokens
                else f"subsampling kept {kept:,} of {tokens:,} tokens; use a larger subsample, or 0 for none"
            )
            self._progress.note(f"no pair is left: {reason}", logging.WARNING)
        return made

    def _rows(self, scratch: Path) -> Iterator[CountedRows]:
        """Yield all rows in order: of the only chunk, or merged from the spills of several. Adds to ``_kept``."""
        corpus, plan, threads = self._corpus, self._plan, self._threads
        with self._progress.stage("counting", corpus.tokens, "tokens") as stage:
            if self._elsewhere is not None:
                spills = self._taken_over(self._elsewhere, scratch, stage)
            elif plan.tokens >= corpus.tokens:
                yield from self._watched(self._chunk((0, corpus.tokens)), corpus.tokens, stage)
                return
            else:
                spills = [
                    Spill.written(scratch / f"spill-{number}", self._watched(chunk, chunk.tokens, stage))
                    for number, chunk in enumerate(map(self._chunk, self._stretches(plan.tokens)))
                ]
        spills = reduced(spills, plan.fan_in, scratch, threads, self._states)
        for state in self._states:
            state.columns[:] = 0  # the totals of each spill were added here, and those of their sum are wanted
        with self._progress.stage("merging", sum(int(spill.bounds[-1]) for spill in spills), "cells") as stage:
            for block in merged(spills, threads, self._states):
                yield block
                stage.advance(block.done)

    def _stretches(self, most: int) -> list[Stretch]:
        tokens = self._corpus.tokens
        return [(start, min(start + most, tokens)) for start in range(0, tokens, most)]

    def _taken_over(self, elsewhere: Elsewhere, scratch: Path, stage: Stage) -> list[Spill]:
        """Let others count stretches of the corpus."""
        stretches = self._stretches(min(self._plan.tokens, -(-self._corpus.tokens // elsewhere.shares)))
        paths = [scratch / f"spill-{number}" for number in range(len(stretches))]
        elsewhere.count(self._parameters, self._corpus, list(zip(stretches, paths, strict=True)), stage)
        spills = []
        for path in paths:
            spill, kept = Spill.taken_over(path, len(self._corpus.vocabulary))
            self._kept += kept
            spills.append(spill)
        return spills

    def hand_over(self, stretch: Stretch, path: Path) -> None:
        """Count a stretch into files."""
        chunk = self._chunk(stretch)
        Spill.written(path, chunk.rows(self._axis, self._threads, self._states)).hand_over(path, self._kept)

    def _denominator(self) -> int:
        """Return n such that harmonic weights can be counted as whole numbers of 1/n.

        Exact where a common multiple of all distances leaves room for the sum over the whole corpus in 62 bits, and
        rounded to a fixed point otherwise; either way sums do not depend on their order.
        """
        if not self._harmonic:
            return 1
        largest = 2**62 // (2 * self._corpus.tokens * (2 + int(math.log(self._parameters.window))))
        denominator = 1
        for distance in range(1, self._widest + 1):
            denominator = math.lcm(denominator, distance)
            if denominator > largest:
                return 1 << min(40, largest.bit_length() - 1)
        return denominator

    def _window(self) -> Window:
        distances, n = np.arange(1, self._widest + 1), self._plan.denominator
        weights = (2 * n + distances) // (2 * distances) if self._harmonic else distances * 0 + 1
        side = self._parameters.side
        return Window(np.concatenate(([0], weights)), side != "right", side != "left")

    def _planned(self) -> _Plan:
        """Cut up the work so that it fits into the memory given."""
        given, corpus, threads = self._parameters.memory, self._corpus, self._threads.count
        budget = total_memory() // 2 if given is None else bytes_of("memory", given)
        words, contexts = len(corpus.vocabulary), len(self._contexts)
        fixed, per_token = self._parameters._needs(words, contexts, threads)
        least = self._parameters.least_memory(words=words, contexts=contexts, tokens=corpus.tokens, threads=threads)
        if budget < least:
            raise ParameterError(
                "half of the memory" if given is None else Given("memory", given),
                f" is too small for {words:,} words on {threads} threads; use at least {-(-least // 10**6)}MB or fewer "
                "threads",
            )
        tokens = min((budget - fixed) // per_token, MAX_CHUNK)
        fan_in = (budget - fixed) // (threads * 2 * _CELL_BYTES * contexts)
        plan = _Plan(tokens, max(2, min(fan_in, _MAX_FAN_IN)), self._denominator())
        _log.debug(
            "%s of memory, %d threads: %d chunks of %d tokens at most, merged %d at a time, weights in units of 1/%d",
            amount(budget, "B"), threads, -(-corpus.tokens // tokens), tokens, plan.fan_in, plan.denominator,
        )  # fmt: skip
        return plan

    def _chunk(self, stretch: Stretch) -> Chunk:
        """Draw the tokens of a stretch. Adds to ``_kept``."""
        parameters, corpus = self._parameters, self._corpus
        draws = TokenDraws(
            parameters.keep_probabilities(corpus.vocabulary.counts),
            stream_key(parameters.seed, "subsampling"),
            stream_key(parameters.seed, "window sizes"),
            parameters.window,
            parameters.subsampling == "clean",
        )
        random_sizes = parameters.window_kind == "random"
        chunk = Chunk.drawn(corpus, *stretch, self._window(), draws, self._threads, random_sizes=random_sizes)
        self._kept += chunk.kept
        return chunk

    def _watched(self, chunk: Chunk, tokens: int, stage: Stage) -> Iterator[CountedRows]:
        """Count a chunk; tokens that subsampling dropped count as done with those that it kept."""
        done = reported = 0
        kept = max(1, int(chunk.starts[-1]))
        for block in chunk.rows(self._axis, self._threads, self._states):
            yield block
            done += block.done
            stage.advance(tokens * done // kept - reported)
            reported = tokens * done // kept

    def _write(self, out: ArtefactWriter, blocks: Iterable[CountedRows]) -> npt.NDArray[np.int64]:
        """Write all rows; returns their totals, in units of 1/denominator."""
        n = self._plan.denominator
        most = int(self._corpus.vocabulary.counts.max()) * 2 * self._widest
        dtype = np.float32 if self._harmonic else np.int32 if most < 2**31 else np.int64
        writer = SparseWriter(out, dtype)
        totals = []
        for block in blocks:
            values = block.counts / n if n > 1 else block.counts
            writer.append(block.ends, block.columns, values.astype(dtype))
            sums = np.concatenate(([0], np.cumsum(block.counts)))[np.concatenate(([0], block.ends))]
            totals.append(np.diff(sums))
        return np.concatenate(totals)

    def _finish(self, out: ArtefactWriter, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> Cooccurrence:
        corpus, n = self._corpus, self._plan.denominator
        for name, totals in (("row_totals", rows), ("column_totals", columns)):
            out.array(name, np.float64 if self._harmonic else np.int64).append(totals / n if self._harmonic else totals)
        out.array("kept", np.int64).append(self._kept)
        corpus.vocabulary.save(out.folder / FILE)
        facts = {
            "words": len(self._kept),
            **self._contexts.record(),
            "cells": out.length("indices"),
            "total": int(rows.sum()) / n if self._harmonic else int(rows.sum()),
            "tokens": corpus.tokens,
            "tokens_kept": int(self._kept.sum()),
        }
        files = corpus.meta["files"]
        provenance = {"ids_sha256": files["ids.npy"]["sha256"], "vocabulary_sha256": files[FILE]["sha256"]}
        out.seal(self._parameters.record(), facts, provenance)
        return Cooccurrence.written(out)
