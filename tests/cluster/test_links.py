"""Links between two workers: arrays arrive as they were sent, and nothing else is let in."""

import contextlib
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from children import run
from lexvec.cluster.links import PART, SUMS, Links, Listener, PeerLostError, StoppedError, connect

Linked = Callable[..., tuple[Links, Links]]


@pytest.fixture
def linked() -> Iterator[Linked]:
    """Two ends of one connection: the first sends to the second."""
    made: list[Links] = []

    def link(**options: Any) -> tuple[Links, Links]:
        (a, b), (c, d) = socket.socketpair(), socket.socketpair()
        made.extend((Links(a, c, patience=5, **options), Links(d, b, patience=5, **options)))
        return made[-2], made[-1]

    yield link
    for each in made:
        each.close()


def test_frames_that_are_not_expected_are_refused(linked: Linked) -> None:
    sender, receiver = linked()
    sent = [np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(2.0)]
    room: list[Any] = [np.zeros((2, 3), np.float32), np.zeros(2)]
    sender.send(PART, 3, sent)
    receiver.receive(PART, 3, room)
    assert all(np.array_equal(one, other) for one, other in zip(sent, room, strict=True))
    for kind, number, arrays in ((SUMS, 3, sent), (PART, 4, sent), (PART, 3, sent[:1])):
        sender, receiver = linked()
        sender.send(kind, number, arrays)
        with pytest.raises(PeerLostError, match="something else than expected"):
            receiver.receive(PART, 3, room)
    sender.close()
    with pytest.raises(PeerLostError):
        sender.send(PART, 3, sent)


def test_a_silent_neighbour_is_reported_and_given_up(linked: Linked, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("_TICK", 0.05), ("_REPORT_AFTER", 0.1)):
        monkeypatch.setattr(f"lexvec.cluster.links.{name}", seconds)
    said: list[str] = []
    wanted = [True]
    links, _ = linked(report=said.append, is_wanted=lambda: wanted[0])
    links._patience = 0.4
    with pytest.raises(PeerLostError, match="waited 0 s for data from the neighbour: it counts as lost"):
        links.receive(PART, 0, [np.zeros(1)])
    assert len(said) == 1 and "waiting for data from the neighbour" in said[0]
    with pytest.raises(PeerLostError, match="for the neighbour to receive"):
        links.send(PART, 0, [np.zeros(1 << 24, np.uint8)])
    wanted[0] = False
    with pytest.raises(StoppedError):
        links.receive(PART, 0, [np.zeros(1)])


@pytest.mark.parametrize("is_local", [True, False])
def test_strangers_are_not_let_in(is_local: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_local:
        monkeypatch.setattr("lexvec.cluster.links._HAS_LOCAL_NAMES", False)
    listener, secret = Listener("127.0.0.1"), b"s" * 32
    deadline = time.monotonic() + 5
    found: list[socket.socket] = []
    waiting = threading.Thread(target=lambda: found.append(listener.accept(secret, deadline)))
    waiting.start()
    for wrong in (b"x" * 32, b"short"):
        stranger = connect(listener.address, wrong, deadline)
        stranger.close()
    friend = connect(listener.address, secret, deadline)
    waiting.join(5)
    friend.sendall(b"friend")
    assert found and found[0].recv(10) == b"friend"
    for link in (friend, *found):
        link.close()
    listener.close()
    with pytest.raises(PeerLostError, match="cannot connect to the worker at (127.0.0.1|lexvec-)"):
        connect(listener.address, secret, time.monotonic())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of this test")
def test_encrypted_links(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=lexvec",
        "-keyout",
    ]
    run([*command, key, "-out", certificate], check=True)
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    server.load_cert_chain(certificate, key)
    client.check_hostname = False
    client.load_verify_locations(certificate)
    listener = Listener("127.0.0.1", wrap=lambda link: server.wrap_socket(link, server_side=True))
    secret, deadline = b"s" * 32, time.monotonic() + 20
    found: list[socket.socket] = []
    waiting = threading.Thread(target=lambda: found.append(listener.accept(secret, deadline)))
    waiting.start()
    stranger = connect(listener.address, secret, deadline)  # without encryption nobody gets in
    stranger.settimeout(10)
    with contextlib.suppress(ConnectionResetError):
        assert stranger.recv(64)[:1] in (b"", b"\x15")  # closed, or an alert
    stranger.close()
    outgoing = connect(listener.address, secret, deadline, client.wrap_socket)
    waiting.join(20)
    listener.close()
    alone = [socket.socketpair() for _ in range(2)]
    sender = Links(outgoing, alone[0][0], patience=10)
    receiver = Links(alone[1][0], found[0], patience=10)
    sent, room = np.arange(1 << 20, dtype=np.float32), np.zeros(1 << 20, np.float32)
    sending = threading.Thread(target=sender.send, args=(PART, 7, [sent]))
    sending.start()
    receiver.receive(PART, 7, [room])
    sending.join()
    assert np.array_equal(sent, room)
    for links in (sender, receiver):
        links.close()
    for _, other in alone:
        other.close()
