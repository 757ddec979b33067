"""The page as one file: what is in it, and that it works from a disk, offline, in a browser."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer_data import EVIL, WORDS, vectors_of
from lexvec import ArtefactError, WordVectors
from lexvec.explorer import exported_page
from lexvec.explorer.bundle import joined_modules
from lexvec.explorer.opening import ShownModel, content_of
from lexvec.explorer.page_files import page_files
from lexvec.explorer.scores import Scorer

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture(autouse=True)
def _plane_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts take long to compile, and the browser tests have one."""
    monkeypatch.setattr("lexvec.explorer.export.layouts", lambda _: ["pca"])


def embedded(text: str) -> Any:
    (data,) = re.findall(r'<script type="application/json" id="embedded">(.*?)</script>', text, re.DOTALL)
    return json.loads(data)


def test_everything_is_in_the_page(models: list[ShownModel], sets: Path) -> None:
    page = exported_page(models, scorer=Scorer(data=sets)).text
    record = embedded(page)
    assert [model["map"]["words"] for model in record["models"]] == [WORDS, WORDS]
    assert [table["title"] for table in record["scores"]["tables"]][:2] == ["Scores of one", "Scores of two"]
    assert not re.findall(r"(src|href)=", page.split("<script")[0])
    assert "import {" not in page
    assert page.count("</script>") == 2  # a word that ends a script does not


def test_the_policy_names_what_is_there(models: list[ShownModel]) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', exported_page(models).text)
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert len(re.findall(r"'sha256-[A-Za-z0-9+/=]{44}'", policy)) == 2


def test_fifty_thousand_words_stay_below_five_megabytes() -> None:
    draw = np.random.default_rng(0)
    words = [f"word{number}é" for number in range(100_000, 102_001)]
    vectors = WordVectors(words, draw.normal(size=(len(words), 4)), counts=np.full(len(words), 123_456))
    model = ShownModel("large", content_of(vectors, []))
    small, large = (len(exported_page([model], words=number).text.encode()) for number in (1_000, 2_000))
    assert small + 49 * (large - small) < 5_000_000
    assert embedded(exported_page([model], words=2_000).text)["models"][0]["map"]["left_out"] == 1


def test_several_models_share_the_words(models: list[ShownModel]) -> None:
    record = embedded(exported_page(models, words=20).text)
    assert [len(model["map"]["words"]) for model in record["models"]] == [10, 10]


def test_it_is_written_as_all_files_are(tmp_path: Path) -> None:
    page = vectors_of(1).explore(words=10)
    page.save(tmp_path / "page.html")
    with pytest.raises(ArtefactError, match="exists"):
        page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.text


def test_a_notebook_shows_it_in_a_frame() -> None:
    shown = vectors_of(1).explore(words=10)._repr_html_()
    assert shown.startswith("<iframe ") and 'sandbox="allow-scripts allow-downloads"' in shown
    assert "<script" not in shown and EVIL not in shown


def test_modules_keep_to_what_the_joining_understands() -> None:
    files = {name: text for name, text in page_files().items() if name.endswith(".js")}
    exported = [
        name for text in files.values() for name in re.findall(r"^export \w+(?: function)? (\w+)", text, re.MULTILINE)
    ]
    assert len(set(exported)) == len(exported)
    joined = joined_modules(files)
    assert not re.findall(r"^(import|export)\b", joined, re.MULTILINE)
    for name, text in files.items():
        first = next(line for line in text.splitlines() if line.startswith("// "))
        assert joined.count(first) == 1, name  # every module is in it, once
        assert len(text.splitlines()) < 250, name
        assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            name
        )


@pytest.mark.slow
def test_it_works_from_a_disk(
    models: list[ShownModel], sets: Path, tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    exported_page(models, scorer=Scorer(data=sets)).save(tmp_path / "page.html")
    page = open_page((tmp_path / "page.html").as_uri(), offline=True)
    page.locator(f".stage[data-drawn='{len(WORDS)}']").wait_for()
    page.get_by_role("combobox", name="Word or formula").fill("hor")
    page.get_by_role("option", name="horse").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="horse").wait_for()
    found = page.get_by_role("table", name="Nearest of").locator("tbody th a").all_inner_texts()
    content = models[0].content
    assert content
    assert found == [word for word, _ in content.vectors.most_similar("horse", count=10)]
    assert page.get_by_role("link", name="Analogies").count() == 0
    page.go_back()
    page.get_by_role("heading", name="Neighbours").wait_for()
    page.get_by_role("link", name="Compare").click()
    page.get_by_text("On average").wait_for()
    page.get_by_role("link", name="Scores").click()
    page.get_by_role("table", name="Scores of two").wait_for()


@pytest.mark.slow
def test_it_works_in_a_notebook(open_page: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "notebook.html").write_text(vectors_of(1).explore()._repr_html_(), encoding="utf-8")
    page = open_page((tmp_path / "notebook.html").as_uri(), offline=True)
    frame = page.frame_locator("iframe")
    frame.locator(f".stage[data-drawn='{len(WORDS)}']").wait_for()
    frame.get_by_role("combobox", name="Word or formula").fill("cat")
    frame.get_by_role("option", name="cat").wait_for()
    frame.get_by_role("combobox", name="Word or formula").press("Enter")
    frame.get_by_role("heading", name="cat").wait_for()
