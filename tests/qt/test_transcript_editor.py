"""A transcript corrected in the real window, by keys, and looked at in the study afterwards."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.transcript.transcript_page import TranscriptPage
from app.gui.transcript.utterance_list import WordsEditor
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Changes, Participant, ParticipantRole, Run, Utterance
from project.entities.transcript import AsrSegment, Word, estimate_word_times
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_participants, all_recordings, insert_participant
from project.queries.transcript_rows import insert_asr_segments, insert_utterances, utterances_of
from project.session.session import Session
from tests.builders.filmed_study import make_filmed_study
from tests.builders.mouse_and_keys import click, press, type_text
from tests.builders.scripted_dialogs import Answers
from tests.builders.slow_clock import play_by_looks
from tests.qt.conftest import OpenReused

SAID = (
    (1.0, 3.0, "hello and welcome to the greenroom"),
    (3.5, 6.0, "please take a seed it will not be long"),
    (6.5, 8.0, "is there coffee"),
    (8.5, 10.0, "coffee is on the table"),
)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The sample with a transcript: drafts with measured words, a doubtful one among them."""
    path = make_filmed_study(tmp_path)
    with Session.open(path, "Ada") as session:
        (recording,) = all_recordings(session.study)
        made = []
        for start, end, text in SAID:
            span = (round(start * 1e6), round(end * 1e6))
            words = tuple(
                Word(word.text, word.start_us, word.end_us, 0.3 if word.text == "seed" else 0.9)
                for word in estimate_word_times(text, *span)
            )
            made.append(Utterance(new_id(), recording.id, *span, text, None, words, checked=False))
        with session.step("Transcribe"):
            insert_participant(session.study, Participant(new_id(), "P01", ParticipantRole.USER))
            insert_participant(session.study, Participant(new_id(), "Robot", ParticipantRole.ROBOT))
            insert_utterances(session.study, made)
    return path


@pytest.fixture
def window(qtbot: QtBot, open_reused: OpenReused, study: Path) -> MainWindow:
    made = open_reused(study)
    qtbot.waitUntil(lambda: made.player.times is not None and made.view.picture() is not None)
    press(made, "Ctrl+4")
    made.activateWindow()
    qtbot.waitUntil(lambda: page(made).view.hasFocus())
    return made


def page(window: MainWindow) -> TranscriptPage:
    (found,) = window.workspace.pages.findChildren(TranscriptPage)
    return found


def said(window: MainWindow) -> list[Utterance]:
    return utterances_of(window.studio.session.study, window.studio.recording.id)


def texts(window: MainWindow) -> list[str]:
    return [utterance.text for utterance in said(window)]


def start(window: MainWindow, row: int = 0) -> str:
    """Make a line the current one."""
    key = page(window).model.lines[row].utterance.id
    page(window).view.go_to(key)
    return key


def walk_to(window: MainWindow, words: int) -> None:
    for _ in range(words):
        press(window, "Ctrl+Right")


def test_a_transcript_is_corrected_by_keys_alone(window: MainWindow) -> None:
    page(window)._plays_on.setChecked(False)
    before = said(window)
    start(window, 0)
    # The first one is right: it is read. In the second one, a word is typed anew.
    press(window, "Y")
    assert [utterance.checked for utterance in said(window)] == [True, False, False, False]
    press(window, "Return")
    walk_to(window, 3)
    press(window, "Ctrl+Shift+Right")
    type_text(window, "seat, ")
    press(window, "Return")
    second = said(window)[1]
    assert (second.text, second.checked) == ("please take a seat, it will not be long", True)
    assert [word.start_us for word in second.words] == [word.start_us for word in before[1].words]
    assert page(window).view.editing_id == before[2].id, "Return goes on to the next line"
    press(window, "Esc")

    # Split at the cursor, and join again with Backspace at the start.
    start(window, 1)
    press(window, "Return")
    walk_to(window, 4)
    press(window, "Shift+Return")
    assert texts(window)[1:3] == ["please take a seat,", "it will not be long"]
    first, rest = said(window)[1:3]
    assert first.words + rest.words == second.words
    assert page(window).view.editing_id == rest.id
    press(window, "Home")
    press(window, "Backspace")
    assert said(window)[1] == second
    press(window, "Esc")

    # Split at the playhead, merge with the next, undo both.
    start(window, 1)
    window.playback.jump(second.words[4].start_us)
    press(window, "S")
    assert len(said(window)) == 5
    start(window, 1)
    press(window, "M")
    assert said(window)[1] == second
    press(window, "Ctrl+Z")
    press(window, "Ctrl+Z")
    assert said(window)[1] == second
    assert len(said(window)) == 4

    # Start and end.
    start(window, 2)
    third = said(window)[2]
    window.playback.jump(third.start_us + 200_000)
    press(window, "[")
    assert said(window)[2].start_us == window.player.position_us
    press(window, "Alt+.")
    press(window, "Ctrl+,")
    now = said(window)[2]
    assert (now.start_us, now.end_us) == (window.player.position_us - 10_000, third.end_us + 50_000)

    # Speakers.
    press(window, "2")
    people = all_participants(window.studio.session.study)
    robot = next(participant.id for participant in people if participant.pseudonym == "Robot")
    assert said(window)[2].participant_id == robot
    press(window, "0")
    assert said(window)[2].participant_id is None
    press(window, "Ctrl+Z")
    assert said(window)[2].participant_id == robot

    # Find and replace.
    press(window, "Ctrl+H")
    bar = page(window).search
    assert bar.text.hasFocus()
    type_text(window, "coffee")
    assert "of 2" in bar._count.text()
    bar.replacement.setText("tea")
    click(bar._all)
    assert texts(window)[2:] == ["is there tea", "tea is on the table"]
    press(window, "Esc")
    assert page(window).view.hasFocus()
    press(window, "Ctrl+Z")
    assert texts(window)[2:] == ["is there coffee", "coffee is on the table"]

    # What the study says once it is closed.
    expected, path = said(window), window.studio.session.study.path
    window.close_study()
    with Session.open(path) as session:
        (recording,) = all_recordings(session.study)
        assert utterances_of(session.study, recording.id) == expected


def test_it_goes_along_while_it_plays_and_tab_repeats_the_line(qtbot: QtBot, window: MainWindow) -> None:
    play_by_looks(window.player)
    first, second = (utterance.id for utterance in said(window)[:2])
    start(window, 0)
    spoken: list[tuple[str, int]] = []
    window.player.position_changed.connect(lambda _at: spoken.append(page(window).view.moment.spoken))
    press(window, "Space")
    qtbot.waitUntil(lambda: page(window).view.current() == second)
    press(window, "Space")
    assert window.studio.selected_utterances == (second,)
    assert {word for key, word in spoken if key == first} >= {0, 1, 2, 3, 4}
    page(window)._plays_on.setChecked(False)
    third = start(window, 2)
    line = page(window).model.line(third)
    press(window, "Tab")
    qtbot.waitUntil(lambda: window.player.position_us > line.utterance.start_us + 300_000)
    assert window.player.playing
    assert page(window).view.moment.spoken[0] == third
    qtbot.waitUntil(lambda: not window.player.playing)
    assert window.player.position_us < said(window)[3].start_us
    assert page(window).view.current() == third
    # While somebody types, too; what was typed stays.
    press(window, "Return")
    type_text(window, "Well, ")
    press(window, "Tab")
    qtbot.waitUntil(lambda: window.player.playing)
    assert page(window).view.editing_id == third
    press(window, "Ctrl+Space")
    assert not window.player.playing
    press(window, "Return")
    assert texts(window)[2] == "Well, is there coffee"


def test_typing_is_never_lost(qtbot: QtBot, window: MainWindow) -> None:
    start(window, 3)
    press(window, "Return")
    walk_to(window, 1)
    type_text(window, "dear  ")
    qtbot.waitUntil(lambda: texts(window)[3].startswith("coffee dear is"))
    type_text(window, "friend ")
    press(window, "Return")
    assert texts(window)[3] == "coffee dear friend is on the table", "blanks that are too many go, the cursor stays"
    start(window, 0)
    press(window, "Return")
    type_text(window, "Oh, ")
    # Whenever it pauses, it is in the study: a crash loses no more than half a second.
    qtbot.waitUntil(lambda: texts(window)[0].startswith("Oh,"))
    assert not said(window)[0].checked
    press(window, "Esc")
    assert texts(window)[0] == SAID[0][2], "Esc takes back what was kept meanwhile"
    assert page(window).view.editing_id, "and once more stops typing"
    press(window, "Esc")
    assert not page(window).view.editing_id
    for leave in (
        lambda: window.set_mode("annotate"),
        lambda: window.studio.show_recording(None),
        window.close_study,
    ):
        if window.studio.recording is None:
            window.studio.show_recording(all_recordings(window.studio.session.study)[0].id)
        window.set_mode("transcript")
        key = start(window, 0)
        page(window).view.edit_text(key, 0)
        type_text(window, "x")
        path = window.studio.session.study.path
        leave()
    with Session.open(path) as session:
        (recording,) = all_recordings(session.study)
        assert utterances_of(session.study, recording.id)[0].text == f"xxx{SAID[0][2]}"


def test_the_field_has_an_undo_of_its_own_and_then_it_is_the_study_s(window: MainWindow, answers: Answers) -> None:
    start(window, 3)
    press(window, "Y")
    press(window, "Return")
    type_text(window, "ab")
    press(window, "Ctrl+Z")
    field = QApplication.focusWidget()
    assert isinstance(field, WordsEditor)
    assert field.toPlainText() == SAID[3][2]
    assert said(window)[3].checked
    press(window, "Ctrl+Z")
    assert not said(window)[3].checked
    page(window).view.finish_editing()
    page(window).view.setFocus()
    answers.give(text="P02")
    press(window, "Ctrl+A", "P")
    people = all_participants(window.studio.session.study)
    assert [participant.pseudonym for participant in people if participant.id == said(window)[0].participant_id] == [
        "P02"
    ], "a new speaker gets the next pseudonym"
    assert len({utterance.participant_id for utterance in said(window)}) == 1, "and several lines at once"
    press(window, "Ctrl+Z")
    assert {utterance.participant_id for utterance in said(window)} == {None}
    press(window, "Del")
    assert said(window) == []
    press(window, "Ctrl+Z")
    assert len(said(window)) == 4


def test_drafts_doubtful_words_and_clicks_lead_to_a_moment(window: MainWindow) -> None:
    page(window)._plays_on.setChecked(False)
    start(window, 0)
    press(window, "D")
    seed = next(word for word in said(window)[1].words if word.text == "seed")
    assert page(window).view.current() == said(window)[1].id
    assert abs(window.player.position_us - seed.start_us) < 50_000
    press(window, "Y")
    assert page(window).view.current() == said(window)[2].id
    press(window, "Shift+N")
    assert page(window).view.current() == said(window)[0].id
    press(window, "N")
    assert page(window).view.current() == said(window)[2].id
    window.timeline.setFocus()
    press(window, "Ctrl+4")
    assert page(window).view.hasFocus(), "the mode's key brings the list back to the keys"
    start(window, 1)
    assert "0:00:03.500, checked: please take a seed" in page(window).view.accessibleDescription()
    view = page(window).view
    rect = view.visualRect(view.model().index(1, 0))
    geometry = view._delegate.geometry
    piece = geometry.wrap_line(page(window).model.lines[1], rect.width()).pieces[3]
    area = geometry.text_area(rect)
    assert piece.text == "seed"
    start(window, 0)
    x, y = area.left() + piece.left + piece.width / 2, area.top() + (piece.line + 0.5) * geometry.line_height
    click(view, QPointF(x, y))
    assert abs(window.player.position_us - said(window)[1].words[3].start_us) < 50_000
    assert window.studio.selected_utterances == (said(window)[1].id,)
    window.studio.select_utterances([said(window)[3].id])
    assert view.current() == said(window)[3].id


def test_a_voice_that_the_program_heard_is_named_and_dropped_as_a_whole(window: MainWindow, answers: Answers) -> None:
    session, before = window.studio.session, said(window)
    start(window, 0)
    window.menus.actions["drop_silent"].trigger()
    assert said(window) == before, "nobody looked for speech"
    with session.study.run_transaction():
        insert_run(session.study, Run("v", before[0].recording_id, "speech", "x", {}, {}, "2026-01-01", "0"))
        insert_asr_segments(session.study, "v", [AsrSegment(0, 6_100_000), AsrSegment(9_000_000, 9_500_000)])
    window.menus.actions["drop_silent"].trigger()
    assert said(window) == [before[0], before[1], before[3]]
    press(window, "Ctrl+Z")
    moments = [{"utterance": said.id, "start_us": said.start_us, "end_us": said.end_us} for said in before]
    about = {"participant": None, "track": None, "faces": {}, "confidence": 0.8, "nobody": 0.0}
    heard = [{**moment, **about, "speaker": 1 + place % 2} for place, moment in enumerate(moments)]
    flags = [{"kind": "short", **moments[2], "person": None, "other": None, "at_us": None}]
    with session.study.run_transaction():
        result = {"suggestions": heard, "flags": flags}
        insert_run(session.study, Run("s", before[0].recording_id, "speakers", "x", {}, result, "2026-01-01", "0"))
    window.studio.publish(Changes.from_pairs([("run", "s")]))
    lines = page(window).model.lines
    assert [line.speaker for line in lines] == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"]
    assert [bool(line.flag) for line in lines] == [False, False, True, False]
    start(window, 0)
    window.menus.actions["drop_speaker"].trigger()
    assert said(window) == [before[1], before[3]], "the other voice is nobody's yet either, and stays"
    press(window, "Ctrl+Z")
    start(window, 1)
    answers.give(text="P07")
    press(window, "P")
    assert [line.speaker for line in page(window).model.lines] == ["Speaker 1", "P07", "Speaker 1", "P07"]
    start(window, 2)
    press(window, "1")
    assert page(window).model.lines[2].speaker == "P07"
    assert not page(window).model.lines[2].flag, "a person said who it is"
    window.menus.actions["drop_speaker"].trigger()
    assert said(window) == [before[0]]
