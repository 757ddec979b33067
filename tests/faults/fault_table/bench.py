"""Runs rows: makes a fault in a copy of the base, tries the command with limits, and says what happened."""

import hashlib
import json
import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import platformdirs

from children import LIMIT, kill, run, start

from .case import Done, Row, Snapshot
from .pages import Pages
from .verdict import LEFTOVER, Verdict, judged

HERE = Path(__file__).parents[1]
_SOURCE = Path(__file__).parents[3] / "src"
#: Commands that do not take --quiet.
_SILENT = ("info", "list", "plan")
_COMMANDS = (
    "corpus", "count", "associate", "train", "convert", "neighbors", "analogy", "map", "evaluate", "compare",
    "reproduce", "stability", "tune", "demo", "fetch",
)  # fmt: skip


class Bench:
    """A fork server with its base, and a web server on this machine; a context manager."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="faults-"))
        self.folder.chmod(0o755)
        self.base = self.folder / "base"
        self.pages = Pages()
        self._number = 0
        into, self._requests = os.pipe()
        self._answers, out = os.pipe()
        self._server = start(
            [sys.executable, "-m", "fault_table.forkserver", str(self.base), str(into), str(out)],
            env=self._environment(),
            pass_fds=(into, out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(into)
        os.close(out)
        self._writing = os.fdopen(self._requests, "w", encoding="utf-8")
        self._reading = os.fdopen(self._answers, encoding="utf-8")
        self.about = self._answer()

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "LEXVEC_"))}
        path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", ""), str(_SOURCE)]))
        return {
            **kept,
            "PYTHONPATH": path,
            "OPENBLAS_NUM_THREADS": "1",  # a fork has no threads but its own
            "LEXVEC_DATA": "",
            # Test sets in the user's cache are not ours to use, but compiled kernels are.
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR")
            or platformdirs.user_cache_dir("lexvec", appauthor=False),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            # Nothing leaves this machine: every page but our own is refused at once.
            "http_proxy": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
            "no_proxy": "127.0.0.1",
            "COLUMNS": "200",
        }

    def _answer(self) -> dict[str, Any]:
        if not select.select([self._reading], [], [], 2 * LIMIT)[0]:  # each job has a limit of its own below this
            kill(self._server)
            raise TimeoutError(f"the fork server has not answered for {2 * LIMIT:g} s")
        line = self._reading.readline()
        if not line:
            raise RuntimeError("the fork server ended: the base could not be made")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def job(self, job: dict[str, Any]) -> dict[str, Any]:
        """Let the fork server try something."""
        self._writing.write(json.dumps(job) + "\n")
        self._writing.flush()
        return self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._writing.close()
        self._server.wait(10)
        self._reading.close()
        self.pages.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def place(self) -> Path:
        """A new folder for a case, with a copy of the base in ``work``."""
        self._number += 1
        folder = self.folder / f"case-{self._number}"
        shutil.copytree(self.base, folder / "work", symlinks=True)
        for name in ("tmp", "home"):
            (folder / name).mkdir()
        return folder

    def attempt(self, row: Row) -> Verdict:
        """Make the fault, try it, and judge what happened."""
        folder = self.place()
        disk = folder / "work" / "disk"
        try:
            if row.disk is not None and not _mounted(disk, row.disk):
                return "skipped", "no disk can be mounted here"
            verdict = judged(row, self._attempted(row, folder))
            if row.again and verdict[0] == "clear":
                return self._again(row, folder) or verdict
            return verdict
        finally:
            if os.path.ismount(disk):
                run(["umount", disk], check=True)
            run(["chmod", "-R", "u+rwx", folder])
            shutil.rmtree(folder, ignore_errors=True)

    def _again(self, row: Row, folder: Path) -> Verdict | None:
        """Try once more with room on the disk; returns what is bad."""
        if row.disk is not None:
            run(["mount", "-o", "remount,size=1g", folder / "work" / "disk"], check=True)
        free = replace(row, file_size=None, full="")
        done = self._forked(free, row.again, folder, {"TMPDIR": str(folder / "tmp"), **row.env})
        known = {*snapshot(self.base), "disk/out/.lock"}  # an experiment keeps its lock
        there = [*snapshot(folder / "work"), *snapshot(folder / "tmp")]
        left = [name for name in there if LEFTOVER.search(name) and name not in known]
        if done["code"] == 0 and not left:
            return None
        return "bad", f"again: exit code {done['code']}, left {left}, {(folder / 'stderr').read_text()[-200:]}"

    def _attempted(self, row: Row, folder: Path) -> Done:
        work = folder / "work"
        (work / ".kernels").write_text(self.about["kernels"], encoding="utf-8")
        for step in row.make:
            step.apply(work)
        (work / ".kernels").unlink()
        if row.unprivileged:
            run(["chown", "-R", "65534:65534", folder])
        before = snapshot(work)
        (folder / "stdin").write_bytes(row.stdin)
        for name in ("stdout", "stderr"):
            (folder / name).touch()
            (folder / name).chmod(0o666)
        fill = {
            "{pages}": self.pages.address,
            "{work}": str(work),
            "{base}": str(self.base),
            "{python}": sys.executable,
        }
        env = {"TMPDIR": str(folder / "tmp"), **row.env} | ({"HOME": str(folder / "home")} if row.unprivileged else {})
        env = {name: _filled(value, fill) for name, value in env.items()}
        tried = (self._fresh if row.fresh else self._forked)(row, _filled(row.run, fill), folder, env)
        leftovers = {f"tmp/{name}": digest for name, digest in snapshot(folder / "tmp").items()}
        return Done(
            tried["code"],
            tried.get("shown", "") or (folder / "stdout").read_text("utf-8", "replace"),
            (folder / "stderr").read_text("utf-8", "replace"),
            tried["hung"],
            work,
            self.base,
            before,
            snapshot(work) | leftovers,
        )

    def _forked(self, row: Row, run: str, folder: Path, env: dict[str, str]) -> dict[str, Any]:
        python = run.startswith("python:")
        what = {"code": run.removeprefix("python:").strip()} if python else {"command": quiet(shlex.split(run))}
        job = {
            **what,
            "cwd": str(folder / "work"),
            **{stream: str(folder / stream) for stream in ("stdin", "stdout", "stderr")},
            "env": env,
            "seconds": row.seconds,
            "memory": row.memory,
            "file_size": row.file_size,
            "full": str(folder / "work" / row.full) if row.full else "",
            "unprivileged": row.unprivileged,
        }
        if not row.terminal:
            return self.job(job)
        master, slave = pty.openpty()
        try:
            answer = self.job(job | {"stdout": os.ttyname(slave)})
            os.set_blocking(master, False)
            shown = b""
            while True:
                try:
                    shown += os.read(master, 1 << 16)
                except BlockingIOError:
                    break
            return answer | {"shown": shown.decode("utf-8", "replace").replace("\r\n", "\n")}
        finally:
            os.close(master)
            os.close(slave)

    def _fresh(self, row: Row, run: str, folder: Path, env: dict[str, str]) -> dict[str, Any]:
        program = ["-m", "fault_table.interrupted", row.interrupt] if row.interrupt else ["-m", "lexvec"]
        words = [sys.executable, *program, *quiet(shlex.split(run))]
        redirects = ('trap "" INT; ' if row.deaf else "") + f'exec "$@" {row.closed}'
        with (
            (folder / "stdin").open("rb") as stdin,
            (folder / "stdout").open("wb") as stdout,
            (folder / "stderr").open("wb") as stderr,
        ):
            process = start(
                ["sh", "-c", redirects, "sh", *words],
                cwd=folder / "work",
                env={**self._environment(), **env},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
            )
            try:
                return {"code": process.wait(row.seconds), "hung": False}
            except subprocess.TimeoutExpired:
                kill(process)
                return {"code": process.wait(), "hung": True}


def _mounted(place: Path, size: int) -> bool:
    """Mount an empty disk of so many bytes; returns whether that is allowed."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        return run(command).returncode == 0
    except OSError:
        return False


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def quiet(words: list[str]) -> list[str]:
    """The same command with --quiet, so that only warnings and errors are on standard error."""
    for place, word in enumerate(words):
        if word in _COMMANDS and "--quiet" not in words and "--verbose" not in words and "-h" not in words:
            return [*words[: place + 1], "--quiet", *words[place + 1 :]]
        if word in _SILENT:
            break
    return words


def snapshot(folder: Path) -> Snapshot:
    """The digest of every file below a folder, and every folder."""
    found: Snapshot = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            try:
                status = path.stat()
                # Of a large file not when it was last read, which may change.
                large = f"{status.st_size} {status.st_mtime_ns} {status.st_ino}".encode()
                content = path.read_bytes() if status.st_size <= 1 << 24 else large
                found[name] = hashlib.sha256(content).hexdigest()
            except OSError:
                found[name] = "unreadable"
        else:
            found[name] = ""
    return found
