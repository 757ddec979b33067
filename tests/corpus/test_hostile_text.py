"""Files that are not the text they seem to be: bounded memory, and an error of one line."""

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lexvec import ArtefactError, Corpus, CorpusBuilder, InputError
from lexvec.corpus import blocks, wikipedia
from lexvec.storage.files import opened
from lexvec.storage.outputs import compressing

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LARGE = 1 << 26
BUILDER = CorpusBuilder(min_count=1, threads=1)


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    """Tables that are made once for the whole process do not count."""
    BUILDER.build(["a b"])


def refused(path: Path, builder: CorpusBuilder = BUILDER, *, peak: float = 30e6) -> str:
    """The error of a file, which may not take much memory."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            builder.build(path)
        assert tracemalloc.get_traced_memory()[1] < peak
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a" * LARGE, "has a token longer than a megabyte at byte 0: check"),
        (b"\0" * LARGE, "looks like a binary file"),
        (b"The cat sat.\n" * 10_000 + b"\0" * LARGE, "has a token longer than a megabyte at byte 130,000: check"),
        (b"some words, then " + b"\xc3\xa9" * (LARGE // 2), "has a token longer than a megabyte at byte 17: check"),
    ],
)
def test_a_small_file_that_unpacks_to_a_large_one(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(content, 1))
    assert message in refused(tmp_path / "a.gz")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_file_without_end() -> None:
    assert "/dev/zero looks like a binary file" in refused(Path("/dev/zero"))


@pytest.mark.parametrize("filler", [b" ", b"! ", b"\n"])
def test_text_without_a_place_to_cut(tmp_path: Path, filler: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_LONGEST_BLOCK", 1 << 22)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a b\n" + filler * (LARGE // 2 // len(filler)), 1))
    wrapped = CorpusBuilder(min_count=1, threads=1, sentences_by="paragraphs")
    assert "has no line break and no word for 4 MB from byte 3 on" in refused(tmp_path / "a.gz", wrapped, peak=60e6)


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) + 1])
@pytest.mark.parametrize("before", [0, 5, 1_000_000])
@pytest.mark.parametrize("suffix", [".txt", "as strings"])
def test_a_megabyte_is_the_longest_token(tmp_path: Path, size: int, before: int, suffix: str) -> None:
    text = "b " * (before // 2) + "a" * size + " c"
    (tmp_path / "a.txt").write_text(text)
    given = tmp_path / "a.txt" if suffix == ".txt" else [text]
    if size == 1 << 20:
        assert BUILDER.build(given).tokens == before // 2 + 2
    else:
        with pytest.raises(InputError, match=f"a token longer than a megabyte at byte {2 * (before // 2):,}: check"):
            BUILDER.build(given)


def test_a_token_that_is_too_long_in_a_list() -> None:
    with pytest.raises(InputError, match="sentence 1 has a token of 1,048,577 characters: check"):
        BUILDER.build([["a"], ["a" * ((1 << 20) + 1)]])


@pytest.mark.parametrize("text", ["猫が鳴く。犬が走る、", "a,b;c/"])
def test_long_text_without_whitespace_is_not_one_token(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text * 200_000, encoding="utf-8")
    corpus = BUILDER.build(tmp_path / "a.txt")
    assert corpus.tokens == len(corpus.vocabulary) * 200_000
    with pytest.raises(InputError, match="longer than a megabyte"):
        CorpusBuilder(min_count=1, punctuation="keep").build([text.replace("。", "x") * 200_000])


PACK: dict[str, Callable[[bytes], bytes]] = {
    "bz2": bz2.compress, "xz": lzma.compress, "gz": gzip.compress, "zst": zstd.compress,
}  # fmt: skip


@pytest.mark.parametrize("kind", PACK)
def test_compressed_files_cut_to_a_few_bytes(tmp_path: Path, kind: str) -> None:
    content = PACK[kind](b"The cat sat on the mat.\n" * 100)
    least = {"bz2": 3, "xz": 1, "gz": 1, "zst": 2}[kind]  # with fewer it may be a text
    for length in range(least, 24):
        (tmp_path / "a").write_bytes(content[:length])
        assert "is truncated or damaged" in refused(tmp_path / "a"), length


@pytest.mark.parametrize("text", ["B", "BZ", "BZhx", "BZh9 is how it begins", "(", "(µ"])
def test_texts_that_begin_like_a_compressed_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    assert CorpusBuilder(min_count=1, punctuation="keep", lowercase=False).build(tmp_path / "a").tokens > 0


@pytest.mark.parametrize("layout", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, "v7"])
@pytest.mark.parametrize("packed", [False, True])
def test_archives_are_to_be_unpacked(tmp_path: Path, layout: int | str, packed: bool) -> None:
    (tmp_path / "text").write_text("The cat sat.\n" * 10_000)
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=layout if isinstance(layout, int) else None) as archive:
        archive.add(tmp_path / "text", "text.txt")
    content = bytearray(held.getvalue())
    if layout == "v7":  # no magic word, only a checksum
        content[257:512] = bytes(255)
        content[148:156] = b" " * 8
        content[148:156] = b"%06o\0 " % sum(content[:512])
    (tmp_path / "a").write_bytes(gzip.compress(content) if packed else content)
    assert "is an archive: unpack it" in refused(tmp_path / "a")


def test_a_zip_archive_is_to_be_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "The cat sat.\n" * 10_000)
    assert "is an archive: unpack it" in refused(tmp_path / "a.zip")


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"The cat sat.\n" * 400_000)
    shorter = pytest.raises(InputError, match=r"a.txt is truncated or damaged \(it became shorter while it was read\)")
    with shorter, opened(path) as reader:
        assert len(reader.stream.read(1 << 20)) == 1 << 20
        os.truncate(path, 1 << 21)
        while reader.stream.read(1 << 20):
            pass


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"The cat sat.\n")
    with opened(path) as reader:
        with path.open("ab") as file:
            file.write(b"More.\n")
        assert reader.stream.read() == b"The cat sat.\nMore.\n"


def test_the_output_may_not_replace_the_input(tmp_path: Path) -> None:
    output = tmp_path / "o"
    BUILDER.build(["a b c"], output)
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    (tmp_path / "link.tsv").symlink_to(output / "vocab.tsv")
    for given in (output / "vocab.tsv", str(output / "*.tsv"), [output / "vocab.tsv"], tmp_path / "link.tsv"):
        with pytest.raises(ArtefactError, match=r"the output .* overlaps the input .*(vocab|link).tsv: choose"):
            BUILDER.build(given, output, force=True)
    with pytest.raises(ArtefactError, match="overlaps the input"):
        BUILDER.build(["a b"], output, vocabulary=output / "vocab.tsv", force=True)
    assert {path.name: path.read_bytes() for path in output.iterdir()} == before


def test_what_cannot_be_looked_at_is_not_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refuse)
    for act in (BUILDER.build, Corpus.load):
        with pytest.raises(InputError, match=r"cannot look at .*folder \(Permission denied\): check the permissions"):
            act(tmp_path / "folder")


def test_closed_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    (tmp_path / "a.txt").write_text("a b")
    assert BUILDER.build(tmp_path / "a.txt").tokens == 2
    with pytest.raises(InputError, match="standard input is closed: name a file"):
        BUILDER.build("-")


def test_a_page_and_a_tag_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikipedia, "_LONGEST", 1 << 20)
    page = b"<mediawiki><page><title>A</title><revision><text>" + b"a " * (1 << 22)
    (tmp_path / "a.xml").write_bytes(page)
    assert "it has a page of more than 1 million characters" in refused(tmp_path / "a.xml")
    (tmp_path / "a.xml").write_bytes(b'<mediawiki><page id="' + b"a" * (1 << 23))
    assert "it has 1 MB without the end of a tag" in refused(tmp_path / "a.xml", peak=60e6)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_what_we_compress_has_a_checksum(tmp_path: Path, suffix: str) -> None:
    text = b"The cat sat on the mat.\n" * 50
    with compressing(tmp_path / f"a{suffix}", force=False) as file:
        file.write(text)
    packed = (tmp_path / f"a{suffix}").read_bytes()
    accepted = 0
    for place in range(8 * len(packed)):
        damaged = bytearray(packed)
        damaged[place // 8] ^= 1 << place % 8
        (tmp_path / "b").write_bytes(damaged)
        try:
            with opened(tmp_path / "b") as reader:
                # Damage of the first bytes leaves no sign of compression; then it is no text.
                accepted += reader.stream.read() not in (text, bytes(damaged))
        except InputError:
            pass
    assert accepted == 0
