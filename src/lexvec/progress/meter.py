"""How far a stage is, in words: shared by everything that shows progress."""

import time

SHOW_AFTER = 1.0  # seconds; shorter stages need not be shown
LINE_EVERY = 10.0

_SCALES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def amount(number: float, unit: str) -> str:
    """Return an amount such as "12.3 M tokens" or "5.0 GB"."""
    for scale, letter in _SCALES:
        if number >= scale:
            return f"{number / scale:.1f} {letter}{'' if unit == 'B' else ' '}{unit}"
    return f"{number:.3g} {unit}"


def rate(done: float, seconds: float, unit: str) -> str:
    """Return a rate such as "12.3 M tokens/s"; nothing for work that has no unit."""
    if not unit:
        return ""
    return f"{amount(done / max(seconds, 1e-9), unit)}/s"


class Meter:
    """Counts the units of a stage that are done, and the time."""

    def __init__(self, name: str, total: int | None, unit: str) -> None:
        self.name, self.total, self.unit = name, total, unit
        self.done = 0
        self._note = ""
        self._started = time.monotonic()
        self._next_line = self._started + LINE_EVERY

    def advance(self, amount: int, note: str = "") -> None:
        """Add to what is done."""
        self.done += amount
        self._note = f", {note}" if note else ""

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._started

    @property
    def lasting(self) -> bool:
        """Whether the stage takes long enough to be shown."""
        return self.seconds > SHOW_AFTER

    @property
    def share(self) -> float | None:
        """The share that is done, from 0 to 1, or None if the total is not known."""
        return min(1.0, self.done / self.total) if self.total else None

    def due(self) -> bool:
        """Whether it is time for another line."""
        now = time.monotonic()
        if now < self._next_line:
            return False
        self._next_line = now + LINE_EVERY
        return True

    def beginning(self) -> str:
        """Return the line for the beginning."""
        known = self.total is not None and self.unit
        return f"{self.name}: {amount(self.total or 0, self.unit)}" if known else self.name

    def line(self) -> str:
        """Return the line for now."""
        seconds = self.seconds
        part = f"{100 * self.done / self.total:.0f}%, " if self.total else ""
        left = ""
        if self.total and self.done:
            left = f", {seconds * max(0, self.total - self.done) / self.done:.0f} s left"
        speed = rate(self.done, seconds, self.unit)
        return f"{self.name}: {part}{speed}{left if speed else left.removeprefix(', ')}{self._note}"

    def ending(self) -> str:
        """Return the line for the end."""
        seconds = self.seconds
        speed = f", {rate(self.done, seconds, self.unit)}" if self.done and self.unit else ""
        return f"{self.name}: done in {seconds:.1f} s{speed}{self._note}"
