"""A transcript corrected in the real window, by keys, and looked at in the study afterwards."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.transcript.transcript_page import TranscriptPage
from app.gui.transcript.utterance_list import WordsEditor
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Changes, Json, Participant, ParticipantRole, Run, Utterance
from project.entities.transcript import AsrSegment, Word, estimate_word_times
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_participants, all_recordings, insert_participant
from project.queries.transcript_rows import insert_asr_segments, insert_utterances, utterances_of
from project.session.session import Session
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.slow_clock import play_by_looks
from tests.qt.test_window import Answers, Open, answers, open_window, ready, sample, study

__all__ = ["Answers", "answers", "open_window", "sample", "study"]

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
SAID = (
    (1.0, 3.0, "hello and welcome to the greenroom"),
    (3.5, 6.0, "please take a seed it will not be long"),
    (6.5, 8.0, "is there coffee"),
    (8.5, 10.0, "coffee is on the table"),
)


def _fill(path: Path) -> None:
    """Bring a transcript into a study: drafts with measured words, a doubtful one among them."""
    with Session.open(path, "Ada") as session:
        (recording,) = all_recordings(session.study)
        made = []
        for start, end, text in SAID:
            span = (round(start * 1e6), round(end * 1e6))
            words = tuple(
                Word(
                    estimate_word_time.text,
                    estimate_word_time.start_us,
                    estimate_word_time.end_us,
                    0.3 if estimate_word_time.text == "seed" else 0.9,
                )
                for estimate_word_time in estimate_word_times(text, *span)
            )
            made.append(Utterance(new_id(), recording.id, *span, text, None, words, checked=False))
        with session.step("Transcribe") as step:
            insert_participant(session.study, Participant(new_id(), "P01", ParticipantRole.USER))
            insert_participant(session.study, Participant(new_id(), "Robot", ParticipantRole.ROBOT))
            insert_utterances(session.study, made)
        assert step.changes


@pytest.fixture
def window(qtbot: QtBot, open_window: Open, study: Path) -> MainWindow:
    _fill(study)
    made = open_window(study)
    ready(qtbot, made)
    press(made, Qt.Key.Key_4, CTRL)
    made.activateWindow()
    qtbot.waitUntil(lambda: page(made).view.hasFocus())
    return made


def page(window: MainWindow) -> TranscriptPage:
    (found,) = window.workspace.pages.findChildren(TranscriptPage)
    return found


def press(window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key, modifier)


def write(text: str) -> None:
    field = QApplication.focusWidget()
    assert isinstance(field, WordsEditor), field
    QTest.keyClicks(field, text)


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
        press(window, Qt.Key.Key_Right, CTRL)


def test_a_transcript_is_corrected_by_keys_alone(
    qtbot: QtBot, window: MainWindow, open_window: Callable[..., MainWindow]
) -> None:
    page(window)._plays_on.setChecked(False)
    before = said(window)
    start(window, 0)
    # The first one is right: it is read. In the second one, a word is typed anew.
    press(window, Qt.Key.Key_Y)
    assert [utterance.checked for utterance in said(window)] == [True, False, False, False]
    press(window, Qt.Key.Key_Return)
    walk_to(window, 3)
    press(window, Qt.Key.Key_Right, CTRL | SHIFT)
    write("seat, ")
    press(window, Qt.Key.Key_Return)
    second = said(window)[1]
    assert (second.text, second.checked) == ("please take a seat, it will not be long", True)
    assert [word.start_us for word in second.words] == [word.start_us for word in before[1].words]
    assert second.words[3].confidence == 1.0
    assert page(window).view.editing_id == before[2].id, "Return goes on to the next line"
    press(window, Qt.Key.Key_Escape)

    # Split at the cursor, and join again with Backspace at the start.
    start(window, 1)
    press(window, Qt.Key.Key_Return)
    walk_to(window, 4)
    press(window, Qt.Key.Key_Return, SHIFT)
    assert texts(window)[1:3] == ["please take a seat,", "it will not be long"]
    first, rest = said(window)[1:3]
    assert first.words + rest.words == second.words
    assert page(window).view.editing_id == rest.id
    press(window, Qt.Key.Key_Home)
    press(window, Qt.Key.Key_Backspace)
    assert said(window)[1] == second
    press(window, Qt.Key.Key_Escape)

    # Split at the playhead, merge with the next, undo both.
    start(window, 1)
    window.playback.jump(second.words[4].start_us)
    press(window, Qt.Key.Key_S)
    assert len(said(window)) == 5
    start(window, 1)
    press(window, Qt.Key.Key_M)
    assert said(window)[1] == second
    press(window, Qt.Key.Key_Z, CTRL)
    press(window, Qt.Key.Key_Z, CTRL)
    assert said(window)[1] == second
    assert len(said(window)) == 4

    # Start and end.
    start(window, 2)
    third = said(window)[2]
    window.playback.jump(third.start_us + 200_000)
    press(window, Qt.Key.Key_BracketLeft)
    assert said(window)[2].start_us == window.player.position_us
    press(window, Qt.Key.Key_Period, ALT)
    press(window, Qt.Key.Key_Comma, CTRL)
    now = said(window)[2]
    assert (now.start_us, now.end_us) == (window.player.position_us - 10_000, third.end_us + 50_000)

    # Speakers.
    press(window, Qt.Key.Key_2)
    robot = next(
        participant for participant in all_participants(window.studio.session.study) if participant.pseudonym == "Robot"
    )
    assert said(window)[2].participant_id == robot.id
    press(window, Qt.Key.Key_0)
    assert said(window)[2].participant_id is None
    press(window, Qt.Key.Key_Z, CTRL)
    assert said(window)[2].participant_id == robot.id

    # Find and replace.
    press(window, Qt.Key.Key_H, CTRL)
    bar = page(window).search
    assert bar.text.hasFocus()
    QTest.keyClicks(bar.text, "coffee")
    assert "of 2" in bar._count.text()
    bar.replacement.setText("tea")
    QTest.mouseClick(bar._all, Qt.MouseButton.LeftButton)
    assert texts(window)[2:] == ["is there tea", "tea is on the table"]
    press(window, Qt.Key.Key_Escape)
    assert page(window).view.hasFocus()
    press(window, Qt.Key.Key_Z, CTRL)
    assert texts(window)[2:] == ["is there coffee", "coffee is on the table"]

    # What the study says once the window is closed.
    expected, path = said(window), window.studio.session.study.path
    window.close()
    with Session.open(path) as session:
        (recording,) = all_recordings(session.study)
        assert utterances_of(session.study, recording.id) == expected


def test_tab_lets_the_current_one_be_heard_again(qtbot: QtBot, window: MainWindow) -> None:
    play_by_looks(window.player)
    page(window)._plays_on.setChecked(False)
    third = start(window, 2)
    line = page(window).model.line(third)
    press(window, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: window.player.position_us > line.utterance.start_us + 300_000)
    assert window.player.playing
    assert page(window).view.moment.spoken[0] == third
    qtbot.waitUntil(lambda: not window.player.playing)
    assert window.player.position_us < said(window)[3].start_us
    assert page(window).view.current() == third
    # While somebody types, too; what was typed stays.
    press(window, Qt.Key.Key_Return)
    write("Well, ")
    press(window, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: window.player.playing)
    assert page(window).view.editing_id == third
    press(window, Qt.Key.Key_Space, CTRL)
    assert not window.player.playing
    press(window, Qt.Key.Key_Return)
    assert texts(window)[2] == "Well, is there coffee"


def test_the_list_goes_along_while_it_plays_and_lights_the_word(qtbot: QtBot, window: MainWindow) -> None:
    play_by_looks(window.player)
    first, second = (utterance.id for utterance in said(window)[:2])
    start(window, 0)
    spoken: list[tuple[str, int]] = []
    window.player.position_changed.connect(lambda _at: spoken.append(page(window).view.moment.spoken))
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: page(window).view.current() == second)
    press(window, Qt.Key.Key_Space)
    assert window.studio.selected_utterances == (second,)
    assert {word for key, word in spoken if key == first} >= {0, 1, 2, 3, 4}


def test_typing_is_never_lost(qtbot: QtBot, window: MainWindow) -> None:
    start(window, 0)
    press(window, Qt.Key.Key_Return)
    write("Oh, ")
    # Whenever it pauses, it is in the study: a crash loses no more than half a second.
    qtbot.waitUntil(lambda: texts(window)[0].startswith("Oh,"))
    assert not said(window)[0].checked
    press(window, Qt.Key.Key_Escape)
    assert texts(window)[0] == SAID[0][2], "Esc takes back what was kept meanwhile"
    assert page(window).view.editing_id, "and once more stops typing"
    press(window, Qt.Key.Key_Escape)
    assert not page(window).view.editing_id
    for leave in (
        lambda: window.set_mode("annotate"),
        lambda: window.studio.show_recording(None),
        lambda: window.close(),
    ):
        if window.studio.recording is None:
            window.studio.show_recording(all_recordings(window.studio.session.study)[0].id)
        window.set_mode("transcript")
        key = start(window, 0)
        page(window).view.edit_text(key, 0)
        write("x")
        path = window.studio.session.study.path
        leave()
    with Session.open(path) as session:
        (recording,) = all_recordings(session.study)
        assert utterances_of(session.study, recording.id)[0].text == f"xxx{SAID[0][2]}"


def test_blanks_that_are_too_many_go_and_the_cursor_stays(qtbot: QtBot, window: MainWindow) -> None:
    start(window, 0)
    press(window, Qt.Key.Key_Return)
    walk_to(window, 1)
    write("dear  ")
    qtbot.waitUntil(lambda: texts(window)[0].startswith("hello dear and"))
    write("friend ")
    press(window, Qt.Key.Key_Return)
    assert texts(window)[0] == "hello dear friend and welcome to the greenroom"


def test_the_field_has_an_undo_of_its_own_and_then_it_is_the_study_s(window: MainWindow) -> None:
    start(window, 3)
    press(window, Qt.Key.Key_Y)
    press(window, Qt.Key.Key_Return)
    write("ab")
    press(window, Qt.Key.Key_Z, CTRL)
    field = QApplication.focusWidget()
    assert isinstance(field, WordsEditor)
    assert field.toPlainText() == SAID[3][2]
    assert said(window)[3].checked
    press(window, Qt.Key.Key_Z, CTRL)
    assert not said(window)[3].checked


def test_a_new_speaker_gets_the_next_pseudonym_and_several_lines_at_once(window: MainWindow, answers: Answers) -> None:
    answers.answers["text"] = "P02"
    press(window, Qt.Key.Key_A, CTRL)
    press(window, Qt.Key.Key_P)
    study = window.studio.session.study
    made = next(participant for participant in all_participants(study) if participant.pseudonym == "P02")
    assert {utterance.participant_id for utterance in said(window)} == {made.id}
    press(window, Qt.Key.Key_Z, CTRL)
    assert {utterance.participant_id for utterance in said(window)} == {None}
    press(window, Qt.Key.Key_Delete)
    assert said(window) == []
    press(window, Qt.Key.Key_Z, CTRL)
    assert len(said(window)) == 4


def test_drafts_and_doubtful_words_are_walked_to(window: MainWindow) -> None:
    page(window)._plays_on.setChecked(False)
    start(window, 0)
    press(window, Qt.Key.Key_D)
    seed = next(word for word in said(window)[1].words if word.text == "seed")
    assert page(window).view.current() == said(window)[1].id
    assert abs(window.player.position_us - seed.start_us) < 50_000
    press(window, Qt.Key.Key_Y)
    assert page(window).view.current() == said(window)[2].id
    press(window, Qt.Key.Key_N, SHIFT)
    assert page(window).view.current() == said(window)[0].id
    press(window, Qt.Key.Key_N)
    assert page(window).view.current() == said(window)[2].id


def test_a_click_on_a_word_goes_there_and_the_timeline_selects_with_the_list(window: MainWindow) -> None:
    view = page(window).view
    key = said(window)[1].id
    index = view.model().index(1, 0)
    rect = view.visualRect(index)
    geometry = view._delegate.geometry
    piece = geometry.wrap_line(page(window).model.lines[1], rect.width()).pieces[3]
    area = geometry.text_area(rect)
    at = area.topLeft()
    at.setX(round(area.left() + piece.left + piece.width / 2))
    at.setY(round(area.top() + (piece.line + 0.5) * geometry.line_height))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert piece.text == "seed"
    assert abs(window.player.position_us - said(window)[1].words[3].start_us) < 50_000
    assert window.studio.selected_utterances == (key,)
    window.studio.select_utterances([said(window)[3].id])
    assert view.current() == said(window)[3].id


def test_where_nobody_wrote_yet_it_says_how_to_and_a_first_line_can_be_typed(
    qtbot: QtBot, open_window: Open, study: Path
) -> None:
    made = open_window(study)
    ready(qtbot, made)
    made.set_mode("transcript")
    shown = page(made)
    assert shown._stack.currentWidget() is shown._empty
    assert not nameless(shown)
    made.playback.jump(2_000_000)
    shown.add_requested.emit()
    write("first words")
    press(made, Qt.Key.Key_Return)
    (utterance,) = said(made)
    assert (utterance.text, utterance.checked) == ("first words", True)
    assert utterance.start_us == made.player.position_us


def test_a_study_that_is_only_read_shows_it_and_takes_no_key(qtbot: QtBot, open_window: Open, study: Path) -> None:
    _fill(study)
    with Session.open(study):
        made = open_window(study)
        ready(qtbot, made)
        made.set_mode("transcript")
        start(made, 0)
        for key in (Qt.Key.Key_Y, Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_1):
            press(made, key)
        assert [(utterance.text, utterance.checked) for utterance in said(made)] == [
            (text, False) for _, _, text in SAID
        ]
        assert page(made).view.editing_id == ""
        assert "Only reading" in page(made)._help.text()
        made.close()


def test_every_control_has_a_name(window: MainWindow) -> None:
    press(window, Qt.Key.Key_H, CTRL)
    assert nameless(page(window)) == []
    assert unexplained(page(window)) == []
    start(window, 1)
    assert "0:00:03.500, draft: please take a seed" in page(window).view.accessibleDescription()


def test_a_voice_that_the_program_heard_is_named_as_a_whole(window: MainWindow, answers: Answers) -> None:
    session, before = window.studio.session, said(window)
    heard = [
        {
            "utterance": utterance.id,
            "start_us": utterance.start_us,
            "end_us": utterance.end_us,
            "speaker": 1 + place % 2,
            "participant": None,
            "faces": {},
            "confidence": 0.8,
        }
        for place, utterance in enumerate(before)
    ]
    short = {"kind": "short", "utterance": before[2].id, "start_us": before[2].start_us, "end_us": before[2].end_us}
    flags = [{**short, "person": None, "other": None, "at_us": None}]
    with session.study.run_transaction():
        result: dict[str, Json] = {"suggestions": heard, "flags": flags}
        insert_run(session.study, Run("s", before[0].recording_id, "speakers", "x", {}, result, "2026-01-01", "0"))
    window.studio.publish(Changes.from_pairs([("run", "s")]))
    lines = page(window).model.lines
    assert [line.speaker for line in lines] == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"]
    assert [bool(line.flag) for line in lines] == [False, False, True, False]
    start(window, 0)
    window.menus.actions["drop_speaker"].trigger()
    assert said(window) == [before[1], before[3]], "the other voice is nobody's yet either, and stays"
    press(window, Qt.Key.Key_Z, CTRL)
    start(window, 1)
    answers.answers["text"] = "P07"
    press(window, Qt.Key.Key_P)
    assert [line.speaker for line in page(window).model.lines] == ["Speaker 1", "P07", "Speaker 1", "P07"]
    start(window, 2)
    press(window, Qt.Key.Key_1)
    assert page(window).model.lines[2].speaker == "P07"
    assert not page(window).model.lines[2].flag, "a person said who it is"


def test_the_mode_s_key_brings_the_list_back_to_the_keys(window: MainWindow) -> None:
    window.timeline.setFocus()
    press(window, Qt.Key.Key_4, CTRL)
    assert page(window).view.hasFocus()
    assert page(window).view.current(), "something is selected as soon as keys mean something"


def test_what_does_not_belong_in_it_is_dropped_from_the_menu(window: MainWindow) -> None:
    session, before = window.studio.session, said(window)
    start(window, 0)
    window.menus.actions["drop_silent"].trigger()
    assert said(window) == before, "nobody looked for speech"
    with session.study.run_transaction():
        insert_run(session.study, Run("v", before[0].recording_id, "speech", "x", {}, {}, "2026-01-01", "0"))
        insert_asr_segments(session.study, "v", [AsrSegment(0, 6_100_000), AsrSegment(9_000_000, 9_500_000)])
    window.menus.actions["drop_silent"].trigger()
    assert said(window) == [before[0], before[1], before[3]]
    start(window, 1)
    press(window, Qt.Key.Key_1)
    window.menus.actions["drop_speaker"].trigger()
    assert said(window) == [before[0], before[3]]
    press(window, Qt.Key.Key_Z, CTRL)
    assert len(said(window)) == 3
