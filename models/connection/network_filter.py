"""A filter of the kernel (seccomp) that takes the network from a thread, from what it starts, and from nothing else.

The guard and the sentinel see what Python opens. Native code that reads a stranger's media runs behind this filter.
"""

import ctypes
import errno
import platform
import socket
import struct
import sys
import threading
from dataclasses import dataclass
from functools import cache

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
    """What the filter must know of a kind of processor.

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
    """Return whether a thread of this process loses the network by it, tried in one that is for nothing else."""
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
