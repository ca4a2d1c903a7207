"""The page *Run a two-annotator study*, typed word for word."""

import re
import shlex
from pathlib import Path

import pytest

from anonymize.faces import face_tracking_job as face_tracking
from models.faces.tracking_options import FaceOptions
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.terminal import Terminal
from tests.contract.documentation import page
from tests.e2e.fewer_frames import fewer_frames

pytestmark = pytest.mark.e2e

COMMAND = re.compile(r"^    greenroom (.+)$", re.MULTILINE)


def test_the_commands_of_the_page_do_what_it_says(
    greenroom: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said: dict[str, str] = {}
    commands = COMMAND.findall(re.sub(r"\\\n +", "", page("two-annotators")))
    assert len(commands) > 30
    for command in commands:
        words = shlex.split(command)
        if words[0] == "demo":
            # What the command makes is tested by itself; here only its recording and its faces are needed.
            make_demo(greenroom, tmp_path / "demo")
            continue
        said[command] = greenroom(*words)
    figures = said["agreement lab.greenroom"]
    assert re.search(r"overlap another annotator's\s+1\.000 .*n = 6", figures)
    assert re.search(r"Same label among overlapping ones\s+0\.667 .*n = 3", figures)
    assert re.search(r"IoU of matched segments\s+0\.778 ", figures)
    assert "Ada: passed" in said["training for-ada.greenroom"]
    assert (tmp_path / "lab.jsonl").is_file()


def make_demo(greenroom: Terminal, folder: Path) -> None:
    folder.mkdir()
    video = fewer_frames(folder / "sample.mp4", 10, (480, 270))
    greenroom("new", folder / "demo.greenroom")
    greenroom("add", folder / "demo.greenroom", video)
    with Session.open(folder / "demo.greenroom", "Demo") as session:
        (recording,) = all_recordings(session.study)
        rarely = FaceOptions(looks_per_second=1.0, glances_per_second=0)
        run_inline(session, face_tracking.prepare(session, recording.id, rarely), Silent())
