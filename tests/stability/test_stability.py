"""Bootstrap samples of a tiny corpus, and what varies between them."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import planted
import pytest

from lexvec import PPMISVD, ArtefactError, Corpus, CorpusBuilder, InputError, Model, ParameterError, UnknownWordError
from lexvec.lab import Stability, Variation
from lexvec.lab.stability_report import StabilityReport

MODEL: dict[str, Any] = {"dim": 4, "subsample": 0.0}
WORDS = ["t0w1", "t0w2", "t3w4"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(300)


def measure(folder: Path, corpus: Any, runs: int = 4, words: Any = WORDS, **more: Any) -> Variation:
    options = {"neighbors": more.pop("neighbors", 5), "block": more.pop("block", 1)}
    model = PPMISVD(**MODEL, **more)
    return Stability(runs=runs, **options).measure(model, corpus, folder, words=words, progress=False)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> Variation:
    return measure(tmp_path_factory.mktemp("stability") / "work", corpus)


def test_what_varies(found: Variation) -> None:
    assert [word.word for word in found.words] == WORDS and found.runs == 4
    for word in found.words:
        assert len(word.neighbours) == 5 and 0 < word.overlap < 1 and word.span[0] <= word.overlap <= word.span[1]
        assert any(near.span[0] < near.mean < near.span[1] for near in word.neighbours)
    assert [pair.words for pair in found.pairs] == [("t0w1", "t0w2"), ("t0w1", "t3w4"), ("t0w2", "t3w4")]
    # Words of one topic are closer than words of two, in the whole and in the samples.
    assert found.pairs[0].mean > found.pairs[1].span[1]
    assert len(found.by_frequency) > 40


def test_an_interrupted_measurement_resumes(
    tmp_path: Path, corpus: Corpus, found: Variation, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[int] = []
    fit = Model.fit

    def stopped(model: Model, *given: Any, **more: Any) -> Model:
        fits.append(model.seed)
        if len(fits) == 3:
            raise KeyboardInterrupt
        return fit(model, *given, **more)

    monkeypatch.setattr(Model, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        measure(tmp_path / "work", corpus)
    again = measure(tmp_path / "work", corpus)
    assert fits == [1, 2, 3, 3, 4, 5]
    assert StabilityReport(again).as_dict() == StabilityReport(found).as_dict()
    damages = [
        "damaged",
        '{"neighbours": {}, "cosines": {}}',
        '{"neighbours": {"t0w1": 5}, "cosines": {}}',
        '{"neighbours": {}, "cosines": {"x": "y"}}',
    ]
    for damage in damages:
        (tmp_path / "work" / "runs" / "2.json").write_text(damage)
        assert measure(tmp_path / "work", corpus).words == found.words
    assert fits[6:] == [3] * len(damages)
    (tmp_path / "work" / "runs" / "0.json").write_text('{"neighbours": {}, "cosines": {}}')
    assert measure(tmp_path / "work", corpus).words == found.words


def test_more_runs_are_added(tmp_path: Path, corpus: Corpus, found: Variation) -> None:
    assert measure(tmp_path / "work", corpus, runs=2).runs == 2
    assert measure(tmp_path / "work", corpus, runs=4).words == found.words
    turned = measure(tmp_path / "work", corpus, runs=4, words=WORDS[::-1])  # the order of words does not matter
    assert turned.words == found.words[::-1]


@pytest.mark.parametrize("runs", [0, 1])
def test_one_run_shows_nothing(tmp_path: Path, corpus: Corpus, runs: int) -> None:
    with pytest.raises(
        ParameterError, match=f"runs={runs}: one sample or none cannot show how vectors vary; use at least 10"
    ):
        measure(tmp_path / "work", corpus, runs=runs)
    assert not (tmp_path / "work").exists()


def test_bad_input(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(UnknownWordError, match="did you mean"):
        measure(tmp_path / "work", corpus, words=["t0wl"])
    with pytest.raises(UnknownWordError, match=r"check the spelling, or keep words that occur less than \d+ times"):
        measure(tmp_path / "work", corpus, words=["elephants"])
    with pytest.raises(ParameterError, match=f"block=999: samples of {len(corpus)} sentences would hardly differ"):
        measure(tmp_path / "work", corpus, block=999)
    with pytest.raises(InputError, match=r"too few sentences \(9\)"):
        measure(tmp_path / "few", CorpusBuilder(min_count=1).build([["t0w1", "t0w2"]] * 9), words=[])
    with pytest.raises(ParameterError, match="a list of words"):
        measure(tmp_path / "text", corpus, words="t0w1")
    measure(tmp_path / "work", corpus, runs=2)  # the folder is not spoiled by a command that failed
    others: dict[str, dict[str, Any]] = {
        "other words": {"words": ["t0w1"]},
        "other neighbors": {"neighbors": 6},
        r"other parameters \(seed\)": {"seed": 9},
        "another block": {"block": 2},
    }
    for message, other in others.items():
        with pytest.raises(ArtefactError, match=f"started with {message}: choose another output"):
            measure(tmp_path / "work", corpus, **other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear all")
    with pytest.raises(ArtefactError, match="holds something else"):
        measure(tmp_path / "full", corpus)


def test_a_word_that_samples_lack(tmp_path: Path) -> None:
    text = [["a", "b"], ["b", "c"], ["c", "a"]] * 20 + [["rare", "a", "b"]]
    corpus = CorpusBuilder(min_count=1).build(text)
    word = measure(tmp_path / "work", corpus, runs=6, words=["rare"], neighbors=2).words[0]
    assert word.samples < 6
    runs = [json.loads(path.read_text())["neighbours"] for path in (tmp_path / "work" / "runs").iterdir()]
    without = [found for found in runs if "rare" not in found]
    assert without  # and there it is nobody's neighbour, since its row was not trained
    assert all(near != "rare" for found in without for neighbours in found.values() for near, _ in neighbours)


def test_files(found: Variation, tmp_path: Path) -> None:
    written = StabilityReport(found).write(tmp_path)
    assert [path.name for path in written] == ["overlap.svg", "report.md", "report.html", "report.json"]
    picture = ElementTree.parse(tmp_path / "overlap.svg").getroot()
    circles = list(picture.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == len(found.by_frequency)
    record = json.loads((tmp_path / "report.json").read_text())
    assert record["runs"] == 4 and record["words"][0]["word"] == "t0w1"
    assert "t0w1" in (tmp_path / "report.html").read_text()
