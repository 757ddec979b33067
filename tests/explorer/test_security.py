"""What the server must refuse from any client."""

import http.client
import json
import os
import shutil
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from explorer_data import EVIL
from lexvec import LexvecError
from lexvec.explorer.session import Session
from lexvec.explorer.shown_models import opened_models

if TYPE_CHECKING:
    from lexvec.explorer.server import Service

pytestmark = pytest.mark.usefixtures("cache")


def ask(
    service: "Service", path: str, *, method: str = "GET", token: bool = True, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        given.setdefault("Cookie", f"lexvec-{service.port}={service.token}")
    try:
        connection.request(method, path, headers=given)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def record(service: "Service", path: str) -> Any:
    status, _, body = ask(service, path)
    assert status == 200
    return json.loads(body)


NEIGHBOURS = "/api/neighbours?text=cat"


def test_the_token_is_needed_everywhere(service: "Service") -> None:
    for path in ("/", "/page/main.js", "/api/about", NEIGHBOURS, "/api/events", "/nothing"):
        assert ask(service, path, token=False)[0] == 403
    assert ask(service, "/?token=guess", token=False)[0] == 403
    assert ask(service, f"{NEIGHBOURS}&token={service.token}", token=False)[0] == 403  # only the page turns it into one
    assert ask(service, "/", token=False, Cookie=f"lexvec-{service.port}=guess")[0] == 403
    assert ask(service, "/", token=False, Cookie=';=,;;[]="; lexvec')[0] == 403


def test_a_model_that_is_cut_off_is_an_error_of_the_answer(
    trained: Path, serve: "Callable[[Session], Service]"
) -> None:
    service = serve(Session(opened_models([trained])))
    assert record(service, NEIGHBOURS)["found"]
    os.truncate(trained / "W.npy", 10)
    for _ in range(2):
        status, _, body = ask(service, NEIGHBOURS)
        assert (status, "W.npy was cut off by another program" in json.loads(body)["error"]) == (400, True)


def test_the_token_becomes_a_cookie_that_scripts_cannot_read(service: "Service") -> None:
    status, headers, _ = ask(service, f"/?token={service.token}", token=False)
    assert status == 200
    assert headers["set-cookie"] == f"lexvec-{service.port}={service.token}; HttpOnly; SameSite=Strict; Path=/"
    assert "set-cookie" not in ask(service, "/")[1]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{}", ""]
)
def test_a_rebound_name_is_refused(service: "Service", host: str) -> None:
    assert ask(service, NEIGHBOURS, Host=host.format(service.port))[0] == 403
    assert ask(service, NEIGHBOURS, Host=f"localhost:{service.port}")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_not_ask(service: "Service", site: str) -> None:
    for path in (NEIGHBOURS, "/page/main.js", "/api/events"):
        assert ask(service, path, Sec_Fetch_Site=site)[0] == 403
    headers = ask(service, NEIGHBOURS, Origin="https://evil.example")[1]
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH"])
def test_only_get_is_answered(service: "Service", method: str) -> None:
    status, headers, _ = ask(service, "/", method=method)
    assert (status, headers["allow"]) == (405, "GET")


def test_every_answer_has_the_headers(service: "Service") -> None:
    for path, token in (("/", True), ("/page/style.css", True), (NEIGHBOURS, True), ("/", False), ("/nothing", True)):
        headers = ask(service, path, token=token)[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/page/../__init__.py",
        "/page/%2e%2e/__init__.py",
        "/page/..%2f__init__.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/main.js%00.css",
        "/page/",
        "/../../../../etc/passwd",
        "/api/../page/main.js",
        "/api/neighbours/../about",
        "/page/\\..\\server.py",
        "//evil.example/",
    ],
)
def test_no_path_leads_elsewhere(service: "Service", path: str) -> None:
    status, _, body = ask(service, path)
    assert status in (307, 400, 404)
    assert b"root:" not in body and b"import" not in body


def test_models_are_addressed_by_number_only(service: "Service") -> None:
    for number in ("-1", "9999999999", "1e3", "../x", "%00", "٣", ""):
        assert ask(service, f"{NEIGHBOURS}&model={quote(number)}")[0] == 400
    assert "there is no model 7" in record(service, f"{NEIGHBOURS}&model=7")["error"]


def test_long_and_many_are_refused(service: "Service") -> None:
    assert ask(service, f"/api/neighbours?text={'a' * 5000}")[0] == 400
    assert ask(service, f"/api/neighbours?text={'a' * 9000}")[0] == 414
    assert "too long" in record(service, f"/api/neighbours?text={'a' * 350}")["error"]
    assert "at most" in record(service, f"/api/neighbours?text={'+'.join(['a'] * 21)}")["error"]
    assert ask(service, f"{NEIGHBOURS}&count=100000")[0] == 400
    words = "&".join(["word=cat"] * 60)
    assert "3 to 50" in record(service, f"/api/odd?{words}")["error"]
    assert ask(service, "/", Content_Length="5")[0] == 413


def test_ten_megabytes_of_query(service: "Service") -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        try:
            connection.sendall(b"GET /api/suggest?text=" + b"a" * 10_000_000 + b" HTTP/1.1\r\n\r\n")
            answer = connection.recv(1000)
        except ConnectionError:
            answer = b""  # the server has hung up before all of it was sent
    assert answer == b"" or b" 400 " in answer or b" 414 " in answer
    assert record(service, "/api/about")["models"]


def test_two_hundred_connections(service: "Service") -> None:
    opened = []
    try:
        for _ in range(200):
            connection = socket.create_connection(("127.0.0.1", service.port), timeout=30)
            connection.sendall(b"GET /api/about HTTP/1.1\r\n")  # and never ends
            opened.append(connection)
    finally:
        for connection in opened:
            connection.close()
    with ThreadPoolExecutor(50) as pool:
        found = list(pool.map(lambda _: ask(service, NEIGHBOURS)[0], range(200)))
    assert set(found) <= {200, 503}
    assert found.count(200) > 20
    assert record(service, NEIGHBOURS)["found"]


def test_clients_that_do_not_finish_are_hung_up_on(session: Session, serve: Callable[..., Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lexvec.explorer.server.PATIENCE", 0.2)
        service = serve(session)
        own = f"Host: 127.0.0.1:{service.port}\r\nCookie: lexvec-{service.port}={service.token}\r\n\r\n".encode()
        starts = [b"", b"GET /api/about HTTP/1.1\r\n", b"GET /api/about HTTP/1.1\r\n" + own + b"GET /"]
        for start in starts:
            with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
                connection.sendall(start)
                while connection.recv(1 << 16):  # an answer to what was whole, and then the end
                    pass
        stream = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        stream.request("GET", "/api/events", headers={"Cookie": f"lexvec-{service.port}={service.token}"})
        answer = stream.getresponse()
        assert answer.readline() == b"retry: 1000\n"
        for _ in range(20):
            assert record(service, "/api/about")["models"]
        session.listen({"kind": "run", "model": 0})  # who waits for news is not hung up on
        lines = iter(answer.readline, b"")
        assert (
            next(line for line in lines if line.startswith(b'data: {"kind')) == b'data: {"kind": "run", "model": 0}\n'
        )
        stream.close()


def test_two_servers_at_once(models: list[Any], serve: Callable[..., Any]) -> None:
    one, other = (serve(Session([model])) for model in models)
    assert one.port != other.port and one.token != other.token
    both = "; ".join(f"lexvec-{each.port}={each.token}" for each in (one, other))  # a browser sends all of a host
    for service, name in ((one, "one"), (other, "two")):
        status, _, body = ask(service, "/api/about", Cookie=both)
        assert (status, json.loads(body)["models"][0]["name"]) == (200, name)
        assert ask(service, "/api/about", Cookie=f"lexvec-{service.port}={'x' * 32}")[0] == 403


def test_a_model_that_vanishes_is_still_answered(trained: Path, serve: Callable[..., Any]) -> None:
    from lexvec.explorer.shown_models import opened_models

    service = serve(Session(opened_models([trained])))
    assert record(service, NEIGHBOURS)["found"]
    shutil.rmtree(trained)
    for path in (NEIGHBOURS, "/api/analogy?a=cat&b=dog&c=horse", "/api/odd?word=cat&word=dog&word=red", "/api/about"):
        assert "error" not in record(service, path)


def test_only_so_many_pages_may_listen(service: "Service") -> None:
    opened = []
    try:
        for _ in range(32):
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
            connection.request("GET", "/api/events", headers={"Cookie": f"lexvec-{service.port}={service.token}"})
            opened.append((connection, connection.getresponse()))
        assert all(answer.readline() == b"retry: 1000\n" for _, answer in opened)
        assert ask(service, "/api/events")[0] == 503
    finally:
        for connection, answer in opened:
            answer.close()
            connection.close()


def test_hostile_words_are_data(service: "Service") -> None:
    answer = record(service, f"/api/neighbours?text={quote(EVIL)}")
    assert answer["terms"][0]["word"] == EVIL
    _, headers, _ = ask(service, f"/api/neighbours?text={quote(EVIL)}")
    assert headers["content-type"] == "application/json"
    assert "\x00" not in record(service, "/api/suggest?text=%00")["words"]
    assert record(service, "/api/neighbours?text=%f0%28%8c%28")["error"]
    for text in ("", " ", "-", "+ -", "king -", "%ED%A0%80"):
        assert record(service, f"/api/neighbours?text={quote(text, safe='%')}")["error"]


def test_a_busy_port_is_one_line(service: "Service", session: Session) -> None:
    with pytest.raises(LexvecError) as refused:
        type(service)(session, port=service.port)
    assert (
        refused.value.for_command_line() == f"port {service.port} is in use: choose another with --port, or 0 for any"
    )


def test_another_host_still_checks_names(session: Session, serve: Callable[..., Any]) -> None:
    from lexvec.explorer.guard import Guard

    service = type(serve(session))(session, host="0.0.0.0")
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        assert ask(service, "/", token=False)[0] == ask(service, NEIGHBOURS, token=False)[0] == 403
        assert ask(service, NEIGHBOURS)[0] == 200
        assert ask(service, NEIGHBOURS, Host="evil.example:80")[0] == 403
        assert f":{service.port}/?token=" in service.url and "0.0.0.0" not in service.url
    finally:
        service.stop()
        thread.join(60)
    guard = Guard(None, host="0.0.0.0", port=8765, token="t")
    own = guard._is_own_host
    assert own(["192.168.1.5:8765"]) and own(["[fe80::1]:8765"]) and own([f"{socket.gethostname()}:8765"])
    assert not own(["evil.example:8765"]) and not own(["192.168.1.5:80"]) and not own([]) and not own(["a", "b"])
