"""Wikitext → the text that a reader of the article sees.

One pass over the brackets removes what nests (templates, tables, pictures); regular expressions do the rest. Every
step takes time linear in the length of the text, even if its markup is broken. One core strips 20 MB/s of English
articles of 2016 (12 of 2006). mwparserfromhell, which is quadratic in unclosed tags, strips 1.2 MB/s alone and 4 after
the same pass, and its text was worse in nearly all places where the two differed. `main` explains why only the
standard library is imported.
"""

import html
import re
import signal
import struct
import sys
from collections.abc import Iterator
from typing import IO

HIDDEN = frozenset({"file", "image", "category"})  # links into these namespaces show no text, in any wiki
SEPARATOR = "\0"  # no XML document, hence no article, has it
LENGTH = struct.Struct(">Q")

# Tags that are removed with their content: notes, formulas, code, pictures, forms.
_RAW = (
    "ref|references|math|chem|ce|code|pre|source|syntaxhighlight|gallery|imagemap|timeline|score|hiero|graph|mapframe|"
    "maplink|templatedata|templatestyles|inputbox|categorytree|indicator|includeonly|style|script|nowiki"
)
# Tags that are removed without their text. Nothing else between < and > is a tag.
_BREAKING = "br|hr|p|div|center|blockquote|poem|[uod]l|li|d[td]|table|caption|t(?:head|body|foot|[rdh])|h[1-6]"
_INLINE = (
    "a|abbr|b|bdi|bdo|big|cite|data|del|dfn|em|embed|font|i|img|ins|kbd|link|mark|meta|noinclude|onlyinclude|q|r[bpt]|"
    "rtc|ruby|s|samp|section|small|span|strike|strong|su[bp]|time|tt|u|var|wbr|translate|languages|tvar"
)
_MEDIA = re.compile(
    r"\.(?:jpe?g?|png|svg|gif|tiff?|webp|xcf|pdf|djvu|og[agv]|opus|webm|mp[34]|mpe?g|wav|flac|midi?|stl)\s*\Z", re.I
)

_OPEN_RAW = re.compile(rf"<(?:!--|(?i:({_RAW}))\b[^<>]*>)")
_CLOSE_RAW = {name: re.compile(rf"</(?i:{name})\s*>") for name in _RAW.split("|")}
_TAG = re.compile(rf"</?(?i:({_BREAKING})|{_INLINE}|{_RAW})\b[^<>]*>")
# Every alternative begins with a literal character: only then does the engine skip quickly to the next candidate. The
# first is for speed, a whole link of the plainest kind.
_BRACKETS = re.compile(
    r"\[\[[^\[\]{}<>|:\n]*(?:\|[^\[\]{}<>\n]*)?\]\](?!\])|\{\{+|\}\}+|\[\[+|\]\]+"
    r"|\n[ \t:]*\{\||\n[ \t]*\|\}(?!\})|<(?i:table)\b|</(?i:table)\s*>"
)
_STRAY = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+")
_NAMESPACE = re.compile(r"([^\[\]{}|<>:\n]{1,100}):([^\[\]{}|<>\n]*)")
_LINK = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]]*+(?:(?:\[(?!\[)|\](?!\]))[^\[\]]*+)*+))?\]\]")
_LANGUAGE = re.compile(r"\s*(?:[a-z]{2,3}|simple)(?:-[a-z]+)*\s*:")
_DISAMBIGUATION = re.compile(r" ?\([^()]*\)\Z|,.*")
_EXTERNAL = re.compile(r"\[(?:(?:https?|ftps?|irc|news|gopher|telnet)://|mailto:|//)[^\s\[\]]*+\s*+([^\[\]]*+)\]")
_URL = re.compile(
    # Up to the next whitespace or bracket, with parentheses in pairs, without punctuation at the end.
    r"(?:\b(?:https?|ftps?|irc|gopher|telnet)://|\bwww\.)"
    r"(?:[^\s\[\]<>|\"()]|\([^\s\[\]<>|\"()]*\))*(?:[^\s\[\]<>|\"().,;:!?]|\([^\s\[\]<>|\"()]*\))"
)
_VARIANTS = re.compile(r"-\{([^{}]*)\}-")
_VARIANT = re.compile(r"\s*[a-z]{2}[a-z-]*:([^;]*)")
_MAGIC = re.compile(r"__[^\W\d_]+(?:_[^\W\d_]+)*__")
_REDIRECT = re.compile(
    # The word depends on the language. A list may begin with a word and a link too, but then more follows.
    r"\s*#\s*(?:(?i:redirect)\b|[^\s\[\]:\d]+\s*+:?\s*+\[\[[^\[\]\n]*\]\][^#*]{0,300}\Z)"
)
_ENTITY = re.compile(r"&#?\w+;")
_QUOTES = re.compile(r"('{2,})")
_EMPTY_PARENTHESES = re.compile(r"\([\s,;:]*\)")
_WORD = re.compile(r"\w")

Cut = tuple[int, int, str]  # from, to, what to put in its place


def plain_text(wikitext: str, hidden: frozenset[str] = HIDDEN) -> str:
    r"""Return the readable text of an article, one paragraph, heading or list item per line.

    ``hidden`` are the lowercase names of namespaces whose links show no text: files and categories.

    >>> plain_text("== Pets ==\n* Some '''[[cat]]s''' {{citation needed}} or [[Dog (pet)|dogs]]<ref>sic</ref>")
    'Pets\nSome cats or dogs'
    """
    if is_redirect(wikitext):
        return ""
    text = _without_brackets(_without_raw(wikitext), hidden)
    text = _LINK.sub(_link_text, text)
    if "''" in text:
        text = "\n".join(_without_quotes(line) if "''" in line else line for line in text.split("\n"))
    text = _EXTERNAL.sub(r"\1", text)
    if "://" in text or "www." in text:
        text = _URL.sub("", text)
    text = _TAG.sub(lambda tag: "\n\n" if tag[1] else "", text)
    if "-{" in text:
        text = _VARIANTS.sub(_variant, text)
    if "__" in text:
        text = _MAGIC.sub(lambda word: word[0] if any(map(str.islower, word[0])) else "", text)
    return "\n".join(_finished(_lines(_STRAY.sub("", text))))


def is_redirect(wikitext: str) -> bool:
    """Return whether the page is a redirect: #REDIRECT [[...]], in any language."""
    return _REDIRECT.match(wikitext) is not None


def _without_raw(text: str) -> str:
    """Remove comments and tags whose content is not wikitext. This is first, because brackets in them mean nothing."""
    cuts: list[Cut] = []
    unclosed: set[str] = (
        set()
    )  # not found once, so never searched for again: many such tags must not cost a search each
    position = 0
    while opening := _OPEN_RAW.search(text, position):
        start, position, replacement = opening.start(), opening.end(), ""
        name = (opening[1] or "").lower()
        if not name:
            end = text.find("-->", position)
            position = len(text) if end < 0 else end + 3
        elif not opening[0].endswith("/>") and name not in unclosed:
            closing = _CLOSE_RAW[name].search(text, position)
            if closing is None:
                unclosed.add(name)
            else:
                replacement = _escaped(text[position : closing.start()]) if name == "nowiki" else ""
                position = closing.end()
        cuts.append((start, position, replacement))
    return _cut(text, cuts)


def _escaped(text: str) -> str:
    """Write everything that could be mistaken for markup as entities, which are decoded last."""
    return re.sub(r"[^\w\s&;]|_", lambda mark: f"&#{ord(mark[0])};", text)


def _cut(text: str, cuts: list[Cut]) -> str:
    kept: list[str] = []
    position = 0
    for start, end, replacement in cuts:
        kept += text[position:start], replacement
        if not replacement and text[start - 1 : start] == "'" == text[end : end + 1]:
            kept.append("<wbr>")  # two marks of italics must not meet and mean something else
        position = end
    kept.append(text[position:])
    return "".join(kept)


def _without_brackets(text: str, hidden: frozenset[str]) -> str:
    """Remove templates, tables and hidden links, which nest in each other, in one pass over the brackets.

    A closing bracket closes the last open one of its kind, and everything still open inside it is forgotten. But a
    link is closed only if nothing else is open in it. Brackets without a partner are removed later.
    """
    text = f"\n{text}"
    open_ = _OpenBrackets()
    for found in _BRACKETS.finditer(text):
        bracket, start, end = found[0], found.start(), found.end()
        first = bracket[0]
        if first == "[" and bracket[-1] == "]":
            continue
        if first == "[":
            open_.push("[[", end - 2, cut=_shows_nothing(text, end, hidden))
        elif first == "{":
            for at in range(start, end - 1, 2):
                open_.push("{{", at)
        elif first in "]}":
            # In a run of three the first belongs to something single: [[File:x|[http://y z]]]
            for at in range(start + (end - start) % 2, end, 2):
                open_.close("[[" if first == "]" else "{{", at + 2)
        elif bracket.endswith("|}"):
            open_.close("{|", end)
        elif bracket.startswith("</"):
            open_.close("<table", end)
        elif first == "<":
            open_.push("<table", start)
        else:
            open_.push("{|", start + 1)
    return _cut(text, open_.cuts)


class _OpenBrackets:
    """Brackets that are still open, and the parts of the text to cut."""

    def __init__(self) -> None:
        self.cuts: list[Cut] = []
        self._stack: list[tuple[str, int, bool]] = []
        self._count = {"{{": 0, "[[": 0, "{|": 0, "<table": 0}

    def push(self, kind: str, start: int, *, cut: bool = True) -> None:
        self._stack.append((kind, start, cut))
        self._count[kind] += 1

    def close(self, kind: str, end: int) -> None:
        if not self._count[kind] or (kind == "[[" and self._stack[-1][0] != kind):
            return
        found = ""
        while found != kind:
            found, start, cut = self._stack.pop()
            self._count[found] -= 1
        if cut:
            while self.cuts and self.cuts[-1][0] >= start:
                self.cuts.pop()
            self.cuts.append((start, end, ""))


def _shows_nothing(text: str, at: int, hidden: frozenset[str]) -> bool:
    """Return whether the link whose target begins here is a picture or a category, by its namespace or file name."""
    target = _NAMESPACE.match(text, at)
    if target is None:
        return False
    name = target[1].replace("_", " ").strip().lower()
    return name in hidden or (name not in ("", "media") and _MEDIA.search(target[2]) is not None)


def _link_text(link: re.Match[str]) -> str:
    target, text = link[1], link[2]
    if text:
        return str(text)
    if text is None:
        return "" if _LANGUAGE.match(target) else str(target.lstrip(" :#"))
    return _DISAMBIGUATION.sub("", target.rpartition(":")[2])


def _without_quotes(line: str) -> str:
    """Remove the quotes of bold (3) and italics (2); in runs of 4 or more than 5, the others are apostrophes.

    If one bold and one italic mark are left over, as in L'''Été'', a bold one was an apostrophe before an italic one.
    """
    parts = _QUOTES.split(line)
    marks = range(1, len(parts), 2)
    lengths = [len(parts[at]) for at in marks]
    for at, length in zip(marks, lengths, strict=True):
        parts[at] = "'" * (1 if length == 4 else max(0, length - 5))
    bold = [at for at, length in zip(marks, lengths, strict=True) if length in (3, 4)]
    both = sum(length >= 5 for length in lengths)
    if (len(bold) + both) % 2 and (lengths.count(2) + both) % 2:
        elided = [at for at in bold if parts[at - 1][-1:].isalpha()]
        one_letter = [at for at in elided if not parts[at - 1][-2:-1].isalpha()]
        for at in (one_letter or elided)[:1]:
            parts[at] += "'"
    return "".join(parts)


def _variant(markup: re.Match[str]) -> str:
    """Choose the first variant of -{zh-hans:甲;zh-hant:乙}-; with the flags H and T it shows none."""
    flags, _, rules = markup[1].rpartition("|")
    if any(flag in flags for flag in "HT-"):
        return ""
    variant = _VARIANT.match(rules)
    return str(variant[1] if variant else rules)


def _lines(text: str) -> Iterator[str]:
    """Yield paragraphs (with their lines joined), headings, list items and preformatted lines, but no broken tables."""
    paragraph: list[str] = []
    for line in text.split("\n"):
        first = line[:1]
        if first and first not in " \t*#:;=|!" and not line.startswith(("{|", "----")):
            paragraph.append(line)
            continue
        if paragraph:
            yield " ".join(paragraph)
            paragraph = []
        header = first == "!" and ("!!" in line or "|" in line or line.startswith("! "))
        item = line.lstrip("*#:; \t")
        if not header and not item.startswith(("|", "{|")):
            yield item.strip("= \t") if first == "=" else item
    yield " ".join(paragraph)


def _finished(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines that have words, with entities decoded and single spaces."""
    for line in lines:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), line) if "&" in line else line
        text = " ".join(_EMPTY_PARENTHESES.sub("", text).split())
        if _WORD.search(text):
            yield text


def strip_batch(batch: str) -> bytes:
    """Strip articles, given in one string after the names of hidden namespaces; an empty line follows each text."""
    names, *articles = batch.split(SEPARATOR)
    hidden = HIDDEN.union(names.split("|"))
    texts = (plain_text(article, hidden) for article in articles)
    return "".join(f"{text}\n\n" for text in texts if text).encode() or b"\n\n"


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Send bytes, preceded by their length."""
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Receive bytes; None if the stream is at its end or ends too early."""
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(header)
    data = stream.read(size)
    return data if len(data) == size else None


def main() -> None:
    """Strip batches from standard input until it ends: this is what the worker processes of `wikipedia` run.

    The file is run as a script, without the package (which takes a second to import) and without site-packages. So a
    worker starts in about 30 ms, and nothing but frames can get into its standard output.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop, and closes the pipe
    try:
        while (batch := read_frame(sys.stdin.buffer)) is not None:
            write_frame(sys.stdout.buffer, strip_batch(batch.decode()))
    except BrokenPipeError:
        sys.exit(1)  # the parent is gone


if __name__ == "__main__":
    main()
