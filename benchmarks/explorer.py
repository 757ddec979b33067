"""The explorer: first paint, map visible, times of a query, and frames per second while panning.

python benchmarks/explorer.py [--chromium PATH] [--sizes 60000x100 300000x300 ...] [--queries 60] [--skip-browser]
                              [--export VECTORS]
"""

import argparse
import json
import shutil
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

from lexvec import WordVectors
from lexvec.explorer import exported_page, maps
from lexvec.explorer.export import _bytes_per_word
from lexvec.explorer.maps import nearest_rows, single_units
from lexvec.explorer.server import Service
from lexvec.explorer.session import Session
from lexvec.explorer.shown_models import ShownModel, content_of
from lexvec.progress import resolved
from lexvec.vectors.encodings.product import ProductMatrix

# The other layout would be computed beside what is measured.
maps._LEAST = 10**9

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-unsafe-swiftshader"]


def vectors_of(words: int, dim: int, folder: Path) -> WordVectors:
    """Return random vectors, memory-mapped as those of a file are."""
    matrix = np.random.default_rng(0).standard_normal((words, dim), np.float32)
    WordVectors([f"word{row}" for row in range(words)], matrix).save(folder / f"{words}x{dim}")
    return WordVectors.load(folder / f"{words}x{dim}")


def served(vectors: WordVectors, map_words: int = 50_000, *, prepared: bool = True) -> Service:
    """Serve vectors on a thread; if ``prepared``, the plane of the map is there when this returns."""
    session = Session([ShownModel("random", content_of(vectors, []))], map_words=map_words)
    if prepared:
        ready = threading.Event()
        session.listen = lambda _: ready.set()
        session.prepare()
        ready.wait()
    service = Service(session)
    threading.Thread(target=service.run, daemon=True).start()
    return service


def queries(service: Service, words: int, number: int) -> None:
    """Print how long a question takes over HTTP, from asking to the last byte."""
    times = []
    for n in range(number + 5):
        address = f"http://127.0.0.1:{service.port}/api/neighbours?text=word{n * 7919 % words}"
        request = urllib.request.Request(address, headers={"Cookie": f"lexvec-{service.port}={service.token}"})
        started = time.perf_counter()
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)["found"]
        times.append(1e3 * (time.perf_counter() - started))
    p50, p95 = np.percentile(times[5:], [50, 95])
    print(f"a query                        p50 {p50:7.1f} ms   p95 {p95:7.1f} ms")


def painting(service: Service, browser: Any, words: int, state: str) -> None:
    """Print when the page first paints and when its map is drawn."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(service.url)
    drawn = page.wait_for_function(
        f"() => document.querySelector('.stage')?.dataset.drawn === '{words}' ? performance.now() : 0", timeout=120_000
    ).json_value()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"{state}: first paint {paint / 1e3:.2f} s, map of {words:,} words visible {drawn / 1e3:.2f} s")
    page.context.close()


def panning(service: Service, browser: Any, words: int) -> None:
    """Print the frames per second while the map is panned for three seconds."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(service.url)
    page.wait_for_function(f"() => document.querySelector('.stage')?.dataset.drawn === '{words}'", timeout=120_000)
    frames = page.evaluate(
        """() => new Promise((done) => {
            const stage = document.querySelector(".stage");
            let frames = 0;
            const started = performance.now();
            const step = (now) => {
                frames += 1;
                const key = frames % 40 < 20 ? "ArrowLeft" : "ArrowRight";
                stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                if (now - started < 3000) requestAnimationFrame(step);
                else done(frames / ((now - started) / 1000));
            };
            requestAnimationFrame(step);
        })"""
    )
    painter = page.locator(".stage").get_attribute("data-painter")
    print(f"panning {words:,} points: {frames:.0f} frames per second ({painter})")
    page.context.close()


def in_a_browser(path: str, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        vectors = vectors_of(100_000, 100, folder)
        for state, prepared in (("plane computed before", True), ("visit at the start", False)):
            service = served(vectors, 50_000, prepared=prepared)
            painting(service, browser, 50_000, state)
            service.stop()
        service = served(vectors, 100_000)
        panning(service, browser, 100_000)
        service.stop()
        browser.close()


def exporting(folder: Path, path: Path) -> None:
    """Print the size of an exported page of 50,000 words, and how well its compressed vectors keep neighbours."""
    vectors = WordVectors.load(path)
    model = ShownModel(path.name, content_of(vectors, []))
    started = time.perf_counter()
    page = exported_page([model])
    seconds = time.perf_counter() - started
    page.save(folder / "page.html")
    size = (folder / "page.html").stat().st_size
    print(f"a page of {page.words:,} words: {size / 1e6:.2f} MB, written in {seconds:.1f} s (with a plane)")
    units = single_units(np.asarray(vectors.matrix[: page.words]))
    encoded = ProductMatrix.encode(units, _bytes_per_word(*units.shape), resolved(None, __name__))
    sample = np.random.default_rng(0).choice(len(units), 500, replace=False)
    both = [nearest_rows(rows, sample, 10).rows for rows in (units, single_units(np.asarray(encoded)))]
    kept = (both[0][:, :, None] == both[1][:, None, :]).any(axis=2).mean()
    print(f"compressed to {encoded.tensors['codes'].shape[1]} bytes per word, 10 nearest kept: {kept:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--sizes", nargs="*", default=["60000x100", "300000x300", "1000000x300"])
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--skip-browser", action="store_true")
    parser.add_argument("--export", type=Path, help="trained vectors to export 50,000 words of")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in given.sizes:
            words, dim = map(int, size.split("x"))
            print(f"{words:,} words of {dim} dimensions")
            service = served(vectors_of(words, dim, folder))
            queries(service, words, given.queries)
            service.stop()
            shutil.rmtree(folder / size)
        if given.export:
            exporting(folder, given.export)
        if given.chromium and not given.skip_browser:
            in_a_browser(given.chromium, folder)


if __name__ == "__main__":
    main()
