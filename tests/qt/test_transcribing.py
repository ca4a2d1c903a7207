"""Finding speech, transcribing and suggesting speakers, from the menu to the transcript, with the real worker."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from annotate.speech.speaker_suggestions import read_findings
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.transcript import transcript_edits as transcript
from anonymize.faces import face_tracking_job as face_tracking
from app.gui.transcript import speech_jobs as dialogs
from app.gui.transcript.speech_jobs import TranscribableRecording, TranscribeDialog
from app.gui.window.main_window import MainWindow
from models.speech.whisper_models import WhisperModel
from project.entities.study_records import Changes
from project.progress import Silent
from project.queries.transcript_rows import speech_spans, utterances_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, spoken, write_sound
from tests.contract.footage import face_clip
from tests.qt.conftest import OpenReused

FRESH = TranscribableRecording("1", "1. talk", 0, 0)
WRITTEN = TranscribableRecording("2", "2. chat", 12, 4)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "lab.greenroom"
    with Session(Study.create(path), "Ada") as session:
        add_recordings(session, [probe_file(write_sound(tmp_path / "talk.wav", spoken()[: 5 * RATE]))])
    return path


@pytest.fixture
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    there = WhisperModel("whisper-tiny.en", 75_500_000, "English only", True, True)
    other = WhisperModel("whisper-small", 483_500_000, "99 languages", False, False)
    monkeypatch.setattr(dialogs, "list_whisper_models", lambda: [there, other])
    monkeypatch.setattr(dialogs, "default_model", lambda: there.name)
    monkeypatch.setattr(
        "anonymize.egress.weights_download_job.download_question", lambda name: f"Get {name} (484 MB, MIT) from the hub"
    )


def choose(box: QComboBox, data: object) -> None:
    box.setCurrentIndex(box.findData(data))


@pytest.mark.usefixtures("two_models")
def test_a_model_that_is_not_there_is_fetched_only_when_asked(qtbot: QtBot) -> None:
    dialog = TranscribeDialog(FRESH, [], "")
    qtbot.addWidget(dialog)
    choose(dialog.model, "whisper-small")
    assert dialog.language.isEnabled()
    assert dialog.start.text() == "Get this model"
    assert "484 MB" in dialog.note.text()
    with qtbot.waitSignal(dialog.fetch_requested) as asked:
        dialog.start.click()
    assert asked.args == ["whisper-small"]


@pytest.mark.usefixtures("two_models")
def test_a_transcript_that_is_there_is_only_replaced_when_ticked(qtbot: QtBot) -> None:
    dialog = TranscribeDialog(WRITTEN, [FRESH], "")
    qtbot.addWidget(dialog)
    assert not dialog.start.isEnabled()
    assert "8 drafts would be replaced; 4" in dialog.note.text()
    choose(dialog.what, "all")
    assert dialog.request().recordings == ("1",), "what has a transcript is left alone"
    dialog.replace.setChecked(True)
    assert set(dialog.request().recordings) == {"1", "2"}
    assert dialog.request().replace


@pytest.mark.usefixtures("two_models")
def test_a_folder_that_is_no_model_is_said_before_anything_starts(qtbot: QtBot, tmp_path: Path) -> None:
    answers = [tmp_path, write_tiny_whisper(tmp_path / "tiny")]
    dialog = TranscribeDialog(FRESH, [], "", choose_folder=lambda _parent: answers.pop(0))
    qtbot.addWidget(dialog)
    choose(dialog.model, "folder")
    assert "model.bin is missing" in dialog.note.text()
    assert not dialog.start.isEnabled()
    choose(dialog.model, "whisper-tiny.en")
    choose(dialog.model, "folder")
    assert dialog.start.isEnabled()
    assert dialog.request().model == str(tmp_path / "tiny")


def test_speech_is_found_and_transcribed_from_the_menu(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.jobs.done):
        window.menus.actions["find_speech"].trigger()
    assert speech_spans(window.studio.session.study, window.studio.recording.id)
    window.menus.actions["transcribe"].trigger()
    dialog = window.listening.dialog
    folder = write_tiny_whisper(tmp_path / "tiny")
    dialog._choose_folder = lambda _parent: folder
    choose(dialog.model, "folder")
    dialog.vocabulary.setText("Greenroom")
    with qtbot.waitSignal(window.jobs.done) as ended:
        dialog.start.click()
    found = utterances_of(window.studio.session.study, window.studio.recording.id)
    assert found
    assert not any(utterance.checked for utterance in found)
    assert ended.args[0].parameters.prompt == "Greenroom"
    assert window.listening.dialog is None
    assert window.menus.actions["undo"].text() == "&Undo: transcribe recording 1"


def add_hello(session: Session, owner: str, start_us: int) -> Changes:
    return transcript.add_utterance(session, owner, start_us, start_us + 900_000, "Hello.")[1]


def test_mouths_are_watched_once_there_is_a_transcript(qtbot: QtBot, open_reused: OpenReused, tmp_path: Path) -> None:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        (owner,), _ = add_recordings(session, [probe_file(face_clip(tmp_path / "two seconds.mp4"))])
        run_inline(session, face_tracking.prepare(session, owner), Silent())
    window = open_reused(tmp_path / "lab.greenroom")
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
        assert len(window.jobs.jobs()) == 1, "asked twice, it runs once"
    found = read_findings(window.studio.session, owner).suggestions
    assert [guess.end_us for guess in found] == [900_000, 1_900_000]
    assert told[0].startswith("Suggest speakers in recording 1")
    assert told[-1].startswith("Recording 1: ")
