"""Suggesting speakers, from the menu to what is told, in the real window with the real worker."""

from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.speech.speaker_suggestions import read_findings
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.transcript import transcript_edits as transcript
from anonymize.faces import face_tracking_job as face_tracking
from project.entities.study_records import Changes
from project.progress import Silent
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.contract.footage import face_clip
from tests.qt.conftest import OpenWindow


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study with a face and sound for two seconds."""
    path = tmp_path / "lab.greenroom"
    with Session(Study.create(path), "Ada") as session:
        add_recordings(session, [probe_file(face_clip(tmp_path / "two seconds.mp4"))])
    return path


def add_hello(session: Session, owner: str, start_us: int) -> Changes:
    return transcript.add_utterance(session, owner, start_us, start_us + 900_000, "Hello.")[1]


def test_mouths_are_watched_once_there_is_a_transcript(qtbot: QtBot, open_window: OpenWindow, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        owner = str(session.study.rows("SELECT id FROM recording")[0][0])
        run_inline(session, face_tracking.prepare(session, owner), Silent())
    window = open_window(study, "Ada")
    with qtbot.waitSignal(window.studio.failed) as failed:
        window.menus.actions["suggest_speakers"].trigger()
    assert "Find speech first" in failed.args[0].hint
    assert not window.jobs.busy
    for start in (0, 1_000_000):
        window.studio.edit(partial(add_hello, owner=owner, start_us=start))
    told: list[str] = []
    window.studio.message.connect(told.append)
    with qtbot.waitSignal(window.jobs.done):
        window.menus.actions["suggest_speakers"].trigger()
        window.menus.actions["suggest_speakers"].trigger()
        assert len(window.jobs.runner.waiting_jobs) == 0, "asked twice, it runs once"
    found = read_findings(window.studio.session, owner).suggestions
    assert [guess.end_us for guess in found] == [900_000, 1_900_000]
    assert told[0].startswith("Suggest speakers in recording 1")
    assert told[-1].startswith("Recording 1: ")
