"""Suggesting speakers, from the menu to what is told, in the real window with the real worker."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.speech.speaker_suggestions import read_suggestions
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.transcript import transcript_edits as transcript
from anonymize.faces import face_tracking_job as face_tracking
from app.gui.window.main_window import MainWindow
from project.progress import Silent
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.contract.footage import face_clip

Open = Callable[..., MainWindow]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study with a face and sound for two seconds."""
    path = tmp_path / "lab.greenroom"
    with Session(Study.create(path), "Ada") as session:
        add_recordings(session, [probe_file(face_clip(tmp_path / "two seconds.mp4"))])
    return path


def test_without_a_transcript_it_says_what_to_do_first(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study, "Ada")
    with qtbot.waitSignal(window.studio.failed) as failed:
        window.menus.actions["suggest_speakers"].trigger()
    assert "Find speech first" in failed.args[0].hint
    assert not window.jobs.busy


def test_mouths_are_watched_and_what_came_of_it_is_told(qtbot: QtBot, open_window: Open, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        owner = str(session.study.rows("SELECT id FROM recording")[0][0])
        run_inline(session, face_tracking.prepare(session, owner), Silent())
        for start in (0, 1_000_000):
            transcript.add_utterance(session, owner, start, start + 900_000, "Hello.")
    window = open_window(study, "Ada")
    told: list[str] = []
    window.studio.message.connect(told.append)
    with qtbot.waitSignal(window.jobs.done):
        window.menus.actions["suggest_speakers"].trigger()
        window.menus.actions["suggest_speakers"].trigger()
        assert len(window.jobs.runner.waiting_jobs) == 0, "asked twice, it runs once"
    session_, recording = window.studio.session, window.studio.recording
    assert session_ is not None
    found = read_suggestions(session_, recording.id)
    assert [entry["end_us"] for entry in found] == [900_000, 1_900_000]
    assert told[0].startswith("Suggest speakers in recording 1")
    assert told[-1].startswith("Recording 1: ")
