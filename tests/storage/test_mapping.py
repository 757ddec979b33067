"""Mapped files that another program cuts off: an error where there is time to look, one line where there is not."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from children import run, running
from lexvec import ArtefactError, CorpusBuilder, LexVec
from lexvec.storage.mapping import check_mapped, map_bytes, map_file

_TOUCH = """
import mmap, os, sys, threading
from pathlib import Path
from lexvec.cli.failures import report_bus_errors
from lexvec.storage import mapping
mapping.BEFORE_FIRST.append(report_bus_errors)
found = mapping.map_file(Path(sys.argv[1]), "<i8", 0, (1 << 16,))
os.truncate(sys.argv[1], 0)
threads = [threading.Thread(target=found.sum) for _ in range(int(sys.argv[2]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def _file(path: Path) -> Path:
    np.arange(1 << 16, dtype=np.int64).tofile(path)
    return path


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="Windows does not let a mapped file be cut off")
def test_a_command_ends_with_one_line(tmp_path: Path) -> None:
    # Python's own handler takes itself away before it writes, so a second thread would end the process meanwhile.
    for options, threads, code in (([], 4, 1), (["-X", "faulthandler"], 1, -signal.SIGBUS)):
        _file(tmp_path / "x")
        done = run([sys.executable, *options, "-c", _TOUCH, tmp_path / "x", threads])
        assert done.returncode == code
        if code == 1:
            assert done.stderr.startswith("lexvec: a file that is in use was cut off") and done.stderr.count("\n") == 1
        else:
            assert done.stderr.startswith("Fatal Python error: Bus error")  # the handler that was there before


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="Windows does not let a mapped file be cut off")
@pytest.mark.parametrize("command", ["neighbors", "analogy", "neighbors --contexts"])
def test_a_command_that_is_answering_questions_ends_with_one_line(tmp_path: Path, command: str) -> None:
    words = [f"w{number}" for number in range(2000)]
    LexVec(dim=16, epochs=1, subsample=0).fit([words] * 2, tmp_path / "model", builder=CorpusBuilder(min_count=1))
    question = ["w1", "w2", "w3"] if command == "analogy" else ["w1"]
    name, *flags = command.split()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with running([sys.executable, "-m", "lexvec", name, tmp_path / "model", *flags, "-n", 1], **streams) as process:
        assert process.stdin and process.stdout
        process.stdin.write(f"{' '.join(question)}\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("w")
        for array in ("W", "C"):
            os.truncate(tmp_path / "model" / f"{array}.npy", 0)
        printed, errors = process.communicate(f"{' '.join(reversed(question))} \n".replace("w1 ", "w1999 "))
        assert (process.returncode, printed) == (1, "")
        assert errors.startswith("lexvec: a file that is in use was cut off by another program")
        assert errors.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let a mapped file be cut off")
def test_a_file_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    array, content = map_file(_file(tmp_path / "x"), "<i8", 8, (99,)), map_bytes(_file(tmp_path / "y"))
    part, whole = array[5:], np.frombuffer(content, np.int64)
    assert (part[0], len(whole)) == (6, 1 << 16)
    check_mapped(part, whole, np.zeros(3), None)
    other = _file(tmp_path / "z")
    other.write_bytes(b"short")
    other.replace(tmp_path / "x")  # what was mapped is still there
    os.truncate(tmp_path / "y", 8 << 15)
    check_mapped(part)
    with pytest.raises(ArtefactError, match=r"y was cut off by another program while it was in use: restore it"):
        check_mapped(part, whole)
    again = map_file(_file(tmp_path / "z"), "<i8", 8, (99,))
    os.truncate(tmp_path / "z", 99)
    with pytest.raises(ArtefactError, match="z was cut off"):
        check_mapped(again[3:])
