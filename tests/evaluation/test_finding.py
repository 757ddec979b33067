"""Finding sets, and fetching them with pip's real settings and urllib from this machine alone."""

import hashlib
import os
import zipfile
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import pytest

from lexvec import InputError, ParameterError, ResourceError
from lexvec.evaluation import DATASETS, fetch
from lexvec.evaluation.datasets import IN_GENSIM, ORIGINS, Origin
from lexvec.evaluation.sets import digest, gather, locate, parse, read_known, read_text
from lexvec.remote import Package
from notes import Notes
from served import Pages

MC = "# comment\nnoon string 0.08\r\ncar\tautomobile  3.92\n"
MSR = ": all\ngood better rough rougher\n"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sets of a few items, as if they were the real ones."""
    for key, text in (("mc-30", MC), ("msr", MSR)):
        monkeypatch.setitem(DATASETS, key, replace(DATASETS[key], sha256=digest(parse(text, key)[1])))


def test_the_order_of_places(no_sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate("mc-30.txt") is None
    places = [no_sets, tmp_path / "variable", tmp_path / "data"]
    for place in places:
        place.mkdir(parents=True)
        (place / "mc-30.txt").write_text(MC)
    monkeypatch.setenv("LEXVEC_DATA", str(places[1]))
    for place in reversed(places):
        found = locate("mc-30.txt", places[2])
        assert found and found[0] == place / "mc-30.txt"
        os.unlink(found[0])
    with pytest.raises(InputError, match="nothing is not a folder: name one that holds test sets"):
        locate("mc-30.txt", "nothing")
    monkeypatch.setenv("LEXVEC_DATA", "nowhere")
    with pytest.raises(InputError, match=r"nowhere \(from \$LEXVEC_DATA\) is not a folder"):
        locate("mc-30.txt")


def test_what_gensim_carries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """gensim is among the requirements of the tests: its copies must be the known sets, and be found last."""
    assert find_spec("gensim")
    monkeypatch.delenv("LEXVEC_DATA", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path))
    for dataset in DATASETS.values():
        test = read_known(dataset)
        assert (test is not None) == (dataset.file in IN_GENSIM)
        if test:
            assert test.known and len(test.items) == dataset.size
            assert "gensim" in str(test.path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "simlex-999.txt").write_text("a b 1\n")
    own = read_known(DATASETS["simlex-999"])
    assert own and not own.known


def test_names_of_sets(no_sets: Path, tmp_path: Path) -> None:
    no_sets.mkdir(parents=True)
    with pytest.raises(InputError, match="no test set was found: fetch with lexvec data fetch, or name a folder"):
        gather(None)
    (no_sets / "mc-30.txt").write_text(MC)
    (no_sets / "google-analogies.txt").write_text(": family\na b c d\n: gram1\ne f g h\n")
    found, missing = gather(None)
    assert [test.key for test in found] == ["mc-30", "google-semantic", "google-syntactic"]
    assert len(missing) == 9
    assert [test.key for test in gather(["similarity", "mc-30"])[0]] == ["mc-30"]
    assert [test.key for test in gather("mc-30")[0]] == ["mc-30"]
    with pytest.raises(InputError, match="the test set men was not found: fetch with lexvec data fetch"):
        gather(["mc-30", "men"])
    with pytest.raises(ParameterError, match="'simlex-99' is not a test set: did you mean 'simlex-999'?"):
        gather(["simlex-99"])
    (no_sets / "mc-30.txt").write_text("a b c d\n")
    with pytest.raises(InputError, match=r"mc-30.txt, line 1: 'a b c d' is not two words and a rating"):
        gather(["mc-30"])
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 bar 1\n")
    with pytest.raises(InputError, match=r"latin.txt is not text in UTF-8: save it in UTF-8"):
        gather([tmp_path / "latin.txt"])


# --- packages ---


def wheel(folder: Path, members: dict[str, str]) -> Package:
    """A wheel named "tiny" in a folder that pip's settings name."""
    path = folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return Package("tiny", "1.0", path.name, hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.mark.usefixtures("registered")
def test_a_member_of_a_package(no_sets: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = wheel(index, {"tiny/mc.txt": MC, "tiny/msr.txt": MSR})
    monkeypatch.setitem(ORIGINS, "mc-30.txt", (Origin(package, "tiny/mc.txt"),))
    monkeypatch.setitem(ORIGINS, "msr-analogies.txt", (Origin(package, "tiny/msr.txt"),))
    notes = Notes()
    written, failed = fetch(["mc-30", "msr"], progress=notes)
    assert (written, failed) == ([no_sets / "mc-30.txt", no_sets / "msr-analogies.txt"], {})
    assert notes.texts[:2] == [
        "looking for tiny 1.0 with your settings of pip",
        f"{no_sets / 'mc-30.txt'}: from tiny 1.0, checksum verified",
    ]
    assert (no_sets / "mc-30.txt").read_bytes() == b"noon\tstring\t0.08\ncar\tautomobile\t3.92\n"
    assert (no_sets / "msr-analogies.txt").read_text() == MSR
    assert sorted(os.listdir(no_sets)) == ["mc-30.txt", "msr-analogies.txt"]
    assert all(test.known for test in gather(["mc-30", "msr"])[0])
    assert not find_spec("tiny")
    (no_sets / "mc-30.txt").write_text("mine")
    assert fetch(["mc-30"]) == ([], {})
    assert (no_sets / "mc-30.txt").read_text() == "mine"
    assert fetch(["mc-30"], force=True)[0] == [no_sets / "mc-30.txt"]


@pytest.mark.usefixtures("registered", "no_sets")
def test_packages_that_are_not_what_they_should_be(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = wheel(index, {"tiny/mc.txt": MC.replace("3.92", "3.91")})
    cases = {
        "another version of mc-30": Origin(package, "tiny/mc.txt"),
        "tiny 1.0 does not hold what it should": Origin(package, "tiny/other.txt"),
        "tiny-1.0-py3-none-any.whl has another checksum": Origin(replace(package, sha256="0" * 64), "tiny/mc.txt"),
        "huge-2.0.zip cannot be fetched (": Origin(Package("huge", "2.0", "huge-2.0.zip", "0" * 64), "x"),
    }
    for message, origin in cases.items():
        monkeypatch.setitem(ORIGINS, "mc-30.txt", (origin,))
        written, failed = fetch(["mc-30"])
        assert not written
        assert message in failed["mc-30.txt"] and "\n" not in failed["mc-30.txt"]


# --- pages ---


@pytest.mark.usefixtures("registered")
def test_pages(no_sets: Path, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    address, served = pages.address, pages.served
    monkeypatch.setenv("no_proxy", "*")
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside/mc.txt", MC)
    served.update({"/mc": MC.encode(), "/other": b"a b 1\n", "/zip": packed.getvalue(), "/binary": b"\xff\xfe"})
    monkeypatch.setitem(ORIGINS, "mc-30.txt", (Origin(f"{address}/none"), Origin(f"{address}/mc")))
    assert fetch(["mc-30"]) == ([no_sets / "mc-30.txt"], {})
    monkeypatch.setitem(ORIGINS, "mc-30.txt", (Origin(f"{address}/zip", "inside/mc.txt"),))
    assert fetch(["mc-30"], force=True) == ([no_sets / "mc-30.txt"], {})
    bad = ("none", "other", "binary")
    monkeypatch.setitem(ORIGINS, "mc-30.txt", tuple(Origin(f"{address}/{name}") for name in bad))
    before = (no_sets / "mc-30.txt").read_text()
    written, failed = fetch(["mc-30"], force=True)
    assert not written and (no_sets / "mc-30.txt").read_text() == before
    reasons = failed["mc-30.txt"].split("; ")
    assert reasons[0] == f"cannot fetch {address}/none (Not Found): check the address"
    assert reasons[1] == f"{address}/other has another version of mc-30"
    assert reasons[2].startswith(f"{address}/binary does not hold what it should")


@pytest.mark.usefixtures("registered", "no_sets")
def test_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setitem(ORIGINS, "mc-30.txt", (Origin("http://127.0.0.1:9/mc"),))
    _, failed = fetch(["mc-30"])
    assert failed["mc-30.txt"].startswith("cannot fetch http://127.0.0.1:9/mc (")
    assert failed["mc-30.txt"].endswith("): check the connection")


@pytest.mark.usefixtures("registered", "no_sets")
def test_a_disk_that_fails(tmp_path: Path, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    address, served = pages.address, pages.served
    served["/mc"] = MC.encode()
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setitem(ORIGINS, "mc-30.txt", (Origin(f"{address}/mc"),))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ResourceError, match=r"no space is left on the disk; free some space or choose another output"):
        fetch(["mc-30"], tmp_path / "to")
    assert os.listdir(tmp_path / "to") == []


def test_conversions() -> None:
    convert = {file: [origin.convert for origin in origins] for file, origins in ORIGINS.items()}
    assert convert["men.txt"][0]("sun-n sunlight-n 50.0\nred-j run-v 3.0") == "sun\tsunlight\t50.0\nred\trun\t3.0"
    assert convert["mc-30.txt"][0]("a b 1\nnoon\tstring\t0.008") == "a b 1\nnoon\tstring\t0.08"
    assert convert["rg-65.txt"][1]("cord smile 0.02") == "chord\tsmile\t0.02"
    line = "1\tBrazil\tn\tnut\tn\tcontext of <b> Brazil </b>\tof <b> nut </b>\t1.1\t0.0\t2.2"
    assert convert["scws.txt"][0](line) == "Brazil\tnut\t1.1"
    numbered = "# c\n" + "\n".join(f"pair{number} x 1" for number in range(353))
    halves = [convert[f"ws353-{half}.txt"][0](numbered).splitlines() for half in ("similarity", "relatedness")]
    assert [len(half) for half in halves] == [203, 252]
    assert len({*halves[0], *halves[1]}) == 352  # one of the 353 is there a second time, and belongs to neither


def test_every_file_has_an_origin() -> None:
    assert set(ORIGINS) == {dataset.file for dataset in DATASETS.values()}
    assert len({dataset.sha256 for dataset in DATASETS.values()}) == len(DATASETS) == 12


def test_text_may_be_packed(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "x.txt").write_bytes(gzip.compress(MC.encode()))
    assert read_text(tmp_path / "x.txt") == MC
