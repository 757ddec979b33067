"""Words on the page, in a real browser: search, neighbours, formulas, analogies."""

from typing import TYPE_CHECKING, Any

import pytest

from explorer_data import WORDS
from explorer_page import Open, table, type_word, words_in

if TYPE_CHECKING:
    from lexvec.explorer.server import Service

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]


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
