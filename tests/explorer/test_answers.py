"""What the page receives, compared with what the vectors say themselves."""

import base64
import json
import queue
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer_data import ANIMALS, EVIL, WORDS, vectors_of
from lexvec import InputError, UnknownWordError, WordVectors
from lexvec.explorer import maps, questions
from lexvec.explorer.maps import Labels, nearest_rows, single_units
from lexvec.explorer.questions import Term, parsed
from lexvec.explorer.session import Jobs, Session
from lexvec.explorer.shown_models import ShownModel, Suggestions, content_of, opened_models

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def content(models: list[ShownModel]) -> Any:
    return models[0].content


def test_neighbours_are_those_of_the_vectors(content: Any) -> None:
    answer = questions.neighbours(content, "cat", 5)
    expected = content.vectors.most_similar("cat", count=5)
    assert [(each["word"], each["cosine"]) for each in answer["found"]] == [(w, round(c, 6)) for w, c in expected]
    assert answer["terms"] == [{"word": "cat", "sign": 1, "composed": False, "rank": 1, "count": 10 * len(WORDS)}]
    assert answer["searched"] == len(WORDS)
    json.dumps(answer, allow_nan=False)


def test_case_is_folded_and_unknown_words_raise(content: Any) -> None:
    assert questions.neighbours(content, "HORSE", 1)["terms"][0]["word"] == "horse"
    with pytest.raises(UnknownWordError, match="did you mean 'horse'"):
        questions.neighbours(content, "hrose", 1)


def test_a_composed_word_is_marked(content: Any) -> None:
    answer = questions.neighbours(content, "catfish + red", 3)
    assert [term["composed"] for term in answer["terms"]] == [True, False]
    alone = questions.neighbours(content, "catfish", 1)
    assert (alone["found"][0]["word"], alone["terms"][0]["rank"]) == ("cat", None)
    with pytest.raises(UnknownWordError):
        questions.neighbours(content, "xyzzy", 1)  # of which nothing is composed


def test_both_methods_answer(content: Any) -> None:
    answer = questions.analogy(content, "man", "king", "Woman", 3)
    assert answer["words"] == ["man", "king", "woman"]
    assert answer["add"][0]["word"] == answer["mul"][0]["word"] == "queen"


def test_the_odd_one_is_that_of_the_vectors(content: Any) -> None:
    words = ["cat", "dog", "red", "cow"]
    answer = questions.odd_one_out(content, words)
    assert answer["odd"] == content.vectors.doesnt_match(words) == "red"
    assert sorted(each["word"] for each in answer["words"]) == sorted(words)
    with pytest.raises(InputError, match="3 to 50 words"):
        questions.odd_one_out(content, ["cat", "dog"])


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("a", [("a", 1)]),
        ("a − b", [("a", 1), ("b", -1)]),
        ("a -b +c d", [("a", 1), ("b", -1), ("c", 1), ("d", 1)]),
        ("-a", [("a", -1)]),
        ("x-y", [("x-y", 1)]),
        ("new york", [("new york", 1)]),
        ("  a  ", [("a", 1)]),
    ],
)
def test_formulas(text: str, terms: list[tuple[str, int]]) -> None:
    assert parsed(text, {"new york"}) == [Term(*term) for term in terms]


@pytest.mark.parametrize("text", ["", "  ", "+", "a -", "a - - b", "a " * 21, "a" * 301])
def test_what_is_no_formula(text: str) -> None:
    with pytest.raises(InputError):
        parsed(text, set())


def test_suggestions_are_ranked_by_frequency() -> None:
    words = ["zebra", "Zoo", "zone", "apple", "ZOO", "ß"]
    suggestions = Suggestions(words, {word: row for row, word in enumerate(words)})
    assert suggestions.beginning_with("zo", 3) == ["Zoo", "zone", "ZOO"]
    assert suggestions.beginning_with("ZOO", 3) == ["ZOO", "Zoo"]
    assert suggestions.beginning_with("SS", 3) == ["ß"]
    assert suggestions.beginning_with(" ", 3) == suggestions.beginning_with("q", 3) == []
    assert suggestions.meant("zbera", 2)[0] == "zebra"


@pytest.mark.parametrize(("rows", "count"), [(7, 3), (40, 39), (3000, 10)])
def test_neighbourhoods_are_exact(rows: int, count: int) -> None:
    matrix = np.random.default_rng(0).normal(size=(rows, 8)).astype(np.float32)
    matrix[1] = 0
    vectors = WordVectors([str(row) for row in range(rows)], matrix)
    asked = np.arange(0, rows, max(1, rows // 20))
    found = nearest_rows(single_units(matrix), asked, count)
    for row, near, cosines in zip(asked.tolist(), found.rows, found.cosines, strict=True):
        if row == 1:
            continue
        expected = vectors.most_similar(str(row), count=count)
        np.testing.assert_allclose(cosines, [cosine for _, cosine in expected], atol=1e-6)
        assert len(set(near.tolist())) == count and row not in near


def test_the_plane_is_that_of_the_vectors(content: Any) -> None:
    mapped = maps.Mapped(content.vectors)
    shown = mapped.plane().points.astype(np.float64)
    expected = content.vectors.plane(WORDS).points
    for side in range(2):
        assert abs(np.corrcoef(shown[:, side], expected[:, side])[0, 1]) > 0.9999
    assert 0 < mapped.plane().preserved <= 1


def test_a_map_of_few_words_and_few_dimensions() -> None:
    for rows, dim in ((3, 1), (3, 2), (4, 1)):
        layout = maps.Mapped(WordVectors(list("abcd")[:rows], np.arange(rows * dim).reshape(rows, dim))).plane()
        assert layout.points.shape == (rows, 2)
    with pytest.raises(InputError, match="at least three"):
        maps.Mapped(WordVectors(["a"], [[1.0]]))
    same = maps.Mapped(WordVectors(list("abc"), np.ones((3, 2)))).plane()
    assert np.isfinite(same.preserved)


def test_a_layout_is_computed_once(cache: Path, content: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def layout(units: Any) -> Any:
        calls.append(len(units))
        return np.random.default_rng(0).normal(size=(len(units), 2)).astype(np.float32)

    monkeypatch.setattr(maps, "_umap", layout)
    first, second = (maps.Mapped(content.vectors).neighbour_layout() for _ in range(2))
    assert calls == [len(WORDS)]
    assert (first.points == second.points).all()
    (file,) = (cache / "maps").iterdir()
    for damage in (b"", b"nonsense", file.read_bytes()[:-8]):
        file.write_bytes(damage)
        calls.clear()
        maps.Mapped(content.vectors).neighbour_layout()
        assert calls == [len(WORDS)]
    maps.Mapped(vectors_of(5)).neighbour_layout()
    assert len(list((cache / "maps").iterdir())) == 2


def test_a_map_says_what_it_leaves_out(models: list[ShownModel], labels: Labels) -> None:
    session = Session(models, map_words=12, labels=labels)
    news: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    session.listen = news.put
    assert session.map(0, "pca") == {"state": "running"}
    assert news.get(timeout=60) == {"kind": "map", "name": "map:pca:0"}
    record = session.map(0, "pca")
    assert (len(record["words"]), record["left_out"]) == (12, len(WORDS) - 12)
    assert np.frombuffer(base64.b64decode(record["points"]), "<u2").shape == (24,)
    assert list(base64.b64decode(record["labels"])) == [0] * 10 + [1, 1]


def test_without_umap_the_page_is_told(models: list[ShownModel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.explorer.session.layouts", lambda _: ["pca"])
    session = Session(models)
    assert session.about()["models"][0]["layouts"] == ["pca"]
    assert "pip install" in session.map(0, "umap")["error"]


def test_differences(models: list[ShownModel]) -> None:
    one, two = (model.content for model in models)
    assert one and two
    same = questions.most_different(one, one)
    assert (same["mean"], same["words"][0]["overlap"]) == (1.0, 1.0)
    found = questions.most_different(one, two)
    overlaps = [each["overlap"] for each in found["words"]]
    assert overlaps == sorted(overlaps) and overlaps[0] < overlaps[-1]
    sides = questions.side_by_side(one, two, "cat", 10)
    near = [{word for word, _ in content.vectors.most_similar("cat")} for content in (one, two)]
    assert set(sides["shared"]) == near[0] & near[1]
    assert sides["overlap"] == len(near[0] & near[1]) / 10
    apart = content_of(WordVectors(["x", "y", "z"], np.eye(3)), [])
    half = questions.side_by_side(one, apart, "cat", 10)
    assert len(half["sides"][0]["found"]) == 10 and half["shared"] == []
    assert half["sides"][1] == {"text": "cat", "found": [], "error": "“cat” is not in the vocabulary of this model."}
    with pytest.raises(UnknownWordError):
        questions.side_by_side(two, apart, "hrose", 10)
    with pytest.raises(InputError, match="fewer than three"):
        questions.most_different(one, apart)


def test_jobs_run_once_and_report_failures() -> None:
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    ran: list[int] = []
    jobs = Jobs(done.put)

    def work() -> dict[str, Any]:
        ran.append(1)
        return {"value": 1}

    def failing() -> dict[str, Any]:
        raise InputError("no such thing: give another")

    def broken() -> dict[str, Any]:
        raise ZeroDivisionError

    for name, each in (("a", work), ("b", failing), ("c", broken)):
        assert jobs.ask(name, (0,), each) == {"state": "running"}
    assert [done.get(timeout=60) for _ in range(3)] == ["a", "b", "c"]
    assert jobs.ask("a", (0,), work) == {"state": "ready", "value": 1}
    assert jobs.ask("b", (0,), failing) == {"state": "failed", "error": "no such thing: give another"}
    assert "ZeroDivisionError" in jobs.ask("c", (0,), broken)["error"]
    assert ran == [1]


def test_newer_work_waits_once_and_the_older_result_stands_in() -> None:
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    go_on, ran = threading.Event(), list[int]()
    jobs = Jobs(done.put)

    def work(version: int) -> dict[str, Any]:
        assert go_on.wait(60)
        ran.append(version)
        return {"value": version}

    for version in range(5):  # checkpoints that come faster than work is done
        assert jobs.ask("scores", (version,), partial(work, version)) == {"state": "running"}
    go_on.set()
    assert done.get(timeout=60) == "scores"
    assert jobs.ask("scores", (4,), lambda: work(4)) == {"state": "ready", "value": 0}
    assert done.get(timeout=60) == "scores"
    assert jobs.ask("scores", (4,), lambda: work(4)) == {"state": "ready", "value": 4}
    assert ran == [0, 4]


def test_labels_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "labels.tsv"
    file.write_text("cat\tanimal\nred\tcolour\n\ndog\tanimal\ncat\tother\n", encoding="utf-8")
    labels = Labels.read(file)
    assert labels.kinds == ["animal", "colour"]
    assert list(labels.of(["dog", "red", "x", "cat"])) == [0, 1, 255, 0]
    file.write_text("".join(f"w{n}\tkind{n}\n" for n in range(20)), encoding="utf-8")
    many = Labels.read(file)
    assert many.kinds[-1] == "other" and len(many.kinds) == 8
    assert list(many.of(["w0", "w19"])) == [0, 7]
    for bad in ("", "cat\n", "\tx\n", "cat\t \n"):
        file.write_text(bad, encoding="utf-8")
        with pytest.raises(InputError, match="a tab and its label"):
            Labels.read(file)
    file.write_bytes(b"\xff\tx\n")
    with pytest.raises(InputError, match="not UTF-8"):
        Labels.read(file)


def test_what_is_opened(trained: Path, tmp_path: Path) -> None:
    WordVectors(ANIMALS, np.eye(10)).save(tmp_path / "v.txt")
    first, second, third = opened_models([trained, tmp_path / "v.txt", trained])
    assert [model.name for model in (first, second, third)] == [str(trained), "v.txt", f"{trained} (2)"]
    assert len(first.ready.losses) == 2 and second.ready.losses == []
    assert EVIL not in first.ready.vectors


def test_the_most_frequent_words_come_first() -> None:
    """Vectors that were merged or renamed may be in another order, and a row is a rank on the page."""
    vectors = WordVectors(["rare", "often", "never", "also"], np.eye(4), counts=np.array([1, 9, 0, 9]))
    content = content_of(vectors, [])
    assert content.vectors.words == ["often", "also", "rare", "never"]
    assert (content.vectors["rare"] == vectors["rare"]).all()
    assert questions.neighbours(content, "rare", 1)["terms"][0]["rank"] == 3
    assert maps.Mapped(content.vectors, 3).words == ["often", "also", "rare"]


def test_a_row_that_is_not_a_number_is_reported_by_what_uses_it() -> None:
    matrix = np.eye(5)
    matrix[4, 0] = np.nan
    session = Session([ShownModel("m", content_of(WordVectors(list("abcde"), matrix), []))])
    session.prepare()  # which goes on, and begins to watch runs
    with pytest.raises(InputError, match="the vector of 'e' has nan"):
        questions.neighbours(session.models[0].ready, "a", 1)
