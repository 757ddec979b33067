"""Child processes of tests: with default signals, a limit on every wait, and nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

#: Seconds that a child may take. Compiling all kernels takes half a minute on a slow machine.
LIMIT = 300.0

# Ignored signals survive exec: a script that runs the tests with `&` or nohup would hand its deafness to every child.
# Python itself ignores the last two.
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
_LISTENING = (
    "import os, signal, sys\n"
    "for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGPIPE', 'SIGXFSZ'):\n"
    "    signal.signal(getattr(signal, name), signal.SIG_DFL)\n"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


def start(command: Sequence[Any], **options: Any) -> subprocess.Popen[Any]:
    """Start a process in a session of its own, with default signals whatever this process ignores."""
    words = [str(word) for word in command]
    if os.name == "posix" and any(signal.getsignal(number) is signal.SIG_IGN for number in _SIGNALS):
        words = [sys.executable, "-I", "-S", "-c", _LISTENING, *words]
    return subprocess.Popen(words, start_new_session=True, **options)


def kill(process: subprocess.Popen[Any]) -> None:
    """Kill a process and all that it has started in its group."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


@contextmanager
def running(command: Sequence[Any], *, limit: float = LIMIT, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process, and kill its group at the end.

    After ``limit`` seconds the group is killed at once: whatever waits for the process then ends, and so does the test.
    """
    overdue = threading.Event()

    def end() -> None:
        overdue.set()
        kill(process)

    process = start(command, **{"text": True, **options})
    timer = threading.Timer(limit, end)
    timer.daemon = True
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        kill(process)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        if overdue.is_set():
            raise TimeoutError(f"still running after {limit:g} s: {process.args!r}")


def run(
    command: Sequence[Any], *, text_in: Any = None, check: bool = False, limit: float = LIMIT, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """Run a process to its end, and return what it printed; with ``check`` its exit code must be 0."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if text_in is not None:
        streams["stdin"] = subprocess.PIPE
    with running(command, limit=limit, **{**streams, **options}) as process:
        printed, errors = process.communicate(text_in)
    assert not check or process.returncode == 0, errors
    return subprocess.CompletedProcess(process.args, process.returncode, printed, errors)


def run_code(code: str, *words: Any, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run Python code in a new interpreter to its end."""
    return run([sys.executable, "-c", code, *words], **options)


def wait_until(
    condition: Callable[[], Any], process: subprocess.Popen[Any] | None = None, limit: float = LIMIT
) -> None:
    """Wait until something is so, while a process is still running."""
    started = time.monotonic()
    while not condition():
        assert process is None or process.poll() is None, f"exit code {process.returncode}: {process.args!r}"
        assert time.monotonic() - started < limit, f"not within {limit:g} s"
        time.sleep(0.01)
