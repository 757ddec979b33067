"""Compiled kernels survive damage, a full disk and strangers."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from children import run_code
from lexvec.kernels import cache
from lexvec.kernels.jit import inlined, kernel
from lexvec.kernels.steps import sgd_sweep

SCRIPT = (
    "import logging, numpy as np; logging.basicConfig();"
    "from lexvec.draws import noise_table; print(noise_table(np.array([3.0, 1.0])).alias.tolist())"
)


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    return run_code(SCRIPT, env=environment, check=True)


@pytest.mark.slow
def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    first = run(tmp_path)
    assert not first.stderr
    files = [path for path in tmp_path.rglob("*") if path.suffix in (".nbi", ".nbc")]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for suffix in (".nbc", ".nbi"):
        for path in files:
            if path.suffix == suffix:
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        again = run(tmp_path)
        assert again.stdout == first.stdout
        assert "are damaged" in again.stderr
        assert "Traceback" not in again.stderr
        assert not run(tmp_path).stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists() or os.getuid() != 0, reason="needs a small file system of its own")
def test_a_full_disk_is_no_reason_to_stop(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    limited = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));" + SCRIPT
    done = run_code(limited, env=environment, check=True)
    assert done.stdout == "[0, 0]\n"
    assert "cannot keep compiled kernels" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    found = cache.find_cache()
    assert found.folder is not None
    assert found.folder.stat().st_mode & 0o777 == 0o700
    found.folder.chmod(0o777)
    refused = cache.find_cache()
    assert refused.folder is None
    assert "others may write to it" in refused.reason


def test_kernels_that_nobody_uses_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old, recent, other = tmp_path / "kernels-old", tmp_path / "kernels-recent", tmp_path / "mine"
    for folder in (old, recent, other):
        folder.mkdir(mode=0o700)
    month = time.time() - 31 * 24 * 3600
    os.utime(old, (month, month))
    os.utime(other, (month, month))
    assert cache.find_cache().folder is not None
    assert not old.exists()
    assert recent.exists()
    assert other.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    found = cache.find_cache()
    assert found.folder is None
    assert "cannot be used" in found.reason


def scaled(factor: float) -> Callable[[float, float], tuple[float, float]]:
    def loss(score: float, target: float) -> tuple[float, float]:
        return factor * score, target

    return inlined(loss)


def loss_of(function: Callable[[float, float], tuple[float, float]]) -> Callable[[float], float]:
    @kernel
    def first(score: float) -> float:
        return function(score, 0.0)[0]

    return first


def test_functions_of_one_factory_are_compiled_apart() -> None:
    assert [loss_of(scaled(factor))(1.0) for factor in (2.0, 3.0)] == [2.0, 3.0]


def test_sweeps_are_cached_by_all_that_a_loss_uses() -> None:
    sweeps: list[Any] = [sgd_sweep(scaled(factor)) for factor in (2.0, 3.0, 2.0)]
    one, other, same = (cache._identity(sweep.py_func) for sweep in sweeps)
    assert one != other
    assert one == same
