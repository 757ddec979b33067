"""Where larger real data may be found; tests that use it are skipped, with a reason, where it is not."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; the first one of a test may have to compile a kernel, so none is timed.
settings.register_profile("lexvec", derandomize=True, deadline=None)
settings.load_profile("lexvec")


@pytest.fixture(autouse=True)
def _no_syncing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests need not survive a power cut, and syncing is most of what small artefacts cost."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="session")
def real_text() -> Path:
    """A file of real English text, some hundred megabytes, compressed."""
    folder = Path(os.environ.get("LEXVEC_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
    found = sorted(folder.glob("corpora/*.txt.xz"))
    if not found:
        pytest.skip(f"no large corpus in {folder}: set LEXVEC_TEST_DATA to a folder with corpora/*.txt.xz")
    return found[0]
