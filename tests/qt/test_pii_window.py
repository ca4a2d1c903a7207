"""Deciding on personal information in the window: by keys, by place, by word, by hand, and with its sound."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymize.pii_review import study_finder as search
from anonymize.pii_review.review_hits import find_hits
from app.gui.release.pii_tab import PiiWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from models.weights import installed_weights as weights
from project.entities.study_records import Json, Participant, ParticipantRole, Utterance
from project.entities.transcript import estimate_word_times
from project.ids import new_id
from project.progress import Silent
from project.queries.pii_rows import PiiVerdict, pii_decisions, private_words, public_words
from project.queries.recording_rows import all_participants, all_recordings, insert_participant
from project.queries.transcript_rows import insert_utterances, update_utterance, utterances_of
from project.session.jobs import JobSpec
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.listed_names import LISTED

SAID = (
    "My name is Robert Miller, call 555-867-5309.",
    "Nothing is said here.",
    "Then Robert Miller went home with quixel.",
    "Write to bob@lab.example.org, please.",
)
FOUND: dict[str, dict[str, Json]] = {}
pytestmark = pytest.mark.usefixtures("english_names")


class Answers(Dialogs):
    def __init__(self, place: Path) -> None:
        self.place = place
        self.questions: list[str] = []
        self.asked: list[str] = []
        self.answer = True

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        self.questions.append(question)
        self.asked.append(f"{question.splitlines()[0]} [{button}]")
        return self.answer

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        assert "apart" in title
        return self.place / path.name


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=2, segments=0, annotators=1)
    with Session.open(path, "Ada") as session, session.step("Say"):
        first, _ = all_recordings(session.study)
        session.study.write("UPDATE collection SET name = 'c', agent_context = ''", ())
        insert_participant(session.study, Participant(new_id(), "P77", ParticipantRole.USER, ""))
        insert_utterances(
            session.study,
            [
                Utterance(new_id(), first.id, at, at + 900_000, text, None, estimate_word_times(text, at, at + 900_000))
                for at, text in zip(range(2_000_000, 9_000_000, 1_000_000), SAID, strict=False)
            ],
        )
    return path


def search_at_once(session: Session) -> None:
    """Search the texts here, once for all tests; a worker takes seconds to begin. Two tests below wait for theirs."""
    work = search.prepare(session)
    texts = json.dumps(work.parameters)
    if texts not in FOUND:
        FOUND[texts] = search.compute(work.parameters, Silent())
    search.store(session, work, FOUND[texts])


@pytest.fixture
def main(qtbot: QtBot, study: Path, tmp_path: Path) -> Iterator[MainWindow]:
    made = MainWindow(Answers(tmp_path))
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    assert made.open_study(study)
    yield made
    made.close()


@pytest.fixture
def window(main: MainWindow, qtbot: QtBot) -> PiiWindow:
    session = main.studio.session
    assert session is not None
    search_at_once(session)
    found = main.windows.open_window("pii")
    assert isinstance(found, PiiWindow)
    with qtbot.waitSignal(found._finding.changed):
        pass
    return found


def session_of(window: PiiWindow) -> Session:
    session = window._context.studio.session
    assert session is not None
    return session


def texts(window: PiiWindow) -> list[tuple[str, str]]:
    return [(hit.hit.text, "" if hit.verdict is None else str(hit.verdict)) for hit in window._finding.hits]


def press(qtbot: QtBot, window: PiiWindow, key: Qt.Key, shift: bool = False) -> None:
    window.activateWindow()
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(window.current_table, key, held)


def choose(window: PiiWindow, text: str) -> None:
    keys = [row.key for row in window.current_table.rows_model.rows() if text in row.cells[0]]
    window.current_table.select(keys[:1])


def test_everything_has_a_name_and_every_button_is_explained(window: PiiWindow) -> None:
    assert nameless(window) == []
    assert unexplained(window) == []


def test_every_place_is_listed_with_what_stands_around_it_and_when_it_is_said(window: PiiWindow) -> None:
    rows = window.places.rows_model.rows()
    assert [row.cells[0][slice(*row.marks[0])] for row in rows] == [
        *("Robert Miller", "555-867-5309", "Robert Miller", "bob@lab.example.org"),
    ]
    assert "1  0:00:02." in rows[0].cells[2]
    assert "utterance" in rows[0].cells[2]
    assert rows[0].cells[4] == rows[2].cells[4] == "[PERSON_1]"
    assert window.decide_bar.count.text() == "4 of 4 undecided"


def test_nothing_is_called_decided_while_it_looks(main: MainWindow, qtbot: QtBot) -> None:
    window = main.windows.open_window("pii")
    assert isinstance(window, PiiWindow)
    window.step(1)
    assert "still looks" in window.status.text()
    assert "Nothing personal" not in window.places.accessibleDescription()
    with qtbot.waitSignal(window._finding.changed):
        pass
    window.places.selectAll()
    window.decide(PiiVerdict.HIDE)
    window.step(1)
    assert window.status.text() == "Nothing is undecided in this list."
    window._finding._on_search_stopped("")
    window._finding.complete = False
    window.step(1)
    assert "may lack something" in window.status.text()


def test_keys_decide_and_lead_on_to_what_nobody_decided_on(window: PiiWindow, qtbot: QtBot) -> None:
    window.places.select([window.places.rows_model.rows()[0].key])
    press(qtbot, window, Qt.Key.Key_H)
    press(qtbot, window, Qt.Key.Key_K)
    assert texts(window) == [
        *(("Robert Miller", "hide"), ("555-867-5309", "keep"), ("Robert Miller", "")),
        ("bob@lab.example.org", ""),
    ]
    assert window.selected()[0].hit.start == 5
    assert window.decide_bar.count.text() == "2 of 4 undecided"
    decided = pii_decisions(session_of(window).study)
    assert sorted(pii_decision.verdict.value for pii_decision in decided.values()) == ["hide", "keep"]
    press(qtbot, window, Qt.Key.Key_N, shift=True)
    assert window.selected()[0].hit.text == "bob@lab.example.org", "round the end"
    window._context.studio.undo()
    qtbot.waitUntil(lambda: texts(window)[1] == ("555-867-5309", ""))


def test_many_are_decided_at_once_and_taken_back(window: PiiWindow, qtbot: QtBot) -> None:
    window.places.selectAll()
    press(qtbot, window, Qt.Key.Key_H)
    assert {state for _, state in texts(window)} == {"hide"}
    assert window.decide_bar.count.text() == "0 of 4 undecided"
    assert len(window.places.selected()) == 4
    press(qtbot, window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: {state for _, state in texts(window)} == {""})


def test_a_word_is_hidden_or_kept_everywhere(window: PiiWindow, qtbot: QtBot) -> None:
    window.tabs.setCurrentIndex(1)
    assert window.words.rows_model.rows()[0].cells[:4] == ("Robert Miller", "Name of a person", "2", "2")
    choose(window, "Robert Miller")
    with qtbot.waitSignal(window._finding.changed):
        press(qtbot, window, Qt.Key.Key_H, shift=True)
    assert [private_word.word for private_word in private_words(session_of(window).study)] == ["Robert Miller"]
    assert [state for text, state in texts(window) if text == "Robert Miller"] == ["hide", "hide"]
    choose(window, "bob@")
    with qtbot.waitSignal(window._finding.changed):
        press(qtbot, window, Qt.Key.Key_K, shift=True)
    assert public_words(session_of(window).study) == {"bob@lab.example.org"}
    assert "bob@lab.example.org" not in {text for text, _ in texts(window)}


def _say_in_the_second_recording(window: PiiWindow, qtbot: QtBot) -> Answers:
    second = all_recordings(session_of(window).study)[1]

    def write(session: Session):
        with session.step("Say") as step:
            said = Utterance(new_id(), second.id, 0, 900_000, "My name is Robert Miller, call 555-867-5309.", None, ())
            insert_utterances(session.study, [said])
        return step.changes

    with qtbot.waitSignal(window._finding.changed):
        window._context.studio.edit(write)
    questions = window._context.questions
    assert isinstance(questions, Answers)
    return questions


@pytest.mark.parametrize(
    ("words", "key", "shift"),
    [
        pytest.param(False, Qt.Key.Key_H, False, id="places"),
        pytest.param(True, Qt.Key.Key_K, False, id="words"),
        pytest.param(True, Qt.Key.Key_H, True, id="hidden everywhere"),
        pytest.param(True, Qt.Key.Key_K, True, id="kept everywhere"),
    ],
)
def test_places_of_several_recordings_are_counted_and_asked_about_as_one_step(
    window: PiiWindow, qtbot: QtBot, words: bool, key: Qt.Key, shift: bool
) -> None:
    questions = _say_in_the_second_recording(window, qtbot)
    window.tabs.setCurrentIndex(1 if words else 0)
    count = 5
    if words:
        rows = window.words.rows_model.rows()
        window.words.select([row.key for row in rows if row.cells[0].startswith(("Robert", "555"))])
    else:
        window.places.selectAll()
        count = 6
    assert window.decide_bar.chosen.text() == f"{count} places in 2 recordings selected"
    before = texts(window)
    questions.answer = False
    press(qtbot, window, key, shift)
    assert questions.asked == [f"Change {count} places in 2 recordings? [Change {count} places]"]
    assert texts(window) == before
    questions.answer = True
    studio = window._context.studio
    press(qtbot, window, key, shift)
    assert len(questions.asked) == 2
    qtbot.waitUntil(lambda: texts(window) != before)
    studio.undo()
    qtbot.waitUntil(lambda: texts(window) == before)


def test_what_is_done_to_one_place_or_one_recording_is_not_asked_about(window: PiiWindow, qtbot: QtBot) -> None:
    questions = window._context.questions
    assert isinstance(questions, Answers)
    window.places.select([window.places.rows_model.rows()[0].key])
    assert not window.decide_bar.chosen.isVisible()
    press(qtbot, window, Qt.Key.Key_H)
    assert window.status.text() == ""
    window.places.selectAll()
    assert window.decide_bar.chosen.text() == "4 places selected"
    press(qtbot, window, Qt.Key.Key_H)
    assert window.status.text() == "Changed 4 places. One undo takes it back."
    press(qtbot, window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: {state for _, state in texts(window)} == {""})
    assert questions.asked == []


def test_whose_name_it_is(window: PiiWindow, qtbot: QtBot) -> None:
    who = next(
        participant for participant in all_participants(session_of(window).study) if participant.pseudonym == "P77"
    )
    choose(window, "Robert")
    box = window.decide_bar.person
    box.setCurrentIndex(box.findData(who.id))
    with qtbot.waitSignal(window._finding.changed):
        box.activated.emit(box.currentIndex())
    assert {hit.hit.participant_id for hit in window._finding.hits if "Robert" in hit.hit.text} == {who.id}
    window.tabs.setCurrentIndex(1)
    assert window.words.rows_model.rows()[-1].cells[-1] == "P77"
    assert window.bar.isVisible()


def test_what_no_rule_found_is_marked_by_hand(window: PiiWindow, qtbot: QtBot) -> None:
    choose(window, "quixel")
    pane = window.context_pane
    assert not pane.add.isEnabled()
    start = SAID[2].index("quixel")
    cursor = pane.text.textCursor()
    cursor.setPosition(start - 1)
    cursor.setPosition(start + 6, QTextCursor.MoveMode.KeepAnchor)
    pane.text.setTextCursor(cursor)
    assert pane.selected() == (start, start + 6), "without the blank"
    pane.kind.setCurrentIndex(pane.kind.findData("place"))
    with qtbot.waitSignal(window._finding.changed):
        pane.add.click()
    (placed_hit,) = [each for each in window._finding.hits if each.hit.text == "quixel"]
    assert (placed_hit.kind, placed_hit.verdict, placed_hit.hit.source) == ("place", "hide", "hand")
    window._context.studio.undo()
    qtbot.waitUntil(lambda: "quixel" not in {text for text, _ in texts(window)})


def test_conditions_and_words_narrow_the_list(window: PiiWindow) -> None:
    window.bar.buttons["kind"].set_ticked(["phone"])
    assert [row.cells[1] for row in window.places.rows_model.rows()] == ["Telephone number"]
    window.bar.reset()
    window.bar.search.setText("QUIXEL")
    window.refresh()
    assert [placed_hit.hit.text for placed_hit in window.selected()] == ["Robert Miller"]
    assert window.decide_bar.count.text() == "4 of 4 undecided", "of the study, not of the list"


def test_the_sound_of_a_place_is_played_with_a_second_around(
    window: PiiWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(type(window._context.player), "play_span", lambda _self, *span: asked.append(span))
    object.__setattr__(window._context, "look_at", lambda *where: asked.append(where))
    window.places.select([window.places.rows_model.rows()[0].key])
    (placed_hit,) = window.selected()
    press(qtbot, window, Qt.Key.Key_Space)
    assert asked == [
        (placed_hit.recording_id, placed_hit.time_us),
        (placed_hit.time_us - 1_000_000, placed_hit.end_us + 1_000_000),
    ]
    press(qtbot, window, Qt.Key.Key_Return)
    assert asked[2:] == [(placed_hit.recording_id, placed_hit.time_us)]
    assert window._context.studio.selected_utterances == (placed_hit.place.row,)


def test_an_edit_of_the_transcript_is_followed(window: PiiWindow, qtbot: QtBot) -> None:
    study = session_of(window).study
    (*_, last) = utterances_of(study, all_recordings(study)[0].id)

    def write(session: Session):
        from dataclasses import replace

        with session.step("Write") as step:
            update_utterance(session.study, replace(last, text="Ask Carla Example-Jones.", words=()))
        return step.changes

    with qtbot.waitSignal(window._finding.changed):
        window._context.studio.edit(write)
    assert [text for text, _ in texts(window)][-1].startswith("Carla")
    assert texts(window) == [(hit.hit.text, str(hit.verdict or "")) for hit in find_hits(session_of(window))]


def test_the_key_is_shown_here_and_saved_to_a_file_of_ones_own(window: PiiWindow, tmp_path: Path) -> None:
    window.tabs.setCurrentIndex(2)
    assert ("[PERSON_1]", "Name of a person", "", "Robert Miller", "2") in window.key.table.texts()
    window.key.save.click()
    file = tmp_path / "lab key.csv"
    assert "Robert Miller" in file.read_text("utf-8-sig")
    assert file.stat().st_mode & 0o077 == 0
    assert "never put it beside a release" in window.status.text()
    window.key.save.click()
    assert "already" in window.status.text()


def test_letters_typed_into_the_search_decide_nothing(window: PiiWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.bar.search.setFocus()
    QApplication.processEvents()
    qtbot.keyClicks(window.bar.search, "hk")
    assert window.bar.search.text() == "hk"
    assert {state for _, state in texts(window)} == {""}


def test_a_transcript_in_a_language_that_is_not_covered_is_named_until_it_is(window: PiiWindow, qtbot: QtBot) -> None:
    assert not window.languages.isVisible()
    recording = all_recordings(session_of(window).study)[1]
    polish = "Dzień dobry, nazywam się Anna i mieszkam w małym miasteczku nad morzem, a pan skąd do nas przyjechał"

    def write(session: Session):
        with session.step("Say") as step:
            insert_utterances(session.study, [Utterance(new_id(), recording.id, 0, 900_000, polish, None, ())])
        return step.changes

    with qtbot.waitSignal(window._finding.changed):
        window._context.studio.edit(write)
    assert window.languages.isVisible()
    assert "Recording 2: 18 of 18 words are not covered, mostly in Polish" in window.languages.text()
    assert "pii-reviewed" in window.languages.text()
    with qtbot.waitSignal(window._finding.changed):
        window._context.studio.undo()
    assert not window.languages.isVisible()


def test_the_model_that_a_transcript_lacks_is_got_by_a_button_and_the_texts_are_searched_again(
    main: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, english_names_folder: Path
) -> None:
    shutil.rmtree(weights.weights_folder())
    session = main.studio.session
    recording = all_recordings(session.study)[0]
    said = utterances_of(session.study, recording.id)[1]
    with session.step("Say"):
        update_utterance(session.study, replace(said, text=f"so {LISTED.lower()} laughed"))
    search_at_once(session)
    window = main.windows.open_window("pii")
    assert isinstance(window, PiiWindow)
    with qtbot.waitSignal(window._finding.changed):
        pass
    assert "no model of English names" in window.languages.text()
    assert "greenroom models fetch ner-english" in window.languages.text()
    button = window.models.buttons["ner-english"]
    assert button.isVisible()
    assert "MIT" in button.toolTip()
    assert LISTED.lower() not in [text for text, _ in texts(window)]
    started: list[JobSpec] = []
    monkeypatch.setattr(main.jobs, "start", lambda work, then=None, noted=True: started.append(work))
    answers = main.files.questions
    assert isinstance(answers, Answers)
    answers.answer = False
    button.click()
    assert "ner-english" in answers.questions[0]
    assert started == []
    assert "allows no downloads" in window.models.state.text()
    answers.answer = True
    button.click()
    (work,) = started
    assert (work.kind, work.parameters) == ("fetch", {"name": "ner-english"})
    assert not button.isEnabled()
    monkeypatch.undo()
    shutil.copytree(english_names_folder, weights.weights_folder())
    search_at_once(session)
    with qtbot.waitSignal(window._finding.changed):
        main.jobs.done.emit(work, {"name": "ner-english"})
    assert not window.languages.isVisible()
    assert not window.models.isVisible()
    assert (LISTED.lower(), "") in texts(window)


def test_without_the_part_that_searches_it_says_so_and_a_button_gets_it(
    main: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, without_names: None
) -> None:
    window = main.windows.open_window("pii")
    assert isinstance(window, PiiWindow)
    qtbot.waitUntil(lambda: "“names”, which is not installed" in window.status.text())
    assert "Get it: greenroom models fetch names" in window.languages.text()
    window.tabs.setCurrentIndex(2)
    started: list[JobSpec] = []
    monkeypatch.setattr(main.jobs, "start", lambda work, then=None, noted=True: started.append(work))
    window.models.buttons["names"].click()
    (work,) = started
    assert (work.kind, work.parameters) == ("fetch", {"name": "names"})
    monkeypatch.undo()
    session = main.studio.session
    assert session is not None
    search_at_once(session)
    with qtbot.waitSignal(window._finding.changed):
        main.jobs.done.emit(work, {"name": "names"})
    assert not window.languages.isVisible()
    assert ("Robert Miller", "") in texts(window)
