"""The map on the page, in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer_data import WORDS
from explorer_page import Open, canvas_is_blank, drawn
from lexvec import WordVectors

if TYPE_CHECKING:
    from lexvec.explorer.server import Service

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]

WITHOUT_WEBGL = (
    "const own = HTMLCanvasElement.prototype.getContext;"
    "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) "
    "{ return kind === 'webgl2' ? null : own.call(this, kind, ...rest); };"
)


def test_the_map(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text=cat")
    stage = drawn(page)
    assert stage.get_attribute("data-painter") == "WebGL2"
    assert not canvas_is_blank(page)
    page.get_by_text(re.compile(rf"of the {len(WORDS)} most frequent words\. All words are on the map")).wait_for()
    page.get_by_text(re.compile(r"It preserves \d+(\.\d)? % of the ten nearest neighbours")).wait_for()
    page.get_by_label("Colour by").select_option("label")
    page.get_by_role("listitem").filter(has_text="animal").wait_for()
    summary = page.get_by_text(f"Words in view: {len(WORDS)}")
    summary.wait_for()
    stage.focus()
    for _ in range(12):
        page.keyboard.press("+")
    page.get_by_text(re.compile(r"Words in view: (\d)\b")).wait_for()  # zoomed in, so fewer
    page.keyboard.press("0")
    summary.wait_for()
    summary.click()
    page.get_by_label("Map", exact=True).get_by_role("link", name="wolf", exact=True).click()
    page.get_by_role("heading", name="wolf").wait_for()


def test_the_map_is_moved_and_shows_neighbours(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text=cat")
    stage = drawn(page)
    everything = page.get_by_text(f"Words in view: {len(WORDS)}")
    everything.wait_for()
    box = stage.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 60, steps=5)
    page.mouse.up()
    everything.wait_for(state="detached")  # some have left the view, and no word was chosen
    page.get_by_role("heading", name="cat", exact=True).wait_for()
    page.get_by_role("button", name="Show all").click()
    everything.wait_for()
    page.get_by_role("button", name="Show neighbours").click()
    page.get_by_text(re.compile(r"Words in view: 2\d\b")).wait_for()
    page.get_by_label("Colours").get_by_text("frequent").wait_for()


def test_a_word_that_is_not_on_the_map(models: list[Any], serve: Callable[..., Any], open_page: Open) -> None:
    from lexvec.explorer.session import Session

    page = open_page(f"{serve(Session(models, map_words=12)).url}#words?text=queen")
    page.get_by_text("Not on the map: queen.").wait_for()
    page.get_by_text(f"{len(WORDS) - 12} rarer words are left out.").wait_for()


@pytest.mark.parametrize("painter", ["WebGL2", "Canvas"])
def test_many_points(serve: Callable[..., Any], open_page: Open, painter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 20,000 points the sheet is moved rather than painted again; what is seen then is what was painted."""
    from lexvec.explorer.session import Session
    from lexvec.explorer.shown_models import ShownModel, content_of

    monkeypatch.setattr("lexvec.explorer.session.layouts", lambda _: ["pca"])
    rows = np.random.default_rng(0).normal(size=(20_001, 3))
    many = ShownModel("many", content_of(WordVectors([f"w{row}" for row in range(len(rows))], rows), []))
    page = open_page("about:blank")
    if painter == "Canvas":
        page.add_init_script(WITHOUT_WEBGL)
    page.goto(serve(Session([many])).url)
    page.locator(".stage[data-drawn='20001']").wait_for()
    # Keys go on until a frame has seen the sheet moved: on a busy machine, the map may come to rest between two frames.
    page.wait_for_function(
        """() => {
            document.querySelector(".stage").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
            return !document.querySelector(".sheet canvas").style.transform.startsWith("translate(0px, 0px)");
        }"""
    )
    page.wait_for_function(
        "() => document.querySelector('.sheet canvas').style.transform.startsWith('translate(0px, 0px)')"
    )
    assert page.locator(".stage").get_attribute("data-painter") == painter
    assert not canvas_is_blank(page)


def test_the_map_without_webgl(service: "Service", open_page: Open, browser: Any) -> None:
    page = open_page("about:blank")
    page.add_init_script(WITHOUT_WEBGL)
    page.goto(service.url)
    assert drawn(page).get_attribute("data-painter") == "Canvas"
    assert not canvas_is_blank(page)


def test_a_layout_that_keeps_neighbours_replaces_the_plane(
    service: "Service", open_page: Open, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("umap", reason="umap-learn is not installed: pip install 'lexvec[explore]'")
    monkeypatch.setattr("lexvec.explorer.maps._LEAST", 20)
    page = open_page(service.url)
    page.locator("[data-layout=pca], [data-layout=umap]").wait_for()
    page.locator("[data-layout=umap]").wait_for(timeout=240_000)  # compiles on first use
    page.get_by_text("Layout that keeps neighbours together (UMAP)").wait_for()
    assert len(list((cache / "maps").glob("*.npy"))) == 1
