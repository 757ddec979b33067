"""Tests between vectors, where a set has no score."""

from pathlib import Path

import numpy as np

from lexvec import WordVectors, evaluate
from lexvec.lab.paper_report import standing
from lexvec.lab.paper_tables import Sampled, Vectors
from lexvec.lab.runner import Scores, scores_record


def test_a_set_without_a_score_leaves_the_others_to_tell_vectors_apart(tmp_path: Path, no_sets: None) -> None:
    draw = np.random.default_rng(1)
    words = [f"w{number}" for number in range(80)]
    good = draw.normal(size=(80, 5))
    pairs = [(a, b) for a in range(0, 80, 2) for b in (a + 1, (a + 7) % 80)]
    cosines = [float(good[a] @ good[b] / np.linalg.norm(good[a]) / np.linalg.norm(good[b])) for a, b in pairs]
    lines = [f"w{a}\tw{b}\t{cosine:.4f}\n" for (a, b), cosine in zip(pairs, cosines, strict=True)]
    (tmp_path / "mc-30.txt").write_text("".join(lines))
    (tmp_path / "rg-65.txt").write_text("nobody\tknows\t3\nthese\twords\t4\n")  # which no vectors cover
    scores = {
        Vectors(run, "word"): [Scores(scores_record(evaluate(WordVectors(words, rows), data=tmp_path, progress=False)))]
        for run, rows in (("good", good), ("bad", draw.normal(size=(80, 5))))
    }
    sampled, (one, other) = Sampled(scores), scores
    assert len(sampled.columns) == 2
    assert sampled.p(one, other, sampled.columns) < 0.01
    said = standing(sampled, {one: "good", other: "bad"}, sampled.columns, "Similarity")
    assert said.startswith("Similarity: good (1.000) is better than all others")


def test_many_vectors_can_be_told_apart(tmp_path: Path, no_sets: None) -> None:
    """Holm's correction multiplies p by the number of tests, so that more vectors need more resamples."""
    draw = np.random.default_rng(1)
    words = [f"w{number}" for number in range(80)]
    good = draw.normal(size=(80, 5))
    pairs = [(a, b) for a in range(0, 80, 2) for b in (a + 1, (a + 7) % 80)]
    lines = [f"w{a}\tw{b}\t{good[a] @ good[b]:.4f}\n" for a, b in pairs]
    (tmp_path / "mc-30.txt").write_text("".join(lines))
    rows = {"good": good} | {f"bad{number}": draw.normal(size=(80, 5)) for number in range(30)}
    scores = {
        Vectors(run, "word"): [Scores(scores_record(evaluate(WordVectors(words, each), data=tmp_path, progress=False)))]
        for run, each in rows.items()
    }
    sampled = Sampled(scores)
    said = standing(sampled, {vectors: vectors.run for vectors in scores}, sampled.columns, "Similarity")
    assert "is better than all others" in said
