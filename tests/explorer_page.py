"""What tests of the explorer look for on its page."""

from collections.abc import Callable
from typing import Any

from explorer_data import WORDS

Open = Callable[..., Any]


def table(page: Any, caption: str) -> Any:
    return page.get_by_role("table", name=caption)


def words_in(shown: Any) -> list[str]:
    return [str(text) for text in shown.locator("tbody th a").all_inner_texts()]


def type_word(page: Any, text: str) -> None:
    page.get_by_role("combobox", name="Word or formula").fill(text)


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
