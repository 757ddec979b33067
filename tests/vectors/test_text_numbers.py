"""Text read and written by compiled code: the same bits, text and errors as by Python."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexvec import InputError, WordVectors
from lexvec.vectors.formats import text, text_numbers

ODD = ["1", "-.5", "+3", "1.", "00000000000000000000001.5", "1e5", "1E-5", "1e+05", "-0", "0e999", "1e-46", "7e-45",
       "7.038531e-26", "16777217", "16777219.00000000000000000000001", "12345678901234567890123", "0.1e-30",
       "1.1754944e-38", "3.14159265358979323846264338327950288"]  # fmt: skip
FLOATS = st.floats(-(2.0**100), 2.0**100, width=32)
DECIMALS = st.one_of(
    st.sampled_from(ODD), FLOATS.map(repr), st.floats(-1e30, 1e30).map(repr), st.floats(-9, 9).map("{:.25g}".format)
)


@pytest.fixture
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "FEW_BYTES", 0)
    monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(text_numbers, "FEW_NUMBERS", 0)
    monkeypatch.setattr(text_numbers, "_ROWS", 2)


def expected(decimal: str) -> float:
    return float(np.array([float(decimal)]).astype(np.float32)[0])


@pytest.mark.usefixtures("_compiled")
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(DECIMALS, DECIMALS, DECIMALS), min_size=1, max_size=8))
def test_numbers_are_read_as_python_reads_them(tmp_path: Path, rows: list[tuple[str, str, str]]) -> None:
    lines = [f"w{number} {' '.join(row)}\n" for number, row in enumerate(rows)]
    (tmp_path / "v.txt").write_text("".join([f"{len(rows)} 3\n", *lines]))
    found = WordVectors.load(tmp_path / "v.txt").matrix
    wanted = np.array([[expected(decimal) for decimal in row] for row in rows], np.float32)
    np.testing.assert_array_equal(found.view(np.int32), wanted.view(np.int32))


@pytest.mark.usefixtures("_compiled")
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(FLOATS, min_size=3, max_size=3), min_size=1, max_size=7))
def test_numbers_are_written_as_python_writes_them(tmp_path: Path, rows: list[list[float]]) -> None:
    vectors = WordVectors([f"w{row}" for row in range(len(rows))], np.array(rows, np.float32))
    vectors.save(tmp_path / "v.txt", force=True)
    lines = [text_numbers._line(word, row) for word, row in zip(vectors.words, vectors.matrix, strict=True)]
    assert (tmp_path / "v.txt").read_bytes() == f"{len(rows)} 3\n".encode() + b"".join(lines)
    again = WordVectors.load(tmp_path / "v.txt").matrix
    np.testing.assert_array_equal(again.view(np.int32), vectors.matrix.view(np.int32))


def spread() -> npt.NDArray[np.float32]:
    """Numbers of every size, near powers of ten and two, and short decimals."""
    random = np.random.default_rng(0)
    some = [10.0 ** random.uniform(-30, 25, 20_000), np.round(random.normal(size=20_000), 4), 2.0 ** np.arange(-60, 80)]
    tens = (10.0 ** np.arange(-20, 25)).astype(np.float32)
    near = [tens, np.nextafter(tens, np.float32(0)), np.nextafter(tens, np.float32(np.inf))]
    return np.concatenate([*some, *near, np.arange(3000)]).astype(np.float32)


def test_compiled_text_is_the_shortest() -> None:
    numbers = spread().reshape(-1, 1)
    words = [""] * len(numbers)
    lines = b"".join(text_numbers._line(word, row) for word, row in zip(words, numbers, strict=True))
    assert text_numbers._compiled_lines(words, numbers) == lines
    read = np.array(lines.split(), np.float64).astype(np.float32)
    np.testing.assert_array_equal(read.view(np.int32), numbers.reshape(-1).view(np.int32))


@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("cat 1 2\ndog 1\n", "line 4: 1 numbers where 2 are expected"),
        ("cat 1 2\ndog 1 x\n", "line 4: b'x' is not a number"),
        ("cat 1 2\ndog 1 1_0\n", "line 4: b'1_0' is not a number"),
        ("cat 1 2\n\ndog 1 2\n", "line 4 is empty"),
        (
            "cat 1 2\n" + "\n" * 90 + "dog 1 2\n",
            "is empty",
        ),
        ("cat 1 2\ndog 1 2", "line 4 does not end"),
        ("cat 1 2\n 1 2\n", "line 4: there is no word before the vector"),
        ("cat 1 2\ndog 1 nan\n", "'dog' .*line 4.* has nan"),
        ("cat 1 2\ndog 1 1e39\n", "'dog' .*line 4.* has inf"),
        ("cat 1 2\ndog 1  2\n", "line 4: 3 numbers where 2"),
        ("cat 1 2\nd\0g 1 2\n", "line 4: the word .* contains NUL"),
        ("cat 1 2\n" + "d" * 70_000 + " 1 2\n", "line 4 is longer than any vector"),
        ("cat 1 2\n" + "dog" * 100_000, "line 4 is longer than any vector"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.txt").write_text(f"3 2\nant 1 2\n{content}")
    with pytest.raises(InputError, match=message):
        WordVectors.load(tmp_path / "v.txt")


@pytest.mark.usefixtures("_compiled")
def test_what_readers_accept(tmp_path: Path) -> None:
    for content in ("a 1 2 \nb 3 4 \n", "a 1 2\r\nb 3 4\r\n", "a 1 2 \r\nb 3 4\n\n\r\n", "\ufeff2 2\na 1 2\nb 3 4\n"):
        whole = content if content.startswith("\ufeff") else f"2 2\n{content}"
        (tmp_path / "v.txt").write_bytes(whole.encode())
        loaded = WordVectors.load(tmp_path / "v.txt")
        assert (loaded.words, loaded.matrix.tolist()) == (["a", "b"], [[1, 2], [3, 4]])
    (tmp_path / "v.glove").write_bytes(b". . . 1 2\n" * 0 + b"a 1 2\nb c 3 4\n" + b"x 5 6\n" * 2)
    assert WordVectors.load(tmp_path / "v.glove").words == ["a", "b c", "x"]
    assert WordVectors.load(tmp_path / "v.txt", limit=1).words == ["a"]
