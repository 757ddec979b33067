"""Streams that are closed, disks that are full, caches that are damaged, limits, signals and odd settings."""

from functools import partial

from ..base import text
from ..case import Error, Result, Row
from ..recipes import age, chmod, copy, evil_kernels, kernels, mkdir, remove, write
from ..verdict import both, made, makes, prints

R = partial(Row, "environment")

COUNT = "count corpus -o out --subsample 0"
TRAIN = "train corpus -o out --dim 8 --epochs 1 --subsample 0"

#: Closed streams: input that is not needed is not missed, output that is lost is an error.
STREAMS = [
    R("closed stdin: corpus", "corpus text.txt -o out --min-count 1", makes("out", "corpus"), fresh=True, closed="<&-"),
    R("closed stdin: neighbors of a file", "neighbors v.txt bapa", prints(r"0\.\d"), fresh=True, closed="<&-"),
    R("closed stdin: info", "info model", prints("lexvec-model|model"), fresh=True, closed="<&-"),
    R("closed stdin: evaluate", "evaluate v.bin --sets own.tsv", prints("own"), fresh=True, closed="<&-"),
    R("closed stdin that is read", "corpus - -o out", Error("standard input.*closed"), fresh=True, closed="<&-"),
    R("closed stdin that is asked", "neighbors model", Error("standard input|closed|words"), fresh=True, closed="<&-"),
    R("closed stdout: neighbors", "neighbors model bapa", Error("standard output|closed"), fresh=True, closed=">&-"),
    R("closed stdout: info --json", "info model --json", Error("standard output|closed"), fresh=True, closed=">&-"),
    R("closed stdout: evaluate", "evaluate model --sets own.tsv", Error("standard output|closed"), fresh=True, closed=">&-"),
    R("closed stdout that is not needed", COUNT, makes("out", "counts"), fresh=True, closed=">&-"),
    R("closed stderr", COUNT, makes("out", "counts"), fresh=True, closed="2>&-"),
    R("closed stderr and an error", "count missing -o out", Result(lambda _: "", code=1), fresh=True, closed="2>&-"),
    R("all closed", COUNT, makes("out", "counts"), fresh=True, closed="<&- >&- 2>&-"),
    R("a full disk behind stdout", "neighbors model bapa", Error("standard output|space|No space"), fresh=True,
      closed=">/dev/full"),
    R("a reader that leaves", "data list", Result(lambda _: "", code=0), fresh=True, closed="| head -1"),
]  # fmt: skip

#: Ctrl-C at the moment when a module is imported.
INTERRUPTS = [
    R(f"Ctrl-C while {module} is imported", command, Result(lambda done: "more than a line" if done.stderr.count("\n") > 1
      else "", code=(130, -2)), fresh=True, interrupt=module)
    for module, command in (
        ("lexvec.cli", COUNT), ("click", COUNT), ("lexvec.cli.main", "info corpus"),
        ("numpy", "neighbors model bapa"), ("numba", COUNT), ("lexvec.kernels.jit", TRAIN), ("lexvec.storage.artefact", "info model"),
    )
] + [
    R(f"Ctrl-C that is ignored, while {module} is imported", COUNT, makes("out", "counts"), fresh=True, interrupt=module, deaf=True)
    for module in ("lexvec.cli", "click")
]  # fmt: skip

_CACHE = {"NUMBA_CACHE_DIR": "{work}/cache"}
#: Compiled kernels on disk.
KERNELS = [
    R(f"kernels: {suffix} cut to {keep}", COUNT, makes("out", "counts"), fresh=True, seconds=90, env=_CACHE,
      make=[kernels("cache", suffix, keep)], leaves="^cache", slow=keep == 0)
    for suffix, keep in ((".nbi", 0), (".nbi", 100), (".nbc", 0), (".nbc", 1000))
] + [
    R("kernels: a cache that others may write to", COUNT, both(makes("out", "counts"), made("^out$", without="pwned")),
      fresh=True, seconds=90, env=_CACHE, make=[evil_kernels("cache")], leaves="^cache"),
    R("kernels: no folder can be made", COUNT, makes("out", "counts"), fresh=True, seconds=90, slow=True,
      env={"NUMBA_CACHE_DIR": "{work}/text.txt/no"}),
    R("kernels: a read-only cache", COUNT, makes("out", "counts"), fresh=True, seconds=90, env=_CACHE, slow=True,
      make=[kernels("cache"), chmod("cache", 0o555)]),
    R("kernels: a full disk below the cache, not below the output", TRAIN,
      makes("out", "model"), full="cache", env=_CACHE, make=[mkdir("cache")], leaves="^cache"),
    R("kernels: those of older versions are removed", COUNT, Result(
          lambda done: "the old kernels are still there" if any("0123456789" in name for name in done.after) else ""),
      fresh=True, seconds=90, env=_CACHE, leaves="^cache/kernels-0123",
      make=[kernels("cache"), write("cache/kernels-0123456789abcdef/old.nbi", b"old"),
            chmod("cache/kernels-0123456789abcdef", 0o700), age("cache/kernels-0123456789abcdef", 400)]),
]  # fmt: skip

#: Disks and limits.
DISKS = [
    R(f"a full disk: {command.split(' -')[0]}", command, Error("space|room"), full="full", make=[mkdir("full")],
      leaves=leaves)
    for command, leaves in (
        ("corpus text.txt -o full/out --min-count 1", ""), ("count corpus -o full/out", ""),
        ("associate counts -o full/out", ""), ("convert model full/out.txt", ""), ("convert model full/out.npz", ""),
        ("convert model full/out", ""), ("map model bapa,bape bapi -o full/out.svg", ""),
        ("train corpus -o full/out --dim 8 --epochs 1 --subsample 0", "full/out.run"),
        ("reproduce corpus -o full/out --preset own.toml --data sets", "full/out"),
    )
] + [
    R(f"ulimit -f: {command.split()[0]}", command, Error("ulimit -f|limit.*size of (a )?file|file size"), file_size=4096)
    for command in (
        "corpus text.txt -o out --min-count 1", "count corpus -o out --subsample 0", "convert model out.txt",
        "train corpus -o out --dim 64 --epochs 1 --subsample 0",
    )
] + [
    R("too little memory for an array", "train corpus -o out --dim 400000 --epochs 1 --subsample 0", Error("memory"),
      memory=400, leaves="^out.run"),
    R("too little memory advice names flags of the command", "neighbors v.txt bapa --limit 2", prints("")),
    R("no home", COUNT, makes("out", "counts"), env={"HOME": "/nonexistent", "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}, fresh=True, seconds=90),
    *(R(f"a home that cannot be written to: {command.split()[0]}", command, expected, unprivileged=True, env={"XDG_CACHE_HOME": ""},
        make=[chmod("../home", 0o555)])
      for command, expected in (
          (COUNT, makes("out", "counts")), ("evaluate model --sets own.tsv", prints("own")), ("neighbors model bapa", prints(r"0\.\d")),
          ("convert model ../home/out.txt", Error("home.*permission")))),
    *(R(f"{name}={value!r}", "evaluate model --sets own.tsv", prints("own"), env={name: value}, fresh=True)
      for name, value in (("OMP_NUM_THREADS", "x"), ("MKL_NUM_THREADS", "0"), ("OPENBLAS_NUM_THREADS", "-1"), ("COLUMNS", "0"),
                          ("NO_COLOR", "1"), ("TERM", "dumb"), ("XDG_CACHE_HOME", "/proc/none"), ("PYTHONHASHSEED", "7"))),
    R("the locale C", "neighbors t.txt a", prints("b"), fresh=True,
      env={"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
      make=[write("t.txt", "2 2\na 1 2\n\u00fcb 1 2\n")]),
    R("a temporary folder that is missing", COUNT, makes("out", "counts"), env={"TMPDIR": "/nonexistent"}),
    R("a current folder that is gone", "python: import os\nos.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
      "from lexvec import WordVectors\nWordVectors.load('v.txt')", Error(r"v\.txt|folder|directory")),
    R("COLUMNS that is no number", "evaluate model --sets own.tsv", prints("own"), env={"COLUMNS": "wide"}),
    R("one thread in the environment", COUNT, makes("out", "counts"), env={"NUMBA_NUM_THREADS": "1"}, fresh=True),
    *(R(f"{name}={value!r}: {command.split()[0]}", command, Error(f"{name}='{value}'.*unset it"), env={name: value}, fresh=True)
      for name, value, command in (
          ("NUMBA_NUM_THREADS", "0", COUNT), ("NUMBA_NUM_THREADS", "x", TRAIN), ("NUMBA_NUM_THREADS", "", COUNT),
          ("NUMBA_OPT", "x", "corpus text.txt -o out"))),
    *(R(f"NUMBA_NUM_THREADS=0: {command.split()[0]} needs no kernel", command, prints(""), env={"NUMBA_NUM_THREADS": "0"}, fresh=True)
      for command in ("info corpus", "neighbors model bapa", "plan corpus", "count -h")),
    R("numba switched off", "info corpus", prints("corpus"), env={"NUMBA_DISABLE_JIT": "1"}, fresh=True),
]  # fmt: skip

_FULL_TRAIN = "train corpus -o disk/out --subsample 0 --dim 64"
#: What writes: a command and the part of it, after ``disk/``, that is its output.
WRITING = {
    "corpus": ("corpus text.txt -o disk/out --min-count 1", "corpus"),
    "count": ("count corpus -o disk/out --subsample 0", "counts"),
    "associate": ("associate counts -o disk/out", "matrix"),
    **{f"convert to {name}": (f"convert model disk/{name}", name)
       for name in ("v.txt", "v.txt.gz", "v.txt.zst", "v.bin", "v.bin.gz", "v.glove", "v.npz", "vectors")},
    **{f"convert to {kind}": (f"convert model disk/out --format {kind}", None)
       for kind in ("model2vec", "projector", "fasttext", "lexvec-go")},
    "embed": ("embed model text.txt -o disk/out.npy", None),
    "map": ("map model bapa,bape bapi -o disk/out.svg", None),
    "card": ("card model -o disk/out.md --sets own.tsv", None),
    "explore": ("explore model --export disk/out.html", None),
}  # fmt: skip
_FETCH = (
    "python: from lexvec.evaluation import fetch\nimport sys\n"
    "sys.modules['lexvec.evaluation.sets'].first = lambda _: ('a b 1\\n' * 2000, 'somewhere')\n"
    "written, failed = fetch(['mc-30'], 'disk/sets')\nassert written[0].stat().st_size == 12000 and not failed"
)
_REPRODUCE = "reproduce corpus -o disk/out --preset own.toml --data sets"
_NO_ROOM = "no space is left on the disk|ulimit -f"
#: Trainings that keep rows in scratch files.
_ON_DISK = {
    "SGNS": "train corpus --model sgns --dim 20000 --epochs 1 --subsample 0 --threads 1 --memory 60MB",
    "GloVe": "train corpus --model glove --dim 20000 --epochs 1 --subsample 0 --threads 1 --memory 130MB",
}
_COUNT_ON_DISK = "count big.txt --min-count 1 --subsample 0 --memory 14MB --threads 1"
_MORE_TEXT = [write("big.txt", text() * 24)]
#: Disks that are really full, and files that may not grow, at many moments of each command.
FULL = [
    R(f"a disk without room: {name}", command, Error(_NO_ROOM), disk=4096, again=command, make=[write("disk/fill", bytes(4096))])
    for name, (command, _) in WRITING.items()
] + [
    R(f"a disk of {size} bytes: {name}", command,
      Error(_NO_ROOM, otherwise=makes(command.split()[-1 if name.startswith("convert") else 3], like)), disk=size, again=command)
    for name, (command, like) in WRITING.items()
    for size in (4096, 8192, 16384, 32768)
    if like is not None
] + [
    R(f"files of 1000 bytes: {name}", command.replace("disk/", "full/"), Error(_NO_ROOM), file_size=1000,
      again=command.replace("disk/", "full/"), make=[mkdir("full")])
    for name, (command, _) in WRITING.items()
    if name not in ("map", "card")  # which are smaller
] + [
    R(f"a disk of {size} bytes: train{more}", f"{_FULL_TRAIN}{more}", Error(_NO_ROOM), disk=size, again=f"{_FULL_TRAIN}{more} --force",
      leaves=r"^disk/out\.run")
    for more in ("", " --model sgns", " --model glove", " --model ppmi-svd",
                 " --model sgns --subwords ngrams")
    for size in (4096, 16384, 65536)
] + [
    R("a disk without room for the scratch files of counting", f"{_COUNT_ON_DISK} -o disk/out", Error(_NO_ROOM), disk=65536,
      again=f"{_COUNT_ON_DISK} -o disk/out", make=_MORE_TEXT),
    R("counting writes scratch files", f"{_COUNT_ON_DISK} -o out --verbose", prints(r" [2-9] chunks of \d+ tokens at most", "stderr"), make=_MORE_TEXT),
    *(R(f"a disk without room for the scratch files of {model}", f"{_ON_DISK[model]} -o disk/out",
        Error(rf"/scratch/.*({_NO_ROOM})"), disk=1 << 20, again=f"{_ON_DISK[model]} -o disk/out --force", leaves=r"^disk/out\.run")
      for model in _ON_DISK),
    R("a disk of 16384 bytes: train from text", _FULL_TRAIN.replace("corpus", "text.txt --min-count 1"), Error(_NO_ROOM), disk=16384,
      again=f"{_FULL_TRAIN} --force", leaves=r"^disk/out\.run"),
    R("a disk of 450000 bytes: train, then resume", f"{_FULL_TRAIN} --epochs 2 --checkpoint-every 0", Error(_NO_ROOM), disk=450_000,
      again="train --resume disk/out", leaves=r"^disk/out\.run"),
    *(R(f"a disk of {size} bytes: reproduce", _REPRODUCE, Error(_NO_ROOM), disk=size, again=_REPRODUCE, leaves="^disk/out")
      for size in (4096, 16384, 65536)),
    R("a disk without room: data fetch", _FETCH, Error(_NO_ROOM), disk=4096, again=_FETCH, leaves="^disk/sets$"),
    R("a full disk under the cache: count", f"{COUNT} --verbose",
      both(makes("out", "counts"), made("^disk/lexvec/kernels-"), prints("cannot keep compiled kernels", "stderr")), disk=16384,
      env={"XDG_CACHE_HOME": "{work}/disk", "NUMBA_CACHE_DIR": ""}, fresh=True, seconds=90, slow=True, leaves="^disk/lexvec"),
]  # fmt: skip

_REMOVED = """python:
import glob, os, resource, shutil
from lexvec import {model}
used = int(open('/proc/self/statm').read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + 200_000_000,) * 2)
def remove(epoch, losses):
    found = [path for path in glob.glob('out.run/scratch/*/*') if os.path.isfile(path)]
    assert epoch > 1 or found, 'nothing is on disk'
    {how}
{model}(dim=20000, epochs=2, subsample=0, memory='{memory}', checkpoint_every=0, threads=1).fit('corpus', 'out', callbacks=[remove])
"""
_LIMITED = """python:
import resource
from lexvec.cli import main
used = int(open('/proc/self/statm').read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + 20_000_000,) * 2)
main('{command} -o out'.split(), prog_name='lexvec')
"""
#: Training with rows in scratch files, which somebody removes, and with less memory than was promised.
SCRATCH = [
    R(f"scratch files that are removed while {model} trains", _REMOVED.format(model=model, memory=memory,
      how="shutil.rmtree('out.run/scratch')"), Error("scratch/.*another program removed its folder.*resume"), seconds=60,
      again="train --resume out", leaves=r"^out\.run", slow=model == "GloVe")
    for model, memory in (("SGNS", "60MB"), ("GloVe", "130MB"))
] + [
    R("scratch files that lose their names while SGNS trains", _REMOVED.format(model="SGNS", memory="60MB",
      how="[os.unlink(path) for path in found]"), made("^out/W.npy"), seconds=60),
    R("less memory than --memory promises (RLIMIT_DATA)", _LIMITED.format(command=_ON_DISK["SGNS"]), Error("not enough memory"),
      again=f"{_ON_DISK['SGNS']} -o out --force", leaves=r"^out\.run", seconds=60),
]  # fmt: skip

#: Two at once, and what was left by those that died.
OTHERS = [
    R("a lock that is held", "python: import fcntl, os, subprocess, sys\nos.mkdir('out.run')\n"
      "open('out.run/run.json', 'w').write('{}')\nheld = open('out.run/lock', 'ab')\n"
      "fcntl.flock(held, fcntl.LOCK_EX)\nfrom lexvec import LexVec\nLexVec(dim=4, subsample=0).fit('corpus', 'out')",
      Error("is running|another run|is training"), leaves="^out.run"),
    R("what a killed run left is removed", COUNT, both(makes("out", "counts")),
      make=[write(".out.1-abcd.partial/lock", b""), write(".out.1-abcd.partial/scratch/types", b"x")],
      leaves=r"^\.out\.1-abcd"),
    R("what a killed writer left is removed", "convert model out.txt", makes("out.txt", "v.txt"),
      make=[write(".out.txt.1-abcd.partial", b"half")], leaves=r"^\.out\.txt\.1"),
    R("a folder that was being replaced comes back", "count corpus -o counts", Error("counts exists"),
      make=[copy("counts", ".counts.abcd1234.replaced"), remove("counts")], leaves="counts"),
    R("a demo in somebody's folder", "demo -o mine --corpus docstrings", Error("mine"),
      make=[write("mine/thesis.txt", "years of work")]),
    R("a demo of a text that cannot be fetched", "demo -o out --corpus text8", Error("fetch|text8|matt", output=True),
      leaves="^out"),
]  # fmt: skip
ROWS = [*STREAMS, *INTERRUPTS, *KERNELS, *DISKS, *FULL, *SCRATCH, *OTHERS]
