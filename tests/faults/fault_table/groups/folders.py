"""Folders that were damaged by accident or on purpose, and folders that stand in the way."""

from functools import partial

from ..case import Error, Row, Step
from ..recipes import (
    append,
    array,
    chmod,
    copy,
    cut,
    drop,
    edit,
    flip,
    hard_link,
    link,
    mkdir,
    npy_bytes,
    patch,
    remove,
    reseal,
    swap,
    write,
    zero,
)  # fmt: skip
from ..verdict import made, makes, prints

R = partial(Row, "folders")

COUNT = "count corpus -o out --subsample 0"
TRAIN = "train corpus -o out --dim 8 --epochs 1 --subsample 0"
SGNS = f"{TRAIN} --model sgns"
SVD = "train corpus -o out --model ppmi-svd --dim 8 --subsample 0"
MATRIX = f"{TRAIN} --matrix matrix"
GLOVE = "train corpus -o out --model glove --dim 8 --epochs 1 --matrix harmonic"
ASSOCIATE = "associate counts -o out"
EVALUATE = "evaluate model --sets own.tsv"
CONVERT = "convert model out.txt"


def _short(command: str) -> str:
    return "call" if command.startswith("python:") else command.split()[0]


def damaged(name: str) -> Error:
    """One line that names the folder, says that it is damaged and what to do."""
    return Error(rf"^lexvec: .*\b{name}\b.*(damaged|missing|checksum|SHA-256|CRC).*: .*(make|rebuild|restore)")


#: A bit flipped in every array of every folder, and the command that computes from it.
_FLIPPED = [
    (COUNT, "corpus/ids.npy", (0, 9, 40, 0.4, 0.95)),
    (COUNT, "corpus/offsets.npy", (3, 0.3, 0.99)),
    (TRAIN, "corpus/vocab.tsv", (0.1, 0.9)),
    (TRAIN, "corpus/ids.npy", (0.7,)),
    (SGNS, "corpus/ids.npy", (0.2,)),
    (SVD, "corpus/offsets.npy", (0.6,)),
    (ASSOCIATE, "counts/indptr.npy", (8, 0.4)),
    (ASSOCIATE, "counts/indices.npy", (0.4, 0.9)),
    (ASSOCIATE, "counts/data.npy", (60, 0.3, 0.8)),
    (ASSOCIATE, "counts/row_totals.npy", (0.5, 0.9)),
    (ASSOCIATE, "counts/column_totals.npy", (0.5,)),
    (ASSOCIATE, "counts/kept.npy", (0.7,)),
    (ASSOCIATE, "counts/vocab.tsv", (0.5,)),
    (GLOVE, "harmonic/data.npy", (0.4,)),
    (GLOVE, "harmonic/indices.npy", (0.6,)),
    (MATRIX, "matrix/data.npy", (0.4,)),
    (MATRIX, "matrix/indptr.npy", (0.4,)),
    (MATRIX, "matrix/kept.npy", (0.6,)),
    (EVALUATE, "model/W.npy", (1, 0.2, 0.6)),
    (EVALUATE, "model/vocab.tsv", (0.3,)),
    ("neighbors model bapa", "model/W.npy", (0.5,)),
    ("map model bapa,bape bipi -o out.svg", "model/W.npy", (0.0009,)),
    ("evaluate model --sets own.tsv --combine context", "model/C.npy", (0.4,)),
    (CONVERT, "model/W.npy", (0.1, 0.99)),
    ("convert model out.bin --combine sum", "model/C.npy", (0.7,)),
    ("compare model other --sets own.tsv", "other/W.npy", (0.4,)),
    ("convert vectors out.txt", "vectors/vectors.safetensors", (0, 20, 0.4, 0.9)),
    ("evaluate vectors --sets own.tsv", "vectors/vectors.safetensors", (0.3,)),
    ("evaluate vectors --sets own.tsv", "vectors/words.txt", (0.5,)),
    ("python: from lexvec import Model; Model.load('glove').vectors('sum')['bapa']", "glove/C.npy", (0.01,)),
]
FLIPS = [
    R(f"{_short(command)}: bit of {file} at {at}", command, damaged(file.partition("/")[0]), make=[flip(file, at)])
    for command, file, places in _FLIPPED
    for at in places
]

#: Half of an array is gone: zeros where a disk lost its blocks.
ZEROED = [
    R(f"{command.split()[0]}: half of {file} zeroed", command, damaged(file.partition("/")[0]), make=[zero(file)])
    for command, file in (
        (COUNT, "corpus/ids.npy"),
        (TRAIN, "corpus/ids.npy"),
        (COUNT, "corpus/offsets.npy"),
        (ASSOCIATE, "counts/row_totals.npy"),
        (ASSOCIATE, "counts/column_totals.npy"),
        (ASSOCIATE, "counts/data.npy"),
        (MATRIX, "matrix/data.npy"),
        (EVALUATE, "model/W.npy"),
        (CONVERT, "model/W.npy"),
        ("convert vectors out.txt", "vectors/vectors.safetensors"),
    )
]

#: Figures in meta.json that do not fit the arrays. Nobody else changed anything.
_FACTS = [
    (COUNT, "corpus", "words", 260),
    (COUNT, "corpus", "words", 10**9),
    (COUNT, "corpus", "longest_sentence", 0),
    (SGNS, "corpus", "longest_sentence", 0),
    (SGNS, "corpus", "longest_sentence", -5),
    (TRAIN, "corpus", "longest_sentence", 10**12),
    (TRAIN, "corpus", "sentences", 3),
    (COUNT, "corpus", "sentences", "many"),
    (COUNT, "corpus", "tokens", None),
    (COUNT, "corpus", "tokens", -1),
    (TRAIN, "corpus", "words", 299.5),
    (ASSOCIATE, "counts", "total", 0),
    (ASSOCIATE, "counts", "total", "all"),
    (ASSOCIATE, "counts", "words", 17),
    (ASSOCIATE, "counts", "cells", [1, 2]),
    (MATRIX, "matrix", "unseen", "none"),
    (MATRIX, "matrix", "unseen", [0]),
    (SVD + " --matrix matrix", "matrix", "words", 10**6),
    (EVALUATE, "model", "words", 7),
    (EVALUATE, "model", "dim", 9),
    (CONVERT, "model", "dim", {}),
    ("convert vectors out.txt", "vectors", "words", 1),
]

#: What comes out if the figures are not used at all, but found from the arrays: right, too.
_RIGHT = {
    COUNT: makes("out/data.npy", "counts/data.npy"),
    TRAIN: makes("out/W.npy", "model/W.npy"),
    MATRIX: makes("out/W.npy", "model/W.npy"),
    SGNS: makes("out/W.npy", "sgns/W.npy"),
    SVD + " --matrix matrix": makes("out/W.npy", "svd/W.npy"),
    ASSOCIATE: makes("out/data.npy", "matrix/data.npy"),
    CONVERT: makes("out.txt", "v.txt"),
    "convert vectors out.txt": makes("out.txt", "v.txt"),
}


def _facts(command: str, folder: str, name: str, value: object, *, sealed: bool) -> Row:
    meta = f"{folder}/{'config' if folder == 'vectors' else 'meta'}.json"
    pattern = rf"^lexvec: .*\b{folder}\b.*(damaged|not a folder made|does not (tell|fit|say)|no usable value|checksum|SHA-256).*: "
    return R(
        f"{command.split()[0]}: {folder} says {name} {value!r}, {'checksums made right' if sealed else 'nothing else'}",
        command,
        Error(pattern, otherwise=_RIGHT.get(command) if sealed else None),
        make=[edit(meta, f"facts/{name}", value), *([reseal(folder)] if sealed else [])],
    )


FACTS = [
    _facts(command, folder, name, value, sealed=sealed)
    for sealed in (False, True)
    for command, folder, name, value in _FACTS
]


#: meta.json itself.
def _meta(*steps: Step, name: str, run: str = "info corpus") -> Row:
    return R(
        f"meta.json: {name}", run, Error(r"^lexvec: .*\bcorpus\b.*: (give|make|rebuild|use|restore|check)"), make=steps
    )


META = [
    _meta(cut("corpus/meta.json", 0), name="empty"),
    _meta(cut("corpus/meta.json", 0.5), name="cut in half", run=COUNT),
    _meta(remove("corpus/meta.json"), name="missing"),
    _meta(write("corpus/meta.json", "[" * 5000), name="deeply nested"),
    _meta(write("corpus/meta.json", b"\xff\xfe{"), name="not UTF-8"),
    _meta(write("corpus/meta.json", "null"), name="null"),
    _meta(drop("corpus/meta.json", "files/ids.npy"), name="no entry for ids.npy", run=COUNT),
    _meta(edit("corpus/meta.json", "files", {}), name="no files at all", run=COUNT),
    _meta(edit("corpus/meta.json", "files", {}), name="no files at all, verified", run="info corpus --verify"),
    _meta(edit("corpus/meta.json", "files", []), name="files as a list", run=TRAIN),
    _meta(edit("corpus/meta.json", "files/ids.npy", {}), name="an empty entry", run=TRAIN),
    _meta(edit("corpus/meta.json", "files/ids.npy/sha256", ""), name="an empty checksum", run=COUNT),
    _meta(edit("corpus/meta.json", "files/..", {"bytes": 1, "sha256": "0"}), name="a file named .."),
    _meta(edit("corpus/meta.json", "version", 99), name="a later version", run=COUNT),
    _meta(edit("corpus/meta.json", "version", "1"), name="a version in quotes", run=COUNT),
    _meta(edit("corpus/meta.json", "format", "lexvec-dream"), name="an unknown format"),
    _meta(edit("corpus/meta.json", "format", 7), name="a number for a format"),
    _meta(edit("corpus/meta.json", "parameters/min_count", 2), name="another parameter", run=COUNT),
    _meta(
        edit("corpus/meta.json", "parameters/min_count", 2),
        name="another parameter, verified",
        run="info corpus --verify",
    ),
    _meta(flip("corpus/meta.json", 0.3, bit=0), name="a bit", run="info corpus --verify"),
    R(
        "meta.json: a file outside the folder",
        "info corpus --verify",
        Error(r"^lexvec: .*\bcorpus\b.*: "),
        make=[
            edit("corpus/meta.json", "files/..~1text.txt", {"bytes": 1, "sha256": "0" * 64}),
            swap("corpus/meta.json", b"..~1text.txt", b"../text.txt"),
            reseal("corpus"),
        ],
    ),
    R(
        "meta.json: an absolute name",
        "count corpus -o out",
        Error(r"^lexvec: .*\bcorpus\b.*: "),
        make=[
            edit("corpus/meta.json", "files/ETC", {"bytes": 1, "sha256": "0" * 64}),
            swap("corpus/meta.json", b"ETC", b"/etc/hostname"),
            reseal("corpus"),
        ],
    ),
    R(
        "a model of a kind that nobody knows",
        "python: from lexvec import Model; Model.load('model')",
        Error(r"^lexvec: .*\bmodel\b.*(damaged|dream|not know)"),
        make=[edit("model/meta.json", "facts/model", "dream"), reseal("model")],
    ),
    R(
        "a model with a parameter that nobody knows",
        "python: from lexvec import Model; Model.load('model')",
        Error(r"^lexvec: .*(parameter|damaged)"),
        make=[edit("model/meta.json", "parameters/depth", 3), reseal("model")],
    ),
    R(
        "a model whose losses are words",
        "python: from lexvec import Model; m = Model.load('model'); m.losses_[0]['loss'] + 1",
        Error(r"^lexvec: .*\bmodel\b.*(damaged|losses)"),
        make=[edit("model/meta.json", "facts/losses", "none"), reseal("model")],
    ),
]

_HEADERS = {
    "no header": b"",
    "another magic": b"PICKLE" + bytes(200),
    "version 9": b"\x93NUMPY\x09\x00" + bytes(122),
    "a header that never ends": b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + bytes(100),
    "objects": npy_bytes("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", b"cos\nsystem\n"),
    "code": npy_bytes("__import__('os').system('touch pwned')"),
    "no shape": npy_bytes("{'descr': '<i4', 'fortran_order': False, }"),
    "a negative shape": npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': (-5,), }", bytes(80)),
    "a huge shape": npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999,), }", bytes(80)),
    "two dimensions": npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': (4, 5), }", bytes(80)),
    "floats": npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (20,), }", bytes(80)),
    "big endian": npy_bytes("{'descr': '>i4', 'fortran_order': False, 'shape': (20,), }", bytes(80)),
    "a record type": npy_bytes("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (20,), }", bytes(80)),
    "deep brackets": npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': " + "(" * 300 + ")" * 300 + "}"),
}
#: Headers of arrays, with checksums made right, so that only the reader of the array can notice.
HEADERS = [
    R(f"npy header: {name}, in ids.npy", COUNT, Error(r"^lexvec: .*\bcorpus\b.*damaged.*: (make|rebuild|restore)"),
      make=[write("corpus/ids.npy", data), reseal("corpus")])
    for name, data in _HEADERS.items()
] + [
    R(f"npy header: {name}, in W.npy", "neighbors model bapa",
      Error(r"^lexvec: .*\bmodel\b.*damaged.*: (make|rebuild|restore)"),
      make=[write("model/W.npy", data), reseal("model")])
    for name, data in list(_HEADERS.items())[::3]
]  # fmt: skip

#: Arrays that are sound as files and wrong as content, with checksums made right.
CONTENT = [
    R(f"content: {name}", command, Error(r"^lexvec: .*(damaged|twice|diverged|finite).*[:;] "),
      make=[step, reseal(folder)])
    for name, command, folder, step in (
        ("an id of 300", COUNT, "corpus", patch("corpus/ids.npy", 11, 300)),
        ("an id of -1", TRAIN, "corpus", patch("corpus/ids.npy", 11, -1)),
        ("an id of 2³⁰", SGNS, "corpus", patch("corpus/ids.npy", 0, 2**30)),
        ("offsets that fall", COUNT, "corpus", patch("corpus/offsets.npy", 5, 2)),
        ("offsets beyond the end", TRAIN, "corpus", patch("corpus/offsets.npy", -1, 10**9)),
        ("no tokens", COUNT, "corpus", array("corpus/ids.npy", [], "<i4")),
        ("a column of 300", ASSOCIATE, "counts", patch("counts/indices.npy", 7, 300)),
        ("a row that begins before 0", ASSOCIATE, "counts", patch("counts/indptr.npy", 4, -9)),
        ("totals that are too short", ASSOCIATE, "counts", array("counts/row_totals.npy", [1, 2], "<i8")),
        ("column totals that are too short", ASSOCIATE, "counts", array("counts/column_totals.npy", [1, 2], "<i8")),
        ("tokens kept that are too few", MATRIX, "matrix", array("matrix/kept.npy", [1], "<i8")),
        ("a negative count", ASSOCIATE, "counts", patch("counts/data.npy", 3, -4)),
        ("NaN in a matrix", MATRIX, "matrix", patch("matrix/data.npy", 3, float("nan"))),
        ("fewer columns than cells", MATRIX, "matrix", array("matrix/indices.npy", [1, 2, 3], "<i4")),
        ("vectors of another width", EVALUATE, "model", array("model/W.npy", [[1.0] * 3] * 300, "<f4")),
        ("a word twice", EVALUATE, "model", swap("model/vocab.tsv", b"bape\t", b"bapa\t")),
    )
]  # fmt: skip

MISSING = [
    R(f"{command.split()[0]}: no {file}", command, damaged(file.partition("/")[0]), make=[remove(file)])
    for command, file in (
        (COUNT, "corpus/ids.npy"), (TRAIN, "corpus/vocab.tsv"), (ASSOCIATE, "counts/row_totals.npy"),
        (CONVERT, "model/W.npy"), ("neighbors vectors bapa", "vectors/words.txt"),
    )
] + [
    R(f"{command.split()[0]}: {file} cut", command, damaged(file.partition("/")[0]), make=[cut(file, 0.6)])
    for command, file in (
        (COUNT, "corpus/ids.npy"), (ASSOCIATE, "counts/data.npy"), (EVALUATE, "model/W.npy"),
        ("neighbors vectors bapa", "vectors/vectors.safetensors"),
    )
] + [
    R("a folder for an array", COUNT, damaged("corpus"), make=[remove("corpus/ids.npy"), mkdir("corpus/ids.npy")]),
    R("bytes after an array", COUNT, damaged("corpus"), make=[append("corpus/ids.npy", b"\0\0\0\0")]),
    R("a link that leads nowhere", COUNT, damaged("corpus"),
      make=[remove("corpus/ids.npy"), link("corpus/ids.npy", "nowhere")]),
    R("verify finds a flipped bit", "info model --verify", damaged("model"), make=[flip("model/C.npy", 0.5)]),
    R("verify finds nothing", "info model --verify", prints("checksums are right|all checksums|match")),
]  # fmt: skip

#: The wrong folder for a command, or an output that cannot be.
WRONG = [
    R("counts for a corpus", "count counts -o out", Error(r"lexvec-counts|counts.*not a corpus|holds counts")),
    R("a corpus for counts", "associate corpus -o out", Error("corpus")),
    R("a corpus for vectors", "neighbors corpus bapa", Error("not vectors|corpus")),
    R("a model for a corpus", "train model -o out --dim 4", Error("model")),
    R("fit on the text of a model folder",
      "python: from lexvec import LexVec; LexVec(dim=4).fit('model')", Error("model.*(corpus|text)")),
    R("corpus of a model folder", "corpus model -o out --min-count 1", Error("model.*(made by lexvec|folder|text)")),
    R("a folder of nothing", "count nothing -o out", Error("nothing.*without files"),
      make=[mkdir("nothing")]),
    R("a file for a folder", "associate text.txt -o out", Error(r"text\.txt.*not a folder")),
    R("no such folder", "count missing -o out", Error("missing does not exist|missing.*not exist")),
    R("an unreadable folder", "count corpus -o out", Error("corpus.*(permission|read|cannot)", (1, 2)), unprivileged=True,
      make=[chmod("corpus", 0)]),
    R("an unreadable array", "count corpus -o out", Error("corpus.*(permission|read|cannot)", (1, 2)), unprivileged=True,
      make=[chmod("corpus/ids.npy", 0)]),
    R("an unreadable model", "neighbors model bapa", Error("model.*(permission|read|cannot)", (1, 2)), unprivileged=True,
      make=[chmod("model", 0)]),
    R("an output folder that is read-only", "count corpus -o closed/out", Error("closed.*(permission|cannot|write)"),
      unprivileged=True, make=[mkdir("closed"), chmod("closed", 0o555)]),
    R("an output that exists", "count corpus -o counts", Error("counts exists.*--force")),
    R("an error of the command line has no words of Python", "count corpus -o counts",
      Error(r"^lexvec: (?!.*force=True).*counts exists")),
    R("a finished model has no words of Python", "train corpus -o model",
      Error(r"^lexvec: (?!.*force=True).*model exists")),
    R("an output that is a file", "count corpus -o text.txt --force", Error(r"text\.txt")),
    R("an output that somebody else filled", "count corpus -o mine --force", Error("mine.*did not make|mine.*not made"),
      make=[write("mine/thesis.txt", "years of work")]),
    R("an output of ours with somebody's file in it", "count corpus -o counts --force",
      Error("counts.*did not make|counts.*not made"), make=[write("counts/thesis.txt", "years of work")]),
    R("an output that is a link", "count corpus -o to --force --subsample 0", makes("real", "counts"),
      make=[copy("counts", "real"), link("to", "real")]),
    R("the output inside the input", "count corpus -o corpus/out", Error("overlap|lie in one another|inside")),
    R("the input as the output", "count corpus -o corpus --force", Error("overlap|lie in one another|input")),
    R("the vocabulary of the folder to be replaced", "corpus corpus/vocab.tsv -o corpus --force --min-count 1",
      Error("corpus.*(input|overlap|replace)")),
    *(
        R(f"an input replaced: {command}", command, Error("the output .* overlaps the input .*: choose another output"),
          make=[write("in.txt", "bapa bape\n"), write("c.toml", "[embed]\nlimit = 9\n"), link("link.txt", "v.txt"), hard_link("hard.txt", "v.txt")])
        for command in (
            "embed model in.txt -o in.txt --force", "embed model in.txt -o model/W.npy --force",
            "count text.txt -o out --go-vocabulary text.txt --force", "card model -o own.tsv --sets own.tsv --force",
            "convert model model/vocab.tsv --force --format glove", "convert v.txt link.txt --force",
            "convert v.txt hard.txt --force", "convert link.txt v.txt --limit 3 --force",
            "convert v.txt in.txt --words in.txt --force", "--config c.toml embed model in.txt -o c.toml --force",
            "train corpus -o out --subwords own.tsv --matrix out.run/matrix",
        )
    ),
    R("a file of a folder of ours as an output", "embed other text.txt -o model/W.npy --force",
      Error(r"model/W\.npy is part of a folder that lexvec made: choose another output")),
    R("a file of a folder of ours as an output of Python", "python: from lexvec import WordVectors\n"
      "WordVectors.load('v.txt').save('counts/vocab.tsv', format='glove', force=True)", Error("part of a folder")),
    R("a matrix replaced by its vocabulary", "python: from lexvec import Cooccurrence\n"
      "Cooccurrence.load('counts').save_vocabulary('counts/data.npy')", Error("overlaps the input")),
    R("text replaced by its model", "python: from lexvec import LexVec\n"
      "LexVec(dim=2).fit('sets', 'sets/model', force=True)", Error("overlaps the input")),
    R("a model converted onto itself", "convert model model --force --format lexvec", Error("model", (1, 2))),
    R("the output is the root", "count corpus -o /", Error("choose another|cannot")),
    R("a replaced folder is replaced whole", "count corpus -o counts --force --window 1",
      prints("", "stderr"), leaves="^counts"),
    R("a name with spaces, letters and marks", "count corpus -o 'o\u00fc t\u4e2d-%s'", made("o\u00fc t\u4e2d-%s/meta.json")),
    R("a sound folder of ours is opened through a link", "info to", prints("lexvec-corpus|corpus"),
      make=[link("to", "corpus")]),
    R("info of a folder of experiments", "info tables", prints("svd")),
    R("info of a run that was stopped", "info empty", Error("empty"), make=[mkdir("empty")]),
]  # fmt: skip

#: Runs that were stopped, and what they need.
RUNS = [
    R("resume what is finished", "train --resume model", Error("model is finished|nothing to resume")),
    R("resume what never was", "train --resume never", Error("never.*no run|no .*never|nothing to resume")),
    R("a run whose record is damaged", "train --resume dead", Error("dead.*damaged.*(--force|again)"),
      make=[write("dead.run/run.json", "{")]),
    R("a run whose record names no model", "train --resume dead", Error("dead.*(damaged|model)|dream", (1, 2)),
      make=[write("dead.run/run.json", '{"model": "dream", "parameters": {}, "corpus": "corpus", "text": null, '
                  '"builder": {}, "matrix": null, "force": false}')]),
    R("a run whose record has other types", "train --resume dead", Error("dead.*damaged"),
      make=[write("dead.run/run.json", '{"model": "lexvec", "parameters": 3, "corpus": [], "text": 1, "builder": 2, '
                  '"matrix": {}, "force": "no"}')]),
    R("a run beside which somebody's file lies", "train corpus -o mine --dim 4", Error("mine.*did not make|not made"),
      make=[write("mine.run/thesis.txt", "years of work")]),
    R("an experiment whose record is damaged", "reproduce {base}/corpus -o tables --preset own.toml --data sets",
      Error("tables.*damaged"), make=[write("tables/experiment.json", "{")]),
    R("an experiment on another corpus", "reproduce text.txt -o tables --preset own.toml --data sets",
      Error("tables.*another")),
    R("an experiment whose model was damaged", "reproduce {base}/corpus -o tables --preset own.toml --data sets",
      makes("tables/models", "tables/models"), make=[flip("tables/models/svd/W.npy", 0.5)], leaves="^tables"),
    R("an experiment whose scores were damaged", "reproduce {base}/corpus -o tables --preset own.toml --data sets",
      makes("tables/scores", "tables/scores"), make=[cut("tables/scores/svd-word.json", 40)], leaves="^tables"),
    R("an experiment whose scores have other types", "reproduce {base}/corpus -o tables --preset own.toml --data sets",
      makes("tables/scores", "tables/scores"), make=[edit("tables/scores/svd-word.json", "scores", 3)],
      leaves="^tables"),
    *(R(f"an experiment whose scores were edited: {key}", "reproduce {base}/corpus -o tables --preset own.toml --data sets",
        makes("tables/scores", "tables/scores"), make=[edit("tables/scores/svd-word.json", key, value)], leaves="^tables")
      for key, value in (("scores/0/value", 0.999), ("scores/0/measure", "other"), ("items", []), ("mean_similarity", "x"))),
    R("an experiment whose times were damaged", "reproduce {base}/corpus -o tables --preset own.toml --data sets",
      makes("tables/models", "tables/models"), make=[write("tables/times.json", "[" * 9999)], leaves="^tables"),
    R("an equal experiment gives an equal report",
      "reproduce {base}/corpus -o again --preset own.toml --data sets", makes("again/report.json", "tables/report.json"),
      leaves="lock$"),
]  # fmt: skip

ROWS = [*FLIPS, *ZEROED, *FACTS, *META, *HEADERS, *CONTENT, *MISSING, *WRONG, *RUNS]
