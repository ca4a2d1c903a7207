"""What is said stands in the picture while it is said."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.transcript import transcript_edits as commands
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Participant, ParticipantRole, Utterance
from project.ids import new_id
from project.queries.recording_rows import insert_participant
from project.queries.transcript_rows import insert_utterances, update_utterance, utterances_of
from project.session.settings import load_settings
from tests.qt.test_window import Answers, Open, answers, open_window, ready, sample, study
from widgets.player.camera_grid import Arrangement, MultiViewLayout, ViewTile
from widgets.player.player_view import PlayerView

__all__ = ["Answers", "answers", "open_window", "sample", "study"]


@pytest.fixture
def window(qtbot: QtBot, open_window: Open, study: Path) -> MainWindow:
    made = open_window(study)
    ready(qtbot, made)
    session, recording = made.studio.session, made.studio.recording
    speaker = Participant(new_id(), "P01", ParticipantRole.USER)
    with session.study.step("Import talk.vtt") as step:
        insert_participant(session.study, speaker)
        said = [(1, 5, "Long.", speaker.id), (2, 3, "Short.", None), (8, 9, "Later.", speaker.id)]
        insert_utterances(
            session.study,
            [Utterance(new_id(), recording.id, a * 1_000_000, b * 1_000_000, text, who) for a, b, text, who in said],
        )
    made.studio.publish(step.changes)
    return made


@pytest.mark.parametrize(
    ("second", "shown"),
    [(0.5, ""), (1.0, "P01: Long."), (2.4, "P01: Long.\nShort."), (4.0, "P01: Long."), (6.0, ""), (8.2, "P01: Later.")],
)
def test_it_follows_the_playhead(window: MainWindow, second: float, shown: str) -> None:
    window.playback.jump(round(second * 1e6))
    assert window.view.subtitle() == shown


def test_a_guess_says_so_and_an_utterance_without_words_is_not_shown(window: MainWindow) -> None:
    session, recording = window.studio.session, window.studio.recording
    long, short, _later = utterances_of(session.study, recording.id)
    with session.step("Guess") as step:
        update_utterance(session.study, replace(long, suggested=True))
        update_utterance(session.study, replace(short, text=""))
    window.studio.publish(step.changes)
    window.playback.jump(2_400_000)
    assert window.view.subtitle() == "P01?: Long."


def test_its_letters_are_as_large_as_somebody_wants_and_stay_so(window: MainWindow) -> None:
    window.playback.jump(4_000_000)
    before = window.view.grab().toImage()
    for _ in range(9):
        window.menus.actions["subtitles_larger"].trigger()
    assert window.view.grab().toImage() != before
    assert load_settings().subtitles == 2.0
    for _ in range(9):
        window.menus.actions["subtitles_smaller"].trigger()
    assert load_settings().subtitles == 0.75


def test_it_can_be_switched_off_and_goes_with_undo(window: MainWindow) -> None:
    window.playback.jump(4_000_000)
    window.menus.actions["subtitles"].trigger()
    assert window.view.subtitle() == ""
    window.menus.actions["subtitles"].trigger()
    assert window.view.subtitle() == "P01: Long."
    window.studio.undo()
    assert window.view.subtitle() == ""


def test_a_draft_that_was_checked_is_shown_or_the_window_says_why_not(window: MainWindow) -> None:
    session, recording = window.studio.session, window.studio.recording
    long, short, later = utterances_of(session.study, recording.id)
    window.playback.jump(4_000_000)
    assert window.studio.edit(lambda s: commands.mark_checked(s, [long.id, short.id, later.id], False))
    assert window.studio.edit(lambda s: commands.mark_checked(s, [long.id]))
    assert window.view.subtitle() == "P01: Long."
    window.menus.actions["subtitles"].trigger()
    assert window.studio.edit(lambda s: commands.mark_checked(s, [short.id]))
    assert "Subtitles are switched off: U shows them" in window.messages.message()
    with session.step("Empty") as step:
        update_utterance(session.study, replace(later, text="", checked=False))
    window.studio.publish(step.changes)
    assert window.studio.edit(lambda s: commands.mark_checked(s, [later.id]))
    assert "without text" in window.messages.message()


def test_it_stands_in_the_picture_that_is_large(window: MainWindow) -> None:
    grid = window.workspace.views
    grid.set_views([ViewTile("other", "Side", 16 / 9)])
    grid.set_arrangement(Arrangement(MultiViewLayout.INSET, large="other"))
    window.playback.jump(4_000_000)
    assert grid.view("other").subtitle() == "P01: Long."
    assert window.view.subtitle() == ""
    grid.set_arrangement(Arrangement(MultiViewLayout.INSET))
    assert window.view.subtitle() == "P01: Long."
    assert grid.view("other").subtitle() == ""


def test_without_a_picture_it_is_shown_too(qtbot: QtBot) -> None:
    view = PlayerView()
    qtbot.addWidget(view)
    view.resize(480, 320)
    before = view.grab().toImage()
    view.set_subtitle("Hello")
    assert view.grab().toImage() != before
