"""A second line behind the guard: Python refuses every connection that the guard has not just permitted.

It sees what goes through Python's own `socket` module, also from libraries; what a native library opens by itself it
does not see.
"""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from models.connection.addresses import loopback, numeric

_open: ContextVar[frozenset[tuple[str, int]]] = ContextVar("open", default=frozenset())
_looked_up: ContextVar[frozenset[str]] = ContextVar("looked_up", default=frozenset())
_NAMES = {"socket.getaddrinfo", "socket.gethostbyname"}
_OF_ADDRESSES = {"socket.gethostbyaddr", "socket.getnameinfo"}
"""They ask a name server even about what is written as a number."""
_HERE = {getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK") if hasattr(socket, name)}
_CONNECTIONS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_installed = False


class Unguarded(PermissionError):
    """A connection, or the look-up of a name, that did not go through the guard."""


def install() -> None:
    """Refuse, from now on in this process, what does not go through the guard; it cannot be taken back.

    Loopback and sockets in the file system stay open to everybody.
    """
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_watch)


@contextmanager
def opening(address: str, port: int) -> Iterator[None]:
    """Let what runs in this block, and in tasks that start in it, connect to an address."""
    token = _open.set(_open.get() | {(address, port)})
    try:
        yield
    finally:
        _open.reset(token)


@contextmanager
def looking_up(host: str) -> Iterator[None]:
    """Let what runs in this block look a host up."""
    token = _looked_up.set(_looked_up.get() | {host})
    try:
        yield
    finally:
        _looked_up.reset(token)


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    if event in _NAMES:
        host = arguments[0]
        if isinstance(host, bytes | bytearray):
            host = bytes(host).decode("ascii", "replace")
        if isinstance(host, str) and not _harmless(host) and host not in _looked_up.get():
            raise Unguarded(f"The name “{host}” is not looked up: that did not go through the guard.")
    elif event in _OF_ADDRESSES:
        _watch_address(arguments[0])
    elif event in _CONNECTIONS:
        _watch_connection(*arguments[:2])


def _watch_address(target: object) -> None:
    host = str(target[0]) if isinstance(target, tuple) and target else str(target)
    if host not in ("", "localhost") and not loopback(numeric(host)):
        raise Unguarded(f"The name of {host} is not looked up: that did not go through the guard.")


def _watch_connection(source: object, target: object) -> None:
    family = getattr(source, "family", None)
    if target is None or family in _HERE:
        return
    if family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(target, tuple):
        raise Unguarded("A connection of a kind that the guard does not know is not opened.")
    address, port = numeric(str(target[0])), target[1]
    if not loopback(address) and (address, port) not in _open.get():
        raise Unguarded(f"Nothing is sent to {target[0]}: that did not go through the guard.")


def _harmless(host: str) -> bool:
    return host in ("", "localhost") or bool(numeric(host))
