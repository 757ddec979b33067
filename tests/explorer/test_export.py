"""The page as one file: what is in it, and that it works from a disk, offline, in a browser."""

import base64
import gzip
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from digest_material import sentences

from explorer_data import EVIL, WORDS, vectors_of
from lexvec import ArtefactError, CorpusBuilder, LexVec, WordVectors
from lexvec.explorer import exported_page
from lexvec.explorer.export import NEAREST, _bytes_per_word, joined_modules, page_files
from lexvec.explorer.maps import MOST_WORDS, single_units
from lexvec.explorer.scores import Scorer
from lexvec.explorer.shown_models import ShownModel, content_of

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture(autouse=True)
def _plane_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts take long to compile, and the browser tests have one."""
    monkeypatch.setattr("lexvec.explorer.export.layouts", lambda _: ["pca"])


def embedded(text: str) -> Any:
    (data,) = re.findall(r'<script type="application/gzip" id="embedded">(.*?)</script>', text, re.DOTALL)
    return json.loads(gzip.decompress(base64.b64decode(data, validate=True)))


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


def test_a_page_of_a_large_vocabulary_stays_below_five_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what each word of a trained model adds to a page, if it is compressed as among so many words."""
    few, many = 1_000, 3_000
    corpus = CorpusBuilder(min_count=2).build(sentences(4_000, 6_000))
    vectors = LexVec(dim=300, epochs=1, subsample=0).fit(corpus).vectors()
    assert len(vectors) > many
    monkeypatch.setattr("lexvec.explorer.export._bytes_per_word", lambda _, dim: _bytes_per_word(MOST_WORDS, dim))

    def size(words: int) -> int:
        page = exported_page([ShownModel("large", content_of(vectors, []))], words=words)
        record = embedded(page.text)["models"][0]
        assert (page.words, record["map"]["left_out"], len(record["widths"])) == (words, len(vectors) - words, 28)
        return len(page.text.encode())

    of_few, of_many = size(few), size(many)
    per_word = (of_many - of_few) / (many - few)
    # Numbers of neighbours have more bits among more words, and base64 has six bits per byte.
    per_word += NEAREST * math.log2(MOST_WORDS / many) / 6
    assert of_few + per_word * (MOST_WORDS - few) < 5_000_000


def test_vectors_are_compressed_no_more_than_needed(models: list[ShownModel], monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoded as the page decodes them, vectors of few words are nearly exact, and those of many keep neighbours."""
    for size, least in ((12, 0.999), (6, 0.9)):
        monkeypatch.setattr("lexvec.explorer.export._BYTES", size * len(WORDS))
        monkeypatch.setattr("lexvec.explorer.export._LEAST", 1)
        record = embedded(exported_page(models[:1]).text)["models"][0]
        assert len(record["widths"]) == size
        codes = np.frombuffer(base64.b64decode(record["codes"]), np.uint8).reshape(len(WORDS), size)
        centroids = np.frombuffer(base64.b64decode(record["centroids"]), "<i2").reshape(size, 256, -1)
        pieces = [centroids[piece, codes[:, piece], :width] for piece, width in enumerate(record["widths"])]
        decoded = single_units(np.concatenate(pieces, axis=1).astype(np.float32))
        exact = single_units(np.asarray(models[0].ready.vectors.matrix))
        assert np.corrcoef((decoded @ decoded.T).ravel(), (exact @ exact.T).ravel())[0, 1] > least


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
    cosines = page.get_by_role("table", name="Nearest of").locator("tbody td:nth-child(2)").all_inner_texts()
    expected = [cosine for _, cosine in content.vectors.most_similar("horse", count=10)]
    assert [float(text.replace("−", "-")) for text in cosines] == pytest.approx(expected, abs=0.001)
    page.go_back()
    page.get_by_role("heading", name="Neighbours").wait_for()
    page.get_by_role("combobox", name="Word or formula").fill("hrose")
    page.get_by_role("option", name="did you mean horse").wait_for()
    page.get_by_role("combobox", name="Word or formula").fill("king - man + woman")
    page.keyboard.press("Enter")
    page.get_by_text("Computed from compressed vectors").wait_for()
    assert page.get_by_role("table", name="Nearest of").locator("tbody th a").first.inner_text() == "queen"
    page.get_by_role("link", name="Analogies").click()
    page.get_by_role("link", name="man is to king as woman is to …").click()
    for method in ("add", "mul"):
        answers = page.get_by_role("table", name=f"3Cos{method.title()}")
        answers.wait_for()
        first = content.vectors.analogy("man", "king", "woman", method=method, count=1)[0]
        assert answers.locator("tbody th a").first.inner_text() == first[0] == "queen"
        shown = float(answers.locator("tbody td").first.inner_text())
        assert shown == pytest.approx(first[1], abs=0.01)
    page.get_by_role("combobox", name="Words").fill("cat dog horse red")
    page.keyboard.press("Enter")
    page.get_by_text("red matches the others least.").wait_for()
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


@pytest.mark.slow
def test_models_that_share_no_word(models: list[ShownModel], tmp_path: Path, open_page: Callable[..., Any]) -> None:
    other = WordVectors(["ein", "zwei", "drei", "vier"], np.eye(4))
    exported_page([models[0], ShownModel("German", content_of(other, []))]).save(tmp_path / "page.html")
    page = open_page(f"{(tmp_path / 'page.html').as_uri()}#compare?text=cat", offline=True)
    page.get_by_role("table", name="one").wait_for()
    page.get_by_text("“cat” is not among the exported words.").wait_for()
    page.get_by_text("the two models share fewer than three words: there is nothing to compare").wait_for()
