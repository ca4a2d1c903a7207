"""A stranger's folder of media under `strace`: no socket of the internet, in the window, a worker, or a command."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from annotate.study.recording_edits import add_medium, add_recordings, probe_file
from project.entities.study_records import MediumRole
from project.files.fingerprints import fingerprint
from project.session.session import Session
from project.store.study import Study
from tests.builders.hostile_media import ALIAS, INSIDE, KINDS, NAMING, SIDECARS, HostileKind, clip, make_hostile
from tests.contract.documentation import ROOT
from tests.e2e.conftest import display

__all__ = ["display"]

pytestmark = pytest.mark.timeout(600)

_IP = re.compile(r"\b(socket|connect|bind|sendto|sendmsg|sendmmsg)\(.*\bAF_INET6?\b")
_PLAYED_S = 0.15
"""What lies beside a file is looked for before its first picture."""
_PATIENCE_S = 540
STUDY = "stranger.greenroom"
_PORT = 9
"""Of the stranger's server, at which nobody is."""
_SILENT = {"linked-segments", "subtitles-inside", "list-behind", "list-behind-a-program", "attached"}
_CAMERAS = (*NAMING[-5:], ALIAS, *(kind for kind in INSIDE if kind.name in _SILENT))
_SOUNDS = (*NAMING[:3], *NAMING[-8:-5], *(kind for kind in INSIDE if kind.name not in _SILENT))
_ONE_OF_EACH = {"hls", "quicktime-alias", "beside-srt", "tags", "linked-cover", "linked-segments"}
"""A list, a container that names another file, a file beside, and addresses inside of three kinds."""


def _tracing() -> list[str]:
    """Return the command that traces another one, or skip."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed: sudo apt install strace")
    works = subprocess.run([strace, "-f", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    if works.returncode != 0:
        pytest.skip(f"strace may not trace here: {works.stderr.strip()[-200:]}")
    # Its --seccomp-bpf would be faster, and would not see what another filter refuses.
    return [strace, "-f", "-qq", "-e", "trace=network", "-s", "120"]


def sockets(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return what a command wrote, and each call that is about the internet, by it or what it started."""
    log = folder / "calls.txt"
    done = subprocess.run(
        [*_tracing(), "-o", str(log), *command],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout, [line for line in log.read_text("utf-8", "replace").splitlines() if _IP.search(line)]


@dataclass(frozen=True)
class Stranger:
    """A folder with hostile files, and a study that has each as a recording and some beside harmless recordings.

    Attributes:
        folder: where the files and the study are.
        kinds: of the recordings.
        beside: of the cameras and microphones of recordings whose main file is harmless.
    """

    folder: Path
    kinds: tuple[HostileKind, ...]
    beside: tuple[HostileKind, ...]

    def copied(self, folder: Path) -> Path:
        """Return the study of a copy of the folder."""
        return Path(shutil.copytree(self.folder, folder / "folder")) / STUDY


@pytest.fixture(
    scope="module", params=[_ONE_OF_EACH, pytest.param({kind.name for kind in KINDS}, marks=pytest.mark.soak)], ids=len
)
def stranger(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    folder = tmp_path_factory.mktemp("stranger")
    Study.create(folder / STUDY).close()
    kinds, cameras, sounds = (
        tuple(kind for kind in group if kind.name in request.param) for group in (KINDS, _CAMERAS, _SOUNDS)
    )
    paths = {f"{kind.name}{kind.suffix}": kind for kind in kinds}
    (folder / "beside").mkdir()
    beside = {f"beside/{kind.name}{kind.suffix}": kind for kind in (*cameras, *sounds)}
    for name in (*paths, *beside):
        clip(folder / name)
    with Session.open(folder / STUDY, "Ada") as session:
        add_recordings(session, [probe_file(folder / name) for name in paths])
        for number, pair in enumerate(zip_longest(cameras, sounds)):
            main = folder / f"main-{number}.mp4"
            clip(main)
            (recording,), _ = add_recordings(session, [probe_file(main)])
            for kind, role in zip(pair, (MediumRole.CAMERA, MediumRole.MICROPHONE), strict=True):
                if kind is not None:
                    add_medium(session, recording, probe_file(folder / "beside" / f"{kind.name}{kind.suffix}"), role)
    _spoil(folder, paths | beside, _PORT)
    return Stranger(folder, kinds, tuple(beside.values()))


def _spoil(folder: Path, paths: Mapping[str, HostileKind], port: int) -> None:
    """Put the hostile files in place; the study says what a stranger's would: that each was harmless when added."""
    connection = sqlite3.connect(folder / STUDY)
    for name, kind in paths.items():
        path = folder / name
        assert make_hostile(path.parent, kind.name, port) == path
        (facts,) = connection.execute("SELECT facts FROM medium WHERE path = ?", (name,)).fetchone()
        told = json.dumps({**json.loads(facts), "size_bytes": path.stat().st_size})
        connection.execute(
            "UPDATE medium SET fingerprint = ?, facts = ? WHERE path = ?", (fingerprint(path), told, name)
        )
    connection.commit()
    connection.close()


def test_the_window_plays_hostile_media_without_a_socket(
    display: dict[str, str], tmp_path: Path, stranger: Stranger
) -> None:
    command = [sys.executable, "-m", "tests.contract.window_that_plays", str(stranger.copied(tmp_path)), str(_PLAYED_S)]
    said, calls = sockets(command, tmp_path, display)
    assert calls == []
    results = {recording["name"]: recording for recording in json.loads(said.splitlines()[-1])["recordings"]}
    beside: dict[str, str] = {}
    for name, told in results.items():
        beside |= told["beside"]
        if name != ALIAS.name:
            assert (told["played_us"] > 0) == (name not in {kind.name for kind in NAMING}), told
        assert told["played_us"] or told["problems"], name
    assert {kind.name for kind in stranger.kinds} < {*results}
    assert {*beside} == {kind.name for kind in stranger.beside}
    for kind in stranger.beside:
        if kind in INSIDE:
            assert beside[kind.name] == ("shown" if kind in _CAMERAS else "heard"), kind.name
        else:
            assert beside[kind.name] not in ("", "shown", "heard"), f"{kind.name}: it says why not"


_COMMANDS = """
import contextlib, io, json, sys
import greenroom
from app.cli.main import run
from annotate.study import recording_files as synchronizing
from project.entities.study_records import MediumRole
from project.errors import UserError
from project.progress import Silent
from project.queries.recording_rows import all_media, all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from pathlib import Path
study, kinds, works = Path(sys.argv[1]), set(sys.argv[2].split()), set(sys.argv[3].split())
with Session.open(study, "Ada") as session:
    numbers = {each.name: str(each.number) for each in all_recordings(session.study) if each.name in kinds}
    beside = [each for each in all_media(session.study) if each.role is not MediumRole.MAIN]
    beside_numbers = {each.id: str(session.recording(each.recording_id).number) for each in beside}
ended = {}
def say(name, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        ended[name] = run([*arguments, "--json"])
JOBS = {
    "faces": ["faces", "track"],
    "speech": ["speech", "transcribe"],
    "voice": ["anonymize", "voice"],
    "scenes": ["recording", "meta", "scenes"],
}
MORE = {"speech": ["--speech-only"]}
for name, number in numbers.items():
    file = next(path for path in study.parent.iterdir() if path.stem == name)
    say(f"add {name}", "add", "other.greenroom", str(file))
    for job, command in JOBS.items() if name in works else [("faces", JOBS["faces"])]:
        say(f"{job} {name}", *command, str(study), "--recording", number, *MORE.get(job, []))
    say(f"anonymize {name}", "anonymize", "export", str(study), "--recording", number, "--out", "clips")
for medium in beside:
    file, number = str(study.parent / medium.path), beside_numbers[medium.id]
    say(f"add-view {file}", "recording", "add-view", str(study), file, "--recording", number)
    with Session.open(study, "Ada") as session:
        try:
            run_inline(session, synchronizing.prepare(session, medium.recording_id, medium.id), Silent())
            ended[f"sync {file}"] = 0
        except UserError:
            ended[f"sync {file}"] = 2
for number in sorted({*beside_numbers.values()}):
    say(f"sync {number}", "recording", "sync", str(study), "--recording", number)
    say(f"speech {number}", "speech", "transcribe", str(study), "--recording", number, "--speech-only")
for command in ("info", "study check", "anonymize measure", "release make", "pii find", "policy log"):
    say(command, *command.split(), str(study), *(["--dry-run"] if command == "release make" else []))
print(json.dumps(ended))
"""


def test_no_command_makes_a_socket_for_hostile_media(tmp_path: Path, stranger: Stranger) -> None:
    study = stranger.copied(tmp_path)
    Study.create(tmp_path / "other.greenroom").close()
    naming, works = (
        [kind.name for kind in stranger.kinds if kind in group]
        for group in ((*NAMING, ALIAS), (*SIDECARS[:2], *INSIDE))
    )
    command = [sys.executable, "-c", _COMMANDS, str(study), " ".join([*naming, *works]), " ".join(works)]
    said, calls = sockets(command, tmp_path, os.environ)
    ended: dict[str, int] = json.loads(said.splitlines()[-1])
    assert calls == []
    assert {*ended.values()} <= {0, 2}, "a message is no bug"
    for name in naming:
        assert ended[f"add {name}"] == ended[f"faces {name}"] == ended[f"anonymize {name}"] == 2
    inside = [kind.name for kind in stranger.kinds if kind in INSIDE]
    assert [name for name in inside if ended[f"add {name}"] != 0] == []
    assert inside
    assert sum(name.startswith("add-view ") for name in ended) == len(stranger.beside)
    assert ended["info"] == 0


def test_no_worker_makes_a_socket_for_hostile_media(tmp_path: Path, stranger: Stranger) -> None:
    path = stranger.folder / "linked-segments.mkv"
    given = {"path": str(path), "medium": "m", "fingerprint": "f", "detector": "centerface", "processor": "cpu"}
    job = {"job": "faces", "parameters": {**given, "embedder": None, "options": {}}}
    (tmp_path / "job.json").write_text(json.dumps(job) + "\n")
    # Its input stays open, since a worker stops when nobody is there any more.
    start = 'exec 3<>"$1"; cat job.json >&3; exec "$0" -m greenroom worker <&3'
    os.mkfifo(tmp_path / "input")
    answers, calls = sockets(["sh", "-c", start, sys.executable, "input"], tmp_path, os.environ)
    assert "result" in json.loads(answers.splitlines()[-1])
    assert calls == []


def test_the_trace_sees_a_socket_that_is_made(tmp_path: Path) -> None:
    code = "import socket; socket.socket(type=socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
    _, calls = sockets([sys.executable, "-c", code], tmp_path, os.environ)
    assert [call for call in calls if "connect(" in call]
    assert [call for call in calls if "socket(" in call]
