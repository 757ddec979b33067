"""Corpus → co-occurrence counts.

The corpus is counted in chunks that fit into ``memory``. One chunk goes straight to the artefact; several become
sorted spills on disk, which are merged. All sums are of whole numbers, so the result is the same, bit for bit, for any
memory and any number of threads.
"""

import logging
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus import Corpus
from ..errors import ParameterError
from ..kernels.counting import Row, Window
from ..kernels.windows import Draws
from ..machine import available_threads, total_memory
from ..parameters import Parameters, bytes_of, parameter
from ..progress import Progress, ProgressLike, Stage, resolved
from ..progress.meter import amount
from ..sampling import keep_probabilities, stream_key
from ..sparse import SparseWriter
from ..storage.artefact import ArtefactWriter
from ..vocabulary import FILE
from .chunks import BLOCK_CELLS, Block, Chunk, empty_row
from .counts import Cooccurrence
from .spill import Spill, merged, reduced

_log = logging.getLogger(__name__)

_MAX_CHUNK = 1 << 30  # tokens; places in a chunk's stream are int32
_MIN_CHUNK = 1 << 16
_MAX_FAN_IN = 32  # spills read at once, two files each: far below any system's limit of open files
_CELL_BYTES = 12


@dataclass(frozen=True, kw_only=True)
class CooccurrenceCounter(Parameters):
    """Counts how often words co-occur within a window; the defaults are those of the paper's PPMI* matrix.

    >>> from lexvec import CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=1, subsample=0).count(corpus)
    >>> counts.vocabulary.words, counts.matrix.toarray().tolist()
    (['a', 'b', 'c'], [[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    """

    window: int = parameter(2, "words on each side that are a word's contexts", minimum=1, maximum=2**31 - 1)
    window_kind: str = parameter(
        "fixed",
        "fixed: each context counts 1; random: the window's size is drawn from 1..window for each token (as SGNS "
        "does); harmonic: a context at distance d counts 1/d (as GloVe does)",
        choices=("fixed", "random", "harmonic"),
    )
    side: str = parameter("both", "which side of the word contexts are taken from", choices=("both", "left", "right"))
    subsample: float | None = parameter(
        1e-5,
        "threshold t: a token of a word with relative frequency f > t is dropped with probability 1 - sqrt(t/f); "
        "0 drops none",
        minimum=0,
        maximum=1,
    )
    subsampling: str = parameter(
        "dirty",
        "dirty: tokens are dropped before windows are formed, which so reach farther; clean: after",
        choices=("dirty", "clean"),
    )
    seed: int = parameter(1, "of all random numbers", minimum=0)
    memory: str | int | None = parameter(
        None, 'use about so much memory, such as "2GB", and the disk for the rest (default: half of all)', effort=True
    )
    threads: int | None = parameter(None, "threads to use (default: all cores)", minimum=1, maximum=1024, effort=True)

    def count(
        self, corpus: Any, output: Any = None, *, force: bool = False, progress: ProgressLike = None
    ) -> Cooccurrence:
        """Count a `Corpus`, or the one in a folder. ``output`` is the folder to make (None: a temporary one).

        The result is the same for any ``memory`` and any number of threads.
        """
        progress = resolved(progress, __name__)
        corpus = Corpus.of(corpus).check()
        states = [empty_row(len(corpus.vocabulary)) for _ in range(available_threads(self.threads))]
        plan = self._plan(corpus, len(states))
        kept = np.zeros(len(corpus.vocabulary), np.int64)
        with ArtefactWriter(output, Cooccurrence.kind, force=force, inputs=[corpus.path]) as out:
            blocks = self._rows(corpus, plan, kept, states, out.scratch, progress)
            totals = self._write(out, corpus, plan.unit, blocks)
            columns = np.sum([state.columns for state in states], axis=0)
            made = self._finish(out, corpus, plan.unit, kept, totals, columns)
        if not totals.any():
            progress.note(
                f"no pair is left: subsampling kept {kept.sum():,} of {corpus.tokens:,} tokens; a small corpus wants a "
                "larger subsample (or 0, for none)",
                logging.WARNING,
            )
        return made

    def _rows(
        self,
        corpus: Corpus,
        plan: "_Plan",
        kept: npt.NDArray[np.int64],
        states: list[Row],
        scratch: Path,
        progress: Progress,
    ) -> Iterator[Block]:
        """All rows in order: of the only chunk, or merged from the spills of several. Adds to ``kept``."""
        with progress.stage("counting", corpus.tokens, "tokens") as stage:
            chunks = self._chunks(corpus, plan, kept)
            if plan.tokens >= corpus.tokens:
                yield from _watched(next(chunks), corpus.tokens, states, stage)
                return
            spills = [
                Spill(scratch / f"spill-{number}", _watched(chunk, chunk.tokens, states, stage))
                for number, chunk in enumerate(chunks)
            ]
        spills = reduced(spills, plan.fan_in, scratch, states)
        for state in states:
            state.columns[:] = 0  # the totals of each spill were added here, and those of their sum are wanted
        with progress.stage("merging", sum(int(spill.bounds[-1]) for spill in spills), "cells") as stage:
            for block in merged(spills, states):
                yield block
                stage.advance(block.done)

    def _unit(self, corpus: Corpus) -> int:
        """Whole numbers that harmonic weights are counted in: a context at distance d counts unit / d of them.

        Exact where a common multiple of all distances leaves room for the sum over the whole corpus in 62 bits, and
        rounded to a fixed point otherwise; either way sums do not depend on their order.
        """
        if self.window_kind != "harmonic":
            return 1
        largest = 2**62 // (2 * corpus.tokens * (2 + int(math.log(self.window))))
        unit = 1
        for distance in range(1, self._widest(corpus) + 1):
            unit = math.lcm(unit, distance)
            if unit > largest:
                return 1 << min(40, largest.bit_length() - 1)
        return unit

    def _widest(self, corpus: Corpus) -> int:
        """The farthest that a context can be: no window reaches beyond its sentence."""
        return min(self.window, int(corpus.meta["facts"]["longest_sentence"]))

    def _window(self, corpus: Corpus, unit: int) -> Window:
        distances = np.arange(1, self._widest(corpus) + 1)
        weights = (2 * unit + distances) // (2 * distances) if self.window_kind == "harmonic" else distances * 0 + 1
        return Window(np.concatenate(([0], weights)), self.side != "right", self.side != "left")

    def _plan(self, corpus: Corpus, threads: int) -> "_Plan":
        """What fits into the memory given."""
        budget = total_memory() // 2 if self.memory is None else bytes_of("memory", self.memory)
        words = int(corpus.meta["facts"]["words"])
        in_flight = threads * 2 * _CELL_BYTES * 2 * max(BLOCK_CELLS, words)
        fixed = 8 * words + threads * 17 * words + in_flight
        per_token = 16 if self.window_kind == "random" else 12
        least = fixed + per_token * min(_MIN_CHUNK, corpus.tokens)
        if budget < least:
            raise ParameterError(
                f"{budget // 10**6}MB of memory is too little for {words:,} words on {threads} threads: "
                f"give memory={-(-least // 10**6)}MB or more, or fewer threads"
            )
        tokens = min((budget - fixed) // per_token, _MAX_CHUNK)
        fan_in = (budget - fixed) // (threads * 2 * _CELL_BYTES * words)
        plan = _Plan(tokens, max(2, min(fan_in, _MAX_FAN_IN)), self._unit(corpus))
        _log.debug(
            "%s of memory, %d threads: %d chunks of %d tokens at most, merged %d at a time, weights in units of 1/%d",
            amount(budget, "B"), threads, -(-corpus.tokens // tokens), tokens, plan.fan_in, plan.unit,
        )  # fmt: skip
        return plan

    def _chunks(self, corpus: Corpus, plan: "_Plan", kept: npt.NDArray[np.int64]) -> Iterator[Chunk]:
        draws = Draws(
            keep_probabilities(corpus.vocabulary.counts, self.subsample),
            stream_key(self.seed, "subsampling"),
            stream_key(self.seed, "window sizes"),
            self.window,
            self.subsampling == "clean",
        )
        window, random_sizes = self._window(corpus, plan.unit), self.window_kind == "random"
        for start in range(0, corpus.tokens, plan.tokens):
            stop = min(start + plan.tokens, corpus.tokens)
            chunk = Chunk.of(corpus, start, stop, window, draws, random_sizes=random_sizes)
            kept += chunk.kept
            yield chunk

    def _write(self, out: ArtefactWriter, corpus: Corpus, unit: int, blocks: Iterable[Block]) -> npt.NDArray[np.int64]:
        """Write all rows; returns their totals, in units."""
        most = int(corpus.vocabulary.counts.max()) * 2 * self._widest(corpus)
        dtype = np.float32 if self.window_kind == "harmonic" else np.int32 if most < 2**31 else np.int64
        writer = SparseWriter(out, dtype)
        totals = []
        for block in blocks:
            values = block.counts / unit if unit > 1 else block.counts
            writer.append(block.ends, block.columns, values.astype(dtype))
            sums = np.concatenate(([0], np.cumsum(block.counts)))[np.concatenate(([0], block.ends))]
            totals.append(np.diff(sums))
        return np.concatenate(totals)

    def _finish(
        self,
        out: ArtefactWriter,
        corpus: Corpus,
        unit: int,
        kept: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int64],
        columns: npt.NDArray[np.int64],
    ) -> Cooccurrence:
        harmonic = self.window_kind == "harmonic"
        for name, totals in (("row_totals", rows), ("column_totals", columns)):
            out.array(name, np.float64 if harmonic else np.int64).append(totals / unit if harmonic else totals)
        out.array("kept", np.int64).append(kept)
        corpus.vocabulary.save(out.folder / FILE)
        facts = {
            "words": len(kept),
            "cells": out.length("indices"),
            "total": int(rows.sum()) / unit if harmonic else int(rows.sum()),
            "tokens": corpus.tokens,
            "tokens_kept": int(kept.sum()),
        }
        files = corpus.meta["files"]
        provenance = {
            "ids_sha256": files["ids.npy"]["sha256"],
            "vocabulary_sha256": files[FILE]["sha256"],
        }
        out.seal(self.record(), facts, provenance)
        return Cooccurrence.written(out)


class _Plan(NamedTuple):
    """How the work is cut up."""

    tokens: int  # to count at once
    fan_in: int  # spills to merge at once
    unit: int  # what weights are counted in; the only one of these that the result could depend on


def _watched(chunk: Chunk, tokens: int, states: list[Row], stage: Stage) -> Iterator[Block]:
    """Count a chunk; tokens that subsampling dropped count as done with those that it kept."""
    done = reported = 0
    kept = max(1, int(chunk.starts[-2]))
    for block in chunk.rows(states):
        yield block
        done += block.done
        stage.advance(tokens * done // kept - reported)
        reported = tokens * done // kept
