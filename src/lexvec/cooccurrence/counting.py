"""A corpus being counted.

The corpus is counted in chunks that fit into memory. One chunk goes straight to the artefact; several are spilled to
disk and merged. With helpers, each counts chunks of its own, and then each merges some of the rows. All sums are of
whole numbers, so the result is the same, bit for bit, for any memory and any number of threads and helpers.
"""

import logging
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..contexts import CONTEXT_KINDS, PositionalContexts, WordContexts
from ..corpus import Corpus
from ..draws import WindowParameters, stream_key
from ..errors import Given, MemoryLimitError, ParameterError, TooLittleMemoryError
from ..kernels.counting import Window
from ..kernels.windows import TokenDraws
from ..machine import total_memory
from ..parameters import Search, bytes_of, memory_parameter, parameter, seed_parameter, threads_parameter
from ..progress import Progress, Silent, Stage
from ..progress.reports import amount
from ..shared_work import Helpers, Task
from ..sparse import SparseWriter, row_spans
from ..storage.arrays import read_blocks, write_blocks
from ..storage.artefact import ArtefactWriter
from ..storage.meta import META
from ..threads import Threads
from ..vocabulary import FILE
from .chunks import BLOCK_CELLS, MAX_CHUNK, Chunk, CountedRows, Spill, empty_row, merged, reduced
from .counts import Cooccurrence

_log = logging.getLogger(__name__)

_MIN_CHUNK = 1 << 16
_MAX_FAN_IN = 32  # spills read at once, two files each: far below any system's limit of open files
_CELL_BYTES = 12
_ROWS = "rows"  # the file of rows that a helper has added up

#: Tokens of the corpus, from one number up to another.
Stretch = tuple[int, int]


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


class FinishedRows(NamedTuple):
    """Rows as the artefact has them, and their totals in units of 1/denominator."""

    ends: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[Any]
    totals: npt.NDArray[np.int64]


class _Plan(NamedTuple):
    """How the work is cut up."""

    tokens: int  # to count at once
    fan_in: int  # spills to merge at once
    denominator: int  # of the weights; the only one of these that the result could depend on


def least_memory(parameters: CountingParameters, *, words: int, contexts: int, tokens: int, threads: int) -> int:
    """Return how many bytes of memory counting needs at least."""
    fixed, per_token = _needs(parameters, words, contexts, threads)
    return fixed + per_token * min(_MIN_CHUNK, tokens)


def _needs(parameters: CountingParameters, words: int, contexts: int, threads: int) -> tuple[int, int]:
    """Return the bytes that counting needs for any number of tokens, and those for each token of a chunk."""
    in_flight = threads * 2 * _CELL_BYTES * 2 * max(BLOCK_CELLS, contexts)
    return 8 * words + threads * 17 * contexts + in_flight, 16 if parameters.window_kind == "random" else 12


class Counting:
    """One corpus being counted."""

    def __init__(
        self,
        parameters: CountingParameters,
        corpus: Corpus,
        threads: Threads,
        progress: Progress,
        helpers: Helpers | None = None,
    ) -> None:
        self._parameters, self._corpus, self._threads, self._progress = parameters, corpus, threads, progress
        self._helpers = helpers
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
        self._column_totals = np.zeros(len(self._contexts), np.int64)

    def run(self, out: ArtefactWriter) -> Cooccurrence:
        """Count all, and write the artefact."""
        rows = self._helped(self._helpers, out.scratch) if self._helpers else self._finished(self._rows(out.scratch))
        totals = self._write(out, rows)
        made = self._finish(out, totals)
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
        """Yield all rows in order: of the only chunk, or merged from the spills of several. Adds to all totals."""
        corpus, plan = self._corpus, self._plan
        with self._progress.stage("counting", corpus.tokens, "tokens") as stage:
            if plan.tokens >= corpus.tokens:
                yield from self._watched(self._chunk((0, corpus.tokens)), corpus.tokens, stage)
                self._take_column_totals()
                return
            spills = [
                Spill.written(scratch / f"spill-{number}", self._watched(chunk, chunk.tokens, stage))
                for number, chunk in enumerate(map(self._chunk, _stretches(0, corpus.tokens, plan.tokens)))
            ]
            self._take_column_totals()
        with self._progress.stage("merging", sum(int(spill.bounds[-1]) for spill in spills), "cells") as stage:
            for block in self._merged(spills, scratch):
                yield block
                stage.advance(block.done)

    def _take_column_totals(self) -> None:
        """Take over what threads have added up of each context; merging adds to it again, to no purpose."""
        for state in self._states:
            self._column_totals += state.columns
            state.columns[:] = 0

    def _merged(self, spills: list[Spill], scratch: Path) -> Iterator[CountedRows]:
        spills = reduced(spills, self._plan.fan_in, scratch, self._threads, self._states)
        return merged(spills, self._threads, self._states)

    def _helped(self, helpers: Helpers, scratch: Path) -> Iterator[FinishedRows]:
        """Yield all rows in order, counted and merged by others. Adds to all totals."""
        corpus, words = self._corpus, len(self._corpus.vocabulary)
        settings = {
            "parameters": self._parameters.record(), "memory": self._parameters.memory, "corpus": str(corpus.path)
        }  # fmt: skip
        reads = [corpus.path / META]
        stretches = _stretches(0, corpus.tokens, -(-corpus.tokens // helpers.shares))
        tasks = [Task(stop - start, {"start": start, "stop": stop}) for start, stop in stretches]
        with self._progress.stage("counting", corpus.tokens, "tokens") as stage:
            counted = helpers.each(counting_job, settings, tasks, folder=scratch, reads=reads, stage=stage)
        spills = [done.folder / str(number) for done in counted for number in range(done.result)]
        lengths = np.zeros(words, np.int64)
        for spill in spills:
            kept, columns, cells = Spill.totals(spill, 3)
            self._kept += kept
            self._column_totals += columns
            lengths += cells
        spans = row_spans(lengths, max(1, -(-int(lengths.sum()) // helpers.shares)))
        names = [str(spill) for spill in spills]
        tasks = [
            Task(int(lengths[first:last].sum()), {"spills": names, "first": first, "last": last})
            for first, last in spans
        ]
        with self._progress.stage("merging", int(lengths.sum()), "cells") as stage:
            pieces = helpers.each(merging_job, settings, tasks, folder=scratch, reads=reads, stage=stage)
        for piece in pieces:
            yield from (FinishedRows(*block) for block in read_blocks(piece.folder / _ROWS, len(FinishedRows._fields)))

    def hand_over(self, folder: Path, *, start: int, stop: int) -> int:
        """Count a stretch into spills, as many as memory demands; returns their number."""
        stretches = _stretches(start, stop, self._plan.tokens)
        for number, stretch in enumerate(stretches):
            chunk = self._chunk(stretch)
            spill = Spill.written(folder / str(number), chunk.rows(self._axis, self._threads, self._states))
            self._take_column_totals()
            spill.hand_over((chunk.kept, self._column_totals, np.diff(spill.bounds)))
            self._column_totals[:] = 0
        return len(stretches)

    def add_up(self, folder: Path, *, spills: list[str], first: int, last: int) -> None:
        """Write the rows from ``first`` up to ``last`` as the artefact has them."""
        parts = [Spill.taken_over(Path(spill), first, last) for spill in spills]
        write_blocks(folder / _ROWS, self._finished(self._merged(parts, folder)))

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
        fixed, per_token = _needs(self._parameters, words, contexts, threads)
        least = least_memory(self._parameters, words=words, contexts=contexts, tokens=corpus.tokens, threads=threads)
        if budget < least:
            kind = TooLittleMemoryError if given is None else MemoryLimitError
            raise kind(
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

    @property
    def _dtype(self) -> type[np.generic]:
        if self._harmonic:
            return np.float32
        most = int(self._corpus.vocabulary.counts.max()) * 2 * self._widest
        return np.int32 if most < 2**31 else np.int64

    def _finished(self, blocks: Iterable[CountedRows]) -> Iterator[FinishedRows]:
        n, dtype = self._plan.denominator, self._dtype
        for block in blocks:
            values = block.counts / n if n > 1 else block.counts
            sums = np.concatenate(([0], np.cumsum(block.counts)))[np.concatenate(([0], block.ends))]
            yield FinishedRows(block.ends, block.columns, values.astype(dtype), np.diff(sums))

    def _write(self, out: ArtefactWriter, blocks: Iterable[FinishedRows]) -> npt.NDArray[np.int64]:
        """Write all rows; returns their totals, in units of 1/denominator."""
        writer, totals = SparseWriter(out, self._dtype), []
        for block in blocks:
            writer.append(block.ends, block.columns, block.values)
            totals.append(block.totals)
        return np.concatenate(totals)

    def _finish(self, out: ArtefactWriter, rows: npt.NDArray[np.int64]) -> Cooccurrence:
        corpus, n = self._corpus, self._plan.denominator
        for name, totals in (("row_totals", rows), ("column_totals", self._column_totals)):
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


def counting_job(threads: Threads, *, parameters: dict[str, Any], memory: str | int | None, corpus: str) -> Any:
    """Let a helper count stretches of a corpus."""
    return _helping(threads, parameters, memory, corpus).hand_over


def merging_job(threads: Threads, *, parameters: dict[str, Any], memory: str | int | None, corpus: str) -> Any:
    """Let a helper add up some rows of what was counted."""
    return _helping(threads, parameters, memory, corpus).add_up


def _helping(threads: Threads, parameters: dict[str, Any], memory: str | int | None, corpus: str) -> "Counting":
    return Counting(CountingParameters.of({**parameters, "memory": memory}), Corpus.load(corpus), threads, Silent())


def _stretches(start: int, stop: int, most: int) -> list[Stretch]:
    return [(first, min(first + most, stop)) for first in range(start, stop, most)]
