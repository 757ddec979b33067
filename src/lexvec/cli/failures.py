"""How errors reach the user: one line on standard error, and an exit code.

The exit code is 2 if the command was not usable as it was typed, 130 after Ctrl-C, 143 after SIGTERM where it stops
worker processes first, and 1 for every other error. If the reader of standard output leaves, as head does, there is no
line, and the exit code is that of other tools: 141.
"""

import errno
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from ..errors import LexvecError, ParameterError
from ..progress import Lines
from .streams import forget_output

_READER_LEFT = 128 + 13  # what shells report of a program that died by SIGPIPE
_ROOM = "make room on the disk, or write elsewhere"
_ADVICE = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "raise the limit on the size of files (ulimit -f), or write to another file system",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.EBADF: "redirect it to or from a file",
    errno.EIO: "check the disk",
    errno.EFAULT: "a file that is in use was cut off by another program; restore it, then run the command again",
}
# What the interpreter says where it has no memory left to make an error.
_NO_ERROR = re.compile("without (setting an exception|exception set)")
_LESS = {
    "--memory": "give a smaller --memory",
    "--threads": "use fewer --threads",
    "--dim": "lower --dim",
    "--limit": "read fewer words with --limit",
}


def complain(text: str) -> None:
    """Print a line on standard error, under the program's name."""
    Lines().note(f"lexvec: {text}")


def stopped_by(stop: KeyboardInterrupt) -> int:
    """Return the exit code after Ctrl-C, or after another signal that stops a command in the same way."""
    return 128 + int(stop.args[0] if stop.args else signal.SIGINT)


@contextmanager
def reported(flags: Callable[[], Collection[str]] = tuple) -> Iterator[None]:
    """Turn errors into a line and an exit code; ``flags`` returns those that the advice may name."""
    try:
        yield
        return
    except LexvecError as error:
        complain(error.for_command_line())
        sys.exit(2 if isinstance(error, ParameterError) else 1)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            forget_output()
            sys.exit(_READER_LEFT)
        place = f"{error.filename}: " if error.filename else ""
        advice = _ADVICE.get(error.errno or 0, "check the path and its permissions")
        complain(f"{place}{error.strerror or error}: {advice}")
    except (MemoryError, SystemError) as error:
        if isinstance(error, SystemError) and not _NO_ERROR.search(str(error)):
            raise
        known = flags()
        advice = " or ".join(text for flag, text in _LESS.items() if flag in known)
        complain(f"there is not enough memory: {advice or 'close other programs, or use a larger machine'}")
    except KeyboardInterrupt as stop:
        complain("stopped; nothing was left behind")
        sys.exit(stopped_by(stop))
    sys.exit(1)
