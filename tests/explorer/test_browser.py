"""The page in a real browser, by roles and texts: two models, scores, files, hostile words, and all ways to use it."""

import csv
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer_data import EVIL, HOSTILE, WORDS, hostile_vectors
from explorer_fixtures import serious_violations
from explorer_page import Open, drawn, table, type_word, words_in
from lexvec import WordVectors

if TYPE_CHECKING:
    from lexvec.explorer.server import Service

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]


def test_two_models(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#compare?text=cat")
    for name in ("one", "two"):
        table(page, name).wait_for()
    page.get_by_text(re.compile(r"\d+ % of the neighbours of cat are the same")).wait_for()
    page.get_by_text(re.compile(r"On average \d+ % are the same")).wait_for()
    different = page.get_by_role("region", name="Words whose neighbours differ most").get_by_role("row")
    assert different.count() == len(WORDS) + 1
    page.get_by_label("Model", exact=True).select_option("two")
    page.get_by_label("Compare with").get_by_role("option", name="one").wait_for(state="attached")
    assert "model=1" in page.url


def test_a_word_that_one_model_does_not_know(models: list[Any], serve: Callable[..., Any], open_page: Open) -> None:
    from lexvec.explorer.session import Session
    from lexvec.explorer.shown_models import ShownModel, content_of

    animals = ShownModel("animals", content_of(models[1].content.vectors.subset(WORDS[:10]), []))
    page = open_page(f"{serve(Session([models[0], animals])).url}#compare?text=queen")
    table(page, "one").wait_for()
    page.get_by_text("“queen” is not in the vocabulary of this model.").wait_for()
    assert page.get_by_text("of the neighbours of").count() == 0


def test_scores_and_losses(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#scores")
    for name in ("one", "two"):
        scores = table(page, f"Scores of {name}")
        scores.wait_for()
        assert "10 of 10" in scores.inner_text()
    assert "p (Holm)" in table(page, "one and two, on the items that both cover").inner_text()
    page.get_by_role("img", name="Mean loss per pair: loss over epoch").wait_for()
    page.get_by_text("The same as a table").click()
    assert "0.25" in table(page, "Loss by epoch").inner_text()


def test_what_is_shown_can_be_saved(service: "Service", open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{service.url}#words?text=cat")
    drawn(page)
    begins = {"PNG": b"\x89PNG", "SVG": b"<svg ", "CSV": b"word,x,y"}
    for form, begin in begins.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Save map as {form}").click()
        assert Path(waiting.value.path()).read_bytes().startswith(begin)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save neighbours as CSV").click()
    rows = list(csv.reader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["word", "cosine", "rank", "count"]
    assert len(rows) == 21


def test_curves_and_two_models_can_be_saved(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#scores")
    for form, begin in {"PNG": b"\x89PNG", "SVG": b"<svg ", "CSV": b"model,epoch"}.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Save loss as {form}").click()
        saved = Path(waiting.value.path()).read_bytes()
        assert saved.startswith(begin)
        if form == "SVG":  # it is drawn without the style sheet of the page
            assert b"class=" not in saved and b'fill="none"' in saved
    page.get_by_role("link", name="Compare").click()
    type_word(page, "cat")
    page.keyboard.press("Enter")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save two models as CSV").click()
    rows = list(csv.reader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["model", "word", "cosine", "in both"] and len(rows) == 41


def test_hostile_words_stay_in_their_place(serve: Callable[..., Any], open_page: Open) -> None:
    from lexvec.explorer.session import Session
    from lexvec.explorer.shown_models import ShownModel, content_of

    model = ShownModel("\u202eevil<b>", content_of(hostile_vectors(), []))
    page = open_page(f"{serve(Session([model])).url}#words?text=cat&count=50")
    shown = table(page, "Nearest of")
    shown.wait_for()
    texts = shown.locator("tbody th").all_inner_texts()
    assert {"\\u202egnirts", "שלום", "a\\u0000b\\u0007c", "\\u200b", "</script>", "a&amp;b", "%41#?&=", "🙂"} <= set(
        texts
    )
    assert "x" * 80 + "…" in texts and shown.locator("tbody th a").count() == len(HOSTILE) - 1  # too long for a link
    page.get_by_role("link", name="%41#?&=").first.click()
    page.get_by_role("heading", name="%41#?&=").wait_for()
    page.go_back()
    table(page, "Nearest of").get_by_role("link", name="u202egnirts").click()
    page.get_by_role("heading", name="\\u202egnirts").wait_for()
    assert page.locator("b, main script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save map as SVG").click()
    ElementTree.parse(waiting.value.path())  # it is well-formed, whatever the words are


def test_a_page_that_nobody_sees_gives_its_connection_back(service: "Service", open_page: Open) -> None:
    page = open_page("about:blank")
    page.add_init_script(
        "window.streams = []; window.unseen = false;"
        "Object.defineProperty(document, 'hidden', { get: () => window.unseen });"
        "window.EventSource = class extends EventSource { constructor(...all) { super(...all); streams.push(this); } };"
    )
    page.goto(service.url)
    page.wait_for_function("() => window.streams.length === 1 && window.streams[0].readyState === 1")
    page.evaluate("window.unseen = true; document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.streams[0].readyState") == 2
    page.evaluate("window.unseen = false; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_function("() => window.streams.length === 2 && window.streams[1].readyState === 1")


def test_nothing_moves_for_readers_who_want_that(service: "Service", open_page: Open) -> None:
    for wanted, seconds in (("reduce", "0s"), ("no-preference", "0.15s")):
        page = open_page(f"{service.url}#words?text=cat", reduced_motion=wanted)
        bar = page.locator(".bar-filled").first
        assert bar.evaluate("bar => getComputedStyle(bar).transitionDuration") == seconds


def test_words_are_shown_as_text(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text={EVIL}&count=100")
    page.get_by_role("heading", name=EVIL).wait_for()
    shown = words_in(table(page, "Nearest of"))
    assert '"><img src=x onerror=alert(2)>' in shown
    assert page.locator("img, main script").count() == 0  # and no dialog: the page would have reported one


def test_keyboard_alone(service: "Service", open_page: Open) -> None:
    page = open_page(service.url)
    page.get_by_role("heading", name="Neighbours").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "word"
    page.keyboard.type("dog")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="dog").wait_for()
    first = words_in(table(page, "Nearest of"))[0]
    link = page.get_by_label("Neighbours", exact=True).get_by_role("link", name=first, exact=True)
    link.focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=first, exact=True).wait_for()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "word"


@pytest.mark.parametrize(
    "view", ["words?text=cat", "analogies?a=man&b=king&c=woman&words=cat dog red", "compare?text=cat", "scores"]
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_a_screen_reader(
    service: "Service", open_page: Open, theme: str, view: str
) -> None:
    page = open_page(f"{service.url}#{view}", color_scheme=theme, bypass_csp=True)
    page.get_by_role("table").first.wait_for()
    assert serious_violations(page) == []


def test_a_phone(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text=cat", viewport={"width": 360, "height": 740}, has_touch=True)
    table(page, "Nearest of").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Scores").tap()
    table(page, "Scores of one").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [360, 1000])
def test_long_words_stay_in_their_column(serve: Callable[..., Any], open_page: Open, width: int) -> None:
    from lexvec.explorer.session import Session
    from lexvec.explorer.shown_models import ShownModel, content_of

    words = ["cat", "Oberappellationsgerichtspräsident", "dog"]
    model = ShownModel("long", content_of(WordVectors(words, np.ones((3, 2)), counts=np.full(3, 10**6)), []))
    page = open_page(f"{serve(Session([model])).url}#words?text=cat", viewport={"width": width, "height": 740})
    shown = table(page, "Nearest of")
    shown.wait_for()
    right = "each => each.getBoundingClientRect().right"
    assert shown.evaluate(right) <= page.locator(".answer").evaluate(right) + 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_theme_can_be_chosen(service: "Service", open_page: Open) -> None:
    page = open_page(service.url, color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    page.get_by_role("button", name="Theme: auto").click()
    light = page.evaluate(paper)
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(paper) != light
    page.reload()
    page.get_by_role("button", name="Theme: dark").wait_for()
