"""Dumps, real and broken; worker processes, also when they or their parent die."""

import bz2
import gzip
import io
import itertools
import os
import subprocess
import sys
from collections.abc import Collection, Generator
from pathlib import Path
from xml.sax.saxutils import escape

import gensim
import pytest

import lexvec
from children import running
from lexvec.corpus import wikipedia, wikitext
from lexvec.corpus.blocks import TextBlock
from lexvec.corpus.wikipedia import pages
from lexvec.errors import InputError, ResourceError
from lexvec.storage.files import opened

GENSIM_DATA = Path(gensim.__file__).parent / "test" / "test_data"
ENGLISH = GENSIM_DATA / "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
BULGARIAN = GENSIM_DATA / "bgwiki-latest-pages-articles-shortened.xml.bz2"  # UTF-16


def xml(*contents: str, version: str = "0.11", siteinfo: str = "") -> bytes:
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" xml:lang="en">\n'
        f"  <siteinfo><namespaces>{siteinfo}</namespaces></siteinfo>\n{''.join(contents)}</mediawiki>\n"
    ).encode()


def page(title: str, text: str, extra: str = "<ns>0</ns>", model: str = "") -> str:
    return (
        f"  <page><title>{escape(title)}</title>{extra}<id>1</id><revision><id>2</id><comment>c</comment>{model}"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
    )


def read(data: bytes, namespaces: Collection[int] = wikipedia.ARTICLES) -> list[tuple[str, str]]:
    return list(pages(io.BytesIO(data), namespaces))


def dump_blocks(path: Path, *, threads: int) -> Generator[TextBlock, None, None]:
    with opened(path) as reader:
        yield from wikipedia.dump_blocks(reader, threads=threads)


def is_dump(path: Path) -> bool:
    with opened(path) as reader:
        return wikipedia.is_dump(reader)


def texts(path: Path, threads: int = 1) -> str:
    return b"".join(block.text for block in dump_blocks(path, threads=threads)).decode()


def stored(folder: Path, data: bytes, name: str = "dump.xml") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.fixture(scope="module")
def long_dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough for a dozen of `small_batches`, in which no two articles are alike."""
    article = "The [[quick]] brown fox {{jumps}} over article {}.\n\n" * 2000
    contents = [page(f"T{number}", article.replace("{}", str(number))) for number in range(24)]
    return stored(tmp_path_factory.mktemp("dump"), xml(*contents))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikipedia, "BATCH", 1 << 17)


def test_pages_of_the_wanted_namespaces() -> None:
    data = xml(page("A", "a & <b>"), page("Talk:A", "talk", "<ns>1</ns>"), page("B", "", "<ns>0</ns>"), page("C", "c"))
    assert read(data) == [("A", "a & <b>"), ("C", "c")]
    assert read(data, namespaces={1}) == [("Talk:A", "talk")]


def test_redirects_and_other_content_are_skipped() -> None:
    redirect = page("B", "see [[C]]", '<ns>0</ns><redirect title="C" />')
    data = xml(
        page("A", "#REDIRECT [[C]]"), redirect, page("C", "c"), page("D", '{"d": 1}', model="<model>json</model>")
    )
    assert read(data) == [("C", "c")]


def test_old_dumps_without_namespace_numbers() -> None:
    names = '<namespace key="-1">Special</namespace><namespace key="0" /><namespace key="4">Wikipedia</namespace>'
    data = xml(
        *(page(title, "x", "") for title in ("Wikipedia:Help", "wikipedia:x", "Alien: Resurrection", "A")),
        version="0.3",
        siteinfo=names,
    )
    assert [title for title, _ in read(data)] == ["Alien: Resurrection", "A"]
    assert [title for title, _ in read(data, namespaces={4})] == ["Wikipedia:Help", "wikipedia:x"]


def test_the_last_revision_counts() -> None:
    first = "<revision><text>old</text></revision>"
    assert read(xml(page("A", "new", f"<ns>0</ns>{first}"))) == [("A", "new")]


def test_names_of_the_wiki_hide_its_pictures(tmp_path: Path) -> None:
    names = '<namespace key="6">Datei</namespace><namespace key="14">Kategorie</namespace>'
    article = page("A", "a [[Datei:x|mini|Bild]] b [[Kategorie:C]]")
    assert texts(stored(tmp_path, xml(article, siteinfo=names))) == "a b\n\n"
    assert texts(stored(tmp_path, xml(article))) == "a mini|Bild b Kategorie:C\n\n"


def test_real_dump() -> None:
    with bz2.open(ENGLISH) as stream:
        found = list(pages(stream))
    assert len(found) == 106
    assert [title for title, _ in found[:3]] == ["Anarchism", "Autism", "Albedo"]

    text = texts(ENGLISH)
    assert text.count("\n\n") == 106
    for markup in (
        "{{",
        "}}",
        "[[",
        "]]",
        "''",
        "<ref",
        "</",
        "<!--",
        "{|",
        "http://",
        "&nbsp;",
        "thumb|",
        "Category:",
    ):
        assert markup not in text, markup
    assert "Anarchism is a political philosophy that advocates self-governed societies" in text
    assert "\nEtymology and terminology\nThe term anarchism is a compound word" in text
    assert max(map(len, text.splitlines())) < 20_000


def test_real_dump_in_utf16_and_another_script() -> None:
    text = texts(BULGARIAN)
    assert text.startswith(
        "Григорианският календар (понякога наричан и Грегориански календар, „нов стил“) е съвременният"
    )
    for markup in ("[[", "{{", "Файл:", "Категория:"):
        assert markup not in text


@pytest.mark.parametrize("path", [ENGLISH, BULGARIAN])
def test_bytes_read_add_up_to_the_file(path: Path) -> None:
    assert sum(block.read for block in dump_blocks(path, threads=1)) == path.stat().st_size


@pytest.mark.usefixtures("small_batches")
def test_any_number_of_workers_gives_the_same(long_dump: Path) -> None:
    alone = list(dump_blocks(long_dump, threads=1))
    assert len(alone) > 10
    assert all(block.text.endswith(b"\n\n") for block in alone)
    assert b"brown fox over article 23." in b"".join(block.text for block in alone)
    assert list(dump_blocks(long_dump, threads=2)) == alone
    assert list(dump_blocks(long_dump, threads=5)) == alone


def test_a_dump_without_articles_is_an_empty_block(tmp_path: Path) -> None:
    path = stored(tmp_path, xml())
    assert list(dump_blocks(path, threads=2)) == [TextBlock(b"\n\n", path.stat().st_size)]


def test_multistream_and_other_compression(tmp_path: Path) -> None:
    data = xml(page("A", "first"), page("B", "second"))
    middle = data.index(b"<title>B")
    multistream = bz2.compress(data[:middle]) + bz2.compress(data[middle:])
    assert texts(stored(tmp_path, multistream, "x.xml.bz2")) == "first\n\nsecond\n\n"
    assert texts(stored(tmp_path, gzip.compress(data), "x.xml.gz")) == "first\n\nsecond\n\n"


@pytest.mark.parametrize("threads", [1, 2])
def test_truncated_compression(tmp_path: Path, threads: int) -> None:
    path = stored(tmp_path, ENGLISH.read_bytes()[:1_000_000], "cut.xml.bz2")
    with pytest.raises(InputError, match=r"cut\.xml\.bz2 is truncated or damaged .*: get it again$"):
        texts(path, threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_truncated_xml(tmp_path: Path, threads: int) -> None:
    whole = xml(page("A", "a"), page("B", "b"))
    path = stored(tmp_path, whole[: whole.index(b"<title>B") + 5])
    with pytest.raises(InputError, match=r"dump\.xml is truncated or damaged XML .*: get it again$"):
        texts(path, threads)


def test_whole_pages_come_before_the_error() -> None:
    damaged = xml(page("A", "a"), page("B", "b")).replace(b"<title>B", b"<title<B")
    found = pages(io.BytesIO(damaged), name="my.xml")
    assert next(found) == ("A", "a")
    with pytest.raises(InputError, match=r"^my\.xml is truncated"):
        next(found)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<html><body>x</body></html>", "not a MediaWiki dump .*<html>"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><mediawiki>&b;</mediawiki>', "not a MediaWiki dump .*document type"),
        (b"just text", "not XML"),
        (b"", "not XML"),
        (b'<?xml version="1.0" encoding="gb2312"?><mediawiki></mediawiki>', "not XML"),
        (b'<?xml version="1.0" encoding="nonsense"?><mediawiki></mediawiki>', "not XML"),
    ],
)
def test_what_is_no_dump(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=rf"x\.xml is .*{reason}.*input_format='text'$"):
        texts(stored(tmp_path, data, "x.xml"))


def test_damaged_numbers_are_no_crash() -> None:
    with pytest.raises(InputError, match="damaged"):
        read(xml(page("A", "a", "<ns>zero</ns>")))


@pytest.mark.parametrize(
    "name", ["a.xml", "a.XML", "a.xml.bz2", "a.xml.gz", "a.xml.xz", "a.xml.zst", "a1.xml-p1p41242.bz2", ENGLISH.name]
)
def test_dumps_are_known_by_name(tmp_path: Path, name: str) -> None:
    assert is_dump(stored(tmp_path, b"", name))


@pytest.mark.parametrize("name", ["a.txt", "a.xml.txt", "xml", "a.bz2", "-", "a.xmlx"])
def test_other_names(tmp_path: Path, name: str) -> None:
    assert not is_dump(stored(tmp_path, b"text", name))


def test_dumps_are_known_by_content(tmp_path: Path) -> None:
    data = xml(page("A", "a"))
    declared = b'<?xml version="1.0" encoding="utf-8"?>\n' + data
    for start in (data, declared, b"\xef\xbb\xbf" + declared, bz2.compress(data), data.decode().encode("utf-16")):
        assert is_dump(stored(tmp_path, start, "unnamed"))
    for other in (b"", b"text <mediawiki>", b"<mediawikix>", b"<html>", b"BZh9 is no archive"):
        assert not is_dump(stored(tmp_path, other, "unnamed"))


class Spy:
    """Takes the place of `subprocess.Popen` and remembers what was started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: list[subprocess.Popen[bytes]] = []
        self._popen = subprocess.Popen
        monkeypatch.setattr(subprocess, "Popen", self)

    def __call__(self, command: list[str], *, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        self.started.append(self._popen(command, stdin=stdin, stdout=stdout))
        return self.started[-1]


@pytest.mark.usefixtures("small_batches")
def test_no_worker_outlives_the_reading(long_dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    blocks = dump_blocks(long_dump, threads=2)
    assert len(list(itertools.islice(blocks, 2))) == 2
    assert [process.poll() for process in spy.started] == [None, None]
    blocks.close()
    assert None not in [process.returncode for process in spy.started]


@pytest.mark.usefixtures("small_batches")
def test_a_worker_that_is_killed_is_an_error(long_dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    blocks = dump_blocks(long_dump, threads=2)
    next(blocks)
    for process in spy.started:
        process.kill()
    with pytest.raises(ResourceError, match=r"^a process that strips wikitext died \(exit status .*threads$"):
        list(blocks)
    assert None not in [process.returncode for process in spy.started]


def test_a_worker_that_cannot_start_is_an_error(
    tmp_path: Path, long_dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikitext, "__file__", str(stored(tmp_path, b"raise SystemExit(3)", "script.py")))
    with pytest.raises(ResourceError, match="exit status 3"):
        texts(long_dump, threads=2)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_workers_end_when_their_parent_is_killed(long_dump: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from lexvec.corpus import wikipedia; from lexvec.storage import files\n"
        "with files.opened(Path(sys.argv[1])) as reader:\n"
        "    next(blocks := wikipedia.dump_blocks(reader, threads=2)); print('ready', flush=True); time.sleep(600)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(lexvec.__file__).parents[1])}
    command = [sys.executable, "-c", script, str(long_dump)]
    # The workers share the parent's standard error: it ends only when the last of them has.
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=False, env=environment) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        parent.kill()
        _, errors = parent.communicate(timeout=60)
    assert errors == b""


def test_the_worker_ignores_interrupts_and_ends_with_its_input() -> None:
    command = [sys.executable, "-P", "-S", wikitext.__file__]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        for article, text in (
            ("\0''a''\0[[Datei:x|y]]b", b"a\n\nyb\n\n"),
            ("datei\0''a''\0[[Datei:x|y]]b", b"a\n\nb\n\n"),
        ):
            wikitext.write_frame(worker.stdin, article.encode())
            assert wikitext.read_frame(worker.stdout) == text
            if os.name != "nt":
                worker.send_signal(2)
        worker.stdin.close()
        assert wikitext.read_frame(worker.stdout) is None
        assert worker.wait(60) == 0
