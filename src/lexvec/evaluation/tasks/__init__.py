"""The table of kinds of evaluation task, open to others: ``TASKS["odd-one-out"] = OddOneOut()``.

Installed packages add kinds through entry points in the group ``lexvec.tasks``. An entry is an instance of `Task`.
"""

from ...registry import Registry
from .accuracy import AccuracyTask
from .analogy import Analogy
from .similarity import Similarity
from .sts import Sts
from .task import Item, Paired, Task

__all__ = ["TASKS", "AccuracyTask", "Item", "Paired", "Task"]

TASKS: Registry[Task] = Registry("task", {"similarity": Similarity(), "analogy": Analogy(), "sts": Sts()})
