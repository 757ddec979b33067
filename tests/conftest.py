"""Where larger real data may be found; tests that use it are skipped, with a reason, where it is not."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import platformdirs
import pytest
from hypothesis import settings

import lexvec.kernels.jit  # noqa: F401 (settles where compiled kernels are kept, before a test moves the cache)
from served import Pages

pytest_plugins = ["explorer_fixtures", "searching"]

# The same examples in every run; the first one of a test may have to compile a kernel, so none is timed.
settings.register_profile("lexvec", derandomize=True, deadline=None)
settings.load_profile("lexvec")


@pytest.fixture(autouse=True)
def _no_syncing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests need not survive a power cut, and syncing is most of what small artefacts cost."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


DATA = Path(os.environ.get("LEXVEC_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def real_text() -> Path:
    """A file of real English text, some hundred megabytes, compressed."""
    found = sorted(DATA.glob("corpora/*.txt.xz"))
    if not found:
        pytest.skip(f"no large corpus in {DATA}: set LEXVEC_TEST_DATA to a folder with corpora/*.txt.xz")
    return max(found, key=lambda path: path.stat().st_size)


@pytest.fixture(scope="session")
def real_sets() -> Path:
    """A folder with the paper's test sets."""
    if not (DATA / "eval" / "google-analogies.txt").is_file():
        pytest.skip(f"no test sets in {DATA}: set LEXVEC_TEST_DATA to a folder with eval/*.txt")
    return DATA / "eval"


@pytest.fixture(scope="session")
def real_sts() -> Path:
    """A folder with the development part of the STS benchmark in three languages."""
    if not (DATA / "sts" / "stsb-en-dev.csv").is_file():
        pytest.skip(f"no STS benchmark in {DATA}: set LEXVEC_TEST_DATA to a folder with sts/stsb-*-dev.csv")
    return DATA / "sts"


@pytest.fixture(scope="session")
def real_models() -> Path:
    """A folder with small models that other programs trained, and what they print for some words."""
    if not (DATA / "models" / "words.txt").is_file():
        pytest.skip(f"no models of other programs in {DATA}: set LEXVEC_TEST_DATA to a folder with models/")
    return DATA / "models"


@pytest.fixture
def no_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any test sets; the folder is its cache."""
    monkeypatch.delenv("LEXVEC_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    monkeypatch.setattr("lexvec.evaluation.sets.find_spec", lambda _: None)
    return tmp_path / "cache" / "data"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of archives that is all of pip's world."""
    if not find_spec("pip"):
        pytest.skip("pip is not installed")
    (tmp_path / "index").mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return tmp_path / "index"


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pages]:
    """A server on this machine."""
    monkeypatch.setenv("no_proxy", "*")
    server = Pages()
    yield server
    server.close()
