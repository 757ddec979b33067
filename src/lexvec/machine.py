"""Facts about this machine: how many cores and how much memory this process may use."""

import os
import re
from collections.abc import Iterator


def available_threads(threads: int | None = None) -> int:
    """Return the number asked for, or one per core that this process may use."""
    if threads is not None:
        return threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def total_memory() -> int:
    """Return the bytes of memory that this process may count on: the machine's, or its container's if less."""
    import psutil

    return min([int(psutil.virtual_memory().total), *(limit for limit, _ in _container())])


def free_memory() -> int:
    """Return the bytes of memory that are free now, as far as the system reports it."""
    import psutil

    return min([int(psutil.virtual_memory().available), *(limit - used for limit, used in _container())])


def _container() -> Iterator[tuple[int, int]]:
    """Yield limit and use of memory of the container (control group, version 2 or 1), if it has a limit."""
    for folder, limit, used in (
        ("/sys/fs/cgroup", "memory.max", "memory.current"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        allowed = _number_in(f"{folder}/{limit}")
        if allowed is not None:
            # Cached files count as used but make room on demand.
            cached = _number_in(f"{folder}/memory.stat", r"^(?:total_)?inactive_file (\d+)") or 0
            yield allowed, max(0, (_number_in(f"{folder}/{used}") or 0) - cached)


def _number_in(path: str, pattern: str = r"(\d+)") -> int | None:
    try:
        with open(path, encoding="ascii") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) if found else None
