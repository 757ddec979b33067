"""Runs ``lexvec`` and sends SIGINT to itself when a module is first imported: Ctrl-C at a known moment of the start."""

import os
import runpy
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Interrupting:
    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == self._name:
            self._name = ""
            os.kill(os.getpid(), signal.SIGINT)
        return None


if __name__ == "__main__":
    sys.meta_path.insert(0, _Interrupting(sys.argv[1]))
    sys.argv = ["lexvec", *sys.argv[2:]]
    runpy.run_module("lexvec", run_name="__main__", alter_sys=True)
