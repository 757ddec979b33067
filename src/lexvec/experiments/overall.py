"""The progress of a whole experiment: one bar, the number of the run, and the time left."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..progress import Logged, Progress, Stage

_SCALE = 1000  # steps of the bar per estimated second


class Overall:
    """Shows the parts of an experiment in one stage; each part advances it by what it is estimated to take."""

    def __init__(
        self, progress: Progress, shown: Stage | None = None, costs: Mapping[str, float] | None = None
    ) -> None:
        self._progress, self._shown, self._costs = progress, shown, costs or {}
        self._done = 0.0  # steps, of which whole ones are shown
        self._told = 0

    @contextmanager
    def part(self, key: str, label: str, *, stages: int = 1) -> Iterator[Progress]:
        """Begin a part of so many stages; yields what the work in it reports to."""
        self._progress.note(label)
        if self._shown is None:
            yield self._progress
            return
        end = self._done + self._costs.get(key, 0.0) * _SCALE
        yield _Part(self, self._progress, label, end, (end - self._done) / max(1, stages))
        self.advance_to(end, label)

    def advance_to(self, steps: float, note: str) -> None:
        """Show that so much of everything is done."""
        self._done = max(self._done, steps)
        if self._shown is not None:
            self._shown.advance(int(self._done) - self._told, note)
            self._told = int(self._done)

    @property
    def done(self) -> float:
        """The steps that are done."""
        return self._done


class _Part:
    """What the work in one part reports to: its stages move the one bar, and only warnings are shown beside it."""

    def __init__(self, overall: Overall, progress: Progress, label: str, end: float, each: float) -> None:
        self._overall, self._progress, self._label, self._end, self._each = overall, progress, label, end, each

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once, if it may be a mistake."""
        if level >= logging.WARNING:
            self._progress.note(text, level)

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a stage of the part."""
        overall, end, each, label = self._overall, self._end, self._each, f"{self._label}, {name}"
        start, done = overall.done, 0

        class Shown:
            def advance(self, amount: int, note: str = "") -> None:  # noqa: ARG002 (the protocol's)
                nonlocal done
                done += amount
                share = min(1.0, done / total) if total else 0.0
                overall.advance_to(min(end, start + each * share), label)

        yield Shown()
        overall.advance_to(min(end, start + each), label)


@contextmanager
def overall(progress: Progress, name: str, costs: Mapping[str, float]) -> Iterator[Overall]:
    """Show work whose parts cost so many seconds, as estimated; the log shows every stage of every part instead."""
    if isinstance(progress, Logged):
        yield Overall(progress, None, costs)
        return
    with progress.stage(name, max(1, int(sum(costs.values()) * _SCALE)), "") as shown:
        yield Overall(progress, shown, costs)


def duration(seconds: float) -> str:
    """Return a rough time, such as "about 25 minutes"."""
    if seconds < 60:
        return "less than a minute"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"
