"""Judges what happened: right, clear, or bad and why."""

import re
from collections.abc import Callable
from typing import Literal

from .case import Done, Error, Result, Row

Verdict = tuple[Literal["right", "clear", "bad", "skipped"], str]
LEFTOVER = re.compile(r"\.(partial|replaced)$|(^|/)\.|\.run$|^tmp/")
_RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_USAGE = re.compile(r"(Usage: |Try '|\s*$)")


def judged(row: Row, done: Done) -> Verdict:
    """Compare what happened with what the row expects."""
    expected = row.expect
    if isinstance(expected, Error) and expected.otherwise and done.code == 0:
        expected = expected.otherwise
    problem = _broken(done, _codes(expected))
    problem = problem or (_error(row, expected, done) if isinstance(expected, Error) else _result(row, expected, done))
    if problem:
        return "bad", problem
    return ("clear" if isinstance(expected, Error) else "right"), ""


def _codes(expected: Error | Result) -> tuple[int, ...]:
    return expected.code if isinstance(expected.code, tuple) else (expected.code,)


def _broken(done: Done, codes: tuple[int, ...]) -> str:
    """What must never happen, whatever a row expects (but a signal that it expects)."""
    if done.hung:
        return "hangs"
    if done.code < 0 and done.code not in codes:
        return f"dies by signal {-done.code}; {_end(done)}"
    for word in ("Traceback", "Warning:", "Exception ignored", "Fatal Python error"):
        if word in done.stderr:
            return f"{word} on standard error: {_end(done)}"
    if raw := _RAW.search(done.stderr):
        return f"{raw[0]!r} on standard error as it is"
    return ""


def _error(row: Row, expected: Error, done: Done) -> str:
    if done.code == 0:
        return f"accepted in silence: {done.stdout[:120]!r} {_end(done)}"
    if done.code not in _codes(expected):
        return f"exit code {done.code} instead of {expected.code}: {_end(done)}"
    lines = [line for line in done.stderr.splitlines() if not (done.code == 2 and _USAGE.match(line))]
    if not 1 <= len(lines) <= 1 + expected.more:
        return f"{len(lines)} lines on standard error: {done.stderr[:300]!r}"
    if not re.search(expected.pattern, lines[0], re.IGNORECASE):
        return f"another error: {lines[0][:200]}"
    if done.stdout.strip() and not expected.output:
        return f"output beside the error: {done.stdout[:80]!r}"
    return _changed(row, done, also_new=True)


def _result(row: Row, expected: Result, done: Done) -> str:
    if done.code not in _codes(expected):
        return f"exit code {done.code} instead of {expected.code}: {_end(done)}"
    return expected.check(done) or _changed(row, done, also_new=False)


def _changed(row: Row, done: Done, *, also_new: bool) -> str:
    """Whether something that was there is gone or changed, or something is left behind."""
    allowed = re.compile(row.leaves) if row.leaves else None
    for name in sorted(done.before.keys() | done.after.keys()):
        if done.before.get(name) == done.after.get(name) or (allowed and allowed.search(name)):
            continue
        if name not in done.after:
            return f"{name} is gone"
        if name in done.before:
            return f"{name} was changed"
        if also_new or LEFTOVER.search(name):
            return f"{name} is left behind"
    return ""


def _end(done: Done) -> str:
    lines = done.stderr.strip().splitlines() or [""]
    return lines[-1][:200]


def makes(output: str, like: str) -> Result:
    """Expect ``output`` with the same bytes as ``like`` of the base."""

    def check(done: Done) -> str:
        made, wanted = _files(done.folder, output), _files(done.base, like)
        if not made:
            return f"{output} was not made"
        differing = sorted(name for name in made.keys() | wanted.keys() if made.get(name) != wanted.get(name))
        return f"{output} differs from {like} in {', '.join(differing[:4])}" if differing else ""

    return Result(check)


def _files(folder: object, name: str) -> dict[str, bytes]:
    from pathlib import Path

    place = Path(str(folder), name)
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def prints(pattern: str, stream: str = "stdout", without: str = "") -> Result:
    """Expect text on a stream, and other text not there."""

    def check(done: Done) -> str:
        shown = done.stdout if stream == "stdout" else done.stderr
        if not re.search(pattern, shown, re.DOTALL):
            return f"{stream} has no {pattern!r}: {shown[:160]!r}"
        if without and re.search(without, shown):
            return f"{stream} has {without!r}"
        return ""

    return Result(check)


def both(*results: Result) -> Result:
    """Expect all of these."""
    checks: list[Callable[[Done], str]] = [result.check for result in results]
    return Result(lambda done: next(filter(None, (check(done) for check in checks)), ""))


def made(pattern: str, without: str = "") -> Result:
    """Expect a file whose name matches, and no other that matches ``without``."""

    def check(done: Done) -> str:
        new = [name for name in done.after if name not in done.before]
        if not any(re.search(pattern, name) for name in new):
            return f"no {pattern} was made"
        bad = [name for name in new if without and re.search(without, name)]
        return f"{bad[0]} was made" if bad else ""

    return Result(check)
