"""Everything that one page shows: its models, its maps and scores, the work for them, and news of what has changed."""

import base64
import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._version import __version__
from ..errors import InputError, LexvecError, ParameterError
from ..trained import Combine
from . import scores
from .maps import MOST_WORDS, NEEDS, Labels, Layout, Mapped, layouts
from .questions import most_different
from .shown_models import Content, Record, ShownModel, Watch

_log = logging.getLogger(__name__)
Work = Callable[[], Record]
#: What a result was computed from. With another version, it is computed again.
Version = tuple[int, ...]


class Session:
    """The models on a page. ``listen`` receives changes: records with a "kind" and what has changed."""

    def __init__(
        self,
        models: Sequence[ShownModel],
        *,
        paths: Sequence[Path] = (),
        combine: Combine = "word",
        scorer: scores.Scorer | None = None,
        labels: Labels | None = None,
        map_words: int = MOST_WORDS,
    ) -> None:
        if not models:
            raise ParameterError("there is no model to explore: name at least one")
        self.models = list(models)
        self.listen: Callable[[Record], None] = lambda _: None
        self._paths, self._scorer = list(paths), scorer or scores.Scorer()
        self._labels, self._map_words = labels, map_words
        # Tables do not wait for layouts, which take minutes, nor planes for either.
        self._planes, self._layouts, self._tables = (Jobs(self._finished) for _ in range(3))
        self._watches = {
            number: Watch(model, combine) for number, model in enumerate(self.models) if model.run is not None
        }

    def _finished(self, name: str) -> None:
        self.listen({"kind": name.partition(":")[0], "name": name})

    def model(self, number: int) -> ShownModel:
        """Return a model by its number."""
        if not 0 <= number < len(self.models):
            raise InputError(f"there is no model {number}: there are {len(self.models)}")
        return self.models[number]

    def about(self) -> Record:
        """Return what the page has to know before anything else."""
        return {
            "lexvec": __version__,
            "models": [self._about(number, model) for number, model in enumerate(self.models)],
            "label_kinds": self._labels.kinds if self._labels else [],
            "exported": False,
        }

    def _about(self, number: int, model: ShownModel) -> Record:
        content = model.content
        vectors = content.vectors if content else None
        return {
            "number": number,
            "name": model.name,
            "words": len(vectors) if vectors else 0,
            "dim": vectors.dim if vectors else 0,
            "composes": bool(vectors and vectors.composer),
            "live": number in self._watches,
            "layouts": ["pca"] if self._is_running(number) else layouts(len(vectors) if vectors else 0),
            "generation": content.generation if content else -1,
        }

    def prepare(self) -> None:
        """Do now what the first questions would otherwise wait for; planes come first, because everybody sees them."""
        contents = {number: model.content for number, model in enumerate(self.models) if model.content}
        for number, content in contents.items():
            self._plane(number, content)
        for content in contents.values():
            content.suggestions.prepare()
            with contextlib.suppress(InputError):  # the first question about a damaged row reports it
                content.vectors.norms  # noqa: B018 (computed and kept)

    def map(self, number: int, layout: str) -> Record:
        """Return a map of the most frequent words, when it is ready: "pca" takes a second, "umap" minutes."""
        content = self.model(number).ready
        if layout == "pca":
            return self._plane(number, content)
        if layout != "umap":
            raise InputError("there is no such layout: choose pca or umap")
        if "umap" not in layouts(len(content.vectors)):
            return {"state": "failed", "error": f"This layout needs umap-learn and more words: {NEEDS}."}
        if self._is_running(number):  # it would take from training the time that it needs, for each checkpoint
            return {
                "state": "failed",
                "error": "The layout that keeps neighbours together follows when the run is over.",
            }

        def work() -> Record:
            mapped = Mapped(content.vectors, self._map_words)
            return map_record(mapped, mapped.neighbour_layout(), content, self._labels)

        return self._layouts.ask(f"map:umap:{number}", (content.generation,), work)

    def _plane(self, number: int, content: Content) -> Record:
        def work() -> Record:
            mapped = Mapped(content.vectors, self._map_words)
            return map_record(mapped, mapped.plane(), content, self._labels)

        return self._planes.ask(f"map:pca:{number}", (content.generation,), work)

    def different(self, one: int, other: int) -> Record:
        """Return the words whose neighbours differ most between two models, when that is ready."""
        both = [self.model(number).ready for number in (one, other)]
        versions = (both[0].generation, both[1].generation)
        return self._tables.ask(f"different:{one}:{other}", versions, lambda: most_different(*both))

    def scores(self) -> Record:
        """Return the tables of scores when they are ready; losses and finished reports are there at once."""
        known = [(model.name, model.content.vectors) for model in self.models if model.content]
        versions = tuple(model.content.generation if model.content else -1 for model in self.models)
        at_once = {"losses": scores.losses(self.models), "reports": self._reports}
        return {**self._tables.ask("scores", versions, lambda: {"tables": self._scorer.tables(known)}), **at_once}

    @cached_property
    def _reports(self) -> list[Record]:
        return scores.reproduced(self._paths)

    def _is_running(self, number: int) -> bool:
        return number in self._watches and not self._watches[number].over

    def run(self, number: int) -> Record:
        """Return how far a run is."""
        self.model(number)
        if number not in self._watches:
            raise InputError(f"model {number} is not a run under way")
        return {"number": number, **self._watches[number].state}

    def look(self) -> None:
        """Read the folders of all runs, and report what has changed."""
        for number, watch in self._watches.items():
            before = self.models[number].content
            if watch.look():
                self.listen({"kind": "run", "model": number})
            if self.models[number].content is not before:
                self.listen({"kind": "model", "model": number})

    @property
    def is_watching(self) -> bool:
        """Whether there is a run that may still change."""
        return any(not watch.over for watch in self._watches.values())


def map_record(mapped: Mapped, layout: Layout, content: Content, labels: Labels | None) -> Record:
    """Return a map as the page reads it: coordinates and labels are little-endian numbers in base64."""
    words = mapped.words
    return {
        "layout": layout.name,
        "words": words,
        "points": base64.b64encode(layout.points.astype("<u2").tobytes()).decode("ascii"),
        "preserved": round(layout.preserved, 4),
        "left_out": len(content.vectors) - len(words),
        "labels": base64.b64encode(labels.of(words)).decode("ascii") if labels else None,
        "counts": None if content.vectors.counts is None else np.asarray(content.vectors.counts[: len(words)]).tolist(),
        "generation": content.generation,
    }


class Jobs:
    """Results by name: asking for one starts its work, and ``finished`` is called with the name when it is there.

    A result of an older version is answered until the newer one is there. Each name is queued at most once, so frequent
    checkpoints do not pile up.
    """

    def __init__(self, finished: Callable[[str], None]) -> None:
        self._finished = finished
        self._results: dict[str, _Result] = {}
        self._under_way: set[str] = set()
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[tuple[str, Version, Work]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, name: str, version: Version, work: Work) -> Record:
        """Return ``{"state": "running"}``, or the result with "state" ``ready``, or ``failed`` with an "error"."""
        with self._lock:
            result = self._results.get(name)
            if (result is None or result.version != version) and name not in self._under_way:
                self._under_way.add(name)
                self._waiting.put((name, version, work))
                if self._thread is None:
                    # A daemon, so that Ctrl-C ends the program at once.
                    self._thread = threading.Thread(target=self._run, name="lexvec-explorer", daemon=True)
                    self._thread.start()
            return {"state": "running"} if result is None else result.record

    def _run(self) -> None:
        while True:
            name, version, work = self._waiting.get()
            try:
                record = {"state": "ready", **work()}
            except LexvecError as error:
                record = {"state": "failed", "error": error.for_command_line()}
            except Exception as error:  # a job must not end the thread that all jobs share
                _log.exception("%s failed", name)
                record = {"state": "failed", "error": f"it failed ({type(error).__name__}): see the log of the server"}
            with self._lock:
                self._results[name] = _Result(version, record)
                self._under_way.discard(name)
            self._finished(name)


class _Result(NamedTuple):
    version: Version
    record: Record
