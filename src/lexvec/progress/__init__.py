"""How long-running work tells how far it is: to the log, as a bar, or not at all. The caller chooses.

Every function that takes ``progress`` accepts None (report to the logger of its module, at INFO), True (a bar on a
terminal or in a notebook, lines on standard error elsewhere), False (nothing), or an object of one's own.
"""

import sys

from ..errors import ParameterError
from .lines import Lines, Logged
from .protocol import Progress, ProgressLike, Silent, Stage

__all__ = ["Lines", "Logged", "Progress", "ProgressLike", "Silent", "Stage", "resolved", "shown"]


def resolved(progress: ProgressLike, logger: str) -> Progress:
    """What was asked for by ``progress``; ``logger`` is the name of the module that asks."""
    if progress is None or type(progress) is Logged:
        return Logged(logger)  # also within a larger piece of work: each part reports under its own name
    if isinstance(progress, bool):
        return shown() if progress else Silent()
    if not (hasattr(progress, "stage") and hasattr(progress, "note")):
        raise ParameterError(
            f"progress={progress!r:.40}: it must be True (a bar), False (nothing), None (logging), or have the methods "
            "stage and note"
        )
    return progress


def shown() -> Progress:
    """What suits the place: a bar in a notebook or on a terminal, lines elsewhere."""
    from .notebook import Notebook, in_notebook

    if in_notebook():
        return Notebook()
    if not (sys.stderr and sys.stderr.isatty()):
        return Lines()
    from rich.console import Console  # a tenth of a second that only a terminal is to wait for

    from .terminal import Terminal

    console = Console(stderr=True)
    return Terminal(console) if console.is_terminal else Lines()
