"""The tutorials, typed word for word on the sample at one frame a second."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from anonymize.faces import face_tracking_job as face_tracking
from app import demo_study as sample
from models.faces.tracking_options import FaceOptions
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.terminal import Terminal
from tests.contract.documentation import ROOT, all_pages, page
from tests.e2e import plain
from tests.e2e.fewer_frames import fewer_frames

pytestmark = pytest.mark.e2e

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    greenroom (.+)$", re.MULTILINE)
PICTURE = re.compile(r"\]\((?:docs/)?([\w-]+\.(?:png|svg))\)")
REFUSED = "--dry-run"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with one frame a second."""
    return fewer_frames(tmp_path_factory.mktemp("sample") / "few.mp4", 25, (320, 180))


def test_every_block_of_the_first_page_does_what_it_says(
    greenroom: Terminal, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "resource", lambda *_: few)
    monkeypatch.chdir(tmp_path)
    said = ""
    blocks = BLOCK.findall(page("tutorial"))
    assert {kind for kind, _ in blocks} == {"sh", "srt", "python", "text"}
    for kind, text in blocks:
        if kind == "sh":
            commands = [shlex.split(line) for line in text.replace("\\\n", "").splitlines()]
            assert all(words[0] == "greenroom" for words in commands)
            said = "".join(greenroom(*words[1:], code=2 if REFUSED in words else 0) for words in commands)
        elif kind == "srt":
            (tmp_path / "tutorial" / "said.srt").write_text(text, "utf-8")
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(text, "tutorial", "exec"), {})
            said = printed.getvalue()
        else:
            assert [line for line in text.splitlines() if line not in said] == []
    assert len(plain.frame_times(tmp_path / "tutorial" / "sample.mp4")) == len(plain.frame_times(few))
    made = {path.name for path in (tmp_path / "tutorial" / "data-set").iterdir()}
    assert {"DATACARD.md", "annotations", "video-source", "frames-1hz", "manifest.json"} <= made
    card = (tmp_path / "tutorial" / "data-set" / "DATACARD.md").read_text("utf-8")
    assert "faces left: 0" in card


def test_nothing_that_is_meant_to_be_typed_stands_outside_the_blocks() -> None:
    assert re.findall(r"^    (?:greenroom|\$)", page("tutorial"), re.MULTILINE) == []


def test_every_picture_of_the_pages_is_there_and_every_picture_there_is_shown() -> None:
    shown = set(PICTURE.findall(all_pages() + (ROOT / "ARCHITECTURE.md").read_text("utf-8")))
    assert shown == {path.name for path in (ROOT / "docs").iterdir() if path.suffix in (".png", ".svg")}


def test_the_commands_of_the_page_for_two_annotators_do_what_it_says(
    greenroom: Terminal, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said: dict[str, str] = {}
    commands = COMMAND.findall(re.sub(r"\\\n +", "", page("two-annotators")))
    assert len(commands) > 30
    for command in commands:
        words = shlex.split(command)
        if words[0] == "demo":
            # What the command makes is tested by itself; here only its recording and its faces are needed.
            make_demo(greenroom, tmp_path / "demo", few)
            continue
        said[command] = greenroom(*words)
    figures = said["team agreement lab.greenroom"]
    assert re.search(r"overlap another annotator's\s+1\.000 .*n = 6", figures)
    assert re.search(r"Same label among overlapping ones\s+0\.667 .*n = 3", figures)
    assert re.search(r"IoU of matched segments\s+0\.778 ", figures)
    assert "Ada: passed" in said["team training for-ada.greenroom"]
    assert (tmp_path / "lab.jsonl").is_file()


def make_demo(greenroom: Terminal, folder: Path, few: Path) -> None:
    folder.mkdir()
    (folder / "sample.mp4").write_bytes(few.read_bytes())
    greenroom("new", folder / "demo.greenroom")
    greenroom("add", folder / "demo.greenroom", folder / "sample.mp4")
    with Session.open(folder / "demo.greenroom", "Demo") as session:
        (recording,) = all_recordings(session.study)
        rarely = FaceOptions(looks_per_second=1.0, glances_per_second=0)
        run_inline(session, face_tracking.prepare(session, recording.id, rarely), Silent())
