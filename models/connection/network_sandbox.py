"""Refuses connections that the guard has not permitted, by an audit hook in Python and a kernel filter (seccomp).

The filter takes the network from a thread and from what it starts, and from nothing else.
"""

import ctypes
import errno
import platform
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

from models.connection.addresses import is_loopback
from project.entities.egress_policy import parse_ip_address

_open: ContextVar[frozenset[tuple[str, int]]] = ContextVar("open", default=frozenset())
_looked_up: ContextVar[frozenset[str]] = ContextVar("looked_up", default=frozenset())
_NAMES = {"socket.getaddrinfo", "socket.gethostbyname"}
_OF_ADDRESSES = {"socket.gethostbyaddr", "socket.getnameinfo"}
"""They ask a name server even about what is written as a number."""
_LOCAL_FAMILIES = {getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK") if hasattr(socket, name)}
_CONNECTIONS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_installed = False


class UnguardedConnectionError(PermissionError):
    """A connection, or the look-up of a name, that did not go through the guard."""


def install_audit_hook() -> None:
    """Refuse, from now on in this process, what does not go through the guard; it cannot be taken back.

    Loopback and sockets in the file system stay open to everybody.
    """
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_audit)


@contextmanager
def allow_connection(address: str, port: int) -> Iterator[None]:
    """Let what runs in this block, and in tasks that start in it, connect to an address."""
    token = _open.set(_open.get() | {(address, port)})
    try:
        yield
    finally:
        _open.reset(token)


@contextmanager
def allow_lookup(host: str) -> Iterator[None]:
    """Let what runs in this block look a host up."""
    token = _looked_up.set(_looked_up.get() | {host})
    try:
        yield
    finally:
        _looked_up.reset(token)


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    if event in _NAMES:
        host = arguments[0]
        if isinstance(host, bytes | bytearray):
            host = bytes(host).decode("ascii", "replace")
        if isinstance(host, str) and not _needs_no_lookup(host) and host not in _looked_up.get():
            raise UnguardedConnectionError(f"The name “{host}” is not looked up: that did not go through the guard.")
    elif event in _OF_ADDRESSES:
        _audit_address(arguments[0])
    elif event in _CONNECTIONS:
        _audit_connection(*arguments[:2])


def _audit_address(target: object) -> None:
    host = str(target[0]) if isinstance(target, tuple) and target else str(target)
    if host not in ("", "localhost") and not is_loopback(parse_ip_address(host)):
        raise UnguardedConnectionError(f"The name of {host} is not looked up: that did not go through the guard.")


def _audit_connection(source: object, target: object) -> None:
    family = getattr(source, "family", None)
    if target is None or family in _LOCAL_FAMILIES:
        return
    if family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(target, tuple):
        raise UnguardedConnectionError("A connection of a kind that the guard does not know is not opened.")
    address, port = parse_ip_address(str(target[0])), target[1]
    if not is_loopback(address) and (address, port) not in _open.get():
        raise UnguardedConnectionError(f"Nothing is sent to {target[0]}: that did not go through the guard.")


def _needs_no_lookup(host: str) -> bool:
    return host in ("", "localhost") or bool(parse_ip_address(host))


_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_MODE_FILTER = 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
"""Where the fields of `struct seccomp_data` begin; the first argument's low half, with the low byte first."""
_IO_URING_SETUP = 425
_LOCAL = [int(getattr(socket, name)) for name in ("AF_UNIX", "AF_NETLINK") if hasattr(socket, name)]


@dataclass(frozen=True, slots=True)
class _Processor:
    """The constants of a processor architecture that the filter needs.

    Attributes:
        arch: its AUDIT_ARCH word.
        socket: the number of the system call.
        others: the first number of a second table of system calls, as x86-64 has one (x32); 0 for none.
    """

    arch: int
    socket: int
    others: int = 0


_PROCESSORS = {
    "x86_64": _Processor(0xC000003E, 41, 0x40000000),
    "aarch64": _Processor(0xC00000B7, 198),
    "riscv64": _Processor(0xC00000F3, 198),
}


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse_network(*, local_sockets: bool) -> bool:
    """Take the network from this thread, and from all threads and processes that it starts from now on.

    It cannot be taken back. Sockets cannot be made any more, which io_uring could do too; calls of another processor's
    tables are refused. What was opened before stays open.

    Args:
        local_sockets: whether sockets in the file system (AF_UNIX), as a server of sound has one, and to the kernel
            (AF_NETLINK) can still be made.

    Returns:
        Whether the kernel took the filter.
    """
    processor = _processor()
    if processor is None:
        return False
    code = _filter(processor, local_sockets)
    program = _Program(len(code) // 8, code)
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl.restype = ctypes.c_int
    unused = [ctypes.c_ulong(0)] * 3
    # Without it, only an administrator may install a filter.
    if library.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), *unused) != 0:
        return False
    taken: int = library.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(program), *unused[:2])
    return taken == 0


@cache
def filter_works() -> bool:
    """Return whether the filter takes the network from a thread, tried in a thread of its own."""
    refused: list[bool] = []

    def attempt() -> None:
        if refuse_network(local_sockets=True):
            refused.append(_is_refused(socket.AF_INET) and _is_refused(socket.AF_INET6))

    thread = threading.Thread(target=attempt, name="network-filter")
    thread.start()
    thread.join()
    return refused == [True]


def _processor() -> _Processor | None:
    little = sys.byteorder == "little" and struct.calcsize("P") == 8
    return _PROCESSORS.get(platform.machine()) if sys.platform == "linux" and little else None


def _filter(processor: _Processor, local_sockets: bool) -> bytes:
    """Return the instructions of classic BPF, eight bytes each (linux/filter.h)."""
    steps: list[tuple[int, int, str, str]] = [
        (_LOAD, _ARCH, "", ""),
        (_EQUAL, processor.arch, "", "refuse"),
        (_LOAD, _NUMBER, "", ""),
        *([(_AT_LEAST, processor.others, "refuse", "")] if processor.others else []),
        (_EQUAL, _IO_URING_SETUP, "refuse", ""),
        (_EQUAL, processor.socket, "", "allow"),
        (_LOAD, _FIRST_ARGUMENT, "", ""),
        *((_EQUAL, family, "allow", "") for family in _LOCAL if local_sockets),
        (_RETURN, _REFUSE, "", ""),
        (_RETURN, _ALLOW, "", ""),
    ]
    places = {"refuse": len(steps) - 2, "allow": len(steps) - 1}
    return b"".join(
        struct.pack("=HBBI", code, *(places[aim] - at - 1 if aim else 0 for aim in (then, otherwise)), value)
        for at, (code, value, then, otherwise) in enumerate(steps)
    )


def _is_refused(family: int) -> bool:
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError as error:
        return error.errno == errno.EACCES
    return False
