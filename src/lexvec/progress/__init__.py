"""How long-running work reports its progress: to the log, as a bar, or not at all. The caller chooses.

Every function that takes ``progress`` accepts None (report to the logger of its module, at INFO), True (a bar on a
terminal or in a notebook, lines on standard error elsewhere), False (nothing), or an object of your own.
"""

import sys

from ..errors import Given, ParameterError
from .reports import Lines, Logged, Note, Progress, ProgressLike, Silent, Stage

__all__ = ["Lines", "Logged", "Note", "Progress", "ProgressLike", "Silent", "Stage", "resolved", "shown"]


def resolved(progress: ProgressLike, logger: str) -> Progress:
    """Return what ``progress`` stands for; ``logger`` is the name of the module that reports."""
    if progress is None or type(progress) is Logged:
        return Logged(logger)  # each part of a larger piece of work reports under its own name
    if isinstance(progress, bool):
        return shown() if progress else Silent()
    if not (hasattr(progress, "stage") and hasattr(progress, "note")):
        raise ParameterError(
            Given("progress", progress),
            ": it must be True (a bar), False (nothing), None (logging), or have the methods stage and note",
        )
    return progress


def shown() -> Progress:
    """Return what suits the place: a bar in a notebook or on a terminal, lines elsewhere."""
    in_notebook = _in_notebook()
    if not in_notebook and not (sys.stderr and sys.stderr.isatty()):
        return Lines()
    from rich.console import Console  # takes a tenth of a second, which only bars need

    from .bars import Notebook, Terminal

    if in_notebook:
        return Notebook()
    console = Console(stderr=True)
    return Terminal(console) if console.is_terminal else Lines()


def _in_notebook() -> bool:
    """Return whether this runs in the kernel of a notebook. (If it does, IPython is imported already.)"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None
