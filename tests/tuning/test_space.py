"""Spaces, halves and objectives."""

import json
from pathlib import Path

import pytest

from lexvec import PPMISVD, SGNS, GloVe, InputError, LexVec, ParameterError
from lexvec.evaluation import Evaluation, Item, Score
from lexvec.evaluation.sets import parse
from lexvec.lab import Objective, Space
from lexvec.lab.halves import Halves, half_of
from lexvec.models import MODELS
from lexvec.parameters import declared
from lexvec.progress import Silent


class Fixed:
    """Stands for an optuna trial that suggests given values, or the first or lowest value."""

    def __init__(self, **values: object) -> None:
        self.values = values

    def suggest_categorical(self, name: str, choices: tuple[object, ...]) -> object:
        return self.values.get(name, choices[0])

    def suggest_int(self, name: str, low: int, high: int, **_: object) -> object:
        return self.values.get(name, low)

    def suggest_float(self, name: str, low: float, high: float, **_: object) -> object:
        return self.values.get(name, low)


@pytest.mark.parametrize("model", sorted(MODELS.present))
def test_declared_ranges_hold_the_defaults(model: str) -> None:
    cls = MODELS[model]
    space = Space.from_model(cls)
    defaults = {name: default for name, _, _, default in declared(cls)}
    for dimension in space.dimensions:
        assert dimension.holds(defaults[dimension.name] or 0.0), dimension


def test_parameters_without_an_effect_are_left_out() -> None:
    space = Space.from_model(LexVec)
    assert "shift" not in space.suggest(Fixed()) and "shift" in space.suggest(Fixed(measure="shifted_ppmi"))
    assert "shift" not in space.first()
    assert "shift" not in Space.from_model(LexVec, {"measure": "ppmi"}).names
    with pytest.raises(ParameterError, match="search='shift' has no effect with measure=ppmi: search that, too"):
        Space.from_model(LexVec, {}, ["shift=1..5", "window"])
    fixed = Space.from_model(LexVec, {"measure": "shifted_ppmi"})
    assert "shift" in fixed.suggest(Fixed()) and "measure" not in fixed.suggest(Fixed())


def test_positions_are_searched_where_windows_are_narrow() -> None:
    for model in (LexVec, PPMISVD, GloVe):
        space = Space.from_model(model)
        assert "contexts" in space.suggest(Fixed(window=3)) and "contexts" not in space.suggest(Fixed(window=4))
        assert "contexts" not in Space.from_model(model, {"window": 5}).suggest(Fixed())
    # Its trials would fail: the matrix has no positions beyond its own window.
    assert "contexts" not in Space.from_model(LexVec).suggest(Fixed(window_sampling="sgns"))


def test_costly_parameters_are_searched_only_where_they_are_named() -> None:
    usual = Space.from_model(SGNS)
    assert "subwords" not in usual.names
    assert Space.from_model(SGNS, {}, ["subwords"]).names == ["subwords"]
    more = Space.from_model(SGNS, {}, ["all", "subwords", "window=2..5"])
    assert set(more.names) == {*usual.names, "subwords"}
    assert more.record()["window"]["high"] == 5
    assert Space.from_model(SGNS, {}, ["all"]) == usual


def test_a_record_survives_a_file() -> None:
    record = Space.from_model(LexVec).record()
    assert json.loads(json.dumps(record)) == record


def test_a_space_of_ones_own() -> None:
    space = Space.from_model(GloVe, {}, ["x-max=1..10:log", "window=2,5,9", "dim=10..20"])
    assert space.names == ["x_max", "window", "dim"]
    assert space.suggest(Fixed(x_max=1.23456789)) == {"x_max": 1.23457, "window": 2, "dim": 10}
    assert space.record()["window"]["values"] == [2, 5, 9]


@pytest.mark.parametrize(
    "text",
    ["windw", "window=", "window=5..2", "window=a..b", "window=1..2..3", "window=0..3", "learning_rate=0..1:log",
     "variant=fast", "variant=1..2", "parts", "window=1..3:exp", "epochs=1.5..3", "smoothing=0.5..7",
     "threads=1,2", "checkpoint-every=1,2"],
)  # fmt: skip
def test_ranges_that_cannot_be(text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Space.from_model(LexVec, {}, [text])
    assert len(str(caught.value).splitlines()) == 1


def test_twice_and_fixed() -> None:
    with pytest.raises(ParameterError, match="twice"):
        Space.from_model(LexVec, {}, ["window", "window=1..2"])
    with pytest.raises(ParameterError, match="window is fixed"):
        Space.from_model(LexVec, {"window": 2}, ["window"])


def test_the_split_never_changes() -> None:
    items = [Item((f"word{n}", "other"), float(n)) for n in range(2000)]
    halves = [half_of(item) for item in items]
    assert 900 < halves.count("test") < 1100
    # These are facts about published splits: a change of the rule would let searches see their test items.
    assert [half[0] for half in halves[:16]] == list("tddtttttttddttdt")
    assert half_of(Item(("king", "queen"), 8.5)) == half_of(Item(("Queen", "king"), 1.0))


def test_sentences_are_not_looked_up_as_words(tmp_path: Path) -> None:
    sets = tmp_path / "sentences.csv"
    sets.write_text("".join(f"a cat {n} sat,the dog {n} ran,{n % 5}\n" for n in range(100)))
    halves = Halves.gathered([str(sets)], None, Silent())
    assert halves.covered(["cat", "dog"], [str(sets)], Silent()) == halves


def test_halves_hold_the_items_of_the_set(tmp_path: Path) -> None:
    sentences = tmp_path / "sentences.csv"
    odd = ['"# no comment {0}","b ""is"" the a",{0}', '"","the water, {0}",{0}', " spaces {0} ,x y,{0}", "#{0},b b,1"]
    sentences.write_text("".join(f"{line.format(n)}\n" for n in range(50) for line in odd))
    words = tmp_path / "words.txt"
    words.write_text("".join(f" #word{n} :other {n}\n" for n in range(100)))
    halves = Halves.gathered([str(sentences), str(words)], None, Silent())
    halves.write(tmp_path / "sets")
    for test in halves.sets:
        files = [halves.path(tmp_path / "sets", half, test) for half in ("development", "test")]
        written = [item for file in files for item in parse(file.read_text(), "x")[1]]
        assert sorted(written) == test.items


def test_each_kind_of_task_needs_a_set(tmp_path: Path, no_sets: None) -> None:
    (tmp_path / "mc-30.txt").write_text("".join(f"a{n}\tb{n}\t{n}\n" for n in range(200)))
    (tmp_path / "msr-analogies.txt").write_text("".join(f"a{n} b{n} c{n} d{n}\n" for n in range(200)))
    halves = Halves.gathered(["similarity", "analogy"], tmp_path, Silent())
    known = [f"{letter}{n}" for letter in "ab" for n in range(200)]
    with pytest.raises(InputError, match="no analogy set has 20 items in each half with all words in the vocabulary"):
        halves.covered(known, ["similarity", "analogy"], Silent())
    assert len(halves.covered(known, ["similarity"], Silent()).sets) == 1
    own = tmp_path / "own.txt"  # which does not stand for the sets that are found
    own.write_text("".join(f"e{n}\tf{n}\t{n}\n" for n in range(200)))
    halves = Halves.gathered(["similarity", str(own)], tmp_path, Silent())
    with pytest.raises(InputError, match="no similarity set has 20 items"):
        halves.covered([f"{letter}{n}" for letter in "ef" for n in range(200)], ["similarity", str(own)], Silent())


def scored(**values: float) -> Evaluation:
    scores = tuple(
        Score(key=name, name=name, kind="analogy" if name == "msr" else "similarity", measure="m", value=value, low=0.0,
              high=1.0, covered=1, total=1, known=True, sha256="", outcomes=None, ratings=None)  # type: ignore[arg-type]
        for name, value in values.items()
    )  # fmt: skip
    return Evaluation(scores=scores, missing=(), words=1, dim=1, parameters={})


def test_objectives() -> None:
    scores = scored(men=0.6, rw=0.2, msr=0.1)
    assert Objective.parsed(["similarity"]).value(scores) == pytest.approx(0.4)
    assert Objective.parsed(["similarity=3", "msr"]).value(scores) == pytest.approx((3 * 0.4 + 0.1) / 4)
    assert Objective.parsed(["folder/rw.txt"]).value(scores) == 0.2
    assert Objective.parsed(["similarity", "men"]).parts(scores) == pytest.approx({"similarity": 0.4, "men": 0.6})
    own = Objective.parsed(["similarity", "folder/own.txt"]).parts(scored(men=0.6, own=0.2))
    assert own == {"similarity": 0.6, "folder/own.txt": 0.2}
    assert str(Objective.parsed(["similarity=3", "msr"])) == "3 × mean similarity + 1 × msr"


@pytest.mark.parametrize("texts", [[], "similarity", ["men=0"], ["men=x"], ["men", "men=2"], ["=1"], ["men=inf"]])
def test_objectives_that_cannot_be(texts: list[str]) -> None:
    with pytest.raises(ParameterError):
        Objective.parsed(texts)
