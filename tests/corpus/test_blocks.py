import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec import CorpusBuilder, InputError, Normalizer, ParameterError
from lexvec.corpus import blocks
from lexvec.corpus.blocks import SPACES, TextBlock, string_blocks
from lexvec.corpus.type_table import TypeTable
from lexvec.storage.files import expand, opened

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = "The cat sat.\nThe dog ran.\n" * 2000
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, "": bytes,
    ".zst": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
}  # fmt: skip


def text_blocks(path: Path, *, encoding: str, wrapped: bool) -> Iterator[TextBlock]:
    with opened(path) as reader:
        yield from blocks.text_blocks(reader, encoding=encoding, wrapped=wrapped, separators=blocks.MARKS)


def read(path: Path, encoding: str = "utf-8") -> bytes:
    return b"".join(block.text for block in text_blocks(path, encoding=encoding, wrapped=False))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_known_by_their_content(tmp_path: Path, suffix: str) -> None:
    for name in (f"a.txt{suffix}", "misnamed.txt"):
        (tmp_path / name).write_bytes(COMPRESS[suffix](TEXT.encode()))
        assert read(tmp_path / name) == f"{TEXT}\n\n".encode()


@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
def test_several_streams_in_one_file(tmp_path: Path, suffix: str) -> None:
    pack = COMPRESS[suffix]
    (tmp_path / "a").write_bytes(pack(b"one two\n") + pack(b"three\n"))
    assert read(tmp_path / "a") == b"one two\nthree\n\n\n"


@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
def test_a_truncated_file_is_an_error(tmp_path: Path, suffix: str) -> None:
    data = COMPRESS[suffix](os.urandom(50_000).hex().encode())
    path = tmp_path / f"a{suffix}"
    for length in (len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(InputError, match=r"a\..* is truncated or damaged .*: get it again"):
            read(path)


@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
def test_nothing_after_a_stream_is_dropped(tmp_path: Path, suffix: str) -> None:
    pack = COMPRESS[suffix]
    (tmp_path / "a").write_bytes(pack(b"one two\n") + b"XX" + pack(b"three\n")[2:])
    with pytest.raises(InputError, match="is truncated or damaged"):
        read(tmp_path / "a")


@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
def test_a_damaged_file_is_an_error(tmp_path: Path, suffix: str) -> None:
    data = bytearray(COMPRESS[suffix](os.urandom(50_000).hex().encode()))
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(InputError, match="damaged|cannot read"):
        read(tmp_path / "a")


def test_blocks_do_not_grow_with_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1000)
    text = "кот sat. Then " * 10_000  # one line, no line feed
    (tmp_path / "a").write_text(text, encoding="utf-8")
    found = list(text_blocks(tmp_path / "a", encoding="utf-8", wrapped=False))
    assert b"".join(block.text for block in found) == f"{text}\n\n".encode()
    assert max(len(block.text) for block in found) < 2100
    assert sum(block.read for block in found) == len(text.encode())


@given(st.lists(st.text(alphabet="ab. \n\r1é中", max_size=30)), st.booleans(), st.integers(1, 40))
def test_where_text_is_cut_changes_nothing(lines: list[str], wrapped: bool, block: int) -> None:
    text = "\n".join(lines)
    parts = [text[i : i + block].encode() for i in range(0, len(text), block)]
    cut = list(blocks._cut(parts, "a", wrapped=wrapped))
    assert b"".join(cut) == text.encode() + b"\n\n"
    for one, two in pairwise(cut):
        ended = one.endswith(b"\n") and not wrapped
        assert ended or (two[:1].isspace() and one.decode()[-1].isalnum())


_SENTENCE_ENDS = st.lists(st.sampled_from([*'aB. \n!?")1é中。', " A", ". B", " . C", "Mr. ", "\r\n", "\n\n"])).map(
    "".join
)


@given(
    _SENTENCE_ENDS,
    st.sampled_from(["rules", "lines", "paragraphs"]),
    st.sampled_from(["remove", "keep"]),
    st.integers(1, 12),
)
@settings(max_examples=400)
def test_blocks_lose_no_sentence_end(text: str, by: str, punctuation: str, size: int) -> None:
    rules = Normalizer(sentences_by=by, punctuation=punctuation)
    table = TypeTable()
    data = text.encode()
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    stream = [
        t for part in blocks._cut(pieces, "a", wrapped=by == "paragraphs") for t in table.segment(part, rules.rules())
    ]
    words = [rules.words(raw) for raw in table.words(np.arange(len(table)))]
    found: list[list[str]] = [[]]
    for type_ in stream:
        if type_ < 0:
            found.append([])
        else:
            found[-1].extend(words[type_])
    assert [sentence for sentence in found if sentence] == rules.sentences(text)


def test_marks_and_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9")
    assert read(path) == "café\n\n".encode()
    path.write_bytes("café".encode("latin-1"))
    assert read(path, "latin-1") == "café\n\n".encode()
    path.write_bytes("café".encode("utf-16"))
    assert read(path, "utf-16") == "café\n\n".encode()
    with pytest.raises(InputError, match="is utf-16 text: read it with encoding='utf-16'"):
        read(path)
    path.write_bytes("café".encode("utf-32"))
    assert read(path, "utf-32") == "café\n\n".encode()
    with pytest.raises(InputError, match="is utf-32 text: read it with encoding='utf-32'"):
        read(path)
    for encoding in ("latin-99", "hex", "rot13", "bz2", "undefined"):
        with pytest.raises(ParameterError, match="knows no text encoding of that name"):
            CorpusBuilder(encoding=encoding).build(path)


def test_invalid_bytes_are_replaced_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"caf\xe9 the \xff\xfe cat \xef\xbf\xbd\n" + b"word " * 100)
    block = next(text_blocks(path, encoding="utf-8", wrapped=False))
    assert block.replaced == 3
    assert block.text.decode().startswith("caf\ufffd the \ufffd\ufffd cat \ufffd\n")
    path.write_bytes(b"ab\x81c")
    (block,) = text_blocks(path, encoding="cp1252", wrapped=False)
    assert (block.text.decode(), block.replaced) == ("ab\ufffdc\n\n", 1)


def test_binary_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 100)
    with pytest.raises(InputError, match=r"a\.bin looks like a binary file, not text"):
        read(tmp_path / "a.bin")


def test_names_folders_and_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.txt", "a.txt", "sub/c.txt.gz", ".hidden", "sub/.git/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    names = [str(path.relative_to(tmp_path)) for path in expand([tmp_path])]
    assert names == ["a.txt", "b.txt", os.path.join("sub", "c.txt.gz")]
    assert [path.name for path in expand([str(tmp_path / "*.txt"), tmp_path / "b.txt"])] == ["a.txt", "b.txt", "b.txt"]
    assert [path.name for path in expand([str(tmp_path / "s[u]b"), tmp_path / "sub"])] == ["c.txt.gz", "c.txt.gz"]
    assert expand(["-"]) == [Path("-")]
    (tmp_path / "-").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert expand(["./-"]) == [tmp_path / "-"]
    assert expand([os.devnull]) == [Path(os.devnull)]
    with pytest.raises(InputError, match="does not exist: check the name"):
        expand(["word " * 100])
    with pytest.raises(InputError, match="nothing.txt does not exist: check the name"):
        expand([tmp_path / "nothing.txt"])
    with pytest.raises(InputError, match="matches no file"):
        expand([str(tmp_path / "*.xml")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is a folder without files"):
        expand([tmp_path / "empty"])


def test_an_unreadable_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "a"))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"cannot read .*a \(Permission denied\): check"):
        read(tmp_path / "a")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"The cat. The cat."))))
    assert list(CorpusBuilder(min_count=1).build("-")) == [["the", "cat"], ["the", "cat"]]
    assert not sys.stdin.buffer.closed


def test_strings_end_their_sentences_and_half_surrogates_are_replaced() -> None:
    blocks = list(string_blocks(["a b", "c \ud800 d"], wrapped=False, separators=SPACES))
    assert blocks == [
        TextBlock(b"a b\n\nc \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd d\n\n", 14, 3),
        TextBlock(b"\n\n", 2, 0),
    ]
