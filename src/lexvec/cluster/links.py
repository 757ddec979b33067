"""Frames of arrays between neighbours in the ring: a header with sizes that are checked, then the bytes, nothing else.

The receiver of a frame knows its type and size: both ends run the same program. So a frame can neither carry code nor
make the receiver take more memory than it has set aside.
"""

import hmac
import secrets
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from ..errors import ClusterError

Array: TypeAlias = Any  # of NumPy; its types do not know that arrays are buffers
Address = tuple[str, int]  # host and port; port 0 means a socket of this machine by that name

_HEADER = struct.Struct("<4sIIQ")  # magic, kind, number, bytes
_MAGIC = b"LXV1"
_TICK = 1.0  # seconds after which a wait looks around
_REPORT_AFTER = 10.0  # seconds of waiting that are worth a line
_GREETING = 10.0  # seconds for a neighbour to say who it is
_BUFFER, _LOCAL_BUFFER = 4 << 20, 1 << 20  # bytes that the system may hold for a socket

PART, SUMS = 1, 2  # kinds of frames
_HAS_LOCAL_NAMES = sys.platform == "linux"  # sockets with names that are no files, and so leave nothing behind


class PeerLostError(ClusterError):
    """A neighbour in the ring is gone, or does not answer."""


class SilentWorkerError(PeerLostError):
    """A worker is there but does not answer."""


class StoppedError(ClusterError):
    """Nobody wants the result any more."""


class Links:
    """The connections of a worker to its two neighbours: it sends to the one before and receives from the one after.

    ``is_wanted`` is asked now and then while a link waits, ``report`` is called for a wait that takes long, and after
    ``patience`` seconds without a byte the neighbour counts as lost.
    """

    def __init__(
        self,
        outgoing: socket.socket,
        incoming: socket.socket,
        *,
        patience: float,
        is_wanted: Callable[[], bool] = lambda: True,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._outgoing, self._incoming = outgoing, incoming
        self._patience, self._is_wanted, self._report = patience, is_wanted, report
        self.bytes_sent = self.bytes_received = 0
        for link in (outgoing, incoming):
            link.settimeout(_TICK)

    def send(self, kind: int, number: int, arrays: Sequence[Array]) -> None:
        """Send arrays to the neighbour before."""
        size = sum(array.nbytes for array in arrays)
        self._write(memoryview(_HEADER.pack(_MAGIC, kind, number, size)))
        for array in arrays:
            if array.size:  # a part has no rows if there are fewer words than parts
                whole: Array = np.ascontiguousarray(array)
                self._write(memoryview(whole).cast("B"))
        self.bytes_sent += _HEADER.size + size

    def receive(self, kind: int, number: int, arrays: Sequence[Array]) -> None:
        """Fill arrays from the neighbour after; its frame must be the one expected."""
        header = bytearray(_HEADER.size)
        self._read(memoryview(header))
        size = sum(array.nbytes for array in arrays)
        if _HEADER.unpack(header) != (_MAGIC, kind, number, size):
            raise PeerLostError("the neighbour sent something else than expected: restart the workers")
        for array in arrays:
            if array.size:
                self._read(memoryview(array).cast("B"))
        self.bytes_received += _HEADER.size + size

    def _write(self, view: memoryview) -> None:
        waiting = _Waiting(self, "for the neighbour to receive")
        while view:
            try:
                view = view[self._outgoing.send(view) :]
                waiting = _Waiting(self, "for the neighbour to receive")
            except TimeoutError:
                waiting.check()
            except OSError as error:
                raise PeerLostError(
                    f"the connection to a neighbour ended ({error}): resume from the checkpoint"
                ) from error

    def _read(self, view: memoryview) -> None:
        waiting = _Waiting(self, "for data from the neighbour")
        while view:
            try:
                count = self._incoming.recv_into(view)
            except TimeoutError:
                waiting.check()
                continue
            except OSError as error:
                raise PeerLostError(
                    f"the connection to a neighbour ended ({error}): resume from the checkpoint"
                ) from error
            if not count:
                raise PeerLostError("a neighbour closed its connection: resume from the checkpoint")
            view = view[count:]
            waiting = _Waiting(self, "for data from the neighbour")

    def close(self) -> None:
        """End both connections; a thread that waits on them gets an error."""
        for link in (self._outgoing, self._incoming):
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()


class _Waiting:
    """A wait for the neighbour, which is reported when it gets long."""

    def __init__(self, links: Links, what: str) -> None:
        self._links, self._what, self._since, self._reported = links, what, time.monotonic(), False

    def check(self) -> None:
        links, passed = self._links, time.monotonic() - self._since
        if not links._is_wanted():
            raise StoppedError("the run was stopped")
        if passed >= links._patience:
            raise PeerLostError(f"waited {passed:.0f} s {self._what}: it counts as lost")
        if passed >= _REPORT_AFTER and not self._reported:
            self._reported = True
            links._report(f"waiting {self._what} for {passed:.0f} s; giving up after {links._patience:.0f} s")


class Listener:
    """Waits for the neighbour after; only one that knows the secret of the run is let in."""

    def __init__(self, host: str, *, wrap: Callable[[socket.socket], socket.socket] | None = None) -> None:
        self._wrap = wrap
        if _HAS_LOCAL_NAMES and wrap is None and host == "127.0.0.1":
            # All workers are on this machine, and sending without TCP takes less processor time.
            self.address: Address = (f"\0lexvec-{secrets.token_hex(16)}", 0)
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.bind(self.address[0])
            self._socket.listen()
        else:
            self._socket = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
            self.address = self._socket.getsockname()[:2]
        self._socket.settimeout(_TICK)

    def accept(self, secret: bytes, deadline: float) -> socket.socket:
        """Return the connection of the neighbour."""
        while time.monotonic() < deadline:
            with suppress(OSError):  # a stranger that connects and goes away, or nobody yet
                link, _ = self._socket.accept()
                link.settimeout(_GREETING)
                if self._wrap:
                    link = self._wrap(link)
                _prepare(link)
                if hmac.compare_digest(_exactly(link, len(secret)), secret):
                    return link
                link.close()
        raise PeerLostError("the neighbour did not connect: check that workers can reach one another")

    def close(self) -> None:
        """Wait no longer."""
        self._socket.close()


def connect(
    address: Address,
    secret: bytes,
    deadline: float,
    wrap: Callable[[socket.socket], socket.socket] | None = None,
) -> socket.socket:
    """Connect to the listener of the neighbour before."""
    while True:
        try:
            link = _connected(address)
            if wrap:
                link = wrap(link)
            _prepare(link)
            link.sendall(secret)
            return link
        except OSError as error:
            if time.monotonic() >= deadline:
                place = f"{address[0]}:{address[1]}".lstrip("\0")
                raise PeerLostError(f"cannot connect to the worker at {place} ({error}): check the network") from error
            time.sleep(0.2)


def _connected(address: Address) -> socket.socket:
    if address[1]:
        return socket.create_connection(address, timeout=_GREETING)
    link = socket.socket(socket.AF_UNIX)
    try:
        link.settimeout(_GREETING)
        link.connect(address[0])
    except OSError:
        link.close()
        raise
    return link


def _exactly(link: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count and (more := link.recv(count - len(found))):
        found += more
    return found


def _prepare(link: socket.socket) -> None:
    is_local = link.family == getattr(socket, "AF_UNIX", None)
    if not is_local:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        link.setsockopt(socket.SOL_SOCKET, buffer, _LOCAL_BUFFER if is_local else _BUFFER)
