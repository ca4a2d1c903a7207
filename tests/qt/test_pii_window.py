"""Deciding on personal information in the window: by keys, by place, by word, by hand, and with its sound."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymize.egress.weights_download_job import InstallationParameters, InstallationResult
from anonymize.pii_review import study_finder as search
from app.gui.release.pii_tab import PiiTab
from app.gui.window.main_window import MainWindow
from models.weights import installed_weights as weights
from project.codec import dump
from project.entities.study_records import Changes, Json, Participant, ParticipantRole, Utterance
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
from tests.builders.listed_names import LISTED
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused

SAID = (
    "My name is Robert Miller, call 555-867-5309.",
    "Nothing is said here.",
    "Then Robert Miller went home with quixel.",
    "Write to bob@lab.example.org, please.",
)
POLISH = "Dzień dobry, nazywam się Anna i mieszkam w małym miasteczku nad morzem, a pan skąd do nas przyjechał"
FOUND: dict[str, dict[str, Json]] = {}


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


def search_at_once(session: Session, work: JobSpec) -> None:
    """Search the texts here, once for all tests; a worker takes seconds to begin."""
    texts = json.dumps(dump(work.parameters))
    if texts not in FOUND:
        FOUND[texts] = search.compute(work.parameters, Silent())
    search.store(session, work, FOUND[texts])


@pytest.fixture
def main(open_reused: OpenReused, study: Path, answers: Answers, tmp_path: Path) -> MainWindow:
    answers.give(save=tmp_path, agree=True)
    return open_reused(study)


@pytest.fixture
def window(english_names: None, main: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> PiiTab:
    """The window once it found everything; whatever it searches is searched here and not by a worker."""

    def start(work: JobSpec, then: Callable[[Mapping[str, Json]], object], noted: bool = True) -> None:
        search_at_once(main.studio.session, work)
        then({})

    monkeypatch.setattr(main.jobs, "start", start)
    return open_pii(main, qtbot)


def open_pii(main: MainWindow, qtbot: QtBot) -> PiiTab:
    window: PiiTab = main.windows.open_window("pii")
    with qtbot.waitSignal(window._finding.changed):
        pass
    return window


def session_of(window: PiiTab) -> Session:
    return window._context.studio.session


def texts(window: PiiTab) -> list[tuple[str, str]]:
    return [(hit.hit.text, "" if hit.verdict is None else str(hit.verdict)) for hit in window._finding.hits]


def press(qtbot: QtBot, window: PiiTab, key: Qt.Key, shift: bool = False) -> None:
    window.activateWindow()
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(window.current_table, key, held)


def choose(window: PiiTab, text: str) -> None:
    keys = [row.key for row in window.current_table.records() if text in row.cells[0]]
    window.current_table.select(keys[:1])


def say(window: PiiTab, qtbot: QtBot, recording: int, text: str) -> None:
    """Let somebody say something at the beginning of a recording, and wait until the window has searched it."""

    def write(session: Session) -> Changes:
        at = all_recordings(session.study)[recording].id
        with session.step("Say") as step:
            insert_utterances(session.study, [Utterance(new_id(), at, 0, 900_000, text, None, ())])
        return step.changes

    with qtbot.waitSignal(window._finding.changed):
        window._context.studio.edit(write)


def test_nothing_is_called_decided_while_it_looks(main: MainWindow, qtbot: QtBot) -> None:
    window: PiiTab = main.windows.open_window("pii")
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


def test_every_place_is_listed_and_narrowed_by_conditions_and_words(window: PiiTab, qtbot: QtBot) -> None:
    rows = window.places.records()
    assert [row.cells[0][slice(*row.marks[0])] for row in rows] == [
        *("Robert Miller", "555-867-5309", "Robert Miller", "bob@lab.example.org"),
    ]
    assert "1  0:00:02." in rows[0].cells[2]
    assert "utterance" in rows[0].cells[2]
    assert rows[0].cells[4] == rows[2].cells[4] == "[PERSON_1]"
    assert window.decide_bar.count.text() == "4 of 4 undecided"
    window.bar.buttons["kind"].set_ticked(["phone"])
    assert [row.cells[1] for row in window.places.records()] == ["Telephone number"]
    window.bar.reset()
    window.activateWindow()
    window.bar.search.setFocus()
    QApplication.processEvents()
    qtbot.keyClicks(window.bar.search, "hk")
    assert window.bar.search.text() == "hk"
    assert {state for _, state in texts(window)} == {""}, "letters that are typed decide nothing"
    window.bar.search.setText("QUIXEL")
    window.show_hits()
    assert [placed_hit.hit.text for placed_hit in window.selected()] == ["Robert Miller"]
    assert window.decide_bar.count.text() == "4 of 4 undecided", "of the study, not of the list"


def test_keys_decide_and_lead_on_to_what_nobody_decided_on(window: PiiTab, answers: Answers, qtbot: QtBot) -> None:
    window.places.select([window.places.records()[0].key])
    assert not window.decide_bar.chosen.isVisible()
    press(qtbot, window, Qt.Key.Key_H)
    assert window.status.text() == ""
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
    window.places.selectAll()
    assert window.decide_bar.chosen.text() == "4 places selected"
    press(qtbot, window, Qt.Key.Key_H)
    assert window.status.text() == "Changed 4 places. One undo takes it back."
    assert {state for _, state in texts(window)} == {"hide"}
    assert window.decide_bar.count.text() == "0 of 4 undecided"
    assert len(window.places.selected()) == 4
    press(qtbot, window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: {state for _, state in texts(window)} == {""})
    assert answers.asked == [], "what is of one recording is not asked about"


def test_places_of_several_recordings_are_asked_about_as_one_step(
    window: PiiTab, answers: Answers, qtbot: QtBot
) -> None:
    say(window, qtbot, 1, "My name is Robert Miller, call 555-867-5309.")
    for tab, key, shift, count in (
        (0, Qt.Key.Key_H, False, 6),
        (1, Qt.Key.Key_K, True, 5),
    ):
        window.tabs.setCurrentIndex(tab)
        if tab:
            rows = window.words.records()
            window.words.select([row.key for row in rows if row.cells[0].startswith(("Robert", "555"))])
        else:
            window.places.selectAll()
        assert window.decide_bar.chosen.text() == f"{count} places in 2 recordings selected"
        before = texts(window)
        answers.asked.clear()
        answers.give(agree=False)
        press(qtbot, window, key, shift)
        ((_, _, question, button),) = answers.asked
        assert question.startswith(f"Change {count} places in 2 recordings?\n")
        assert button == f"Change {count} places"
        assert texts(window) == before
        answers.give(agree=True)
        press(qtbot, window, key, shift)
        assert len(answers.asked) == 2
        qtbot.waitUntil(lambda before=before: texts(window) != before)
        window._context.studio.undo()
        qtbot.waitUntil(lambda before=before: texts(window) == before)


def test_a_word_is_hidden_or_kept_everywhere_and_a_name_is_somebody_s(window: PiiTab, qtbot: QtBot) -> None:
    study = session_of(window).study
    window.tabs.setCurrentIndex(1)
    assert window.words.records()[0].cells[:4] == ("Robert Miller", "Name of a person", "2", "2")
    choose(window, "Robert Miller")
    with qtbot.waitSignal(window._finding.changed):
        press(qtbot, window, Qt.Key.Key_H, shift=True)
    assert [private_word.word for private_word in private_words(study)] == ["Robert Miller"]
    assert [state for text, state in texts(window) if text == "Robert Miller"] == ["hide", "hide"]
    choose(window, "bob@")
    with qtbot.waitSignal(window._finding.changed):
        press(qtbot, window, Qt.Key.Key_K, shift=True)
    assert public_words(study) == {"bob@lab.example.org"}
    assert "bob@lab.example.org" not in {text for text, _ in texts(window)}
    who = next(participant.id for participant in all_participants(study) if participant.pseudonym == "P77")
    choose(window, "Robert")
    box = window.decide_bar.person
    box.setCurrentIndex(box.findData(who))
    with qtbot.waitSignal(window._finding.changed):
        box.activated.emit(box.currentIndex())
    assert {hit.hit.participant_id for hit in window._finding.hits if "Robert" in hit.hit.text} == {who}
    assert "P77" in {row.cells[-1] for row in window.words.records() if "Robert" in row.cells[0]}


def test_what_no_rule_found_is_marked_by_hand(window: PiiTab, qtbot: QtBot) -> None:
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


def test_the_key_is_saved_to_a_file_of_ones_own(window: PiiTab, answers: Answers, tmp_path: Path) -> None:
    window.tabs.setCurrentIndex(2)
    assert ("[PERSON_1]", "Name of a person", "", "Robert Miller", "2") in window.key.table.texts()
    window.key.save.click()
    file = tmp_path / "lab key.csv"
    assert "Robert Miller" in file.read_text("utf-8-sig")
    assert file.stat().st_mode & 0o077 == 0
    assert "apart" in answers.asked[0].title
    assert "never put it beside a release" in window.status.text()
    window.key.save.click()
    assert "already" in window.status.text()


def test_edits_are_followed_and_a_language_that_is_not_covered_is_named(window: PiiTab, qtbot: QtBot) -> None:
    assert not window.languages.isVisible()
    say(window, qtbot, 0, "My name is Carla Example-Jones.")
    assert "Carla Example-Jones" in {text for text, _ in texts(window)}
    say(window, qtbot, 1, POLISH)
    assert window.languages.isVisible()
    assert "Recording 2: 18 of 18 words are not covered, mostly in Polish" in window.languages.text()
    assert "pii-reviewed" in window.languages.text()
    with qtbot.waitSignal(window._finding.changed):
        window._context.studio.undo()
    assert not window.languages.isVisible()


def test_the_model_that_a_transcript_lacks_is_got_by_a_button_and_the_texts_are_searched_again(
    main: MainWindow, answers: Answers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, english_names_folder: Path
) -> None:
    session = main.studio.session
    recording = all_recordings(session.study)[0]
    said = utterances_of(session.study, recording.id)[1]
    with session.step("Say"):
        update_utterance(session.study, replace(said, text=f"so {LISTED.lower()} laughed"))
    search_at_once(session, search.prepare(session))
    window = open_pii(main, qtbot)
    assert "no model of English names" in window.languages.text()
    assert "File > Models…" in window.languages.text()
    button = window.models.buttons["ner-english"]
    assert button.isVisible()
    assert "MIT" in button.toolTip()
    assert LISTED.lower() not in [text for text, _ in texts(window)]
    started: list[JobSpec] = []
    monkeypatch.setattr(main.jobs, "start", lambda work, then=None, noted=True: started.append(work))
    answers.give(agree=False)
    button.click()
    assert "ner-english" in answers.asked[0].question
    assert started == []
    assert "allows no downloads" in window.models.state.text()
    answers.give(agree=True)
    button.click()
    (work,) = started
    assert (work.kind, work.parameters) == ("fetch", InstallationParameters("ner-english"))
    assert not button.isEnabled()
    monkeypatch.undo()
    shutil.copytree(english_names_folder, weights.weights_folder())
    search_at_once(session, search.prepare(session))
    with qtbot.waitSignal(window._finding.changed):
        main.jobs.done.emit(work, InstallationResult("ner-english"))
    assert not window.languages.isVisible()
    assert not window.models.isVisible()
    assert (LISTED.lower(), "") in texts(window)


def test_without_the_part_that_searches_it_says_so_and_a_button_gets_it(
    main: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, without_names: None
) -> None:
    window = main.windows.open_window("pii")
    assert isinstance(window, PiiTab)
    qtbot.waitUntil(lambda: "“names”, which is not installed" in window.status.text())
    assert "Get it: File > Models…" in window.languages.text()
    window.tabs.setCurrentIndex(2)
    started: list[JobSpec] = []
    monkeypatch.setattr(main.jobs, "start", lambda work, then=None, noted=True: started.append(work))
    window.models.buttons["names"].click()
    (work,) = started
    assert (work.kind, work.parameters) == ("fetch", InstallationParameters("names"))
    monkeypatch.undo()
    session = main.studio.session
    assert session is not None
    search_at_once(session, search.prepare(session))
    with qtbot.waitSignal(window._finding.changed):
        main.jobs.done.emit(work, InstallationResult("names"))
    assert not window.languages.isVisible()
    assert ("Robert Miller", "") in texts(window)
