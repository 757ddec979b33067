"""Text, dumps and vocabularies that are not what they seem."""

import bz2
import codecs
import gzip
from functools import partial

from ..case import Error, Row
from ..recipes import append, bomb, chmod, copy, cut, fifo, flip, link, mkdir, pack, sparse, tar, write
from ..verdict import made, makes, prints

R = partial(Row, "corpus")

DAMAGED = Error(r"truncated|damaged|cut off|ends too early|no words")
SAME = makes("out/ids.npy", "corpus/ids.npy")


def _read(file: str) -> str:
    return f"corpus {file} -o out --min-count 1"


#: Compressed text: read as it is, cut at many places, flipped.
COMPRESSED = [
    R(f"{kind}: read", _read(f"t.txt.{kind}"), SAME, make=[pack("text.txt", f"t.txt.{kind}")])
    for kind in ("gz", "bz2", "xz", "zst")
] + [
    R(f"{kind}: cut to {at}", _read(f"t.txt.{kind}"), DAMAGED, make=[pack("text.txt", f"t.txt.{kind}", cut_at=at)])
    for kind in ("gz", "bz2", "xz", "zst")
    for at in (3, 5, 9, 40, 1000)
] + [
    R(f"{kind}: a bit flipped at {at}", _read(f"t.txt.{kind}"), DAMAGED,
      make=[pack("text.txt", f"t.txt.{kind}"), flip(f"t.txt.{kind}", at)])
    for kind in ("gz", "bz2", "xz")
    for at in (0.5, 0.97)
] + [
    R(f"{kind}: rubbish after the end", _read(f"t.txt.{kind}"), DAMAGED,
      make=[pack("text.txt", f"t.txt.{kind}"), append(f"t.txt.{kind}", b"rubbish that follows")])
    for kind in ("gz", "bz2", "xz", "zst")
] + [
    R("gz: no bytes", _read("t.txt.gz"), Error(r"t\.txt\.gz.*(empty|damaged|no words)|no words"),
      make=[write("t.txt.gz", b"")]),
    R("gz: two members", _read("t.txt.gz"), makes("out/ids.npy", "corpus/ids.npy"),
      make=[pack("text.txt", "t.txt.gz"), append("t.txt.gz", gzip.compress(b""))]),
    R("gz within gz", _read("t.txt.gz"), Error("binary|compressed"),
      make=[write("t.txt.gz", gzip.compress(gzip.compress(b"a b c d e f g h " * 5000)))]),
    R("bz2: text that only begins like it", _read("t.txt"), made("out/vocab.tsv"), make=[write("t.txt", "BZh one two\n")]),
]  # fmt: skip

#: Little on disk and much in memory.
BOMBS = [
    R("1 GB of a in a gz", _read("t.gz"), Error(r"(byte|offset|long|token)"), memory=500,
      make=[bomb("t.gz", b"a", 1000)]),
    R("1 GB of NUL in a gz", _read("t.gz"), Error(r"binary|not text|NUL|byte"), memory=500,
      make=[bomb("t.gz", b"\0", 1000)]),
    R("NUL after sound text, 1 GB", _read("t.gz"), Error(r"binary|not text|NUL|byte|long"), memory=500,
      make=[bomb("t.gz", b"\0", 1000, start=b"some words at first\n" * 5000)]),
    R("1 GB of a in wrapped paragraphs", "corpus t.gz -o out --min-count 1 --sentences-by paragraphs",
      Error(r"(byte|offset|long|token)"), memory=500, make=[bomb("t.gz", b"a", 1000)]),
    R("a token of 3 MB", _read("t.txt"), Error(r"t\.txt.*(byte|offset).*\d|(long|token).*(byte|offset)"),
      make=[write("t.txt", "one two " + "x" * 3_000_000 + " three")]),
    R("a dump whose article is 400 MB", "corpus t.xml.gz -o out --min-count 1", Error(r"t\.xml\.gz|large|long|byte|memory"),
      memory=300, slow=True,
      make=[bomb("t.xml.gz", b"word ", 400, start=b"<mediawiki><page><title>A</title><ns>0</ns><revision><text>")]),
    R("/dev/zero", _read("/dev/zero"), Error(r"/dev/zero.*(binary|not text|device)"), memory=500),
    R("a link to /dev/zero", _read("t.txt"), Error(r"(binary|not text|device)"), memory=500,
      make=[link("t.txt", "/dev/zero")]),
    R("/dev/urandom", _read("/dev/urandom"), Error("binary|device"), memory=500),
    R("a sparse file of 1 TB", _read("t.txt"), Error("binary"), memory=500, make=[sparse("t.txt", 10**12)]),
    R("zeros on standard input", _read("-"), Error("standard input.*binary"), stdin=bytes(3_000_000)),
]  # fmt: skip

_WORDS = [bomb("t.gz", b"bapa bape xyzzy ", 240), write("t.txt", "bapa bape xyzzy")]
_LONG = Error(r"line 1 is longer than 2 MB: check that it is the right file")
_SETTINGS = Error(r"has more than 1 MB up to line 1: give a file of settings in TOML")
_BINARY = Error(r"looks like a binary file, not text: give a text file in UTF-8")
_COMPONENT = "convert model out --format model2vec --component-of"
#: Text that commands read beside a corpus: no line and no file takes more memory than a limit that errors name.
READ = [
    R("240 MB of words on a line: embed", "embed model t.gz -o out.npy --normalize", made(r"^out\.npy$"), memory=400, make=_WORDS),
    R("240 MB of words on a line: embed --tokenized", "embed model t.gz -o out.npy --tokenized", made(r"^out\.npy$"), memory=400,
      make=_WORDS),
    R("120 MB of words in a string", "python: import gzip\nfrom lexvec import WordVectors\n"
      "text = gzip.open('t.gz').read(120_000_000).decode()\nV = WordVectors.load('v.txt')\n"
      "print(abs(V.sentences([text]) - V.sentences(['bapa bape'])).max() < 1e-6)", prints("True"), memory=700, make=_WORDS),
    R("a word of 240 MB: embed", "embed model t.gz -o out.npy", Error(r"line 1 has a word longer than [\d,]+ characters"),
      memory=400, make=[bomb("t.gz", b"a", 240)]),
    R("240 MB of words on a line: --component-of", f"{_COMPONENT} t.gz", Error("at least two sentences", 2), memory=400, make=_WORDS),
    *(R(f"240 MB of words on a line: {command}", command, _LONG, memory=400, make=_WORDS, leaves=r"^out\.run")
      for command in ("convert model out.txt --words t.gz", "explore model --labels t.gz --export out.html",
                      "train corpus -o out --dim 4 --subsample 0 --model sgns --subwords t.gz")),
    *(R(f"{file}: {command.split()[0]} {command.split()[-1]}", f"{command} {file}", expected, memory=400, seconds=10,
        make=[sparse("sparse", 10**10)])
      for file in ("/dev/zero", "sparse")
      for command, expected in (
          ("convert model out.txt --words", _LONG), ("explore model --export out.html --labels", _LONG),
          ("corpus text.txt -o out --vocabulary", _LONG), ("embed model -o out.npy", _BINARY), (_COMPONENT, _BINARY))),
    *(R(f"{file}: --config", f"--config {file} embed model text.txt -o out.npy", _SETTINGS, memory=400,
        make=[sparse("sparse", 10**10)]) for file in ("/dev/zero", "sparse")),
    R("sparse: --preset", "reproduce corpus -o out --preset sparse", _SETTINGS, memory=400, make=[sparse("sparse", 10**10)]),
    R("sparse: a record of an experiment", "info tables", Error("damaged"), memory=400,
      make=[sparse("tables/experiment.json", 10**10)]),
    R("sparse: a record of a run", "train --resume dead", Error("dead.*damaged"), memory=400,
      make=[mkdir("dead.run"), sparse("dead.run/run.json", 10**10)]),
    R("sparse: meta.json", "info corpus", Error("not a folder made by lexvec"), memory=400, make=[sparse("corpus/meta.json", 10**9)]),
    R("zeros that ask a question", "neighbors model", Error("standard input, line 1 is longer than"), memory=400, stdin=bytes(3_000_000)),
]  # fmt: skip

#: Files that are something else.
OTHER = [
    R("a tar archive", _read("t.tar"), Error(r"t\.tar.*archive"), make=[tar("t.tar", ["text.txt"])]),
    R("a tar archive, compressed", _read("t.tar.gz"), Error(r"t\.tar\.gz.*archive"), make=[tar("t.tar.gz", ["text.txt"])]),
    R("a tar archive named .txt", _read("t.txt"), Error("archive"),
      make=[tar("t.tar", ["text.txt"]), copy("t.tar", "t.txt")]),
    R("a zip archive", _read("v.npz"), Error("archive|binary|zip")),
    R("a PDF", _read("t.pdf"), Error("binary|PDF"), make=[write("t.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 40)]),
    R("an array", _read("corpus/ids.npy"), Error("binary|array")),
    R("UTF-16 by its mark", _read("t.txt"), Error("utf-16.*--encoding"), make=[write("t.txt", "a b".encode("utf-16"))]),
    R("UTF-32 by its mark", _read("t.txt"), Error("utf-32.*--encoding"),
      make=[write("t.txt", codecs.BOM_UTF32_LE + "a b".encode("utf-32-le"))]),
    R("UTF-16 read as such", "corpus t.txt -o out --min-count 1 --encoding utf-16", made("out/ids.npy"),
      make=[write("t.txt", "one two. three four.".encode("utf-16"))]),
    R("an encoding that nobody knows", "corpus text.txt -o out --encoding klingon", Error("encoding.*klingon", 2)),
    R("an encoding that is none of text", "corpus text.txt -o out --encoding base64", Error("encoding.*base64", 2)),
    R("an encoding that does not fit", "corpus text.txt -o out --encoding ascii --min-count 1", SAME),
    R("some invalid bytes", "corpus t.txt -o out --min-count 1 --quiet", prints("invalid", "stderr"),
      make=[write("t.txt", b"one two \xff three.\n" * 50)]),
    R("a byte order mark of UTF-8", _read("t.txt"), made("out/ids.npy"), make=[write("t.txt", b"\xef\xbb\xbfone two.")]),
]  # fmt: skip

#: Names, folders and patterns.
PLACES = [
    R("no such file", _read("missing.txt"), Error(r"missing\.txt does not exist")),
    R("no such pattern", _read("'*.missing'"), Error("matches no file")),
    R("an empty file", _read("t.txt"), Error(r"no words|empty"), make=[write("t.txt", b"")]),
    R("only whitespace", _read("t.txt"), Error("no words"), make=[write("t.txt", " \n\t\n" * 100)]),
    R("only punctuation", _read("t.txt"), Error("no words"), make=[write("t.txt", "... !!! ---\n" * 100)]),
    R("an empty folder", _read("folder"), Error("folder.*without files|empty"), make=[mkdir("folder")]),
    R("a folder of hidden files", _read("folder"), Error("folder.*without files|empty"),
      make=[write("folder/.hidden", "one two")]),
    R("an unreadable file", _read("text.txt"), Error(r"text\.txt.*[Pp]ermission"), unprivileged=True,
      make=[chmod("text.txt", 0)]),
    R("an unreadable folder", _read("folder"), Error(r"folder.*[Pp]ermission"), unprivileged=True,
      make=[write("folder/t.txt", "a b"), chmod("folder", 0)]),
    R("a link that leads to itself", _read("loop"), Error("loop"), make=[link("loop", "loop")]),
    R("a folder with a link to itself", _read("folder"), made("out/ids.npy"),
      make=[write("folder/t.txt", "one two."), link("folder/again", "../folder")]),
    R("a pipe that nobody writes to", "python: import threading, time\nfrom pathlib import Path\n"
      "threading.Thread(target=lambda: open('pipe', 'wb').write(b'one two. three.')).start()\n"
      "from lexvec import CorpusBuilder\nprint(len(CorpusBuilder(min_count=1).build(Path('pipe'))))",
      prints("[12]"), make=[fifo("pipe")]),
    R("a name of 5,000 letters", _read("x" * 5000), Error("does not exist|too long")),
    R("a name with a NUL", "python: from lexvec import CorpusBuilder; CorpusBuilder().build('a\\0b')",
      Error("NUL|does not exist|null|name")),
    R("too few occurrences", "corpus text.txt -o out --min-count 100000", Error("min.count|no word", (1, 2))),
    R("nothing on standard input", _read("-"), Error("no words|empty")),
    R("a file that shrinks while it is read",
      "python: import os\nfrom lexvec import CorpusBuilder\nfrom lexvec.corpus import blocks\n"
      "open('t.txt', 'w').write('one two three. ' * 600_000)\nreal = blocks.valid\n"
      "def shrink(text):\n    os.truncate('t.txt', 1 << 20)\n    return real(text)\n"
      "blocks.valid = shrink\nCorpusBuilder(min_count=1, threads=1).build('t.txt', 'out')",
      Error(r"t\.txt.*(shrank|changed|shorter|smaller|while)"), leaves=r"^t\.txt$"),
]  # fmt: skip

#: What happens to a file after its first megabyte was read.
_CHANGES = {
    "shrinks": "os.truncate('t.txt', 1_500_000)",
    "is emptied": "os.truncate('t.txt', 0)",
    "grows": "open('t.txt', 'ab').write(b''.join(b'x%d 1 2 3\\n' % n for n in range(200_000)))",
    "is replaced": "os.replace('newer.txt', 't.txt')",
    "is removed": "os.remove('t.txt')",
}
_LINES = "".join(f"w{number} {number % 7} 2 {number % 5}\n" for number in range(150_000))
#: Files that change while they are read: the content at the start, all of it with what was added, or an error.
CHANGING = [
    R(f"a file that {change} while it is read: {command.split()[0]}",
      f"python: import os\nfrom lexvec.cli import main\nfrom lexvec.storage import files\nreal, left = files._Counting.readinto, [1]\n"
      f"def readinto(self, buffer):\n    found = real(self, buffer)\n    if self.position > {1 << 19} and left and left.pop():\n"
      f"        {does}\n    return found\n"
      f"files._Counting.readinto = readinto\nmain({command.split()!r})",
      # Vectors are opened more than once, so that the file may be another one by then: it is read as such.
      Error(r"cannot read t\.txt|t\.txt.*(does not end|no word with numbers|not a number)") if command.startswith("convert") and
      change != "grows" else Error(r"became shorter while it was read") if change in ("shrinks", "is emptied")
      else made("^out"),
      make=[write("t.txt", _LINES), write("newer.txt", "bapa bape\n")], leaves=r"^(t\.txt|newer\.txt)$")
    for change, does in _CHANGES.items()
    for command in ("corpus -q t.txt -o out --min-count 1 --threads 1", "embed -q model t.txt -o out.npy",
                    "convert -q t.txt out.npz")
]  # fmt: skip

_PAGE = "<page><title>{}</title><ns>0</ns><revision><text>{}</text></revision></page>"
_DUMP = f"<mediawiki>{_PAGE.format('A', 'one two three. four five.')}</mediawiki>"
_BOMB = ('<!DOCTYPE x [<!ENTITY a "' + "a" * 1000 + '">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(8)) + "]>")  # fmt: skip

#: Dumps of wikis.
DUMPS = [
    R("dump: read", _read("t.xml"), made("out/ids.npy"), make=[write("t.xml", _DUMP)]),
    R("dump: cut in an article", _read("t.xml"), Error(r"t\.xml"), make=[write("t.xml", _DUMP), cut("t.xml", 0.7)]),
    R("dump: cut before its end tag", _read("t.xml"), Error(r"t\.xml"), make=[write("t.xml", _DUMP), cut("t.xml", -6)]),
    R("dump: compressed and cut", _read("t.xml.bz2"), Error(r"t\.xml\.bz2"),
      make=[write("t.xml.bz2", bz2.compress(_DUMP.encode() * 50)[:-20])]),
    R("dump: entities that explode", _read("t.xml"), Error(r"t\.xml"), memory=500,
      make=[write("t.xml", _BOMB + _DUMP.replace("one", "&i;"))]),
    R("dump: an external entity", _read("t.xml"), Error(r"t\.xml"),
      make=[write("t.xml", '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + _DUMP.replace("one", "&e;"))]),
    R("dump: an unclosed tag", _read("t.xml"), Error(r"t\.xml"), make=[write("t.xml", _DUMP.replace("</page>", ""))]),
    R("dump: no articles", _read("t.xml"), Error("no words|no article"), make=[write("t.xml", "<mediawiki></mediawiki>")]),
    R("dump: another root", _read("t.xml"), Error(r"t\.xml"), make=[write("t.xml", "<html><body>hello</body></html>")]),
    R("dump: markup that never closes", _read("t.xml"), made("out/ids.npy"), seconds=20,
      make=[write("t.xml", _DUMP.replace("one", "{{" * 20000 + "[[" * 20000 + "one"))]),
    R("dump: tables in tables", _read("t.xml"), made("out/ids.npy"), seconds=20,
      make=[write("t.xml", _DUMP.replace("one", "{|\n" * 5000 + "one" + "\n|}" * 4000))]),
    R("dump: a namespace that is no number", _read("t.xml"), Error(r"t\.xml|no words"),
      make=[write("t.xml", _DUMP.replace("<ns>0</ns>", "<ns>zero</ns>"))]),
    R("dump: deep XML", _read("t.xml"), Error(r"t\.xml|no words"), memory=500,
      make=[write("t.xml", "<mediawiki>" + "<a>" * 200_000)]),
]  # fmt: skip

#: Vocabularies of the user's own.
VOCABULARIES = [
    R("vocabulary: read", "corpus text.txt -o out --vocabulary vocabulary.tsv", made("out/ids.npy")),
] + [
    R(f"vocabulary: {name}", "corpus text.txt -o out --vocabulary t.tsv", Error(pattern, (1, 2)), make=[write("t.tsv", data)])
    for name, data, pattern in (
        ("empty", b"", "empty|no word|nothing"),
        ("a word twice", b"bapa\t1\nbape\t2\nbapa\t3\n", "bapa.*twice"),
        ("a count that is no number", b"bapa\tmany\n", r"t\.tsv, line 1"),
        ("a negative count", b"bapa\t-3\n", r"t\.tsv, line 1"),
        ("a count of 10³⁰", b"bapa\t1000000000000000000000000000000\n", r"t\.tsv, line 1"),
        ("a count of 5,000 digits", b"bapa\t" + b"9" * 5000 + b"\n", r"t\.tsv, line 1"),
        ("an empty word", b"\t3\n", r"t\.tsv, line 1"),
        ("Latin-1", b"caf\xe9\t3\n", "UTF-8"),
        ("none of its words in the text", b"xyzzy\nplugh\n", "no word|none|occur"),
    )
] + [
    R("vocabulary: missing", "corpus text.txt -o out --vocabulary missing.tsv", Error(r"missing\.tsv")),
    R("vocabulary: a folder", "corpus text.txt -o out --vocabulary corpus", Error("corpus")),
    R("vocabulary and min-count", "corpus text.txt -o out --vocabulary vocabulary.tsv --min-count 3",
      Error("--min-count", 2)),
    R("train with a min-count that cannot work", "train corpus -o out --dim 4 --min-count 50",
      Error("min.count", 2)),
]  # fmt: skip
ROWS = [*COMPRESSED, *BOMBS, *READ, *OTHER, *PLACES, *CHANGING, *DUMPS, *VOCABULARIES]
