"""Small models, a server on a thread, and a real browser that reports everything that goes wrong."""

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
import pytest

from explorer_data import ANIMALS, COLOURS, Composing, vectors_of

if TYPE_CHECKING:
    from lexvec.explorer.maps import Labels
    from lexvec.explorer.server import Service
    from lexvec.explorer.session import Session
    from lexvec.explorer.shown_models import ShownModel

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-unsafe-swiftshader",
]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Layouts are kept in a folder of the test."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    monkeypatch.delenv("LEXVEC_DATA", raising=False)
    monkeypatch.setattr("lexvec.evaluation.sets.find_spec", lambda _: None)
    return tmp_path / "cache"


@pytest.fixture
def models() -> "list[ShownModel]":
    from lexvec.explorer.shown_models import ShownModel, content_of

    one = vectors_of(1)
    one.composer = Composing(one["cat"])
    losses = [{"loss": 0.5, "pairs": 10}, {"loss": 0.25, "pairs": 10}]
    return [ShownModel("one", content_of(one, losses)), ShownModel("two", content_of(vectors_of(2), []))]


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """A folder with one small similarity set."""
    folder = tmp_path / "sets"
    folder.mkdir()
    pairs = [(ANIMALS[n], (ANIMALS + COLOURS)[(3 * n + 1) % 20], n % 7) for n in range(10)]
    (folder / "mc-30.txt").write_text("".join(f"{a}\t{b}\t{n}\n" for a, b, n in pairs), encoding="utf-8")
    return folder


@pytest.fixture
def labels() -> "Labels":
    from lexvec.explorer.maps import Labels

    known = {**dict.fromkeys(ANIMALS, 0), **dict.fromkeys(COLOURS, 1)}
    return Labels(["animal", "colour"], known)


@pytest.fixture
def serve() -> "Iterator[Callable[[Session], Service]]":
    """Serves sessions until the test is over."""
    for name in ("starlette", "uvicorn"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'lexvec[explore]'")
    from lexvec.explorer.server import Service

    running: list[tuple[Service, threading.Thread]] = []

    def start(session: "Session") -> Service:
        service = Service(session)
        thread = threading.Thread(target=service.run, daemon=True)
        thread.start()
        running.append((service, thread))
        return service

    yield start
    for service, thread in running:
        service.stop()
        thread.join(20)
        assert not thread.is_alive()


@pytest.fixture
def session(models: "list[ShownModel]", sets: Path, labels: "Labels") -> "Session":
    from lexvec.explorer.scores import Scorer
    from lexvec.explorer.session import Session

    return Session(models, scorer=Scorer(data=sets), labels=labels)


@pytest.fixture
def service(session: "Session", serve: "Callable[[Session], Service]") -> "Service":
    return serve(session)


def browser_path() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no browser: install one with apt-get install chromium")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install 'lexvec[browser]'"
    )
    path = browser_path()
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


class Watched:
    """A page, and all that must not happen on it: console errors, violations, requests to other machines."""

    def __init__(self, context: Any) -> None:
        self.context, self.page, self.faults = context, context.new_page(), list[str]()
        self.page.set_default_timeout(120_000)  # on a busy machine
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        context.on("request", self._see)

    def _dismiss(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _hear(self, message: Any) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            self.faults.append(f"console: {message.text}")

    def _see(self, request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "http://localhost:", "blob:", "data:", "file:", "about:")):
            self.faults.append(f"request: {request.url}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages, and fails the test if anything went wrong on one of them."""
    opened: list[Watched] = []

    def start(url: str, **options: Any) -> Any:
        watched = Watched(browser.new_context(**{"viewport": {"width": 1200, "height": 800}, **options}))
        opened.append(watched)
        watched.page.goto(url)
        return watched.page

    yield start
    for watched in opened:
        watched.context.close()
    assert [fault for watched in opened for fault in watched.faults] == []


def serious_violations(page: Any) -> list[tuple[str, str]]:
    """Return what axe finds to stand in the way of people who use assistive technology."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed: pip install 'lexvec[browser]'"
    )
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A small trained model."""
    from lexvec import CorpusBuilder, LexVec

    text = tmp_path / "text.txt"
    text.write_text("\n".join(f"{ANIMALS[n % 10]} {COLOURS[n % 10]} {ANIMALS[(n + 1) % 10]}." for n in range(400)))
    LexVec(dim=8, epochs=2, subsample=0, parts=1).fit(text, tmp_path / "model", builder=CorpusBuilder(min_count=1))
    return tmp_path / "model"
