"""Plans come from the formulas that training uses, and from estimates that agree with independent draws."""

import json
from itertools import pairwise

import numpy as np
import planted
import pytest
from click.testing import CliRunner

from lexvec import PPMISVD, SGNS, GloVe, LexVec, Model, ParameterError
from lexvec.cli import main
from lexvec.models.planning import independent_cells, likely_counts, planned

MODELS: list[Model] = [LexVec(threads=2), SGNS(threads=2), GloVe(threads=2), PPMISVD(threads=2)]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_less_memory_moves_more_to_disk(model: Model) -> None:
    plan = planned(model, tokens=2.4e9, words=300_000)
    totals = [way.total for way in plan.ways]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) == len(totals) > 1
    for way in plan.ways:
        assert planned(model.set_params(memory=way.total), tokens=2.4e9, words=300_000).chosen == way
        assert (way.disk > 0 or way.read > 0) == bool(way.on_disk)
    assert planned(model.set_params(memory=totals[-1] - 1), tokens=2.4e9, words=300_000).chosen is None
    model.set_params(memory=None)


def test_a_way_on_disk_that_takes_no_less_memory_is_left_out() -> None:
    for model in (*MODELS, GloVe(threads=16, dim=1000), LexVec(threads=2, parts=1024)):
        for words in (1, 10, 1000, 5000, 100_000):
            totals = [way.total for way in planned(model, tokens=1e6, words=words).ways]
            assert all(one > other for one, other in pairwise(totals))


def test_counting_has_a_least_too() -> None:
    plan = planned(PPMISVD(dim=2, threads=8, memory="30MB"), tokens=1e6, words=100)
    assert plan.ways[0].total < 30 * 10**6 < plan.counting == plan.least
    assert plan.chosen is None
    assert f"use at least {-(-plan.least // 10**6)}MB" in plan.table().notes[0]


def test_a_corpus_is_planned_by_its_own_counts() -> None:
    corpus = planted.corpus(300)
    plan = planned(SGNS(dim=8, memory="1GB", threads=2), corpus)
    assert (plan.tokens, plan.words, plan.cells) == (corpus.tokens, len(corpus.vocabulary), 0)
    assert plan.chosen is plan.ways[0]
    assert not plan.is_estimated


def test_expected_cells_are_those_of_independent_draws() -> None:
    draw = np.random.default_rng(1)
    counts = likely_counts(20_000, 700)
    shares = counts / counts.sum()
    for pairs in (1_000, 30_000, 1_000_000):
        words, contexts = (draw.choice(len(counts), pairs, p=shares) for _ in "wc")
        found = len(np.unique(words * len(counts) + contexts))
        assert independent_cells(counts, pairs) == pytest.approx(found, rel=0.05)


def test_counts_add_up_and_fall() -> None:
    counts = likely_counts(10**9, 200_000)
    assert counts.sum() == pytest.approx(10**9, rel=0.01)
    assert np.all(np.diff(counts) <= 0)


def test_too_few_figures() -> None:
    for tokens, words in ((None, None), (1e6, None)):
        with pytest.raises(ParameterError, match="give a corpus, or both"):
            planned(LexVec(), tokens=tokens, words=words)
    for flags in (["--tokens", "1e9"], ["--words", "9"], [], ["corpus", "--tokens", "1e9"], ["corpus", "--words", "9"]):
        done = CliRunner().invoke(main, ["plan", *flags])
        assert done.exit_code == 2
        assert "Give a CORPUS, or both --tokens and --words." in done.output


@pytest.mark.parametrize("tokens", [0, -1, 999, 1000.5, 1e16, 1e30, float("inf"), float("nan")])
def test_figures_that_no_corpus_has(tokens: float) -> None:
    with pytest.raises(ParameterError, match="tokens=.*: it must be a whole number from 1,000, a token per word"):
        planned(LexVec(), tokens=tokens, words=1000)
    for words in (0, -1, 1.5, 10**12, float("nan")):
        with pytest.raises(ParameterError, match="words=.*: it must be a whole number from 1 to 100,000,000"):
            planned(LexVec(), tokens=1e9, words=words)


def test_the_least_and_the_largest_corpus_can_be_planned() -> None:
    for model in MODELS:
        assert planned(model, tokens=1, words=1).ways
        assert planned(model, tokens=1e15, words=1000).tokens == pytest.approx(1e15, rel=0.01)


def test_the_command_prints_a_table_or_json() -> None:
    flags = ["--tokens", "4e9", "--words", "300000", "--model", "glove", "--memory", "4GB", "--threads", "2"]
    shown = CliRunner().invoke(main, ["plan", *flags])
    assert shown.exit_code == 0, shown.output
    assert "With 4.00 GB, training keeps cells on disk." in shown.output
    record = json.loads(CliRunner().invoke(main, ["plan", *flags, "--json"]).output)
    assert record["ways"][record["chosen"]]["on_disk"] == "cells"
    assert record["is_estimated"]
    again = CliRunner().invoke(main, ["plan", *[flag.replace("300000", "3e5") for flag in flags], "--json"])
    assert json.loads(again.output) == record
    assert record["ways"][1]["disk"] == 12 * record["cells"]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_plan_that_does_not_fit_is_shown_and_fails(form: list[str]) -> None:
    flags = ["--tokens", "4e9", "--words", "3e5", "--memory", "1MB", "--threads", "2"]
    shown = CliRunner().invoke(main, ["plan", *flags, *form])
    assert shown.exit_code == 1
    assert ('"chosen": null' if form else "are too small; use at least") in shown.output
