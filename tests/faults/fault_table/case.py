"""What a row of the table is, and what may be expected of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

P = ParamSpec("P")

#: State of a folder: the digest of each file, and "" for each folder, by path.
Snapshot = dict[str, str]


@dataclass(frozen=True)
class Step:
    """One step of making a fault: a recipe with its arguments, applied to the folder of the case."""

    name: str
    apply: Callable[[Path], None]


def recipe(function: Callable[Concatenate[Path, P], None]) -> Callable[P, Step]:
    """Turn ``function(folder, …)`` into a recipe: calling it with the rest gives a `Step`."""

    @wraps(function)
    def step(*arguments: P.args, **named: P.kwargs) -> Step:
        shown = ", ".join([*map(repr, arguments), *(f"{name}={value!r}" for name, value in named.items())])
        return Step(f"{function.__name__}({shown[:80]})", lambda folder: function(folder, *arguments, **named))

    return step


@dataclass(frozen=True)
class Done:
    """What happened when a row was tried."""

    code: int  # the exit code, or minus the signal
    stdout: str
    stderr: str
    hung: bool
    folder: Path
    base: Path
    before: Snapshot
    after: Snapshot


@dataclass(frozen=True)
class Error:
    """Expect one line on standard error that matches ``pattern``, this exit code, and nothing changed on disk."""

    pattern: str
    #: Several where the operating system decides who notices first.
    code: int | tuple[int, ...] = 1
    #: The line may be followed by so many more, with advice.
    more: int = 0
    #: Whether the command has printed part of its result before.
    output: bool = False
    #: What is right, too: the result that the undamaged input gives.
    otherwise: "Result | None" = None


@dataclass(frozen=True)
class Result:
    """Expect exit code 0 and that ``check`` finds nothing wrong."""

    check: Callable[[Done], str]
    code: int | tuple[int, ...] = 0


@dataclass(frozen=True)
class Row:
    """One fault: how it is made, what is tried, and what is expected."""

    group: str
    name: str
    #: A command line without ``lexvec``, or Python code after ``python:``.
    run: str
    expect: Error | Result
    make: Sequence[Step] = ()
    #: Standard input.
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)
    #: Start a new interpreter instead of forking one that has everything imported.
    fresh: bool = False
    #: Megabytes of address space beyond what the process starts with.
    memory: int = 1500
    seconds: float = 30.0
    #: The largest file that the process may write, in bytes (``ulimit -f``).
    file_size: int | None = None
    #: Standard streams to close, such as ``<&-``; only for fresh processes.
    closed: str = ""
    #: Send SIGINT when this module is imported; only for fresh processes.
    interrupt: str = ""
    #: Start with SIGINT ignored, as a script does with ``&``; only for fresh processes.
    deaf: bool = False
    #: Every write below this folder fails as on a full disk.
    full: str = ""
    #: Bytes of a disk that is mounted at ``disk``, where mounting is allowed; elsewhere the row is skipped.
    disk: int | None = None
    #: After a clear error, a command that must succeed and leave nothing but its result once there is room again.
    again: str = ""
    #: Run as a user without rights.
    unprivileged: bool = False
    #: Run in a terminal of its own (stdout and stderr).
    terminal: bool = False
    #: What may be left behind, as a regular expression on paths.
    leaves: str = ""
    #: Takes seconds: left out of the tests, not of the table.
    slow: bool = False

    @property
    def key(self) -> str:
        """The name of the row in the whole table."""
        return f"{self.group}: {self.name}"
