"""Two annotators' work is reviewed in the real window, with keys only."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel
from pytestqt.qtbot import QtBot

from annotate.segments import segment_edits as commands
from app.gui.review.adjudication_tab import LaneForm
from app.gui.review.review_items import ReviewItemState
from app.gui.review.review_page import ReviewPage
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ReviewDecision
from project.queries.annotator_rows import reviews_in
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.marked_study import WALK, mark, open_study

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
Open = Callable[[Path], MainWindow]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 10, 20, attributes=["norms"])
        mark(session, "Bo", 10.5, 20, attributes=["norms"])
        mark(session, "Ada", 30, 40, "error", attributes=["norms"], rationale="It left.")
        mark(session, "Bo", 31, 42.5, "competence", attributes=["norms", "emotions"])
        mark(session, "Ada", 100, 110)
        mark(session, "Bo", 200, 210)
        return session.study.path


@pytest.fixture
def open_window(qtbot: QtBot, open_window: Callable[..., MainWindow]) -> Open:
    def make(study: Path) -> MainWindow:
        window = open_window(study, "Ada")
        qtbot.waitUntil(window.isActiveWindow)
        return window

    return make


def press(window: MainWindow, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or window, key, modifier)


def review(window: MainWindow) -> ReviewPage:
    window.choose_recording(WALK)
    press(window, Key.Key_3, modifier=CONTROL)
    page = window.workspace.pages.currentWidget()
    assert isinstance(page, ReviewPage)
    return page


def said(window: MainWindow) -> dict[str, tuple[ReviewDecision, str]]:
    found = reviews_in(window.studio.session.study, WALK)
    return {key: (one[0].decision, one[0].note) for key, one in found.items()}


def test_a_reviewer_goes_through_a_recording_with_keys_only(open_window: Open, study: Path) -> None:
    window = open_window(study)
    page = review(window)
    rows = page.items.rows()
    assert [row.state for row in rows] == [
        ReviewItemState.WAITS,
        ReviewItemState.WAITS_FOR_OTHER,
        ReviewItemState.WAITS,
    ]
    assert [row.text for row in rows] == ["Label, attributes, rationale", "Only Ada", "Only Bo"]

    (hint,) = page.side_by_side.findChildren(QLabel)
    assert "Press N" in hint.text()
    press(window, Key.Key_N)
    shown = page.side_by_side.comparison()
    assert [column.name for column in shown.columns] == ["Ada", "Bo"]
    assert {line.name: line.differs for line in shown.lines} == {
        "Label": True, "Start": False, "End": False, "Attributes": True, "Rationale": True,
    }  # fmt: skip
    (end,) = [line for line in shown.lines if line.name == "End"]
    assert [part.text for part in end.cells[1]] == ["0:00:42.500", "+2.500 s"]
    assert window.player.position_us == 30_000_000
    theirs = shown.columns[1].segment_id
    assert set(window.studio.selected) == {shown.columns[0].segment_id, theirs}

    press(window, Key.Key_T)
    QTest.keyClicks(QApplication.focusWidget(), "No, yes")  # the letters of the page are text here
    press(window, Key.Key_Return)
    assert not said(window)
    press(window, Key.Key_X)
    assert said(window) == {theirs: (ReviewDecision.DISAGREE, "No, yes")}
    assert page.items.current_row() == 2, "it went on to what waits next"
    assert window.player.position_us == 200_000_000
    press(window, Key.Key_Y)
    assert {decision for decision, _ in said(window).values()} == {ReviewDecision.AGREE, ReviewDecision.DISAGREE}

    press(window, Key.Key_Z, modifier=CONTROL)
    assert list(said(window)) == [theirs]
    assert page.items.current_row() == 2
    press(window, Key.Key_P, Key.Key_P)
    assert page.items.current_row() == 0
    press(window, Key.Key_Z, modifier=CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert page.items.current_row() == 2, "what is made again is shown"
    press(window, Key.Key_Z, modifier=CONTROL)
    press(window, Key.Key_P, Key.Key_P)
    assert page.decisions.note.text() == "No, yes"
    press(window, Key.Key_W)
    assert said(window) == {}
    assert page.items.rows()[0].state is ReviewItemState.WAITS


def test_the_keys_mean_this_in_review_only(open_window: Open, study: Path) -> None:
    window = open_window(study)
    review(window)
    press(window, Key.Key_1, modifier=CONTROL)
    window.timeline.setFocus()
    press(window, Key.Key_N, Key.Key_Y, Key.Key_X)
    assert said(window) == {}


@pytest.mark.parametrize("focused", ["items", "recordings"])
def test_the_keys_work_after_a_click_into_a_list(open_window: Open, study: Path, focused: str) -> None:
    window = open_window(study)
    page = review(window)
    lists = {"items": page.items, "recordings": window.workspace.recordings.findChild(QAbstractItemView)}
    view = lists[focused]
    view.setFocus()
    assert QApplication.focusWidget() is view
    press(window, Key.Key_N)
    assert page.items.current_row() == 0
    press(window, Key.Key_Y)
    assert [decision for decision, _ in said(window).values()] == [ReviewDecision.AGREE]
    assert window.studio.recording.id == WALK


def test_edits_and_selections_elsewhere_are_followed(open_window: Open, study: Path) -> None:
    window = open_window(study)
    page = review(window)
    press(window, Key.Key_N, Key.Key_N)
    assert page.items.current_row() == 1
    mine = window.studio.selected[0]
    window.studio.edit(lambda s: commands.move_segments(s, [(mine, 201_000_000, 211_000_000)]))
    assert [row.text for row in page.items.rows()] == ["Label, attributes, rationale", "Nothing differs"]
    window.studio.edit(lambda s: commands.set_label(s, [mine], "competence"))
    assert [row.text for row in page.items.rows()][1] == "Label"
    assert page.items.current_row() == 1, "the item that is shown stays shown"
    window.studio.select(())
    window.timeline.choose([mine])
    assert page.items.current_row() == 1


def test_what_is_alike_is_listed_on_request_and_needs_nothing(open_window: Open, study: Path) -> None:
    window = open_window(study)
    page = review(window)
    page._buttons[list(page._buttons)[2]].click()
    assert page.items.rows()[0].state is ReviewItemState.ALIKE
    press(window, Key.Key_N)
    assert not page.decisions.agree.isEnabled()
    press(window, Key.Key_Y)
    assert said(window) == {}


def test_a_recording_of_one_annotator_says_what_to_do(open_window: Open, tmp_path: Path) -> None:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 10, 20)
        path = session.study.path
    window = open_window(path)
    page = review(window)
    assert not page.items.isVisible()
    assert "Two annotators" in page.findChildren(type(page._empty))[0].accessibleName()


def test_a_third_annotator_is_set_beside_the_two(open_window: Open, tmp_path: Path) -> None:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 10, 20)
        mark(session, "Bo", 10, 20)
        mark(session, "Cy", 11, 20, "competence")
        path = session.study.path
    window = open_window(path)
    page = review(window)
    assert page.people.third.isVisible()
    page.people.third.setCurrentIndex(1)
    page.people.third.activated.emit(1)
    assert [(row.state, row.text) for row in page.items.rows()] == [(ReviewItemState.THIRD, "Cy: label")]
    press(window, Key.Key_N)
    shown = page.side_by_side.comparison()
    assert [column.name for column in shown.columns] == ["Ada", "Bo", "Cy"]
    assert shown.target == -1, "nobody reviews the third"


def test_whoever_is_none_of_the_two_decides_about_both(open_window: Open, study: Path) -> None:
    window = open_window(study)
    window.studio.session.annotator_name = "Dan"
    page = review(window)
    press(window, Key.Key_N)
    press(window, Key.Key_Y)
    assert page.items.current_row() == 0, "Ada's segment still waits"
    shown = page.side_by_side.comparison()
    assert [column.is_decided for column in shown.columns] == [False, True]
    assert shown.target == 0
    press(window, Key.Key_X)
    assert page.items.current_row() == 1
    assert sorted(decision for decision, _ in said(window).values()) == [ReviewDecision.AGREE, ReviewDecision.DISAGREE]


def test_a_lane_is_made_in_the_window(open_window: Open, study: Path) -> None:
    window = open_window(study)
    window.choose_recording(WALK)
    window.menus.actions["adjudicate"].trigger()
    form = window.windows.open_window("adjudicate")
    assert isinstance(form, LaneForm)
    assert nameless(form) == []
    form.make.click()
    assert "1 segment in 1 recording, of 4 moments" in form.result.text()
    assert "Adjudicated" in [lane.title for lane in window.timeline.model.lanes]
    form.name.setText("Bo")
    form.make.click()
    assert "an annotator of this study" in form.result.text()
    window.studio.undo()
    assert "Adjudicated" not in [lane.title for lane in window.timeline.model.lanes]


def test_everything_on_the_page_has_a_name(open_window: Open, study: Path) -> None:
    window = open_window(study)
    page = review(window)
    press(window, Key.Key_N)
    assert nameless(page) == []
    assert unexplained(page) == []
