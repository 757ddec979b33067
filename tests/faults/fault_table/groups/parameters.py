"""Flags, configuration files and presets with values that they cannot have."""

from functools import partial

from ..case import Error, Row
from ..recipes import chmod, write
from ..verdict import makes, prints

R = partial(Row, "parameters")

#: Values of flags: all of them end with exit code 2.
_FLAGS = {
    "corpus text.txt -o out": (
        "--min-count 0", "--min-count -1", "--min-count 2.5", "--min-count many", "--min-count ''", "--max-vocab 0",
        "--threads 0", "--threads 1025", "--threads 1e3", "--input-format pdf", "--sentences-by dreams",
    ),
    "count corpus -o out": (
        "--window 0", "--window -3", "--window 2.5", "--subsample -1", "--subsample nan", "--subsample inf",
        "--memory 2XB", "--memory ''", "--memory -1", "--memory 1e400", "--memory 99999999999TB", "--window-kind round",
        "--seed -1", f"--window {10**30}",
    ),
    "associate counts -o out": (
        "--measure dream", "--smoothing 2", "--smoothing -0.1", "--smoothing nan", "--shift 0", "--shift inf", "--floor 1",
        "--floor -1e9",
    ),
    "train corpus -o out": (
        "--dim 0", "--dim -1", "--dim 1.5", "--epochs 0", "--learning-rate -1", "--learning-rate nan",
        "--learning-rate inf", "--negative -1", "--model dream", "--checkpoint-every -1", "--checkpoint-every nan",
        "--seed -5", "--x-max 3", "--variant dream", "--dim",
    ),
    "train corpus -o out --model sgns --subwords ngrams": (
        "--min-n 0", "--min-n 7", "--max-n 101", "--max-n 2.5", "--buckets 0", "--buckets -1", f"--buckets {2**31}",
        "--subword-scheme dream", "--subword-gradient half", "--hash-count 0", "--hash-count 5", "--subwords dream",
        "--subwords .", "--subwords ''", f"--subwords {'x' * 5000}",
    ),
    "neighbors model bapa": ("--count 0", "--count -4", "--count x", "--combine dream", "--limit -1"),
    "convert model out.txt": ("--format dream", "--combine no", "--limit 0"),
    "evaluate model --sets own.tsv": ("--oov dream", "--resamples 0", "--confidence nan", "--format xml"),
    "reproduce corpus -o out --preset own.toml --data sets": ("--seed -1", "--threads 0", "--memory x"),
}  # fmt: skip
FLAGS = [
    R(f"{command.split()[0]} {flag[:40]}", f"{command} {flag}", Error(flag.split()[0].lstrip("-").replace("-", "[-_]"), 2))
    for command, flags in _FLAGS.items()
    for flag in flags
] + [
    R("memory that is too small", "count corpus -o out --memory 1KB", Error("memory.*small", 2)),
    R("a run that nobody knows", "reproduce corpus -o out --preset own.toml --data sets --only dream",
      Error("dream", 2)),
    R("an unknown flag", "train corpus -o out --dimm 4", Error("--dimm", 2)),
    R("an unknown command", "trian corpus", Error("train", 2)),
    R("no output", "count corpus", Error("output", 2)),
    R("quiet and verbose", "count corpus -o out --quiet --verbose", Error("--quiet", 2)),
    R("two formats", "evaluate model --sets own.tsv --json --format csv", Error("--json", 2)),
    R("two words of three", "analogy model bapa bape", Error("three", 2)),
    R("train without a corpus", "train -o out", Error("CORPUS", 2)),
    R("resume and a corpus", "train corpus --resume out", Error("--resume", 2)),
    *(R(f"an engine at {address!r}", f"train corpus -o out --engine '{address}'", Error("--engine.*must be an address", 2))
      for address in ("dask://127.0.0.1:abc", "dask://127.0.0.1:8786/x", "dask://127.0.0.1:99999", "dask://127.0.0.1:0",
                      "dask://127.0.0.1", "dask://:8786", "dask://[::1", "dask://u:p@127.0.0.1:1", "tcp://127.0.0.1:1")),
    R("a plan that does not fit", "plan corpus --memory 1kB", Error("lexvec does not fit.*use at least \\d+MB", output=True)),
    R("a matrix for a model that has none", "train corpus -o out --model sgns --matrix matrix", Error("matrix", 2)),
    R("a matrix of other parameters", "train corpus -o out --subsample 0 --window 5 --matrix matrix",
      Error("matrix.*window", 2)),
    R("a matrix of another kind", "train corpus -o out --model glove --matrix matrix", Error("matrix")),
    R("more dimensions than memory", "train corpus -o out --dim 2000000000", Error("memory|dim", (1, 2)), leaves="^out.run"),
    R("more dimensions than any machine has", f"train corpus -o out --dim {10**30}", Error("memory|dim", (1, 2)),
      leaves="^out.run"),
    R("a frequency of 400 digits", f"corpus text.txt -o out --min-count {'9' * 400}", Error("min.count", (1, 2))),
    R("a learning rate that diverges", "train corpus -o out --dim 8 --subsample 0 --learning-rate 1e30",
      Error("diverge|learning.rate|bounds"), leaves="^out.run"),
    R("help of a command", "train -h", prints("Usage")),
]  # fmt: skip

#: Files with the parts of words.
_PARTS: dict[str, tuple[bytes, str]] = {
    "a word twice": (b"bapa ba pa\nbapa bap a\n", "line 2.*twice"),
    "a word without parts": (b"bapa ba pa\nbape\n", "line 2"),
    "Latin-1": (b"bapa ba pa\ncaf\xe9 caf e\n", "line 2.*UTF-8"),
    "UTF-16": ("bapa ba pa\n".encode("utf-16"), "line 1.*NUL"),
    "zeros": (bytes(100), "line 1.*NUL"),
    "nothing": (b"", "none of the"),
    "other words": (b"dream dre am\n", "none of the"),
}
PARTS = [
    R(f"parts of words: {name}", "train corpus -o out --model sgns --dim 4 --subsample 0 --subwords p.txt",
      Error(f"p.txt.*{pattern}"), make=[write("p.txt", data)], leaves="^out.run")
    for name, (data, pattern) in _PARTS.items()
] + [
    R("floret and parts of words", "train corpus -o out --model sgns --subwords p.txt --subword-scheme floret",
      Error("floret", 2), make=[write("p.txt", b"bapa ba pa\n")]),
    R("subwords of a model that has none", "train corpus -o out --model glove --subwords ngrams", Error("subwords", 2)),
]  # fmt: skip

#: Configuration files: TOML.
_CONFIGS: dict[str, tuple[bytes | str, str]] = {
    "a list for a number": ("[count]\nwindow = [1, 2]\n", "window"),
    "a table for a number": ("[count]\nwindow = {a = 1}\n", "window"),
    "a date for a number": ("[count]\nwindow = 1979-05-27\n", "window"),
    "a time for a number": ("[count]\nwindow = 07:32:00\n", "window"),
    "2.5 for a whole number": ("[count]\nwindow = 2.5\n", "window"),
    "true for a number": ("[count]\nwindow = true\n", "window"),
    "a text for a number": ('[count]\nwindow = "wide"\n', "window"),
    "a number for a text": ("[count]\nmemory = [3]\n", "memory"),
    "a number for a choice": ("[count]\nwindow-kind = 3\n", "window"),
    "nan": ("[count]\nsubsample = nan\n", "subsample"),
    "out of range": ("[count]\nwindow = 0\n", "window"),
    "a list for a flag": ("[count]\nforce = [true]\n", "force"),
    "a text for a flag": ('[count]\nforce = "perhaps"\n', "force"),
    "a key that nobody knows": ("[count]\nwindoww = 3\n", "windoww.*window"),
    "a number where a table belongs": ("count = 3\n", "count.*table"),
    "a list where a table belongs": ("count = [1]\n", "count.*table"),
    "a list of tables": ("[[count]]\nwindow = 3\n", "count.*table"),
    "a table that nobody knows": ("[cuont]\nwindow = 3\n", "cuont.*count"),
    "a table in a table": ("[count.deep]\nwindow = 3\n", "deep"),
    "no TOML": ("= = =\n", "TOML"),
    "a key twice": ("[count]\nwindow = 1\nwindow = 2\n", "TOML"),
    "deep nesting": ("a = " + "[" * 5000 + "\n", "TOML|nest|deep"),
    "deep keys": (".".join(["a"] * 5000) + " = 1\n", "TOML|nest|deep|not known|unknown"),
    "NUL": ("\0", "TOML"),
    "Latin-1": (b"[count]\nwindow = 1 # caf\xe9\n", "UTF-8|utf-8"),
    "an integer of 5,000 digits": ("[count]\nwindow = " + "9" * 5000 + "\n", "window|TOML|large"),
    "3 for corpus": ("corpus = 3\n", "corpus.*table"),
    "an escape in a key": ('[count]\n"\\u001b[31mEVIL" = 3\n', "EVIL"),
}
CONFIGS = [
    R(f"config: {name}", "--config t.toml count corpus -o out", Error(pattern, (1, 2)),
      make=[write("t.toml", data)])
    for name, (data, pattern) in _CONFIGS.items()
] + [
    R("config: missing", "--config missing.toml count corpus -o out", Error(r"missing\.toml")),
    R("config: a folder", "--config sets count corpus -o out", Error("sets", (1, 2))),
    R("config: unreadable", "--config t.toml count corpus -o out", Error(r"t\.toml.*([Pp]ermission|readable)", (1, 2)), unprivileged=True,
      make=[write("t.toml", ""), chmod("t.toml", 0)]),
    R("config: a sound one", "--config t.toml count corpus -o out", makes("out", "counts"),
      make=[write("t.toml", "[count]\nsubsample = 0\n")]),
    R("config: a flag that is typed wins", "--config t.toml count corpus -o out --subsample 0", makes("out", "counts"),
      make=[write("t.toml", "[count]\nsubsample = 0.5\n")]),
    R("config: a whole number for a real one", "--config t.toml associate counts -o out --smoothing 0.75",
      makes("out", "matrix"), make=[write("t.toml", "[associate]\nshift = 5\n")]),
    R("config: empty", "--config t.toml count corpus -o out --subsample 0", makes("out", "counts"),
      make=[write("t.toml", "")]),
]  # fmt: skip

_RUNS = '[runs.a]\nmodel = "ppmi-svd"\ndim = 4\n'
_ROW = '[[rows]]\nlabel = "A"\nrun = "a"\n'
_PRESETS: dict[str, tuple[bytes | str, str]] = {
    "empty": ("", "."),
    "no rows": (_RUNS, "rows"),
    "no runs": (_ROW, "runs|run"),
    "rows as a table": (_RUNS + '[rows]\nlabel = "A"\n', "rows"),
    "runs as a list": ('runs = ["a"]\n' + _ROW, "runs"),
    "a run as a number": ("[runs]\na = 3\n" + _ROW, "a"),
    "a model that nobody knows": (_RUNS.replace("ppmi-svd", "dream") + _ROW, "dream"),
    "a model as a list": (_RUNS.replace('"ppmi-svd"', '["ppmi-svd"]') + _ROW, "model"),
    "a model as a table": (_RUNS.replace('"ppmi-svd"', "{x = 1}") + _ROW, "model"),
    "a parameter that nobody knows": (_RUNS + "depth = 3\n" + _ROW, "depth"),
    "a parameter out of range": (_RUNS.replace("= 4", "= 0") + _ROW, "dim"),
    "a parameter as a list": (_RUNS.replace("= 4", "= [4]") + _ROW, "dim"),
    "a parameter as a date": (_RUNS.replace("= 4", "= 2020-01-01") + _ROW, "dim"),
    "2.5 dimensions": (_RUNS.replace("= 4", "= 2.5") + _ROW, "dim"),
    "true dimensions": (_RUNS.replace("= 4", "= true") + _ROW, "dim"),
    "a row of a run that is missing": (_RUNS + _ROW.replace('"a"', '"b"'), "b"),
    "a row without a label": (_RUNS + '[[rows]]\nrun = "a"\n', "label"),
    "a row whose label is a number": (_RUNS + '[[rows]]\nlabel = 3\nrun = "a"\n', "label"),
    "a row that combines wrongly": (_RUNS + _ROW + 'combine = "no"\n', "combine"),
    "a figure that is a text": (_RUNS + _ROW + '[rows.similarity]\nMC = "high"\n', "MC"),
    "a figure of a set that nobody knows": (_RUNS + _ROW + "[rows.similarity]\nDREAM = 1\n", "DREAM"),
    "one figure for analogies": (_RUNS + _ROW + "[rows.analogy]\nMSR = [1]\n", "MSR"),
    "a run whose name leads outside": (
        _RUNS.replace("runs.a", 'runs."../a"') + _ROW.replace('"a"', '"../a"'),
        r"\.\./a",
    ),
    "extends itself": ('extends = "t.toml"\n' + _RUNS + _ROW, "extends|itself"),
    "extends what is missing": ('extends = "missing.toml"\n' + _RUNS + _ROW, "missing"),
    "extends a number": ("extends = 3\n" + _RUNS + _ROW, "extends"),
    "a corpus as a list": ("corpus = [1]\n" + _RUNS + _ROW, "corpus"),
    "a corpus parameter that nobody knows": ("[corpus]\nmin_cuont = 1\n" + _RUNS + _ROW, "min_cuont"),
    "no TOML": ("= =", "TOML"),
    "deep nesting": ("a = " + "[" * 5000, "TOML|nest|deep"),
    "Latin-1": (b"title = 'caf\xe9'\n", "UTF-8|utf-8|TOML"),
    "zeros": (bytes(100), "TOML"),
}
PRESETS = [
    R(f"preset: {name}", "reproduce corpus -o out --preset t.toml --data sets", Error(pattern, (1, 2)), make=[write("t.toml", data)])
    for name, (data, pattern) in _PRESETS.items()
] + [
    R("preset: nearly a name", "reproduce corpus -o out --preset smal --data sets", Error("smal")),
    R("preset: a folder", "reproduce corpus -o out --preset sets --data sets", Error("sets")),
    R("reproduce standard input", "reproduce - -o out --preset own.toml --data sets", Error("standard input")),
    R("reproduce into what somebody else filled", "reproduce corpus -o sets --preset own.toml --data sets",
      Error("sets")),
    R("reproduce with nothing to score", "reproduce corpus -o out --preset own.toml --data missing", Error("missing")),
]  # fmt: skip
ROWS = [*FLAGS, *PARTS, *CONFIGS, *PRESETS]
