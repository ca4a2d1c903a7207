"""A person answers the items of a set in the real window, blind, by keys, and goes on another time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from annotate.transcript.transcript_edits import add_utterance
from app.gui.benchmark.answer_room import AnswerRoom
from app.gui.benchmark.benchmark_page import TABS, BenchmarkPage
from app.gui.judges.human_answer import AnswerPanel
from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from benchmark.runs.run_figures import RunRead, read_runs
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.queries.item_set_rows import answers_of, benchmark_runs
from project.queries.judgment_rows import find_judgments
from project.schemes.scheme import Field, FieldChoice, FieldKind, Scheme, Track
from project.session.session import Session
from tests.builders.item_sets import freeze, stretch
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.waiting import HANG_S
from widgets.inspector.field_editors import LongChoiceEditor

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
HEARD = "Quite by chance, on foot."
SECRET = "It turned away while she spoke."
TRUTH: dict[str, Json] = {"verdict": {"label": "error"}}
TRAITS: dict[str, Json] = {"labels": ["error", "competence", "none"]}
Open = Callable[..., "Seat"]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as made:
        theirs = [mark(made, "Bo", 20 * at, 20 * at + 8 + at, "error", rationale=SECRET) for at in range(3)]
        freeze(
            made,
            [
                stretch(f"i{at}", 20 * at, 20 * at + 8 + at, text, truth=TRUTH, traits=TRAITS)
                for at, text in enumerate(theirs)
            ],
        )
        yield made


class Seat:
    """Somebody who sits before the window."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        window.choose_recording(WALK)
        window.set_mode("benchmark")
        page = window.workspace.pages.currentWidget()
        assert isinstance(page, BenchmarkPage)
        self.page = page
        page.tabs.setCurrentIndex(TABS.index("Run"))

    @property
    def session(self) -> Session:
        assert self.window.studio.session is not None
        return self.window.studio.session

    def sit_down(self) -> AnswerRoom:
        self.page.run.answer.click()
        rooms = [child for child in self.window.findChildren(AnswerRoom) if child.isVisible()]
        assert len(rooms) == 1
        self.room = rooms[0]
        self.ready()
        return self.room

    def ready(self) -> None:
        self.qtbot.waitUntil(lambda: self.room.is_ready)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def said(self) -> list[JudgmentStatus]:
        (run,) = benchmark_runs(self.session.study)
        ids = [answer.judgment_id for answer in answers_of(self.session.study, run.id)]
        return [judgment.status for judgment in find_judgments(self.session.study, ids)]


@pytest.fixture
def seat(qtbot: QtBot, open_window: Callable[..., MainWindow], session: Session) -> Open:
    def make(who: str = "Cy") -> Seat:
        path = session.study.path
        session.close()
        window = open_window(path, who)
        qtbot.waitUntil(window.isActiveWindow)
        return Seat(window, qtbot)

    return make


def test_all_items_are_answered_by_keys_and_time_is_taken(seat: Open) -> None:
    on = seat()
    room = on.sit_down()
    for number in (Key.Key_1, Key.Key_2):
        on.ready()
        on.press(number)
        on.press(Key.Key_Return, CONTROL)
    on.ready()
    on.press(Key.Key_K, CONTROL)
    assert sorted(on.said()) == [JudgmentStatus.OK, JudgmentStatus.OK, JudgmentStatus.REFUSED]
    assert room.title.text() == "verdict"
    assert "3 of 3 answered · 1 not known" in room.count.text()
    on.press(Key.Key_Escape)
    assert on.window.workspace.isVisible()
    on.qtbot.waitUntil(lambda: "3 of 3" in on.page.run.standing.text())


def test_nothing_is_saved_that_does_not_fit(seat: Open) -> None:
    on = seat()
    room = on.sit_down()
    on.press(Key.Key_Return, CONTROL)
    assert "Fill it in" in room.note.text()
    assert on.said() == []


def test_who_pauses_goes_on_where_they_were(seat: Open) -> None:
    on = seat()
    on.sit_down()
    on.press(Key.Key_1)
    on.press(Key.Key_Return, CONTROL)
    assert len(on.said()) == 1
    on.press(Key.Key_Escape)
    assert not on.window.blindness.is_active
    room = on.sit_down()
    assert "1 of 3 answered" in room.count.text()
    assert len(benchmark_runs(on.session.study)) == 1


def test_nothing_that_tells_what_is_right_can_be_seen_or_opened(seat: Open) -> None:
    on = seat()
    window = on.window
    for key in ("segments", "agreement", "revisions"):
        window.windows.open_window(key)
    window.menus.actions["shortcuts"].trigger()
    window.player.play()
    on.page.run.answer.setFocus()
    on.sit_down()
    on.qtbot.waitUntil(window.isActiveWindow)
    assert not window.workspace.isVisible()
    assert not window.timeline.isVisible()
    assert not window.player.playing
    assert [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget is not window] == []
    needed = [spec.key for spec in ACTIONS if spec.needs and window.menus.actions[spec.key].isEnabled()]
    assert needed == [], "every action that needs a study is shut"
    for spec in ACTIONS:
        if spec.needs:
            window.menus.actions[spec.key].trigger()
    for number in (Key.Key_1, Key.Key_5, Key.Key_7):
        on.press(number, CONTROL)
    assert [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget is not window] == []
    assert not window.workspace.isVisible()
    shown = " ".join(_texts(window))
    assert SECRET not in shown
    assert "rationale" not in on.room.panel.form.editors
    on.press(Key.Key_Escape)
    assert not window.blindness.is_active
    assert window.windows.open_window("segments").isVisible()
    assert window.menus.actions["mode_judges"].isEnabled()


@pytest.mark.parametrize("task", ["pre", "post"])
def test_what_is_said_can_be_neither_read_nor_heard_where_it_is_the_answer(
    seat: Open, session: Session, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_utterance(session, WALK, 81 * SECOND, 84 * SECOND, HEARD)
    options: list[Json] = ["I came by bus.", "I walked."]
    item = stretch("asked", 80, 88, options=options, place=1, facts={"shown": "How was it?"}, truth={task: {task: "B"}})
    asked = freeze(session, [replace(item, set_id=task)], task, key=task)
    on = seat()
    on.page.choose_set(asked.id)
    heard: list[object] = []
    monkeypatch.setattr(on.window.player, "play", lambda: heard.append("play"))
    monkeypatch.setattr(on.window.playback, "repeat", lambda *span: heard.append(span))
    room = on.sit_down()
    shown = " ".join(_texts(on.window))
    assert "How was it?" in shown
    assert HEARD not in shown
    assert not [one for one in (on.window.workspace.views, on.window.transport) if one.isVisible()]
    for key in (Key.Key_Space, Key.Key_P, Key.Key_J, Key.Key_K, Key.Key_L, Key.Key_MediaPlay):
        QTest.keyClick(room, key)
    on.press(Key.Key_Escape)
    on.page.tabs.setCurrentIndex(TABS.index("Items"))
    table = on.page.items.table
    assert table.texts()[0][3] == "hidden"
    table.click_row(0)
    table.doubleClicked.emit(table.currentIndex())
    assert heard == []


def test_answers_of_others_are_hidden_in_results_and_items_until_one_is_done(seat: Open) -> None:
    on = seat()
    on.sit_down()
    on.press(Key.Key_1)
    on.press(Key.Key_Return, CONTROL)
    on.press(Key.Key_Escape)
    on.page.tabs.setCurrentIndex(TABS.index("Items"))
    on.qtbot.waitUntil(lambda: len(on.page.items.table.texts()) == 3)
    assert sorted(row[3] for row in on.page.items.table.texts()) == ["error", "hidden", "hidden"]
    on.page.tabs.setCurrentIndex(TABS.index("Results"))
    assert not any(row[0].startswith("Cy") for row in on.page.results.table.texts())
    assert "hidden" in on.page.results.status.text()


def test_who_begins_to_answer_while_figures_are_read_is_shown_nothing_late(
    seat: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    on = seat()
    go, threads = Event(), []

    def held(*given: Any, **named: Any) -> list[RunRead]:
        found = read_runs(*given, **named)
        threads.append(current_thread())
        assert go.wait(HANG_S)
        return found

    monkeypatch.setattr("app.gui.benchmark.benchmark_mode.read_runs", held)
    on.page.tabs.setCurrentIndex(TABS.index("Items"))
    on.qtbot.waitUntil(lambda: bool(threads))
    assert main_thread() not in threads
    on.page.tabs.setCurrentIndex(TABS.index("Run"))
    on.sit_down()
    on.press(Key.Key_1)
    on.press(Key.Key_Return, CONTROL)
    on.press(Key.Key_Escape)
    shown: list[list[str]] = []
    tab = on.page.items
    monkeypatch.setattr(tab, "show_items", lambda _columns, rows, *_rest: shown.append([row.cells[3] for row in rows]))
    on.page.tabs.setCurrentIndex(TABS.index("Items"))
    go.set()
    on.qtbot.waitUntil(lambda: not on.window.background._waiting)
    assert shown
    assert all(sorted(one) == ["error", "hidden", "hidden"] for one in shown), "at no time"
    on.page.tabs.setCurrentIndex(TABS.index("Results"))
    on.qtbot.waitUntil(lambda: "hidden" in on.page.results.status.text())
    assert not any(row[0].startswith("Cy") for row in on.page.results.table.texts())


def test_own_annotations_are_left_out_and_said(seat: Open) -> None:
    on = seat("Bo")
    on.page.run.answer.click()
    (room,) = [child for child in on.window.findChildren(AnswerRoom) if child.isVisible()]
    assert not room.is_ready
    assert "3 of your own left out" in room.count.text()
    on.press(Key.Key_Escape)
    on.page.run.own.setChecked(True)
    on.sit_down()
    assert "0 of 3 answered" in on.room.count.text()


def test_the_room_closes_with_the_study_and_everything_in_it_has_a_name(seat: Open) -> None:
    on = seat()
    room = on.sit_down()
    assert nameless(room) == []
    assert unexplained(room) == []
    on.window.close_study()
    assert not on.window.blindness.is_active
    assert on.window.welcome.isVisible()


def test_one_of_several_sentences_is_chosen_from_a_list_by_number(qtbot: QtBot) -> None:
    sentences = ("She was late, and said so.", "She was early, and nobody was there yet.")
    field = Field(
        "option",
        FieldKind.CHOICE,
        "Right option",
        choices=(FieldChoice("A", sentences[0]), FieldChoice("B", sentences[1])),
    )
    scheme = Scheme("form", "form", 1, (Track("form", "form", ()),), (field,))
    panel = AnswerPanel(scheme, "form", ())
    qtbot.addWidget(panel)
    assert isinstance(panel.form.editors["option"], LongChoiceEditor)
    for number, answer in ((2, {"option": "B"}), (1, {"option": "A"}), (7, {"option": "A"}), (1, {})):
        panel.pick_choice(number)
        assert panel.answer() == answer


def _texts(widget: QWidget) -> list[str]:
    labels = [child.text() for child in widget.findChildren(QLabel) if child.isVisible()]
    return labels + [child.toPlainText() for child in widget.findChildren(QPlainTextEdit) if child.isVisible()]
