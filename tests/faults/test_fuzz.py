"""No reader raises anything but our own errors, whatever the bytes. A larger budget: benchmarks/faults.py --long."""

import os
from pathlib import Path

import pytest
from fault_table.fuzz import READERS, damaged, fuzz

EXAMPLES = int(os.environ.get("LEXVEC_FUZZ", "40"))


@pytest.mark.parametrize("name", READERS)
def test_reader(name: str, tmp_path: Path) -> None:
    fuzz(name, tmp_path, EXAMPLES)


def test_damage_is_done() -> None:
    assert damaged(b"abcdef", [("flip", 0.0, 0, b"")]) == b"`bcdef"
    assert damaged(b"abcdef", [("cut", 0.5, 0, b"")]) == b"abc"
    assert damaged(b"abcdef", [("drop", 0.5, 2, b"")]) == b"abcf"
    assert damaged(b"abcdef", [("repeat", 0.5, 1, b"")]) == b"abcdddef"
    assert damaged(b"abcdef", [("insert", 1.0, 0, b"x"), ("replace", 0.0, 0, b"yz")]) == b"yzcdefx"
