"""A process with everything imported and compiled, which forks a child for each case.

A start of Python with all kernels takes seconds, a fork milliseconds, and a forked child still has its own memory,
limits, streams, signals and exit code. Jobs come as lines of JSON on one pipe, and answers go back on another.
Run as: python -m fault_table.forkserver FOLDER IN OUT
"""

import atexit
import builtins
import contextlib
import errno
import gc
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Calls that change a folder: a killed process dies before one of them.
_EVENTS = ("rename", "replace", "unlink", "rmdir", "mkdir", "fsync", "remove")


def serve(folder: Path, requests: Any, answers: Any) -> None:
    """Make the base in ``folder``, then answer jobs until the pipe closes."""
    import lexvec

    from .base import make_base

    about = make_base(folder)
    for name in lexvec.__all__:  # or each case that begins with "from lexvec import *" would import most of it
        getattr(lexvec, name)
    with contextlib.suppress(ImportError):
        import optuna  # noqa: F401 (takes a second, which would be most of a tune that is killed)
    gc.freeze()  # a collection in a child would copy every page that has an object
    answers.write(json.dumps(about) + "\n")
    answers.flush()
    for line in requests:
        answers.write(json.dumps(_tried(json.loads(line))) + "\n")
        answers.flush()


def _tried(job: dict[str, Any]) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        _child(job)
    return _awaited(child, job["seconds"], job.get("kill_after"))


def _awaited(child: int, seconds: float, kill_after: float | None) -> dict[str, Any]:
    started = time.monotonic()
    hung = False
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        passed = time.monotonic() - started
        if passed > seconds or (kill_after is not None and passed > kill_after):
            hung = passed > seconds
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            kill_after = None
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError, PermissionError):  # worker processes that outlived it
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "hung": hung, "seconds": time.monotonic() - started, "kilobytes": usage.ru_maxrss}


def _child(job: dict[str, Any]) -> None:
    code = 1
    try:
        os.setpgid(0, 0)
        _enter(job)
        code = _ran(job)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _enter(job: dict[str, Any]) -> None:
    """Take on the folder, streams, environment and limits of a case."""
    os.environ.update(job["env"])
    tempfile.tempdir = None
    for stream, name, flags in (
        (0, job["stdin"], os.O_RDONLY),
        (1, job["stdout"], os.O_WRONLY),
        (2, job["stderr"], os.O_WRONLY),
    ):
        opened = os.open(name, flags)
        os.dup2(opened, stream)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, mode, closefd=False), encoding="utf-8", write_through=number > 0)
        for number, mode in enumerate(("rb", "wb", "wb"))
    )
    os.chdir(job["cwd"])
    if job.get("full"):
        _fill(os.path.realpath(job["full"]))
    if job.get("kill_at"):
        _arm(job["kill_at"])
    if job.get("events"):
        _count_events(Path(job["events"]))
    if job.get("file_size") is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as Python does at its start
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_size"],) * 2)
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        limit = used + job["memory"] * 10**6
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if job.get("unprivileged") and os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def _ran(job: dict[str, Any]) -> int:
    from lexvec import LexvecError
    from lexvec.cli import main

    try:
        if "code" in job:
            sys.path.insert(0, "")
            try:
                exec(compile(job["code"], "case", "exec"), {"__name__": "case"})
            except LexvecError as error:
                sys.stderr.write(f"lexvec: {error}\n")
                return 1
            return 0
        sys.argv = ["lexvec", *job["command"]]
        main(job["command"], prog_name="lexvec")
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    return 0


class _Full(io.FileIO):
    """A file on a disk that has room for its name only."""

    def write(self, _: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _fill(folder: str) -> None:
    """Let every write below a folder fail as on a full disk."""

    opened = io.open

    def full(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        inside = isinstance(file, str | os.PathLike) and os.path.realpath(os.fspath(file)).startswith(folder)
        if not inside or not set(mode) & set("wax+"):
            return opened(file, mode, *rest, **named)
        buffered = io.BufferedWriter(_Full(os.fspath(file), mode.replace("b", "").replace("t", "")))
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding="utf-8")

    builtins.open = io.open = full


def _hook(before: Callable[[], None]) -> None:
    for name in _EVENTS:
        real = getattr(os, name)

        def call(*arguments: Any, real: Any = real, **named: Any) -> Any:
            before()
            return real(*arguments, **named)

        setattr(os, name, call)


def _arm(event: int) -> None:
    """Die by SIGKILL just before the n-th change of a folder."""
    left = [event]

    def before() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.killpg(0, signal.SIGKILL)

    _hook(before)


def _count_events(file: Path) -> None:
    """Write to a file how many changes of folders there were."""
    seen = [0]

    def before() -> None:
        seen[0] += 1

    _hook(before)
    atexit.register(lambda: file.write_text(str(seen[0]), encoding="ascii"))


if __name__ == "__main__":
    place, into, out = sys.argv[1:]
    with os.fdopen(int(into), encoding="utf-8") as reading, os.fdopen(int(out), "w", encoding="utf-8") as writing:
        serve(Path(place), reading, writing)
