"""Every command works, every page and window opens, and none tries a connection under the default policy."""

import json
import os
import subprocess
import sys
from pathlib import Path

from app.gui.window.page_registry import MODES, VIEW_TABS
from tests.builders.command_chain import CHAIN
from tests.builders.waiting import HANG_S
from tests.contract.documentation import ROOT

_START = """
from tests.contract import watching
watching.start()
import contextlib, io, json
from pathlib import Path
from tests.builders.clips import make_clip
make_clip(Path("clip.mp4"), size=(160, 120), frames=20, fps=10, sound=True)
"""

_COMMANDS = """
from app.cli.main import run
from tests.builders.command_chain import run_chain
def say(name, *arguments, code=0):
    watching.doing(name)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        ended = run([*name.split(), *arguments])
    assert ended == code, (name, out.getvalue())
    return out.getvalue()
Path("words.txt").write_text("a passphrase")
assert run_chain(say) == {"ok": True, "problems": [], "media": []}
"""

_ASKING = """
import os
watching.doing("asking")
Path("asking").mkdir()
Path("clip.mp4").rename("asking/clip.mp4")
os.chdir("asking")
say("new", "lab.greenroom")
say("add", "lab.greenroom", "clip.mp4")
say("segment add", *"lab.greenroom --recording 1 --start 0.5 --end 1 --verdict error --annotator Ada".split())
HOSTS = {"far": "https://api.example.org/v1", "near": "http://192.168.0.1/v1", "any": "http://0.0.0.0/v1"}
for name, host in HOSTS.items():
    say("judge add", "lab.greenroom", name, "--backend", "openai", "--model", "m", "--url", host)
    for command, *more in (("judge test", name), ("judge ask", "--all", "--judge", name)):
        told = json.loads(say(command, "lab.greenroom", *more, "--json", code=2))
        assert told["rule"] == "nothing-leaves", (command, name)
"""

_END = """
watching.doing("end")
print(json.dumps({"done": watching.done, "seen": watching.seen}))
"""

_WINDOW = """
from annotate.study.recording_edits import add_recordings, probe_file
from project.session.session import Session
from app.gui.startup import make_application
from app.gui.window.main_window import MainWindow
from app.gui.study.dialogs import Dialogs as Questions
from app.gui.window.page_registry import MODES, VIEW_TABS

from project.store.study import Study
Study.create(Path("lab.greenroom")).close()
with Session.open(Path("lab.greenroom"), "Ada") as session:
    add_recordings(session, [probe_file(Path("clip.mp4"))])
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
for tab in VIEW_TABS:
    watching.doing(f"view {tab.key}")
    window.open_view(tab.key)
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
        [sys.executable, "-c", f"{_START}{code}{_END}"],
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


def test_every_command_works_on_a_short_clip_prints_one_object_and_tries_no_connection(tmp_path: Path) -> None:
    """Asking another machine is refused before its name is looked up."""
    told = watched(_COMMANDS + _ASKING, tmp_path)
    assert told["seen"] == []
    assert {name for name, _ in CHAIN} < {*told["done"]}
    asking = told["done"][told["done"].index("asking") :]
    assert asking.count("judge ask") == asking.count("judge test") == 3


def test_no_page_and_no_window_tries_a_connection_under_the_default_policy(tmp_path: Path) -> None:
    told = watched(_WINDOW, tmp_path)
    shown = {f"mode {mode.key}" for mode in MODES} | {f"view {tab.key}" for tab in VIEW_TABS} | {"documentation"}
    assert shown <= {*told["done"]}
    assert told["seen"] == []


def test_the_watch_sees_a_connection_and_a_socket_that_is_held(tmp_path: Path) -> None:
    seen = watched(_CALLING, tmp_path)["seen"]
    assert [(doing, event) for doing, event, _ in seen][-2:] == [("calling", "socket.connect"), ("listening", "udp")]
