"""Nobody but the guard opens a connection: as the sources stand, and as the program runs under the default policy."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.gui.window.page_registry import MODES, WINDOWS
from tests.builders.waiting import HANG_S
from tests.contract.documentation import ROOT

ROOTS = ("app", "widgets", "models", "anonymize", "benchmark", "media", "project", "resources")
GUARD = "models/connection"
OPENAI = "models/judges/openai_compatible"
CONNECTING = {
    *(
        "aiohttp",
        "dask",
        "distributed",
        "ftplib",
        "grpc",
        "http",
        "httpcore",
        "httpcore2",
        "httpx",
        "httpx2",
        "huggingface_hub",
        "imaplib",
    ),
    *(
        "openai",
        "paramiko",
        "poplib",
        "requests",
        "smtplib",
        "socket",
        "socketserver",
        "ssl",
        "telnetlib",
        "tornado",
        "urllib3",
    ),
    *("urllib.request", "websocket", "websockets", "xmlrpc", "zmq", "PySide6.QtNetwork", "PySide6.QtWebEngineCore"),
}
HARMLESS = {
    "socket": {"gethostname", "socketpair", "gaierror", "EAI_NONAME", "EAI_NODATA"},
    "ssl": {"SSLCertVerificationError", "SSLError"},
    "httpx2": {"Response", "HTTPError", "InvalidURL", "ReadError", "RemoteProtocolError", "TimeoutException"},
}
"""What others may use of such a module: names of errors and of what they are given, nothing that connects."""
TOOLS = {"curl", "wget", "ssh", "scp", "rsync", "nc"}
IMPORTERS = {"import_module", "__import__"}
OPENERS = {"open_connection", "create_connection", "create_datagram_endpoint", "sock_connect", "hf_hub_download"}


def sources() -> Iterator[Path]:
    for root in ROOTS:
        yield from sorted((ROOT / root).rglob("*.py"))


def belongs(module: str) -> str:
    """Return the entry of `CONNECTING` that a module is, or is part of; "" where there is none."""
    return next((text for text in CONNECTING if module == text or module.startswith(f"{text}.")), "")


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are more than types: not what stands under `if TYPE_CHECKING`."""
    left = [tree]
    while left:
        for node in ast.iter_child_nodes(left.pop()):
            if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
                yield node
                left.append(node)


def connections(text: str, place: str) -> list[str]:
    """Return what in a source could open a connection beside the guard."""
    nodes = [*running(ast.parse(text))]
    names: dict[str, str] = {}
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if module := belongs(alias.name):
                    names[alias.asname or alias.name.split(".")[0]] = module
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                module = belongs(node.module) or belongs(f"{node.module}.{alias.name}")
                allowed = alias.name in HARMLESS.get(module, ()) or (module == "openai" and place.startswith(OPENAI))
                if module and not allowed:
                    found.append(f"{module}: {alias.name}")
        elif isinstance(node, ast.Constant) and node.value in TOOLS:
            found.append(f"“{node.value}”")
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in IMPORTERS:
            given = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            found += [f"import of “{one}”" for one in given if belongs(str(one))]
        elif isinstance(node, ast.Attribute) and node.attr in OPENERS:
            found.append(node.attr)
    held = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
            held[id(node.args[0])] = str(getattr(node.args[1], "value", ""))
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names:
            module, used = names[node.id], held.get(id(node), "")
            if module == "openai" and place.startswith(OPENAI):
                continue
            if used not in HARMLESS.get(module, ()):
                found.append(f"{module}.{used}")
    return found


def test_only_the_guard_can_open_a_connection() -> None:
    wrong = {}
    for file in sources():
        place = file.relative_to(ROOT).as_posix()
        if not place.startswith(GUARD) and (found := connections(file.read_text("utf-8"), place)):
            wrong[place] = found
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        "import socket\nsocket.create_connection(('example.org', 80))",
        "import socket as s\ns.socket().connect(('example.org', 80))",
        "from socket import create_connection",
        "import socket\nopen_it = socket",
        "import urllib.request\nurllib.request.urlopen('https://example.org')",
        "from urllib import request",
        "from urllib.request import urlopen",
        "def f():\n    import httpx2\n    return httpx2.Client()",
        "import http.client as c\nc.HTTPConnection('example.org')",
        "from openai import OpenAI",
        "import openai\nopenai.OpenAI()",
        "from importlib import import_module\nimport_module('requests')",
        "import asyncio\nasyncio.open_connection('example.org', 80)",
        "import subprocess\nsubprocess.run(['curl', 'https://example.org'])",
        "from PySide6.QtNetwork import QNetworkAccessManager",
        "from PySide6 import QtNetwork",
        "from huggingface_hub import hf_hub_download",
    ],
)
def test_the_scan_sees_whoever_would(text: str) -> None:
    assert connections(text, "models/other.py")


def test_the_scan_lets_through_what_connects_to_nothing() -> None:
    text = (
        "import socket, ssl\nfrom typing import TYPE_CHECKING\nfrom urllib.parse import urlsplit\n"
        "if TYPE_CHECKING:\n    import httpx2\n"
        "def f(a: 'httpx2.Response') -> str: return socket.gethostname()\n"
    )
    assert connections(text, "models/other.py") == []
    assert connections("from openai import AsyncOpenAI", f"{OPENAI}/client.py") == []


_START = """
from tests.contract import watching
watching.start()
import contextlib, io, json
from pathlib import Path
from tests.builders.clips import make_clip
make_clip(Path("two seconds.mp4"), size=(160, 120), frames=20, fps=10, sound=True)
"""

_SAYING = """
from app.cli.main import run
def said(code, name, *arguments):
    watching.doing(name)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        ended = run([*name.split(), *arguments, "--json"])
    assert ended == code, (name, out.getvalue())
    return json.loads(out.getvalue())
"""

_END = """
watching.doing("end")
print(json.dumps({"done": watching.done, "seen": watching.seen}))
"""

_COMMANDS = """
from tests.contract.test_commands import CHAIN
Path("words.txt").write_text("a passphrase")
segment, question, nodes = "", "", ["", ""]
for name, arguments in CHAIN:
    if "--help" not in arguments and name != "policy set":
        known = {"SEGMENT": segment, "QUESTION": question, "REASON": nodes[-2], "RESULT": nodes[-1]}
        found = said(0, name, *(known.get(one, one) for one in arguments))
        segment = found.get("id", segment)
        question = found["id"] if name == "questions write" else question
        nodes += [found["node"]] if "node" in found else []
"""

_ASKING = """
import os
from tests.contract.test_commands import ROOT
watching.doing("asking")
Path("asking").mkdir()
Path("two seconds.mp4").rename("asking/two seconds.mp4")
os.chdir("asking")
said(0, "new", "lab.greenroom")
said(0, "add", "lab.greenroom", "two seconds.mp4")
said(0, "segment add", *"lab.greenroom --recording 1 --start 0.5 --end 1 --verdict error --annotator Ada".split())
said(0, "transcript import", "lab.greenroom", "--recording", "1", str(ROOT / "tests" / "builders" / "greeting.srt"))
HOSTS = {"far": "https://api.example.org/v1", "near": "http://192.168.0.1/v1", "any": "http://0.0.0.0/v1"}
for name, host in HOSTS.items():
    said(0, "judge add", "lab.greenroom", name, "--backend", "openai", "--model", "m", "--url", host)
    for command, *more in (("judge test", name), ("ask", "--all", "--judge", name)):
        assert said(2, command, "lab.greenroom", *more)["rule"] == "nothing-leaves", (command, name)
"""

_WINDOW = """
from annotate.study.recording_edits import add_recordings, probe_file
from project.session.session import Session
from app.gui.startup import make_application
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import MODES
from app.gui.study.dialogs import Dialogs as Questions
from app.gui.window.page_registry import WINDOWS

from project.store.study import Study
Study.create(Path("lab.greenroom")).close()
with Session.open(Path("lab.greenroom"), "Ada") as session:
    add_recordings(session, [probe_file(Path("two seconds.mp4"))])
questions = {name: lambda self, *asked: None for name in vars(Questions) if not name.startswith("_")}
app = make_application()
window = MainWindow(type("Answers", (Questions,), {**questions, "__init__": lambda self: None})())
window.show()
assert window.open_study(Path("lab.greenroom"))
def settle():
    for _ in range(20):
        app.processEvents()
settle()
for mode in MODES:
    watching.doing(f"mode {mode.key}")
    window.pages.show_page(mode.key)
    settle()
for key in WINDOWS:
    watching.doing(f"window {key}")
    window.windows.open_window(key)
    settle()
watching.doing("documentation")
from app.docs_browser.docs_pages import list_pages
shown = window.help.open_page("index.md")
for page in list_pages():
    shown.show_page(page.name)
shown.follow("https://cryptography.io")
settle()
watching.doing("playing")
window.menus.actions["play"].trigger()
settle()
watching.doing("closing")
window.close()
settle()
"""

_CALLING = """
import socket
watching.doing("calling")
try:
    socket.create_connection(("127.0.0.1", 1), timeout=1)
except OSError:
    pass
watching.doing("listening")
held = socket.socket(type=socket.SOCK_DGRAM)
held.bind(("127.0.0.1", 0))
"""


def watched(code: str, folder: Path) -> dict[str, list[str]]:
    """Return what a process did, and every connection that it tried."""
    ended = subprocess.run(
        [sys.executable, "-c", f"{_START}{_SAYING}{code}{_END}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
        env={
            **{key: value for key, value in os.environ.items() if "proxy" not in key.lower()},
            "PYTHONPATH": str(ROOT),
            "QT_QPA_PLATFORM": "offscreen",
            "GREENROOM_AOUT": "dummy",
        },
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    found: dict[str, list[str]] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What one process did that loaded everything once: every command, and then the asking in another study."""
    return watched(_COMMANDS + _ASKING, tmp_path_factory.mktemp("commands"))


def test_no_command_tries_a_connection_under_the_default_policy(commands: dict[str, list[str]]) -> None:
    assert {"faces", "anonymize", "transcribe", "pii find", "release", "models list"} <= set(commands["done"])
    assert commands["seen"] == []


def test_asking_another_machine_is_refused_before_its_name_is_looked_up(commands: dict[str, list[str]]) -> None:
    done = commands["done"][commands["done"].index("asking") :]
    assert done.count("ask") == done.count("judge test") == 3
    assert commands["seen"] == []


def test_no_page_and_no_window_tries_a_connection_under_the_default_policy(tmp_path: Path) -> None:
    found = watched(_WINDOW, tmp_path)
    shown = {f"mode {mode.key}" for mode in MODES} | {f"window {key}" for key in WINDOWS} | {"documentation"}
    assert shown <= set(found["done"])
    assert found["seen"] == []


def test_the_watch_sees_a_connection_and_a_socket_that_is_held(tmp_path: Path) -> None:
    seen = watched(_CALLING, tmp_path)["seen"]
    assert [(each[0], each[1]) for each in seen][-2:] == [("calling", "socket.connect"), ("listening", "udp")]
