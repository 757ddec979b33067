"""Sentence vectors of texts of any length: the bits of short texts, in memory that does not grow with the text."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from children import run_code
from lexvec import InputError, Normalizer, WordVectors
from lexvec.cli import main
from lexvec.cli.inputs import TextLines
from lexvec.vectors import long_text
from lexvec.vectors.long_text import LongText, added_up

WORDS = ["the", "cat", "dog", "sat", "four", "two", "naïve", "字"]
TEXT = st.lists(
    st.sampled_from([*WORDS, "The", "catcat", "dogdog", "42", "1,000.", "It's", "。字，字", " ", "\n", "\0", "x" * 9])
)


class Doubling:
    """Composes words that are written twice, such as catcat."""

    def composed(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = [np.full(5, 0.3) if word[: len(word) // 2] * 2 == word else np.zeros(5) for word in words]
        return np.array(rows, np.float32)


def some() -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)
    return WordVectors(WORDS, matrix, counts=range(8, 0, -1), normalisation=Normalizer().record(), composer=Doubling())


def cut_small(patch: pytest.MonkeyPatch, size: int) -> None:
    patch.setattr(long_text, "AT_ONCE", size)
    patch.setattr(long_text, "_WORDS_AT_ONCE", max(1, size // 8))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(TEXT, max_size=6), st.integers(8, 40), st.booleans(), st.sampled_from(["digits", "cardinal", "keep"]))
def test_long_texts_have_the_bits_of_short_ones(texts: Any, size: int, lists: bool, numbers: str) -> None:
    given_texts = texts if lists else [" ".join(text) for text in texts]
    rules: dict[str, Any] = {} if lists else {"normalizer": Normalizer(numbers=numbers)}
    expected = some().sentences(given_texts, **rules)
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, size)
        assert some().sentences(given_texts, **rules).tobytes() == expected.tobytes()


def test_what_is_found_in_long_texts_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    some().save(tmp_path / "v")
    lines = ["the cat " * 90 + "bird", "", "bird bird " * 50, "the cat", "naïve \ufffd 字 " * 40]
    (tmp_path / "lines").write_bytes("\n".join(lines).encode() + b" \xff")
    command = ["embed", str(tmp_path / "v"), str(tmp_path / "lines"), "--json", "-o", str(tmp_path / "out.npy")]
    for more in ([], ["--tokenized"]):
        whole = CliRunner().invoke(main, [*command, "--force", *more])
        before = (tmp_path / "out.npy").read_bytes()
        with pytest.MonkeyPatch.context() as patch:
            cut_small(patch, 37)
            patch.setattr("lexvec.cli.inputs.AT_ONCE", 37)
            cut = CliRunner().invoke(main, [*command, "--force", *more])
        assert (whole.exit_code, cut.exit_code) == (0, 0), whole.stderr + cut.stderr
        assert cut.stdout == whole.stdout and '"empty": [\n    1,\n    2\n  ]' in cut.stdout
        assert cut.stderr == whole.stderr and "line 5 is not UTF-8: its invalid bytes are read as spaces" in cut.stderr
        assert (tmp_path / "out.npy").read_bytes() == before


def test_the_next_line_follows_a_long_one_that_was_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("a b c d e f g h\nnext\n")
    monkeypatch.setattr("lexvec.cli.inputs.AT_ONCE", 5)
    found = [line if isinstance(line, str) else type(line) for line in TextLines(tmp_path / "lines")]
    assert found == [LongText, "next"]


def test_a_word_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_text, "_LONGEST_WORD", 60)
    cut_small(monkeypatch, 20)
    with pytest.raises(InputError, match="^text 2 has a word longer than 60 characters: check that it is text$"):
        some().sentences(["the cat", "cat " + "x" * 90])
    assert some().sentences(["字。" * 90, "x" * 59 + " the"]).any(axis=1).all()


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 34, 1000])
def test_values_are_added_up_one_by_one(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(long_text, "AT_ONCE", 7)
    total = 0.0
    for _ in range(count):
        total += 0.1
    assert added_up(np.array([0.1, 0.3]), np.array([count, 1])).tolist() == [total, 0.3]


_PEAK = """
import re, sys
from lexvec.cli import main
main(sys.argv[1:], standalone_mode=False)
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
def test_memory_does_not_grow_with_a_line(tmp_path: Path) -> None:
    some().save(tmp_path / "v")
    kilobytes = []
    for millions in (2, 30):
        (tmp_path / "line").write_text("the cat sat " * (millions * 1_000_000 // 12))
        words = ("embed", "-q", "--force", "v", "line", "-o", "out.npy")
        done = run_code(_PEAK, *words, cwd=tmp_path, check=True)
        kilobytes.append(int(done.stdout))
    assert kilobytes[1] < kilobytes[0] + 20_000
