"""Test sets that are damaged, foreign or missing, and vectors that cannot be scored."""

import gzip
from functools import partial

from ..case import Error, Row
from ..recipes import bomb, chmod, copy, cut, flip, remove, write
from ..verdict import prints

R = partial(Row, "evaluation")

EVALUATE = "evaluate model --sets t.tsv"
_SETS = {
    "empty": (b"", "no items|empty"),
    "only comments": (b"# one\n# two\n", "no items|empty"),
    "only sections": (b": capital\n: gram\n", "no items|empty"),
    "a rating that is no number": (b"bapa bape high\n", "line 1"),
    "a rating that is NaN": (b"bapa bape nan\n", "line 1"),
    "a rating that is infinite": (b"bapa bape inf\n", "line 1"),
    "a rating of 1e999": (b"bapa bape 1e999\n", "line 1"),
    "two fields": (b"bapa bape\n", "line 1"),
    "five fields": (b"a b c d e\n", "line 1"),
    "pairs, then questions": (b"bapa bape 1\na b c d\n", "line 2"),
    "questions, then pairs": (b"a b c d\nbapa bape 1\n", "line 2"),
    "not UTF-8": (b"bapa caf\xe9 3\n", "UTF-8"),
    "UTF-16": ("bapa bape 3\n".encode("utf-16"), "UTF-8|utf-16"),
    "NUL bytes": (bytes(5000), "."),
    "a web page": (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "line 1|web page"),
    "a line of 3 MB": (b"bapa " + b"x" * 3_000_000 + b"\n", "line 1"),
    "a tar archive": (b"t.txt" + bytes(95) + b"0000644\0" + bytes(4000), "."),
}
SETS = [
    R(f"set: {name}", EVALUATE, Error(rf"t\.tsv.*({pattern})|({pattern}).*t\.tsv"), make=[write("t.tsv", data)])
    for name, (data, pattern) in _SETS.items()
] + [
    R("set: a gigabyte in a gz", "evaluate model --sets t.tsv.gz", Error(r"t\.tsv\.gz"), memory=500,
      make=[bomb("t.tsv.gz", b"x", 1000)]),
    R("set: compressed", "evaluate model --sets t.tsv.gz", prints("t"),
      make=[write("t.tsv.gz", gzip.compress(b"bapa bape 3\nbipi bapa 1\nbape bapi 2\n"))]),
    R("set: compressed and cut", "evaluate model --sets t.tsv.gz", Error(r"t\.tsv\.gz.*(damaged|truncated)"),
      make=[write("t.tsv.gz", gzip.compress(b"bapa bape 3\n" * 99)[:-9])]),
    R("set: no word that is known is shown as such", EVALUATE, prints("0 / 2|0 of 2|0/2|0 %"),
      make=[write("t.tsv", "xyzzy plugh 3\nfrotz ozmoo 2\n")]),
    R("set: one pair", EVALUATE, prints("t"), make=[write("t.tsv", "bapa bape 3\n")]),
    R("set: all ratings equal", EVALUATE, prints("t"), make=[write("t.tsv", "bapa bape 3\nbapi bapo 3\nbapu bapa 3\n")]),
    R("set: CRLF and a byte order mark", EVALUATE, prints("t"),
      make=[write("t.tsv", "\ufeffbapa\tbape\t3\r\nbapi\tbapo\t2\r\nbapu\tbapa\t1\r\n")]),
    R("set: one pair again and again", EVALUATE, prints("t"), make=[write("t.tsv", "bapa bape 3\nbapi bapo 2\n" * 50)]),
    R("set: a question that repeats its words", EVALUATE, prints("t"), make=[write("t.tsv", "bapa bapa bapa bapa\n")]),
    R("set: ratings of 10³⁰⁰", EVALUATE, prints("t"), make=[write("t.tsv", "bapa bape 1e300\nbapi bapo -1e300\nbapu bapa 0\n")]),
    R("set: a folder", "evaluate model --sets sets", Error("sets", (1, 2))),
    R("set: unreadable", "evaluate model --sets own.tsv", Error(r"own\.tsv.*([Pp]ermission|read)"), unprivileged=True,
      make=[chmod("own.tsv", 0)]),
]  # fmt: skip

NAMES = [
    R("sets: a file that does not exist", "evaluate model --sets missing.tsv", Error(r"missing\.tsv.*does not exist")),
    R("sets: a path that does not exist", "evaluate model --sets sub/missing.txt",
      Error(r"missing\.txt.*does not exist")),
    R("sets: a name that nobody knows", "evaluate model --sets wordsim", Error("wordsim", (1, 2))),
    R("sets: nearly a name", "evaluate model --sets mc30", Error("mc-30", 2)),
    R("sets: ''", "evaluate model --sets '' --data sets", Error("set", 2)),
    R("sets: only commas", "evaluate model --sets ,, --data sets", Error("set", 2)),
    R("sets: one that is not here", "evaluate model --sets rg-65 --data sets", Error("rg-65")),
    R("sets: the folder is a file", "evaluate model --data text.txt", Error(r"text\.txt.*folder")),
    R("sets: the folder is missing", "evaluate model --data missing", Error("missing")),
    R("sets: $LEXVEC_DATA is missing", "evaluate model --sets mc-30", Error("mc-30|missing"),
      env={"LEXVEC_DATA": "{work}/missing"}),
    R("sets: not the known version", "evaluate model --sets mc-30 --data sets", prints("MC")),
    R("sets: pairs where questions belong", "evaluate model --sets msr --data sets", Error("analogy|msr"),
      make=[copy("own.tsv", "sets/msr-analogies.txt")]),
    R("sets: empty where a known set belongs", "evaluate model --sets rg-65 --data sets", Error(r"rg-65"),
      make=[write("sets/rg-65.txt", b"")]),
    R("data list: with a damaged set", "data list --data sets", prints("cannot be used"),
      make=[write("sets/rg-65.txt", b"\xff\xff")]),
]  # fmt: skip

SCORES = [
    R("oov error", "evaluate model --sets t.tsv --oov error", Error("xyzzy"),
      make=[write("t.tsv", "bapa xyzzy 3\nbapa bape 2\n")]),
    R("vectors of zeros", "evaluate t.txt --sets t.tsv", prints("t"),
      make=[write("t.txt", "3 2\nbapa 0 0\nbape 0 0\nbapi 0 0\n"), write("t.tsv", "bapa bape 3\nbape bapi 1\n")]),
    R("vectors of 10³⁸", "evaluate t.txt --sets t.tsv", Error("large|finite", otherwise=prints("t")),
      make=[write("t.txt", "3 2\nbapa 3e38 3e38\nbape 3e38 -3e38\nbapi 1e38 2e38\n"),
            write("t.tsv", "bapa bape 3\nbape bapi 1\nbapa bapi 2\n")]),
    R("vectors of 10⁻⁴⁵", "evaluate t.txt --sets t.tsv", prints("t"),
      make=[write("t.txt", "3 2\nbapa 1e-45 0\nbape 0 1e-45\nbapi 1e-45 1e-45\n"),
            write("t.tsv", "bapa bape 3\nbape bapi 1\nbapa bapi 2\n")]),
    R("resamples 0", "evaluate model --sets own.tsv --resamples 0", Error("resamples", 2)),
    R("confidence 1.5", "evaluate model --sets own.tsv --confidence 1.5", Error("confidence", 2)),
    R("compare a model with itself", "compare model model --sets own.tsv", prints("own")),
    R("compare with vectors of other words", "compare model t.txt --sets own.tsv", prints(r"\b0\b"),
      make=[write("t.txt", "2 2\nfoo 1 2\nbar 1 3\n")]),
    R("compare with what is missing", "compare model missing --sets own.tsv", Error("missing")),
    R("compare with what is damaged", "compare model v.bin --sets own.tsv", Error(r"v\.bin"), make=[cut("v.bin", 0.5)]),
    R("a damaged model beside a sound one", "compare model other --sets own.tsv", Error("other.*damaged"),
      make=[flip("other/W.npy", 0.7)]),
    R("json of scores that are undefined", "evaluate model --sets t.tsv --json", prints("null", without="NaN|Infinity"),
      make=[write("t.tsv", "bapa bape 3\nbapi bapo 3\n")]),
    R("escapes in a set", "evaluate model --sets t.tsv --oov error", Error(r"^lexvec: [^\x1b]*EVIL[^\x1b]*$"),
      make=[write("t.tsv", "bapa \x1b[31mEVIL 3\n")]),
    R("an evaluation without a model", "evaluate", Error("MODEL", 2)),
    R("a model that is gone", "evaluate model --sets own.tsv", Error("model"), make=[remove("model")]),
]  # fmt: skip
ROWS = [*SETS, *NAMES, *SCORES]
