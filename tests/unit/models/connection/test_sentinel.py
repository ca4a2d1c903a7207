"""The second line: what does not go through the guard is refused in Python's own sockets. In processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]

_START = """
import asyncio, socket, tempfile, threading
from models.connection import network_sandbox as sentinel
from models.connection.network_sandbox import UnguardedConnectionError as Unguarded
sentinel.install_audit_hook()
sentinel.install_audit_hook()

def refused(act):
    try:
        act()
    except Unguarded as error:
        assert isinstance(error, OSError)
        return
    raise SystemExit("was let through")

def listening(family=socket.AF_INET, address=("127.0.0.1", 0)):
    made = socket.socket(family)
    made.bind(address)
    made.listen()
    return made

def quick(address, family=socket.AF_INET, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as made:
        made.setblocking(False)
        try:
            made.connect(address)
        except (BlockingIOError, ConnectionRefusedError):
            pass
"""

CASES = {
    "another machine": "refused(lambda: quick(('203.0.113.5', 80)))",
    "the connection that tells an error": "refused(lambda: socket.socket().connect_ex(('203.0.113.5', 80)))",
    "a datagram": "refused(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('203.0.113.5', 53)))",
    "a connected datagram": "refused(lambda: quick(('203.0.113.5', 53), kind=socket.SOCK_DGRAM))",
    "a name": "refused(lambda: socket.getaddrinfo('example.invalid', 80))",
    "a name in the old way": "refused(lambda: socket.gethostbyname('example.invalid'))",
    "the name of an address": "refused(lambda: socket.gethostbyaddr('203.0.113.5'))",
    "the name of an address in the new way": "refused(lambda: socket.getnameinfo(('203.0.113.5', 80), 0))",
    "a kind of its own": (
        "hasattr(socket, 'AF_VSOCK') and refused(lambda: quick((socket.VMADDR_CID_HOST, 80), socket.AF_VSOCK))"
    ),
    "its own name": "socket.getnameinfo(('127.0.0.1', 80), socket.NI_NUMERICHOST)",
    "a library": (
        "import http.client; refused(lambda: http.client.HTTPConnection('203.0.113.5', 80, timeout=1).connect())"
    ),
    "loopback": "s = listening(); socket.create_connection(s.getsockname()).close()",
    "localhost": "s = listening(); socket.create_connection(('localhost', s.getsockname()[1])).close()",
    "a socket in the file system": (
        "path = tempfile.mkdtemp() + '/s'; s = listening(socket.AF_UNIX, path);"
        " c = socket.socket(socket.AF_UNIX); c.connect(path)"
    ),
    "a pair": "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'",
    "what the guard has open": (
        "with sentinel.allow_connection('203.0.113.5', 80): quick(('203.0.113.5', 80))\n"
        "refused(lambda: quick(('203.0.113.5', 80)))\n"
        "with sentinel.allow_connection('203.0.113.5', 80): refused(lambda: quick(('203.0.113.5', 81)))"
    ),
    "what the guard has open in another thread": (
        "def other(): refused(lambda: quick(('203.0.113.5', 80))); done.append(1)\n"
        "done = []\n"
        "with sentinel.allow_connection('203.0.113.5', 80):\n"
        "    t = threading.Thread(target=other); t.start(); t.join()\n"
        "assert done"
    ),
}


def test_it_lets_through_loopback_and_what_the_guard_has_open() -> None:
    tried = "".join(
        f"try: exec({code!r})\nexcept BaseException as error: print({case!r}, repr(error))\n"
        for case, code in CASES.items()
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{_START}{tried}print('tried')"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "tried\n", done.stderr


STARTS = {
    "command": "from app.cli.main import run; run(['--version'])",
    "worker": "import os, io, sys\nos._exit = lambda code: None\n"
    "import app.worker as worker\nsys.stdin = io.StringIO('')\n"
    "keep = os.dup(1)\nworker.run()\nos.dup2(keep, 1)",
    "window without a screen": "import os\nos.environ.pop('QT_QPA_PLATFORM')\n"
    "os.environ.pop('DISPLAY', None)\nos.environ.pop('WAYLAND_DISPLAY', None)\n"
    "import app.gui.window.application as application\n"
    "try: application.run()\n"
    "except Exception: print('no screen')",
}


@pytest.mark.parametrize("start", STARTS)
def test_it_stands_in_every_process_of_the_program(start: str) -> None:
    check = (
        "\nimport socket\n"
        "try: socket.getaddrinfo('example.invalid', 80)\n"
        "except PermissionError as error: print('guarded:', error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", STARTS[start] + check], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "guarded: The name" in done.stdout, done.stderr
    assert ("no screen" in done.stdout) == (start == "window without a screen")
