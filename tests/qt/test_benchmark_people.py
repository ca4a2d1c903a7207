"""A person answers the items of a set in the real window, blind, by keys, and goes on another time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from annotate.transcript.transcript_edits import add_utterance
from app.gui.benchmark.answer_room import AnswerRoom
from app.gui.benchmark.benchmark_page import TABS, BenchmarkPage
from app.gui.judges.human_answer import AnswerPanel
from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.queries.item_set_rows import answers_of, benchmark_runs
from project.queries.judgment_rows import find_judgments
from project.schemes.scheme import Field, FieldChoice, FieldKind, Scheme, Track
from project.session.session import Session
from tests.builders.item_sets import freeze, stretch
from tests.builders.main_windows import wait_for_turns
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.mouse_and_keys import press
from tests.builders.shown_texts import shown_texts
from tests.qt.conftest import OpenReused
from widgets.inspector.field_editors import LongChoiceEditor

Key = Qt.Key
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
        wait_for_turns()
        self.page: BenchmarkPage = window.pages.current_view()
        self.show("Run")

    @property
    def session(self) -> Session:
        return self.window.studio.session

    def show(self, tab: str) -> None:
        self.page.tabs.setCurrentIndex(TABS.index(tab))

    def enter(self) -> AnswerRoom:
        self.show("Run")
        self.page.run.answer.click()
        (self.room,) = [room for room in self.window.findChildren(AnswerRoom) if room.isVisible()]
        return self.room

    def sit_down(self) -> AnswerRoom:
        self.enter()
        self.ready()
        return self.room

    def ready(self) -> None:
        self.qtbot.waitUntil(lambda: self.room.is_ready)

    def answer(self, *keys: str) -> None:
        self.ready()
        press(self.window, *keys)

    def said(self) -> list[JudgmentStatus]:
        (run,) = benchmark_runs(self.session.study)
        ids = [answer.judgment_id for answer in answers_of(self.session.study, run.id)]
        return [judgment.status for judgment in find_judgments(self.session.study, ids)]

    def labels_of_items(self) -> list[str]:
        return sorted(row[3] for row in self.page.items.table.texts())

    def names_in_results(self) -> str:
        return " ".join(row[0] for row in self.page.results.table.texts())


@pytest.fixture
def seat(qtbot: QtBot, open_reused: OpenReused, session: Session) -> Open:
    def make(who: str = "Cy") -> Seat:
        path = session.study.path
        session.close()
        window = open_reused(path, who)
        qtbot.waitUntil(window.isActiveWindow)
        return Seat(window, qtbot)

    return make


def test_items_are_answered_by_keys_with_pauses_and_hidden_until_all_are(seat: Open) -> None:
    on = seat()
    room = on.sit_down()
    on.answer("Ctrl+Return")
    assert "Fill it in" in room.note.text()
    assert on.said() == [], "nothing is saved that does not fit"
    on.answer("1", "Ctrl+Return")
    on.answer("Esc")
    assert not on.window.blindness.is_active
    assert on.window.workspace.isVisible()
    on.show("Items")
    on.qtbot.waitUntil(lambda: on.labels_of_items() == ["error", "hidden", "hidden"])
    on.show("Results")
    assert "Cy" not in on.names_in_results()
    assert "hidden" in on.page.results.status.text()
    room = on.sit_down()
    assert "1 of 3 answered" in room.count.text()
    on.answer("2", "Ctrl+Return")
    on.answer("Ctrl+K")
    assert sorted(on.said()) == [JudgmentStatus.OK, JudgmentStatus.OK, JudgmentStatus.REFUSED]
    assert room.title.text() == "verdict"
    assert "3 of 3 answered · 1 not known" in room.count.text()
    press(on.window, "Esc")
    on.qtbot.waitUntil(lambda: "3 of 3" in on.page.run.standing.text())


def others(window: MainWindow) -> list[QWidget]:
    return [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget is not window]


def test_nothing_that_tells_what_is_right_can_be_seen_or_opened(seat: Open) -> None:
    on = seat()
    window = on.window
    for key in ("segments", "agreement", "measures"):
        window.windows.open_window(key)
    window.menus.actions["shortcuts"].trigger()
    window.player.play()
    on.page.run.answer.setFocus()
    on.sit_down()
    on.qtbot.waitUntil(window.isActiveWindow)
    assert not window.workspace.isVisible()
    assert not window.timeline.isVisible()
    assert not window.player.playing
    assert others(window) == []
    needed = [spec.key for spec in ACTIONS if spec.needs and window.menus.actions[spec.key].isEnabled()]
    assert needed == [], "every action that needs a study is shut"
    for spec in ACTIONS:
        if spec.needs:
            window.menus.actions[spec.key].trigger()
    press(window, "Ctrl+1", "Ctrl+5", "Ctrl+7")
    assert others(window) == []
    assert not window.workspace.isVisible()
    shown = " ".join(shown_texts(window))
    assert SECRET not in shown
    assert "rationale" not in on.room.panel.form.editors
    press(window, "Esc")
    assert not window.blindness.is_active
    assert window.windows.open_window("segments").isVisible()
    assert window.menus.actions["mode_judges"].isEnabled()


def test_what_is_said_can_be_neither_read_nor_heard_where_it_is_the_answer(
    seat: Open, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_utterance(session, WALK, 81 * SECOND, 84 * SECOND, HEARD)
    for task in ("pre", "post"):
        texts = {"options": ["I came by bus.", "I walked."], "facts": {"shown": "How was it?"}}
        item = stretch(f"asked {task}", 80, 88, place=1, truth={task: {task: "B"}}, **texts)
        freeze(session, [replace(item, set_id=task)], task, key=task)
    on = seat()
    heard: list[object] = []
    monkeypatch.setattr(on.window.player, "play", lambda: heard.append("play"))
    monkeypatch.setattr(on.window.playback, "repeat", lambda *span: heard.append(span))
    for task in ("pre", "post"):
        on.page.choose_set(task)
        room = on.sit_down()
        shown = " ".join(shown_texts(on.window))
        assert "How was it?" in shown
        assert HEARD not in shown
        assert not any(part.isVisible() for part in (on.window.workspace.views, on.window.transport))
        for key in (Key.Key_Space, Key.Key_P, Key.Key_J, Key.Key_K, Key.Key_L, Key.Key_MediaPlay):
            QTest.keyClick(room, key)
        press(on.window, "Esc")
        on.show("Items")
        assert on.labels_of_items() == ["hidden"]
        table = on.page.items.table
        table.click_row(0)
        table.doubleClicked.emit(table.currentIndex())
    assert heard == []


def test_own_annotations_are_left_out_and_the_room_closes_with_the_study(seat: Open) -> None:
    on = seat("Bo")
    room = on.enter()
    assert not room.is_ready
    assert "3 of your own left out" in room.count.text()
    press(on.window, "Esc")
    on.page.run.own.setChecked(True)
    on.sit_down()
    assert "0 of 3 answered" in on.room.count.text()
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
