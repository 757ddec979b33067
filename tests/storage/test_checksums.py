from pathlib import Path

import pytest

from lexvec.storage import meta


def test_the_damaged_block_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meta, "BLOCK", 64)
    path = tmp_path / "a"
    for size in (0, 1, 63, 64, 65, 1000):
        path.write_bytes(bytes(range(256)) * 4)
        path.write_bytes(path.read_bytes()[:size])
        record = meta.file_record(path)
        assert meta.is_record(record) and meta.file_fault(path, record) is None
    path.write_bytes(path.read_bytes()[:700] + b"x" + path.read_bytes()[701:])
    assert meta.file_fault(path, record) == "wrong CRC-32 in the block at byte 640"
    path.write_bytes(path.read_bytes()[:-1])
    assert meta.file_fault(path, record) == "it is not 1,000 bytes long"


@pytest.mark.parametrize(
    "change",
    [
        {"bytes": -1}, {"bytes": True}, {"bytes": 1.0}, {"bytes": None}, {"bytes": 10**9}, {"bytes": 10**21},
        {"sha256": 7}, {"sha256": "ab"}, {"crc32": ""}, {"crc32": "0" * 16}, {"crc32": 3},
    ],
)  # fmt: skip
def test_records_of_another_form(tmp_path: Path, change: dict[str, object]) -> None:
    (tmp_path / "a").write_text("content")
    record = meta.file_record(tmp_path / "a")
    assert meta.is_record(record) and meta.is_record({**record, "more": 1})
    assert not meta.is_record({**record, **change}) and not meta.is_record(None)
