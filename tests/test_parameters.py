from dataclasses import dataclass
from typing import Any

import pytest

from lexvec import ParameterError
from lexvec.machine import available_threads, free_memory, total_memory
from lexvec.parameters import Parameters, bytes_of, parameter


@dataclass(frozen=True, kw_only=True)
class Example(Parameters):
    size: int = parameter(3, "how many", minimum=1, maximum=9)
    share: float | None = parameter(0.5, "how much", minimum=0)
    name: str | int = parameter("x", "which")
    fast: bool = parameter(False, "hurry", effort=True)


def test_values_are_checked_and_recorded() -> None:
    assert Example(share=1).record() == {"size": 3, "share": 1.0, "name": "x"}
    assert Example.of({"size": 4, "share": None}).share is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "size=0: it must be at least 1"),
        ({"size": 10}, "size=10: it must be at most 9"),
        ({"size": "3"}, "size='3': it must be int, not str"),
        ({"size": None}, "size=None: it must be int, not NoneType"),
        ({"share": "0.5"}, "share='0.5': it must be float, not str"),
        ({"share": float("inf")}, "share=inf: it must be a finite number"),
        ({"name": 1.5}, "name=1.5: it must be str or int, not float"),
        ({"fast": 1}, "fast=1: it must be true or false, not int"),
        ({"sise": 1}, "Example has no parameter sise: did you mean 'size'?"),
        ({"zzz": 1}, "Example has no parameter zzz: it has size, share, name, fast"),
    ],
)
def test_values_that_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Example.of(values)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9),
        ("512MiB", 512 * 2**20),
        ("1.5 gb", 1.5e9),
        ("100", 100),
        (77, 77),
        ("3k", 3000),
        ("1TiB", 2**40),
    ],
)
def test_sizes(text: str | int, size: int) -> None:
    assert bytes_of("memory", text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "2 PB", "1,5GB"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(ParameterError, match='write a size such as "2GB" or "512MiB"'):
        bytes_of("memory", text)


def test_the_machine() -> None:
    assert available_threads(7) == 7
    assert available_threads(None) >= 1
    assert total_memory() >= free_memory() > 2**27
