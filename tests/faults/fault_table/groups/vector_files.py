"""Vectors in other programs' formats: damaged, mis-counted, hostile, or something else."""

import gzip
import pickle
import struct
from functools import partial

import numpy as np

from ..case import Error, Row
from ..recipes import (
    append,
    bomb,
    copy,
    cut,
    fifo,
    flip,
    link,
    npy_bytes,
    npy_in_npz,
    npz,
    pack,
    splice,
    swap,
    write,
    zip_of,
)  # fmt: skip
from ..verdict import both, makes, prints

R = partial(Row, "vector files")

DAMAGED = Error(
    r"damaged|truncated|cut off|goes on after|expected|not (a|in|text)|numbers|line \d|word \d|twice|finite"
)
_F4 = struct.Struct("<4f")
_ROW = _F4.pack(1.0, 2.0, 3.0, 4.0)


def _to(file: str) -> str:
    return f"convert {file} out.glove"


#: What is sound is read to the same numbers, from every format.
SOUND = [
    R(f"{file}: read", f"convert {file} out.txt", makes("out.txt", "v.txt"))
    for file in ("v.txt", "v.txt.gz", "v.txt.zst", "v.bin", "v.bin.gz", "v.glove", "v.npz", "vectors", "model")
] + [
    R("v.bin: a line feed after each vector", "convert t.bin out.txt", prints("", "stderr"),
      make=[write("t.bin", b"2 4\na " + _ROW + b"\nb " + _ROW + b"\n")]),
    R("v.txt: CRLF at line ends", "neighbors t.txt a", prints("^b "), make=[write("t.txt", "2 2\r\na 1 2\r\nb 1 2\r\n")]),
    R("v.txt: a byte order mark", "neighbors t.txt a", prints("^b "), make=[write("t.txt", "\ufeff2 2\na 1 2\nb 1 2\n")]),
]  # fmt: skip

#: Cut files: every place is noticed.
CUT = [
    R(f"{file}: cut at {at}", _to(file), DAMAGED, make=[cut(file, at)])
    for file, places in {
        "v.txt": (0.3, 0.8, -4), "v.bin": (0.3, 0.8, -1), "v.npz": (0.3, 0.9, -3), "v.txt.gz": (0.5, -2),
        "v.bin.gz": (0.5, -9), "v.txt.zst": (0.5, -1), "v.glove": (0.503,),
    }.items()
    for at in places
]  # fmt: skip

#: Flipped bits. Formats with checksums notice each, the others what the format lets them notice.
FLIPPED = [
    R(f"{file}: a bit at {at}", _to(file), DAMAGED, make=[flip(file, at, bit)])
    for file, places in {
        "v.npz": ((0.2, 1), (0.5, 6), (0.97, 2)),
        "v.txt.gz": ((0.3, 2), (0.9, 5)),
        "v.bin.gz": ((0.4, 2), (0.8, 0)),
        "v.txt.zst": ((0.2, 3), (0.4, 0), (0.6, 5), (0.8, 1), (0.98, 4), (-1, 0), (5, 6)),
        "v.txt": ((0, 3), (5, 1), (60, 6)),
        "v.bin": ((0, 2), (2, 1)),
    }.items()
    for at, bit in places
]

_TEXT: dict[str, tuple[bytes | str, str]] = {
    "no bytes": ("", "empty"),
    "a header and nothing more": ("2 3\n", "."),
    "a header of zeros": ("0 0\n", "."),
    "more words than told": ("1 2\na 1 2\nb 3 4\n", "goes on|more|1 "),
    "fewer words than told": ("3 2\na 1 2\nb 3 4\n", "truncated|fewer|ends|3 "),
    "a short line": ("2 2\na 1 2.00001\nb 3\n", "line 3|short"),
    "a long line": ("2 2\na 1 2 3\nb 3 4\n", "line 2"),
    "a word for a number": ("2 2\na 1 x\nb 3 4\n", "line 2"),
    "NaN": ("2 2\na 1 nan\nb 3 4\n", "a|finite|line 2"),
    "infinity": ("2 2\na 1 inf\nb 3 4\n", "a|finite|line 2"),
    "1e999": ("2 2\na 1 1e999\nb 3 4\n", "a|finite|line 2"),
    "an empty word": ("2 2\n 1 2.00001\nb 3 4\n", "line 2|empty"),
    "a line without words": ("2 2\na 1 2\n\nb 3 4\n", "line 3"),
    "a header that promises 10¹² words": ("1000000000000 300\na 1 2\n", "."),
    "a header that promises 10¹² dimensions": ("1 1000000000000\na 1 2\n", "."),
    "a header of 5,000 digits": ("9" * 5000 + " 2\na 1 2\n", "."),
    "a negative header": ("-2 2\na 1 2\nb 3 4\n", "."),
    "NUL bytes": ("2 2\na 1 2\n\0\0 3 4\n", "."),
    "half a surrogate": (b"2 2\n\xed\xa0\x80 1 2\nb 3 4\n", "UTF-8|line 2"),
    "Latin-1": (b"2 2\ncaf\xe9 1 2\nb 3 4\n", "UTF-8|line 2"),
    "a hexadecimal number": ("2 2\na 0x1p3 2\nb 3 4\n", "line 2"),
    "an underscore in a number": ("2 2\na 1_0 2\nb 3 4\n", "line 2"),
    "Arabic digits": ("2 2\na ١ 2\nb 3 4\n", "line 2"),
    "a comma for a point": ("2 2\na 1,5 2\nb 3 4\n", "line 2"),
    "a web page": ("<!DOCTYPE html><html>not found</html>", "web page"),
    "prose": ("It was a dark and stormy night.\nThe rain fell.\n", "."),
}
TEXT = [
    R(f"text: {name}", _to("t.txt"), Error(rf"t\.txt.*({pattern})"), make=[write("t.txt", data)])
    for name, (data, pattern) in _TEXT.items()
] + [
    R("glove: lines of different lengths", _to("t.txt"), Error(r"t\.txt.*line 2"),
      make=[write("t.txt", "a 1 2\nb 1 2 3\n")]),
    R("glove: a word without numbers", _to("t.txt"), Error(r"t\.txt"), make=[write("t.txt", "a 1 2\nb\n")]),
    R("glove: the numbers of one word are cut", _to("v.glove"), Error(r"v\.glove.*line"), make=[cut("v.glove", -12)]),
    R("glove: a line of 1 GB", _to("t.gz"), Error(r"t\.gz"), memory=500,
      make=[bomb("t.gz", b"1 ", 1000, start=b"a 1 2\nb ")]),
    R("text: one word of 1 GB", _to("t.gz"), Error(r"t\.gz"), memory=500, make=[bomb("t.gz", b"x", 1000, start=b"2 2\n")]),
]  # fmt: skip

BINARY = [
    R(f"binary: {name}", f"convert t.bin out.glove --limit 5{more}", Error(rf"t\.bin.*({pattern})"), memory=600,
      make=[write("t.bin", data)])
    for name, data, pattern, more in (
        ("fewer words than told", b"3 4\na " + _ROW + b"b " + _ROW, "cut off|truncated", ""),
        ("more bytes than told", b"1 4\na " + _ROW + b"b " + _ROW, "goes on", ""),
        ("a header that promises 10¹² words", b"1000000000000 4\na " + _ROW, ".", ""),
        ("a header that promises 10¹² dimensions", b"1 1000000000000\na " + _ROW, ".", ""),
        ("a word of 100,000 letters", b"1 4\n" + b"x" * 100_000 + b" " + _ROW, ".", ""),
        ("a word without end", b"2 4\na " + _ROW + b"b" * 200, "cut off|truncated|blank|space", ""),
        ("a line feed in a word", b"2 4\na " + _ROW + b"b\nc " + _ROW, "line feed|damaged", ""),
        ("an empty word", b"2 4\na " + _ROW + b" " + _ROW, "empty|damaged|word 2", ""),
        ("NaN", b"2 4\na " + _ROW + b"b " + _F4.pack(1, 2, float("nan"), 4), "finite|NaN|b|damaged", ""),
        ("numbers of 10³⁸", b"2 4\na " + _ROW + b"b " + _F4.pack(1, 2, float("inf"), 4), "finite|inf|b|damaged", ""),
        ("a word that is not UTF-8", b"2 4\na " + _ROW + b"\xff\xfe " + _ROW, "UTF-8|word 2", ""),
    )
] + [
    R("binary, gz: a header that promises 10¹² words", _to("t.bin.gz"), Error(r"t\.bin\.gz"), memory=500,
      make=[write("t.bin.gz", gzip.compress(b"1000000000000 4\na " + _ROW))]),
    R("binary, gz: a header that promises 2³¹ dimensions", _to("t.bin.gz"), Error(r"t\.bin\.gz"), memory=500,
      make=[write("t.bin.gz", gzip.compress(b"2 2147483647\na " + _ROW * 1000))]),
    R("binary, gz: zeros to 1 GB as its header promises", _to("t.bin.gz"), Error(r"t\.bin\.gz|memory"), memory=500, slow=True,
      make=[bomb("t.bin.gz", b"\0", 1000, start=b"2 400000000\na ")]),
    R("binary: a NUL in a word", _to("v.bin"), Error(r"v\.bin.*(damaged|word)"),
      make=[swap("v.bin", b"bape ", b"b\0pe ")]),
    R("binary: a word twice is left out and reported", "convert t.bin out.txt", prints("'a'", "stderr"),
      make=[write("t.bin", b"2 4\na " + _ROW + b"a " + _ROW)]),
    R("text: a word twice is left out and reported", "convert t.txt out.bin", prints("'a'", "stderr"),
      make=[write("t.txt", "2 2\na 1 2\na 3 4\n")]),
    R("binary: a number with a lost exponent", _to("v.bin"), Error(r"bapa.*v\.bin|v\.bin.*bapa|v\.bin.*damaged"),
      make=[splice("v.bin", 11, b"\xff\xff\xff\x7f")]),
]  # fmt: skip

_OBJECTS = npy_bytes("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", pickle.dumps(["a", "b"]))
_WORDS = npy_bytes("{'descr': '<U1', 'fortran_order': False, 'shape': (2,), }", "ab".encode("utf-32-le"))


def _float(shape: str, body: bytes, descr: str = "<f4") -> bytes:
    return npy_bytes(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}", body)


NPZ = [
    R("npz: read", "neighbors t.npz a", prints("b"), make=[npz("t.npz", shape=(2, 2))]),
    R("npz: 1.2 GB of zeros in 5 MB", _to("t.npz"), Error(r"t\.npz|memory"), memory=500, slow=True,
      make=[npz("t.npz", words=["a", "b"], shape=(2, 150_000_000))]),
    R("npz: words that unpack to 1 GB", _to("t.npz"), Error(r"t\.npz"), memory=500,
      make=[npz("t.npz"), npy_in_npz("t.npz", "words.npy",
            npy_bytes("{'descr': '<U250000000', 'fortran_order': False, 'shape': (1,), }"))]),
] + [
    R(f"npz: {name}", _to("t.npz"), Error(r"t\.npz"), memory=700,
      make=[npz("t.npz"), npy_in_npz("t.npz", member, data)])
    for name, member, data in (
        ("words as pickled objects", "words.npy", _OBJECTS),
        ("vectors as pickled objects", "vectors.npy", _OBJECTS),
        ("a header that is code", "words.npy", npy_bytes("__import__('os').system('touch pwned')")),
        ("a header that is cut", "vectors.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr'"),
        ("a shape that does not fit", "vectors.npy", _float("(2, 9)", bytes(16))),
        ("a shape of 10¹⁵", "vectors.npy", _float("(2, 1000000000000000)", bytes(16))),
        ("three dimensions", "vectors.npy", _float("(2, 2, 1)", bytes(16))),
        ("one dimension", "vectors.npy", _float("(4,)", bytes(16))),
        ("no columns", "vectors.npy", _float("(2, 0)", b"")),
        ("more rows than words", "vectors.npy", _float("(3, 2)", bytes(24))),
        ("complex numbers", "vectors.npy", _float("(2, 1)", bytes(16), "<c8")),
        ("texts for numbers", "vectors.npy", _WORDS),
        ("numbers for words", "words.npy", _float("(2,)", bytes(8))),
        ("NaN", "vectors.npy", _float("(2, 2)", np.array([1, np.nan, 1, 1], "<f4").tobytes())),
        ("bytes that are no array", "words.npy", b"hello"),
        ("an empty member", "vectors.npy", b""),
    )
] + [
    R("npz: other members", _to("t.npz"), Error(r"t\.npz.*(words|vectors)"),
      make=[zip_of("t.npz", "thesis.npy", b"years of work")]),
    R("npz: a member that leads outside", _to("t.npz"), Error(r"t\.npz"),
      make=[zip_of("t.npz", "../../words.npy", b"x")]),
    R("npz: rubbish after the archive", _to("v.npz"), Error(r"v\.npz|damaged"), make=[append("v.npz", b"x" * 70_000)]),
    R("npz: not one", _to("t.npz"), Error(r"t\.npz"), make=[write("t.npz", b"PK\x03\x04" + bytes(200))]),
]  # fmt: skip

OTHER = [
    R(f"{name}", _to(file), Error(pattern), make=[write(file, data)])
    for name, file, data, pattern in (
        ("a pickle", "t.bin", pickle.dumps({"a": 1}), "Python or gensim"),
        ("a pickle of protocol 0", "t.txt", pickle.dumps({"a": [1, 2]}, 0), r"t\.txt"),
        ("a fastText model", "t.bin", b"\xba\x16\x4f\x2f" + bytes(900), "fastText"),
        ("HDF5", "t.h5", b"\x89HDF\r\n\x1a\n" + bytes(900), "HDF5"),
        ("one array", "t.npy", _WORDS, "numpy array"),
        ("a PDF", "t.pdf", b"%PDF-1.7\n" + bytes(900), "PDF"),
        ("a SQLite database", "t.db", b"SQLite format 3\0" + bytes(900), r"t\.db"),
        ("zeros", "t.bin", bytes(4000), r"t\.bin"),
        ("a safetensors file alone", "t.safetensors", struct.pack("<Q", 2) + b"{}", r"t\.safetensors"),
    )
] + [
    R("/dev/zero", "neighbors /dev/zero a", Error("/dev/zero"), memory=500),
    R("a named pipe", "neighbors pipe a", Error("pipe.*(not a file|read twice|device)"), make=[fifo("pipe")]),
    R("a folder of something", "neighbors sets a", Error("sets.*not")),
    R("no such file", "neighbors missing.bin a", Error(r"missing\.bin does not exist")),
    R("standard input", "convert - out.txt", Error("-|standard input|exist")),
    R("a zip within a gz", _to("t.gz"), Error(r"t\.gz"), make=[pack("v.npz", "t.gz")]),
]  # fmt: skip

_HEADER = b'{"vectors":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}'


def _safetensors(header: bytes, body: bytes = bytes(8), length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + body


#: Our own folder of vectors, with safetensors inside.
SAFETENSORS = [
    R(f"safetensors: {name}", "neighbors vectors bapa", Error(r"vectors.*damaged|vectors.*not"), memory=500,
      make=[write("vectors/vectors.safetensors", data)])
    for name, data in (
        ("no bytes", b""),
        ("a header longer than the file", _safetensors(_HEADER, length=10**18)),
        ("no JSON", _safetensors(b"x" * 40)),
        ("deep JSON", _safetensors(b"[" * 100_000)),
        ("a shape that overflows", _safetensors(_HEADER.replace(b"[1,2]", b"[4294967296,4294967296]"))),
        ("offsets beyond the end", _safetensors(_HEADER.replace(b"[0,8]", b"[0,99]"))),
        ("another type", _safetensors(_HEADER.replace(b"F32", b"BF16"))),
    )
] + [
    R("safetensors: a word with a line feed less", "neighbors vectors bapa", Error("vectors.*damaged"),
      make=[swap("vectors/words.txt", b"\n", b"_")]),
]  # fmt: skip

#: Outputs and flags.
OUTPUTS = [
    R("an output that exists", "convert model v.txt", Error(r"v\.txt exists.*--force")),
    R("an output that is a folder", "convert model sets/ --format word2vec", Error("sets")),
    R("an output that says no format", "convert model out.xyz", Error(r"out\.xyz.*format|format.*out\.xyz", (1, 2))),
    R("standard output", "convert model -", Error("standard output", 2)),
    R("a compressed folder", "convert model out.gz --format lexvec", Error("compress", 2)),
    R("an output below a file", "convert model text.txt/out.txt", Error(r"text\.txt")),
    R("/dev/full", "convert model /dev/full --format glove --force", Error("/dev/full")),
    R("the input as the output", "convert v.txt v.txt --force", Error("the output .*v.txt overlaps the input v.txt")),
    R("combine of a file", "neighbors v.txt bapa --combine sum", Error("combine", 2)),
    R("limit of 0", "neighbors v.txt bapa --limit 0", Error("limit", 2)),
    R("a word with a space, to text", "convert t.npz out.txt", Error("t|space|blank|word"),
      make=[npz("t.npz", words=["new york", "b"])]),
    R("a word that is unknown", "neighbors v.txt xyzzy", Error("'xyzzy' is not in the vocabulary")),
    R("a word in capitals", "neighbors v.txt BAPA", Error("did you mean 'bapa'")),
    R("a word of half a surrogate", "neighbors v.txt 'a\udcff'", Error("not in the vocabulary")),
    R("a picture of no word", "map v.txt , -o out.svg", Error("word", (1, 2))),
    R("a picture named .png", "map v.txt bapa,bape -o out.png", Error("svg", 2)),
    R("a picture that exists", "map v.txt bapa,bape,bapi -o text.txt.svg", Error("exists"),
      make=[copy("text.txt", "text.txt.svg")]),
    R("through a link", "neighbors to bapa", prints("0\\."), make=[link("to", "v.bin")]),
]  # fmt: skip

_EVIL = "2 2\n\x1b[31mEVIL\x1b[0m 1 2\nb 1 2.1\n\u202eLTR 1 1.9\n".replace("2 2", "3 2", 1)
_RAW = "\x1b\\[31mEVIL|\u202e"
#: Words that would steer the terminal.
ESCAPES = [
    R("escapes: neighbors in a terminal", "neighbors t.txt b", prints("EVIL", without=_RAW), terminal=True,
      make=[write("t.txt", _EVIL)]),
    R("escapes: analogy in a terminal", "analogy t.txt b b b", prints("EVIL", without=_RAW), terminal=True,
      make=[write("t.txt", _EVIL)]),
    R("escapes: an unknown word", "neighbors t.txt '\x1b[31mEVIL2'", Error(r"^lexvec: [^\x1b]*EVIL2[^\x1b]*$"),
      make=[write("t.txt", _EVIL)]),
    R("escapes: JSON keeps them", "neighbors t.txt b --json",
      both(prints(r"\\u001b\[31mEVIL|\x1b\[31mEVIL"), prints("LTR")), make=[write("t.txt", _EVIL)]),
    R("escapes: files keep them", "convert t.txt out.txt", prints("", "stderr"), make=[write("t.txt", _EVIL)]),
    R("escapes: a picture is still XML", "python: import xml.dom.minidom, lexvec\nfrom lexvec import WordMap, WordVectors\n"
      "v = WordVectors.load('t.txt')\nprint(xml.dom.minidom.parseString(WordMap.of(v, [v.words]).svg().encode()).nodeName)",
      prints("#document"), make=[write("t.txt", _EVIL.replace("b ", "<b>&\" "))]),
    R("escapes: a file name", "neighbors '\x1b[31mEVIL' b", Error(r"^lexvec: [^\x1b]*EVIL[^\x1b]*$")),
]  # fmt: skip
ROWS = [*SOUND, *CUT, *FLIPPED, *TEXT, *BINARY, *NPZ, *OTHER, *SAFETENSORS, *OUTPUTS, *ESCAPES]
