"""The kernel takes the network from a thread and what it starts, and from nothing else."""

import ctypes
import errno
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from models.connection import network_sandbox as network_filter
from models.connection.network_sandbox import filter_works, refuse_network

needs_filter = pytest.mark.skipif(not filter_works(), reason="the kernel takes no filter (seccomp) here")


def confined(do: Callable[[], object], *, local_sockets: bool) -> object:
    """Return what a function returns in a thread that lost the network, or the error that it raised."""
    came: list[object] = []

    def run() -> None:
        assert refuse_network(local_sockets=local_sockets)
        try:
            came.append(do())
        except OSError as error:
            came.append(error.errno)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return came[0]


def make(family: int) -> int:
    with socket.socket(family, socket.SOCK_DGRAM):
        return 0


@needs_filter
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, 40])
@pytest.mark.parametrize("local", [True, False])
def test_no_socket_of_a_network_is_made(family: int, local: bool) -> None:
    assert confined(lambda: make(family), local_sockets=local) == errno.EACCES


@needs_filter
def test_sockets_of_this_machine_are_made_only_where_they_are_needed_and_other_threads_keep_the_network() -> None:
    assert make(socket.AF_INET) == 0
    assert confined(lambda: make(socket.AF_UNIX), local_sockets=True) == 0
    assert confined(lambda: make(socket.AF_UNIX), local_sockets=False) == errno.EACCES


@needs_filter
def test_what_the_thread_starts_has_no_network_either() -> None:
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"

    def start() -> int:
        inner: list[object] = []

        def attempt() -> None:
            try:
                make(socket.AF_INET)
            except PermissionError as error:
                inner.append(error.errno)

        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        assert inner == [errno.EACCES]
        return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode

    assert confined(start, local_sockets=True) == 1


@needs_filter
@pytest.mark.parametrize("number", ["io_uring_setup", "x32"])
def test_no_other_call_leads_around_it(number: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    processor = network_filter._processor()
    if number == "x32" and not processor.others:
        pytest.skip("this processor has no second table of calls")
    calls = {"io_uring_setup": 425, "x32": processor.others | processor.socket}

    def attempt() -> int:
        assert library.syscall(ctypes.c_long(calls[number]), 2, 2, 0) == -1
        return ctypes.get_errno()

    assert confined(attempt, local_sockets=True) == errno.EACCES


def test_a_processor_that_is_not_known_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "s390x")
    assert not refuse_network(local_sockets=True)
    assert make(socket.AF_INET) == 0


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
@pytest.mark.parametrize("local", [True, False])
def test_the_instructions_decide_alike_for_each_processor(machine: str, local: bool) -> None:
    """Runs the filter as the kernel would, for calls of its own processor and of another one."""
    processor = network_filter._PROCESSORS[machine]
    code = network_filter._filter(processor, local)

    def decide(arch: int, number: int, argument: int) -> bool:
        data = struct.pack("=iIQ6Q", number, arch, 0, argument, *[0] * 5)
        at, value = 0, 0
        while True:
            operation, then, otherwise, given = struct.unpack_from("=HBBI", code, 8 * at)
            at += 1
            if operation == 0x20:
                (value,) = struct.unpack_from("=I", data, given)
            elif operation == 0x06:
                return bool(given == 0x7FFF0000)
            else:
                at += then if (value == given if operation == 0x15 else value >= given) else otherwise

    assert decide(processor.arch, 0, 0)
    assert not decide(processor.arch + 1, 0, 0)
    assert not decide(processor.arch, 425, 0)
    assert decide(processor.arch, processor.socket, socket.AF_UNIX) is local
    assert decide(processor.arch, processor.socket, socket.AF_NETLINK) is local
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, 40):
        assert not decide(processor.arch, processor.socket, family)
    # Only the low half counts, as for the kernel, which takes an int.
    assert not decide(processor.arch, processor.socket, 1 << 32 | socket.AF_INET)
