"""Finding and reading archives, from folders and from a server on this machine."""

import base64
import hashlib
import io
import os
import ssl
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from lexvec import InputError
from lexvec.progress import Silent
from lexvec.remote import Fetcher, Package, member
from lexvec.remote.index import download
from lexvec.remote.web import Settings, context_for
from served import Pages

NAME = "Some_Thing"
FILE = "some_thing-1.0.tar.gz"


def sdist(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


RAW = sdist({"some_thing-1.0/data/text.txt": b"the text", "some_thing-1.0/setup.py": b"raise SystemExit('I was run')"})
PACKAGE = Package(NAME, "1.0", FILE, hashlib.sha256(RAW).hexdigest())


def page(*links: str) -> bytes:
    anchors = "".join(f'<a data-x="1" href="{link}">name</a><br/>' for link in links)
    return f"<!DOCTYPE html><html><body><h1>Links</h1>{anchors}</body></html>".encode()


def got(settings: Settings) -> bytes:
    return download(PACKAGE, settings, Silent())


def test_an_index(pages: Pages) -> None:
    pages.served["/simple/some-thing/"] = page("some_thing-0.9.tar.gz", "../../files/some_thing-1.0.tar.gz#sha256=12")
    pages.served["/files/some_thing-1.0.tar.gz"] = RAW
    assert got(Settings((f"{pages.address}/none", f"{pages.address}/simple/"))) == RAW
    assert [path for path, _ in pages.asked] == [
        "/none/some-thing/",
        "/simple/some-thing/",
        "/files/some_thing-1.0.tar.gz",
    ]


def test_a_name_and_password_go_to_their_host_alone(pages: Pages) -> None:
    elsewhere = Pages()
    try:
        pages.served["/some-thing/"] = page(f"{pages.address}/file/{FILE}")
        pages.moved[f"/file/{FILE}"] = f"{elsewhere.address}/{FILE}"
        elsewhere.served[f"/{FILE}"] = RAW
        assert got(Settings((f"http://me:p%40ss@{pages.host}",))) == RAW
        secret = "Basic " + base64.b64encode(b"me:p@ss").decode()
        assert pages.asked == [("/some-thing/", secret), (f"/file/{FILE}", secret)]
        assert elsewhere.asked == [(f"/{FILE}", None)]
        pages.moved[f"/file/{FILE}"] = f"/again/{FILE}"
        pages.served[f"/again/{FILE}"] = RAW
        assert got(Settings((f"http://me:p%40ss@{pages.host}",))) == RAW
        assert pages.asked[-1] == (f"/again/{FILE}", secret)
    finally:
        elsewhere.close()
    with pytest.raises(InputError) as caught:
        got(Settings((f"http://me:p%40ss@{pages.host}/none",)))
    assert "p%40ss" not in str(caught.value) and "p@ss" not in str(caught.value)


def test_a_password_for_all_hosts_is_for_indexes_alone(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\ndefault login me password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    pages.served["/page"] = b"page"
    assert Fetcher().read(f"{pages.address}/page") == b"page"
    assert pages.asked == [("/page", None)]


def test_netrc(pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    pages.served["/some-thing/"] = page(FILE)
    pages.served[f"/some-thing/{FILE}"] = RAW
    assert got(Settings((pages.address,))) == RAW
    assert {header for _, header in pages.asked} == {"Basic " + base64.b64encode(b"me:secret").decode()}


def test_folders(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(RAW)
    assert got(Settings(links=(str(tmp_path),))) == RAW
    assert got(Settings(links=(tmp_path.as_uri(),))) == RAW
    simple = tmp_path / "simple" / "some-thing"
    simple.mkdir(parents=True)
    (simple / "index.html").write_bytes(page(f"../../{FILE}"))
    assert got(Settings(indexes=((tmp_path / "simple").as_uri(),))) == RAW
    with pytest.raises(InputError, match=rf"{FILE} cannot be fetched \(.*none has no such file\)"):
        got(Settings(links=(str(tmp_path / "none"),)))
    with pytest.raises(InputError, match=rf"{FILE} cannot be fetched \(pip has no index to ask\)"):
        got(Settings())


def test_invalid_places_are_skipped(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(RAW)
    odd = ("~nosuchuser/x", "http://[::1/simple", "x" * 5000, "a\0b")
    assert got(Settings(links=(*odd, str(tmp_path)))) == RAW
    with pytest.raises(InputError, match=r"cannot be fetched") as caught:
        got(Settings(links=odd))
    assert "\n" not in str(caught.value)


def test_an_index_that_has_moved(pages: Pages) -> None:
    pages.moved["/old/some-thing/"] = "/new/some-thing/"
    pages.served["/new/some-thing/"] = page(f"../files/{FILE}")
    pages.served[f"/new/files/{FILE}"] = RAW
    assert got(Settings((f"{pages.address}/old",))) == RAW
    pages.served["/new/some-thing/"] = f'<base href="/base/">{page(FILE).decode()}'.encode()
    pages.served[f"/base/{FILE}"] = RAW
    assert got(Settings((f"{pages.address}/old",))) == RAW


def test_a_proxy(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy")
    pages.served["http://nowhere.example/some-thing/"] = page(FILE)
    pages.served[f"http://nowhere.example/some-thing/{FILE}"] = RAW
    assert got(Settings(("http://nowhere.example",), proxy=pages.address)) == RAW


def test_only_trusted_hosts_need_no_certificate() -> None:
    settings = Settings(trusted=frozenset({"one.example", "two.example:8443"}))
    for host in ("one.example", "one.example:444", "two.example:8443"):
        assert context_for(settings, host).verify_mode == ssl.CERT_NONE
    for host in ("two.example", "three.example", "xone.example"):
        assert context_for(settings, host).verify_mode == ssl.CERT_REQUIRED


def test_wrong_files_are_refused(pages: Pages, tmp_path: Path) -> None:
    pages.served["/a/some-thing/"] = pages.served["/b/some-thing/"] = page(f"/{FILE}")
    pages.served[f"/{FILE}"] = RAW + b"x"
    with pytest.raises(InputError, match=r"has another checksum"):
        got(Settings((f"{pages.address}/a",)))
    pages.served[f"/{FILE}"] = RAW
    pages.broken.add(f"/{FILE}")
    with pytest.raises(
        InputError, match=rf"{FILE} broke off after {len(RAW):,} of {len(RAW) + 1000:,} bytes: try again"
    ):
        got(Settings((f"{pages.address}/b",)))
    with pytest.raises(InputError, match=r"cannot fetch http://127.0.0.1:9/some-thing/ \(.*\): check the connection"):
        got(Settings(("http://127.0.0.1:9",)))
    (tmp_path / FILE).write_bytes(RAW)
    assert got(Settings(("http://127.0.0.1:9",), (str(tmp_path),))) == RAW


@pytest.mark.parametrize("rubbish", [b"<![!]>", b"<![foo[", b'<a href="http://[bad/x">', b"\xff\x00" * 1000])
def test_rubbish_on_a_page(pages: Pages, tmp_path: Path, rubbish: bytes) -> None:
    (tmp_path / FILE).write_bytes(RAW)
    pages.served["/some-thing/"] = rubbish
    assert got(Settings((pages.address, "http://[bad"), (str(tmp_path),))) == RAW
    with pytest.raises(InputError, match=rf"^{FILE} cannot be fetched \(") as caught:
        got(Settings((pages.address, "http://[bad")))
    assert "\n" not in str(caught.value)


def test_pages_that_lead_nowhere(pages: Pages) -> None:
    pages.moved["/some-thing/"] = "/some-thing/"
    with pytest.raises(InputError, match=r"cannot fetch .*: check the address") as caught:
        got(Settings((pages.address,)))
    assert "\n" not in str(caught.value)
    pages.refused.add("/private/some-thing/")
    with pytest.raises(InputError, match=r"\(Unauthorized\): check the name and password"):
        got(Settings((f"{pages.address}/private",)))


def test_a_page_that_drips(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.remote.web.LONGEST", -1.0)
    pages.served["/some-thing/"] = page(FILE)
    with pytest.raises(InputError, match=r"sent \d+ bytes in -1 s: try again when it is faster"):
        got(Settings((pages.address,)))


def test_passwords_are_never_shown(pages: Pages) -> None:
    for secret in ("p@ss", "sek/ret", "pass"):
        with pytest.raises(InputError) as caught:
            got(Settings((f"http://me:{secret}@{pages.host}/none",)))
        assert secret not in str(caught.value)


def test_a_certificate_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the certificates of pip's settings, .*none.pem, cannot be read \(.*No such"):
        got(Settings(("https://127.0.0.1:9",), cert=str(tmp_path / "none.pem")))


def test_nothing_of_a_package_is_run_or_installed(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (index / FILE).write_bytes(RAW)
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir(tmp_path))
    assert Fetcher().read(PACKAGE, "some_thing-1.0/data/text.txt") == b"the text"
    assert sorted(os.listdir(tmp_path)) == before


def test_each_place_is_asked_once(pages: Pages) -> None:
    pages.served["/zip"] = b"".join([b"no archive"])
    fetcher = Fetcher()
    assert fetcher.read(f"{pages.address}/zip") == b"no archive"
    for _ in range(2):
        with pytest.raises(InputError, match=r"/zip does not hold what it should"):
            fetcher.read(f"{pages.address}/zip", "text8")
        with pytest.raises(InputError, match=r"/none \(Not Found\): check the address"):
            fetcher.read(f"{pages.address}/none")
    assert [path for path, _ in pages.asked] == ["/zip", "/none"]


def test_members() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside/a.txt", "zipped")
    assert member(packed.getvalue(), "inside/a.txt", "it") == b"zipped"
    assert member(RAW, "some_thing-1.0/data/text.txt", "it") == b"the text"
    assert member(b"anything", "", "it") == b"anything"
    for raw in (RAW, packed.getvalue(), RAW[: len(RAW) // 2], b"PK rubbish", b"rubbish", b""):
        with pytest.raises(InputError, match=r"^it does not hold what it should \("):
            member(raw, "none", "it")


def test_a_member_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.remote.web.LARGEST_MEMBER", 3)
    with pytest.raises(InputError, match=r"is larger than it should be"):
        member(RAW, "some_thing-1.0/data/text.txt", "it")


def test_the_name_of_a_package() -> None:
    assert str(replace(PACKAGE, version="2")) == "Some_Thing 2"
