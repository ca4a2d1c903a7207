"""What is said stands in the picture while it is said."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.window.main_window import MainWindow
from project.entities.study_records import Participant, ParticipantRole, Utterance
from project.ids import new_id
from project.queries.recording_rows import insert_participant
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from project.session.settings import load_settings
from tests.builders.filmed_study import make_filmed_study
from widgets.player.camera_grid import Arrangement, MultiViewLayout, ViewTile


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = make_filmed_study(tmp_path)
    with Session.open(path, "Ada") as session, session.study.step("Import talk.vtt"):
        ((recording,),) = session.study.rows("SELECT id FROM recording")
        speaker = Participant(new_id(), "P01", ParticipantRole.USER)
        insert_participant(session.study, speaker)
        said = [(1, 5, "Long.", speaker.id), (2, 3, "Short.", None), (8, 9, "Later.", speaker.id)]
        insert_utterances(
            session.study,
            [Utterance(new_id(), recording, a * 1_000_000, b * 1_000_000, text, who) for a, b, text, who in said],
        )
    return path


@pytest.fixture
def window(window: MainWindow, qtbot: QtBot) -> MainWindow:
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)
    return window


def test_it_follows_the_playhead_in_the_picture_that_is_large_and_can_be_switched_off(window: MainWindow) -> None:
    for second, shown in (
        *((0.5, ""), (1.0, "P01: Long."), (2.4, "P01: Long.\nShort."), (4.0, "P01: Long.")),
        *((6.0, ""), (8.2, "P01: Later.")),
    ):
        window.playback.jump(round(second * 1e6))
        assert window.view.subtitle() == shown
    window.playback.jump(4_000_000)
    window.menus.actions["subtitles"].trigger()
    assert window.view.subtitle() == ""
    window.menus.actions["subtitles"].trigger()
    assert window.view.subtitle() == "P01: Long."
    before = window.view.grab().toImage()
    for _ in range(9):
        window.menus.actions["subtitles_larger"].trigger()
    assert window.view.grab().toImage() != before
    assert load_settings().subtitles == 2.0
    for _ in range(9):
        window.menus.actions["subtitles_smaller"].trigger()
    assert load_settings().subtitles == 0.75
    grid = window.workspace.views
    grid.set_views([ViewTile("other", "Side", 16 / 9)])
    grid.set_arrangement(Arrangement(MultiViewLayout.INSET, large="other"))
    window.playback.jump(4_000_000)
    assert (grid.view("other").subtitle(), window.view.subtitle()) == ("P01: Long.", "")
    grid.set_arrangement(Arrangement(MultiViewLayout.INSET))
    assert (grid.view("other").subtitle(), window.view.subtitle()) == ("", "P01: Long.")
