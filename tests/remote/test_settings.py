"""What pip tells of its settings, asked of the real pip."""

import os
import stat
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from lexvec import InputError
from lexvec.remote.index import pip_settings
from lexvec.remote.web import Settings

pytestmark = pytest.mark.skipif(find_spec("pip") is None, reason="pip is not installed")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with all of pip's settings."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return path


def test_a_file(config: Path) -> None:
    config.write_text(
        "[global]\nindex-url = https://name:secret@one.example/simple/\nextra-index-url = https://two.example/simple\n"
        "  file:///three\ncert = /certificates.pem\nclient-cert = /mine.pem\nproxy = http://proxy.example:3128\n"
        "trusted-host = two.example\n[download]\nfind-links = /links\n[install]\nindex-url = https://no.example\n"
    )
    assert pip_settings() == Settings(
        ("https://name:secret@one.example/simple/", "https://two.example/simple", "file:///three"),
        ("/links",),
        "/certificates.pem",
        "/mine.pem",
        "http://proxy.example:3128",
        frozenset({"two.example"}),
    )


def test_variables_win(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text("[global]\nindex-url = https://one.example\n[download]\nindex-url = https://two.example\n")
    assert pip_settings().indexes == ("https://two.example",)
    monkeypatch.setenv("PIP_INDEX_URL", "https://three.example")
    assert pip_settings().indexes == ("https://three.example",)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert pip_settings().indexes == ()


def test_without_settings_there_is_the_index_of_pip_itself(config: Path) -> None:
    config.write_text("")
    (index,) = pip_settings().indexes
    assert index.startswith("https://") and index.endswith("/simple")


def test_a_file_that_bears_the_name_of_pip_is_not_run(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text("[global]\nindex-url = https://one.example\n")
    (tmp_path / "pip.py").write_text("raise SystemExit('I was run')")
    monkeypatch.chdir(tmp_path)
    assert pip_settings().indexes == ("https://one.example",)


def test_certificates_of_the_environment(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/bundle.pem")
    assert pip_settings().cert == "/bundle.pem"


def interpreter(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="needs scripts that can be run")
def test_a_python_whose_pip_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = interpreter(tmp_path / "without", 'echo "$0: No module named pip" >&2\nexit 1')
    monkeypatch.setattr(sys, "executable", without)
    with pytest.raises(InputError, match=r"this Python has no pip, .*: install it"):
        pip_settings()
    broken = interpreter(tmp_path / "broken", 'echo "ERROR: pip.conf is odd" >&2\nexit 1')
    monkeypatch.setattr(sys, "executable", broken)
    with pytest.raises(InputError, match=r"pip does not report its settings \(pip.conf is odd\)"):
        pip_settings()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(InputError, match=r"pip does not report its settings"):
        pip_settings()
