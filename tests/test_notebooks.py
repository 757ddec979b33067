"""What objects show of themselves in a notebook."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import (
    MODELS,
    Association,
    Associator,
    Comparison,
    Cooccurrence,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    Evaluation,
    Normalizer,
    WordVectors,
    compare,
    evaluate,
)
from lexvec.presentation.cards import text
from lexvec.trained import ModelFolder

EVIL = "<script>alert('&')</script>"
WORDS = [EVIL, *"abcdefghijklmnop"]


class Checker(HTMLParser):
    """Refuses tags that are not closed, and whatever could run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("div", "style", "b", "table", "thead", "tbody", "tr", "th", "td", "p", "details", "summary")
        assert all(name == "class" for name, _ in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] != "style":
            self.texts.append(data)


def shown(thing: Any) -> list[str]:
    """The texts of the HTML of a thing, which is well-formed and harmless."""
    html = thing._repr_html_()
    assert "<script" not in html
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    assert not re.search(r"color|#[0-9a-f]{3}|rgb", html)  # the theme's own colours, whatever they are
    return checker.texts


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    draw = np.random.default_rng(0)
    sentences = [[EVIL, EVIL, *draw.choice(WORDS, 10).tolist()] for _ in range(200)]
    return CorpusBuilder(min_count=1).build(sentences)


def test_artefacts(corpus: Corpus) -> None:
    counts = CooccurrenceCounter(subsample=0).count(corpus)
    matrix = Associator().associate(counts)
    for thing, kind in ((corpus, Corpus), (counts, Cooccurrence), (matrix, Association)):
        texts = shown(thing)
        assert texts[0] == kind.__name__
        assert "17" in texts and str(thing.path) in texts  # words
        assert "made with" in texts
    assert "2,400" in shown(corpus)
    assert any(said.startswith(f"most frequent: {EVIL}, ") and said.endswith(", …") for said in shown(corpus))
    assert {"window kind", "fixed"} & set(shown(counts)) == {"fixed"}


def test_a_vocabulary(corpus: Corpus) -> None:
    texts = shown(corpus.vocabulary)
    assert texts[:4] == ["Vocabulary: 17 words, 2,400 tokens", "word", "count", EVIL]
    assert texts[4] == str(corpus.vocabulary.counts[0])
    assert texts[-1] == "…" and len(texts) == 3 + 2 * 10 + 1


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str, corpus: Corpus, tmp_path: Path) -> None:
    few = {"epochs": 12, "parts": 2} if hasattr(MODELS[name], "epochs") else {}
    model = MODELS[name](dim=3, **few)
    before = shown(model)
    assert before[0] == f"{MODELS[name].__name__}, not fitted"
    assert before[1:3] == ["dim", "3"]
    assert set(model.get_params()) <= set(before)
    model.set_params(subsample=0).fit(corpus, tmp_path / "model")
    after = shown(model)
    assert after[0] == f"{MODELS[name].__name__}, fitted: 17 words × 3 dimensions"
    assert ("loss of 12 epochs" in after) == bool(few)
    assert f"{model.losses_[-1]['loss']:.6g}" in after if few else "loss" not in after
    assert shown(ModelFolder.load(tmp_path / "model"))[0] == "ModelFolder"


def test_parameters() -> None:
    assert shown(Normalizer()) == ["Normalizer", "6 parameters at their defaults"] + [
        text(cell) for pair in Normalizer().get_params().items() for cell in pair
    ]
    assert shown(CorpusBuilder(encoding=EVIL))[1:3] == ["encoding", EVIL]


def test_vectors_and_scores(tmp_path: Path, corpus: Corpus) -> None:
    vectors = WordVectors(WORDS, np.arange(17 * 8).reshape(17, 8))
    texts = shown(vectors)
    assert texts[:8] == ["WordVectors: 17 words × 8 dimensions", "word", "0", "1", "2", "3", "4", "…"]
    assert texts[8:11] == [EVIL, "0.000", "1.000"]
    assert texts[-1] == "and 12 more words"
    assert shown(WordVectors(["a"], [[1.0]]))[1:] == ["word", "0", "a", "1.000"]
    own = tmp_path / "<i>own.txt"
    own.write_text(
        "".join(f"{one} {other} {n % 3}\n" for n, (one, other) in enumerate(zip("abcdef", "bcdefz", strict=True)))
    )
    random = WordVectors(WORDS, np.random.default_rng(1).normal(size=(17, 8)))
    scores = [evaluate(each, sets=[own]) for each in (vectors, random)]
    assert isinstance(scores[0], Evaluation)
    score = scores[1].scores[0]
    texts = shown(scores[1])
    assert texts[0] == "Evaluation: 17 words × 8 dimensions"
    assert [said for said in texts if said.strip()][6:8] == ["<i>own", "Spearman"]
    assert "5 of 6" in texts and f"{score.value:.3f}".replace("0.", ".").replace("-", "−") in texts
    compared = compare(*scores, names=(EVIL, "B"))
    assert isinstance(compared, Comparison)
    assert shown(compared)[0] == f"Comparison of {EVIL} and B"


def test_values_in_cells() -> None:
    assert text(1234567) == "1,234,567"
    assert text(2529190.73) == "2,529,191"
    assert text(1e-5) == "1e-05"
    assert text(True) == "True"
    assert text(None) == "None"
    assert text("x" * 300) == f"{'x' * 200}…"
    assert text('<a href="x">') == "&lt;a href=&quot;x&quot;&gt;"
