"""The two passes over a text: by threads of this process, or by helpers that each have a stretch of it.

In the first pass, threads cut blocks of text into types, each thread with its own table. The streams of type numbers go
to a spool in the order of the text, and the tables are joined. In the second pass, types become word ids. Nothing
depends on who cuts which block.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..progress import Progress, Silent, Stage
from ..shared_work import Helpers, Task
from ..storage.arrays import read_blocks, write_blocks
from ..storage.artefact import ArtefactWriter
from ..storage.files import Span
from ..threads import Threads
from .blocks import TextBlock
from .inputs import TextInput, blocks, token_streams
from .spool import EncodedBlock, Spool
from .type_table import Ids, TypeTable

if TYPE_CHECKING:
    from .builder import CorpusBuilder

_log = logging.getLogger(__name__)

_IDS = "ids"  # the file of what a helper has encoded


class Here:
    """Reads and encodes text in this process."""

    def __init__(self, builder: "CorpusBuilder", given: list[TextInput], scratch: Path, threads: Threads) -> None:
        self._builder, self._given, self._threads = builder, given, threads
        self.spool = Spool(scratch)
        self.tables = [TypeTable() for _ in range(threads.count)]

    def spooled(self, stage: Stage) -> None:
        """Make the first pass: write all text to the spool."""
        with closing(self.spool):
            if self._given[0].tokens:
                for stream in token_streams(self._given[0].items, self.tables[0]):
                    self.spool.append(stream, 0)
                return
            for stream, table, block in _segmented(self._builder, self._given, self._threads, self.tables):
                self.spool.append(stream, self.tables.index(table))
                self.spool.replaced += block.replaced
                stage.advance(block.read)

    def read(self, progress: Progress) -> tuple[TypeTable, int]:
        """Return the types of all threads in one table, and how many characters were replaced."""
        sizes = [one.size for one in self._given]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        _log.debug("%d inputs (%s) on %d threads", len(self._given), names_of(self._given), self._threads.count)
        with progress.stage("reading", total, "B") as stage:
            self.spooled(stage)
        self.spool.join(self.tables[0], self.tables)
        return self.tables[0], self.spool.replaced

    def encoded(self, first: npt.NDArray[np.int64], ids: Ids, progress: Progress) -> Iterator[EncodedBlock]:
        """Make the second pass: types become ids."""
        with progress.stage("encoding", self.spool.length, "tokens") as stage:
            for block in self.spool.encoded(first, ids, self._threads):
                yield block
                stage.advance(block[2])


class ByHelpers:
    """Lets others read and encode stretches of the text; this process joins their tables of types."""

    def __init__(self, builder: "CorpusBuilder", cut: list[list[TextInput]], scratch: Path, helpers: Helpers) -> None:
        self._builder, self._cut, self._scratch, self._helpers = builder, cut, scratch, helpers
        self._spools: list[Spool] = []

    def read(self, progress: Progress) -> tuple[TypeTable, int]:
        """Have the first pass made, and join the types."""
        tasks = [
            Task(
                sum(one.size or 0 for one in some),
                {"given": [[str(one.items.absolute()), one.size, one.span] for one in some]},
            )
            for some in self._cut
        ]
        settings = {"parameters": self._builder.record()}
        reads = sorted({one.items.absolute() for some in self._cut for one in some})
        with progress.stage("reading", sum(task.size for task in tasks), "B") as stage:
            done = self._helpers.each(reading_job, settings, tasks, folder=self._scratch, reads=reads, stage=stage)
        self._spools = [Spool.taken_over(each.folder, each.result) for each in done]
        joined = TypeTable()
        for spool in self._spools:
            spool.join(joined)
            spool.give_numbers()
        return joined, sum(spool.replaced for spool in self._spools)

    def encoded(self, first: npt.NDArray[np.int64], ids: Ids, progress: Progress) -> Iterator[EncodedBlock]:
        """Have the second pass made."""
        words = self._scratch / "words"
        write_blocks(words, [(first, ids)])
        tasks = [Task(spool.length, {"spool": str(spool.folder)}) for spool in self._spools]
        settings = {"words": str(words)}
        with progress.stage("encoding", sum(task.size for task in tasks), "tokens") as stage:
            done = self._helpers.each(encoding_job, settings, tasks, folder=self._scratch, reads=[], stage=stage)
        for each in done:
            for found, ends in read_blocks(each.folder / _IDS, 2):
                yield found, ends, len(found)


def reading_job(threads: Threads, *, parameters: dict[str, Any]) -> Callable[..., int]:
    """Let a helper make the first pass over a stretch of text."""
    from .builder import CorpusBuilder  # which imports this module

    builder = CorpusBuilder.of(parameters)

    def read(folder: Path, *, given: list[tuple[str, int, Span | None]]) -> int:
        inputs = [TextInput(name, size, Path(name), span=span) for name, size, span in given]
        here = Here(builder, inputs, folder, threads)
        with Silent().stage("reading", None, "B") as stage:
            here.spooled(stage)
        here.spool.hand_over(here.tables)
        return here.spool.replaced

    return read


def encoding_job(threads: Threads, *, words: str) -> Callable[..., None]:
    """Let a helper make the second pass over a stretch of text."""
    first, ids = next(read_blocks(Path(words), 2))

    def encode(folder: Path, *, spool: str) -> None:
        stretch = Spool.taken_over(Path(spool))
        stretch.take_numbers()
        write_blocks(folder / _IDS, (block[:2] for block in stretch.encoded(first, ids, threads)))

    return encode


def write_encoded(blocks: Iterator[EncodedBlock], out: ArtefactWriter) -> tuple[int, int]:
    """Write encoded text. Return the number of non-empty sentences and the longest's length."""
    target, offsets = out.array("ids", np.int32), out.array("offsets", np.int64)
    offsets.append(np.zeros(1, np.int64))
    last = longest = 0
    for encoded, ends, _ in blocks:
        bounds = np.concatenate(([last], target.length + ends))
        lengths = np.diff(bounds)
        offsets.append(bounds[1:][lengths > 0])
        longest = max(longest, int(lengths.max(initial=0)))
        last = int(bounds[-1])
        target.append(encoded)
    return offsets.length - 1, longest


def _segmented(
    builder: "CorpusBuilder", given: list[TextInput], threads: Threads, tables: list[TypeTable]
) -> Iterator[tuple[Ids, TypeTable, TextBlock]]:
    """Cut text into types: yield streams of their numbers, the table of each, and the block of text."""
    rules = builder.rules()

    def cut(table: TypeTable, block: TextBlock) -> tuple[Ids, TypeTable, TextBlock]:
        return table.segment(block.text, rules), table, block._replace(text=b"")

    read = partial(
        blocks,
        format=builder.input_format,
        encoding=builder.encoding,
        wrapped=builder.sentences_by == "paragraphs",
        punctuation=builder.punctuation,
        threads=len(tables),
    )
    return threads.map(cut, chain.from_iterable(map(read, given)), tables)


def names_of(given: list[TextInput]) -> str:
    """Return a name for all inputs together."""
    return given[0].name if len(given) == 1 else f"{given[0].name} and {len(given) - 1} more"
