"""MediaWiki XML dumps (Wikipedia's and those of other wikis) → the text of their articles.

A dump of any size and compression is read as a stream. Stripping the markup holds the interpreter's lock, so worker
processes do it. They are plain child processes that strip one batch of articles after another (see `wikitext.main`):
unlike `multiprocessing` they require nothing of the user's script, and they end with their parent.
"""

import codecs
import re
import subprocess
import sys
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from typing import IO, NamedTuple, Protocol, cast
from xml.parsers import expat

from ..errors import Given, InputError, ResourceError
from ..storage.files import Reader
from ..threads import Threads
from . import wikitext
from .blocks import TextBlock

BATCH = 1 << 20  # characters of wikitext that are stripped at once
ARTICLES = frozenset({0})
_CHUNK = 1 << 18
_FILE, _CATEGORY = 6, 14
_AS_TEXT = Given("input_format", "text")
_LONGEST = 1 << 26  # characters of a page, and bytes of a tag; MediaWiki itself refuses articles of more than 2 MB
_READ = {(3, "title"), (3, "ns"), (4, "text"), (4, "model"), (4, "namespace")}  # elements by depth, the root's being 1

_NAME = re.compile(r"\.xml(-p\d+p\d+[^.]*)?(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)
_CONTENT = re.compile(r"\ufeff?\s*(<\?xml[^>]*\?>\s*)?<mediawiki[\s>]")


def is_dump(reader: Reader) -> bool:
    """Return whether a file is a MediaWiki dump, by its name or its first bytes."""
    if _NAME.search(reader.path.name):
        return True
    start = reader.start()[:1024]
    utf16 = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return _CONTENT.match(start.decode("utf-16" if utf16 else "utf-8", "replace")) is not None


def dump_blocks(reader: Reader, *, threads: int) -> Iterator[TextBlock]:
    """Yield the text of a dump's articles, some hundreds at a time, with an empty line after each.

    Text and order are the same for any number of threads. More than one thread means that many worker processes.
    """
    with _strippers(threads) as strippers, Threads(threads) as pool:

        def batches() -> Iterator[_Batch]:
            dump = _Dump(reader.stream, reader.name, ARTICLES)
            held: list[str] = []
            size = 0
            for _, article in dump.pages():
                held.append(article)
                size += len(article)
                if size >= BATCH:
                    yield _Batch(wikitext.SEPARATOR.join([dump.hidden, *held]), reader.position)
                    held, size = [], 0
            yield _Batch(wikitext.SEPARATOR.join([dump.hidden, *held]), reader.position)

        results = cast("Generator[tuple[bytes, int]]", pool.map(_stripped, batches(), strippers))
        position = 0
        with closing(results):
            for text, end in results:
                yield TextBlock(text, end - position)
                position = end


def pages(
    stream: IO[bytes], namespaces: Collection[int] = ARTICLES, *, name: str = "the dump"
) -> Iterator[tuple[str, str]]:
    """Yield title and wikitext of the pages in some namespaces (0: the articles), without redirects.

    ``stream`` is the decompressed XML; ``name`` is its name in error messages. The last revision counts.
    """
    return _Dump(stream, name, namespaces).pages()


class _Dump:
    """Reads the pages of a dump from expat's events; only the current page is held in memory."""

    def __init__(self, stream: IO[bytes], name: str, wanted: Collection[int]) -> None:
        self._stream, self._name, self._wanted = stream, name, wanted
        self._parser = expat.ParserCreate()
        self._namespaces: dict[str, int] = {}
        self._depth = 0
        self._page: dict[str, str] = {}
        self._characters: list[str] = []
        self._length = 0
        self._key = ""
        self._ready: list[tuple[str, str]] = []

    @property
    def hidden(self) -> str:
        """The wiki's names of files and categories, for `wikitext.strip_batch`; known after the first page."""
        return "|".join(name for name, key in self._namespaces.items() if key in (_FILE, _CATEGORY))

    def pages(self) -> Iterator[tuple[str, str]]:
        self._parser.buffer_text = True
        self._parser.buffer_size = _CHUNK
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = lambda *_: self._refuse(
            "a document type"
        )  # so there are no entities either
        fed = 0
        while True:
            data = self._stream.read(_CHUNK)
            fed += len(data)
            try:
                self._parser.Parse(data, not data)
                if fed - self._parser.CurrentByteIndex > _LONGEST:
                    self._refuse(f"{_LONGEST >> 20} MB without the end of a tag")
            except (expat.ExpatError, ValueError, LookupError) as error:  # the last one: encodings that expat lacks
                yield from self._ready
                raise self._damaged(error) from error
            yield from self._ready
            self._ready.clear()
            if not data:
                return

    def _damaged(self, error: Exception) -> InputError:
        if self._depth == 0 and not self._page:
            return InputError(f"{self._name} is not XML ({error}): if it is text, read it with ", _AS_TEXT)
        return InputError(f"{self._name} is truncated or damaged XML ({error}): get it again")

    def _refuse(self, found: str) -> None:
        raise InputError(f"{self._name} is XML but not a MediaWiki dump (it has {found}): read it with ", _AS_TEXT)

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        place = (self._depth, element)
        if self._depth == 1 and element != "mediawiki":
            self._refuse(f"<{element}> for root")
        elif place == (2, "page"):
            self._page = {}
        elif place == (3, "redirect"):
            self._page["redirect"] = ""
        elif place in _READ:
            self._key = attributes.get("key", "")
            self._characters, self._length = [], 0
            self._parser.CharacterDataHandler = self._collect

    def _collect(self, characters: str) -> None:
        self._characters.append(characters)
        self._length += len(characters)
        if self._length > _LONGEST:
            self._refuse(f"a page of more than {_LONGEST >> 20} million characters")

    def _end(self, element: str) -> None:
        self._depth -= 1
        if self._parser.CharacterDataHandler is not None:
            self._parser.CharacterDataHandler = None
            text = "".join(self._characters)
            if element == "namespace":
                self._namespaces[text.lower()] = int(self._key)
            else:
                self._page[element] = text
        elif element == "page" and self._depth == 1:
            self._finish()

    def _finish(self) -> None:
        page = self._page
        title, text = page.get("title", ""), page.get("text", "")
        if self._namespace(title) not in self._wanted or page.get("model", "wikitext") != "wikitext":
            return
        if text and "redirect" not in page and not wikitext.is_redirect(text):
            self._ready.append((title, text))

    def _namespace(self, title: str) -> int:
        if "ns" in self._page:
            return int(self._page["ns"])
        prefix, colon, _ = title.partition(":")  # dumps from before 2012 have no <ns>
        return self._namespaces.get(prefix.lower(), 0) if colon else 0


class _Batch(NamedTuple):
    text: str  # as `wikitext.strip_batch` takes it
    end: int  # bytes of the file that had been read by then


class _Stripper(Protocol):
    def strip(self, batch: str) -> bytes: ...
    def close(self) -> None: ...


class _Local:
    """Strips in this process."""

    def strip(self, batch: str) -> bytes:
        return wikitext.strip_batch(batch)

    def close(self) -> None:
        pass


class _Worker:
    """Strips in a child process, which starts with the first batch and ends when its standard input is closed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def strip(self, batch: str) -> bytes:
        if self._process is None:
            # -P and -S: modules are searched neither in the folder of the script nor in site-packages.
            command = [sys.executable, "-P", "-S", wikitext.__file__]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            wikitext.write_frame(process.stdin, batch.encode())
            text = wikitext.read_frame(process.stdout)
        except BrokenPipeError:
            text = None
        if text is None:
            raise ResourceError(
                f"a process that strips wikitext died (exit status {process.wait()}): free memory or use fewer threads"
            )
        return text

    def close(self) -> None:
        if self._process is None:
            return
        self._process.kill()  # nothing in it can be lost
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()


@contextmanager
def _strippers(threads: int) -> Iterator[list[_Stripper]]:
    # A program frozen into one file has no Python to run a script with.
    alone = threads == 1 or not sys.executable or getattr(sys, "frozen", False)
    strippers: list[_Stripper] = [_Local()] if alone else [_Worker() for _ in range(threads)]
    try:
        yield strippers
    finally:
        for stripper in strippers:
            stripper.close()


def _stripped(stripper: _Stripper, batch: _Batch) -> tuple[bytes, int]:
    return stripper.strip(batch.text), batch.end
