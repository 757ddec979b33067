"""Everything that a person can do on the page, done in a real browser, by roles and texts."""

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
from lexvec import WordVectors

if TYPE_CHECKING:
    from lexvec.explorer.serving import Service

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]
Open = Callable[..., Any]

WITHOUT_WEBGL = (
    "const own = HTMLCanvasElement.prototype.getContext;"
    "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) "
    "{ return kind === 'webgl2' ? null : own.call(this, kind, ...rest); };"
)


def table(page: Any, caption: str) -> Any:
    return page.get_by_role("table", name=caption)


def words_in(shown: Any) -> list[str]:
    return [str(text) for text in shown.locator("tbody th a").all_inner_texts()]


def type_word(page: Any, text: str) -> None:
    page.get_by_role("combobox", name="Word or formula").fill(text)


def test_search_suggests_by_prefix_in_any_case(service: "Service", open_page: Open) -> None:
    page = open_page(service.url)
    type_word(page, "PAR")
    options = page.get_by_role("listbox").get_by_role("option")
    options.first.wait_for()
    assert options.all_inner_texts() == ["Paris", "PARIS2"]
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("listbox").get_by_role("option", selected=True).inner_text() == "Paris"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Paris", exact=True).wait_for()
    assert page.get_by_role("combobox", name="Word or formula").get_attribute("aria-expanded") == "false"


def test_search_suggests_what_was_meant(service: "Service", open_page: Open) -> None:
    page = open_page(service.url)
    type_word(page, "hrose")
    page.get_by_role("option", name="did you mean horse").wait_for()
    page.keyboard.press("Enter")  # as typed
    page.get_by_text("“hrose” is not in the vocabulary.").first.wait_for()
    page.get_by_role("main").get_by_role("link", name="horse", exact=True).first.click()
    page.get_by_role("heading", name="horse").wait_for()


def test_unknown_words_are_composed_and_marked(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text=catlike")
    page.get_by_text("composed from subwords").wait_for()
    assert words_in(table(page, "Nearest of"))[0] == "cat"


def test_neighbours_walk_and_back(service: "Service", open_page: Open, models: list[Any]) -> None:
    page = open_page(f"{service.url}#words?text=cat")
    shown = table(page, f"Nearest of {len(WORDS)} words")
    shown.wait_for()
    expected = [word for word, _ in models[0].content.vectors.most_similar("cat", count=20)]
    assert words_in(shown) == expected
    page.get_by_label("Neighbours", exact=True).get_by_role("link", name=expected[0], exact=True).click()
    page.get_by_role("heading", name=expected[0], exact=True).wait_for()
    assert f"text={expected[0]}" in page.url
    assert "token" not in page.url
    page.go_back()
    page.get_by_role("heading", name="cat", exact=True).wait_for()
    page.reload()  # a view is its address
    page.get_by_role("heading", name="cat", exact=True).wait_for()


def test_the_field_shows_what_is_shown(service: "Service", open_page: Open) -> None:
    page = open_page(service.url)
    for word in ("cat", "dog"):
        type_word(page, word)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=word, exact=True).wait_for()
    page.go_back()
    page.get_by_role("heading", name="cat", exact=True).wait_for()
    assert page.get_by_role("combobox", name="Word or formula").input_value() == "cat"  # though it has the focus


def test_a_reader_stays_where_the_reader_was(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text=cat")
    table(page, "Nearest of").wait_for()
    first = words_in(table(page, "Nearest of"))[0]
    page.get_by_label("Neighbours", exact=True).get_by_role("link", name=first, exact=True).press("Enter")
    page.get_by_role("heading", name=first, exact=True).wait_for()
    assert page.evaluate("document.activeElement.closest('.answer') !== null")
    page.get_by_label("Show", exact=True).select_option("10")
    page.wait_for_function("() => document.querySelectorAll('.answer tbody tr').length === 10")
    page.get_by_role("link", name="Scores").press("Enter")
    table(page, "Scores of one").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Scores"


def test_a_formula_with_a_typo_is_corrected_as_a_whole(service: "Service", open_page: Open) -> None:
    page = open_page(f"{service.url}#words?text=king -man %2B womna")
    page.get_by_text("“womna” is not in the vocabulary.").first.wait_for()
    page.get_by_role("main").get_by_role("link", name="woman", exact=True).first.click()
    page.get_by_role("heading", name="king -man + woman").wait_for()
    assert words_in(table(page, "Nearest of"))[0] == "queen"


def test_a_formula(service: "Service", open_page: Open) -> None:
    page = open_page(service.url)
    type_word(page, "king - man + wom")
    page.get_by_role("option", name="woman").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="king - man + woman").wait_for()
    assert words_in(table(page, "Nearest of"))[0] == "queen"


def test_analogies_by_both_methods(service: "Service", open_page: Open) -> None:
    page = open_page(service.url)
    page.get_by_role("link", name="Analogies").click()
    for name, word in (("a", "man"), ("b", "king")):
        page.get_by_role("combobox", name=name, exact=True).fill(word)
    page.get_by_role("combobox", name="c", exact=True).fill("wom")
    page.get_by_role("option", name="woman").click()
    page.get_by_role("button", name="Answer").click()
    for method in ("3CosAdd", "3CosMul"):
        shown = table(page, method)
        shown.wait_for()
        assert words_in(shown)[0] == "queen"
    page.get_by_role("combobox", name="Words").fill("cat dog horse red")
    page.get_by_role("button", name="Find").click()
    page.get_by_text("red matches the others least.").wait_for()
    assert "a=man" in page.url
    page.get_by_role("combobox", name="b", exact=True).fill("knig")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="king", exact=True).first.click()  # did you mean
    table(page, "3CosMul").wait_for()
    assert page.get_by_role("combobox", name="b", exact=True).input_value() == "king"


def canvas_is_blank(page: Any) -> bool:
    return bool(
        page.evaluate(
            """() => {
                const stage = document.querySelector(".stage");
                const copy = document.createElement("canvas");
                copy.width = 200; copy.height = 200;
                const context = copy.getContext("2d");
                context.drawImage(stage.querySelector(".sheet canvas"), 0, 0, 200, 200);
                return !context.getImageData(0, 0, 200, 200).data.some((value) => value !== 0);
            }"""
        )
    )


def drawn(page: Any) -> Any:
    page.locator(f".stage[data-drawn='{len(WORDS)}']").wait_for()
    return page.locator(".stage")


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
    from lexvec.explorer.opening import ShownModel, content_of
    from lexvec.explorer.session import Session

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
    from lexvec.explorer.opening import ShownModel, content_of
    from lexvec.explorer.session import Session

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
    from lexvec.explorer.opening import ShownModel, content_of
    from lexvec.explorer.session import Session

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


def test_the_theme_can_be_chosen(service: "Service", open_page: Open) -> None:
    page = open_page(service.url, color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    page.get_by_role("button", name="Theme: auto").click()
    light = page.evaluate(paper)
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(paper) != light
    page.reload()
    page.get_by_role("button", name="Theme: dark").wait_for()
