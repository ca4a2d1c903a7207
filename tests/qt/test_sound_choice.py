"""What is chosen about the sound in the export dialog, and listening before and after."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymize.sound.voice_methods import DEFAULT_VOICE
from anonymize.voice import sound_preview_job as voice_preview
from anonymize.voice.sound_choice import KEEP, NONE, VOICE_WARNING, SoundChoice
from anonymize.voice.sound_preview_job import AFTER, BEFORE
from app.gui.export.export_dialog import ExportDialog, SoundForm
from app.gui.export.export_preview import SoundPreviewPlayer
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.face_study import only_recording, open_lab


@pytest.fixture
def form(qtbot: QtBot) -> SoundForm:
    made = SoundForm()
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


class Deck(QObject):
    """Notes what it would play."""

    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.played: list[str] = []
        self.stopped = self.released = 0

    def open(self, path: Path, width: int, height: int) -> None:
        assert path.stat().st_size > 1000
        assert (width, height) == (0, 0)
        self.played.append(path.stem)

    def start(self, time_us: int, rate: float) -> None:
        assert (time_us, rate) == (0, 1.0)

    def stop(self) -> None:
        self.stopped += 1

    def release(self) -> None:
        self.released += 1


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as session:
        yield session


@pytest.fixture
def deck(qapp: QApplication) -> Deck:
    return Deck()


@pytest.fixture
def listening(lab: Session, deck: Deck) -> Iterator[SoundPreviewPlayer]:
    recording = only_recording(lab)
    made = SoundPreviewPlayer(
        lambda choice, at: voice_preview.prepare(lab, recording, choice, at),
        engine=lambda parent: deck,
    )
    yield made
    made.close()


def choose(form: SoundForm, voice: str = DEFAULT_VOICE, cover: str = "mute") -> None:
    form.voices.setCurrentIndex(form.voices.findData(voice))
    form.covers.setCurrentIndex(form.covers.findData(cover))


def test_the_careful_choice_is_made_already_and_who_keeps_a_voice_is_told_that_it_identifies(form: SoundForm) -> None:
    assert (form.choice().voice, form.choice().cover) == (DEFAULT_VOICE, "mute")
    assert not form.warning.isVisible()
    assert "recognise" in form.described.text() or "expect" in form.described.text()
    choose(form, KEEP)
    assert form.warning.isVisible()
    assert VOICE_WARNING in form.warning.text()
    assert not form.described.isVisible()
    choose(form, KEEP, NONE)
    assert "personal information" in form.warning.text()
    choose(form, NONE, NONE)
    assert not form.warning.isVisible()
    assert not form.covers.isEnabled()


def test_the_dialog_asks_for_what_is_chosen_and_for_what_is_to_be_heard(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = ExportDialog([("r1", "1. walk")], "r1", None, tmp_path, time_us=40_000)
    qtbot.addWidget(dialog)
    choose(dialog.sound, KEEP, "beep")
    assert dialog.request().sound == SoundChoice(KEEP, {}, "beep")
    with qtbot.waitSignal(dialog.listen_requested) as asked:
        dialog.sound.listen_button(AFTER).click()
    assert asked.args == [AFTER, SoundChoice(KEEP, {}, "beep"), 40_000]
    dialog.sound.show_listening("0:00 to 0:04", AFTER)
    assert dialog.sound.listen_button(AFTER).text() == "Stop"
    with qtbot.waitSignal(dialog.listen_requested) as asked:
        dialog.sound.listen_button(AFTER).click()
    assert asked.args[0] == ""


def test_both_versions_are_made_once_and_played_and_go_away(
    qtbot: QtBot, listening: SoundPreviewPlayer, deck: Deck, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[JobSpec] = []
    prepare = listening._prepare
    monkeypatch.setattr(listening, "_prepare", lambda *asked: made.append(prepare(*asked)) or made[-1])
    with qtbot.waitSignal(listening.status_changed, check_params_cb=lambda _text, which: which == AFTER):
        listening.play_preview(AFTER, SoundChoice(), SECOND_US // 10)
    with qtbot.waitSignal(listening.status_changed, check_params_cb=lambda _text, which: which == BEFORE):
        listening.play_preview(BEFORE, SoundChoice(), SECOND_US // 10)
    assert deck.played == [AFTER, BEFORE]
    assert len(made) == 1
    with qtbot.waitSignal(listening.status_changed) as said:
        deck.ended.emit()
    assert said.args == ["", ""]
    folder = listening._made[1].file
    assert folder.exists()
    listening.close()
    assert not folder.exists()
    assert deck.released == 1
