"""The real window with a job: killed, ended by the system, and closed while the job goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from media.clip_writer import paint_clip
from project.integrity.integrity_check import check_study
from project.session.job_notes import JobNotes, note_files
from project.session.session import Session
from project.store import locking
from resources import resource
from tests.builders.terminal import Terminal
from tests.builders.waiting import HANG_S, wait_until

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).resolve().parents[2]
LENGTH_US = 600_000


@pytest.fixture
def study(tmp_path: Path, greenroom: Terminal) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    paint_clip(resource("sample", "sample.mp4"), folder / "sample.mp4", lambda _: None, end_us=LENGTH_US)
    greenroom("new", folder / "lab.greenroom")
    greenroom("add", folder / "lab.greenroom", folder / "sample.mp4")
    return folder / "lab.greenroom"


class Window:
    """One life of the window."""

    def __init__(self, study: Path, what: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.window_with_job", str(study), what],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "GREENROOM_AOUT": "dummy"},
        )

    def word(self) -> str:
        """Return the next word that it prints; "" where it ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def children(self) -> list[int]:
        """Return the processes that it started."""
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(part) for part in found.split()]

    def end(self) -> int:
        """Return how it ended, by itself or where it hangs."""
        try:
            return self.process.wait(timeout=HANG_S)
        finally:
            self.process.kill()
            self.process.communicate()


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, *(pytest.param(each, marks=pytest.mark.soak) for each in (signal.SIGTERM, signal.SIGHUP))],
)
def test_a_job_of_a_window_that_was_ended_is_offered_and_goes_on_without_its_window(
    study: Path, number: signal.Signals
) -> None:
    first = Window(study, "start")
    assert first.word() == "running"
    workers = first.children()
    first.process.send_signal(number)
    assert first.end() == (-signal.SIGKILL if number is signal.SIGKILL else 0)
    wait_until(
        lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), lambda: "a worker outlives the window"
    )
    with Session.open(study, "Ada") as session:
        assert [job.kind for job in JobNotes(session.study).interrupted()] == ["faces"]

    again = Window(study, "resume")
    assert [again.word(), again.word()] == ["1 job was interrupted.", "running"]
    assert again.end() == 0
    assert not locking.is_held(study)
    with Session.open(study, "Ada") as session:
        assert len(session.study.rows("SELECT id FROM run WHERE kind = 'faces'")) == 1
        assert JobNotes(session.study).interrupted() == []
        (line,) = JobNotes(session.study).take_messages()
    assert line.startswith("Track faces in recording 1: ")
    assert note_files(study) == []
    assert check_study(study) == []
    assert [path.name for path in study.parent.iterdir() if path.name.startswith("lab.greenroom-")] == []
