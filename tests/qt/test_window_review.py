"""Two annotators' work is reviewed in the real window, with keys only."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel
from pytestqt.qtbot import QtBot

from annotate.segments import segment_edits as commands
from app.gui.review.adjudication_tab import AdjudicationTab
from app.gui.review.review_items import ReviewItemState
from app.gui.review.review_page import ReviewPage
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ReviewDecision
from project.queries.annotator_rows import reviews_in
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.mouse_and_keys import press, type_text
from tests.qt.conftest import OpenWindow


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
def page(window: MainWindow, qtbot: QtBot) -> ReviewPage:
    qtbot.waitUntil(window.isActiveWindow)
    return open_review(window)


def open_review(window: MainWindow) -> ReviewPage:
    window.choose_recording(WALK)
    press(window, "Ctrl+3")
    return window.pages.current_view()


def said(window: MainWindow) -> dict[str, tuple[ReviewDecision, str]]:
    found = reviews_in(window.studio.session.study, WALK)
    return {segment: (reviews[0].decision, reviews[0].note) for segment, reviews in found.items()}


def test_a_reviewer_goes_through_a_recording_with_keys_only(window: MainWindow, page: ReviewPage) -> None:
    rows = page.items.rows()
    waits, for_other = ReviewItemState.WAITS, ReviewItemState.WAITS_FOR_OTHER
    assert [row.state for row in rows] == [waits, for_other, waits]
    assert [row.text for row in rows] == ["Label, attributes, rationale", "Only Ada", "Only Bo"]

    (hint,) = page.side_by_side.findChildren(QLabel)
    assert "Press N" in hint.text()
    press(window, "N")
    shown = page.side_by_side.comparison()
    assert [column.name for column in shown.columns] == ["Ada", "Bo"]
    assert {line.name for line in shown.lines if line.differs} == {"Label", "Attributes", "Rationale"}
    (end,) = [line for line in shown.lines if line.name == "End"]
    assert not end.differs
    assert [part.text for part in end.cells[1]] == ["0:00:42.500", "+2.500 s"]
    assert window.player.position_us == 30_000_000
    theirs = shown.columns[1].segment_id
    assert set(window.studio.selected) == {shown.columns[0].segment_id, theirs}

    press(window, "T")
    type_text(window, "No, yes")  # the letters of the page are text here
    press(window, "Return")
    assert not said(window)
    press(window, "X")
    assert said(window) == {theirs: (ReviewDecision.DISAGREE, "No, yes")}
    assert page.items.current_row() == 2, "it went on to what waits next"
    assert window.player.position_us == 200_000_000
    press(window, "Y")
    assert {decision for decision, _ in said(window).values()} == {ReviewDecision.AGREE, ReviewDecision.DISAGREE}

    press(window, "Ctrl+Z")
    assert list(said(window)) == [theirs]
    assert page.items.current_row() == 2
    press(window, "P", "P")
    assert page.items.current_row() == 0
    press(window, "Ctrl+Shift+Z")
    assert page.items.current_row() == 2, "what is made again is shown"
    press(window, "Ctrl+Z", "P", "P")
    assert page.decisions.note.text() == "No, yes"
    press(window, "W")
    assert said(window) == {}
    assert page.items.rows()[0].state is ReviewItemState.WAITS

    # The keys work after a click into a list, and mean this in review only.
    for view in (page.items, window.workspace.recordings.findChild(QAbstractItemView)):
        view.setFocus()
        assert QApplication.focusWidget() is view
        press(window, "P", "P", "Y")
        assert [decision for decision, _ in said(window).values()] == [ReviewDecision.AGREE]
        assert window.studio.recording.id == WALK
        window.studio.undo()
    press(window, "Ctrl+1")
    window.timeline.setFocus()
    press(window, "N", "Y", "X")
    assert said(window) == {}


def test_edits_and_selections_elsewhere_are_followed(window: MainWindow, page: ReviewPage) -> None:
    press(window, "N", "N")
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
    page.scope.buttons[list(page.scope.buttons)[2]].click()
    assert page.items.rows()[0].state is ReviewItemState.ALIKE
    press(window, "P", "P", "P")
    assert page.items.current_row() == 0
    assert not page.decisions.agree.isEnabled(), "what is alike needs nothing"
    press(window, "Y")
    assert said(window) == {}


def test_whoever_is_none_of_the_two_decides_about_both(qtbot: QtBot, open_window: OpenWindow, study: Path) -> None:
    window = open_window(study, "Dan")
    qtbot.waitUntil(window.isActiveWindow)
    page = open_review(window)
    window.menus.actions["adjudicate"].trigger()
    form: AdjudicationTab = window.pages.current_view()
    form.make.click()
    assert "1 segment in 1 recording, of 4 moments" in form.status.text()
    assert "Adjudicated" in [lane.title for lane in window.timeline.model.lanes]
    form.name.setText("Bo")
    form.make.click()
    assert "An annotator of this study" in form.status.text()
    window.studio.undo()
    assert "Adjudicated" not in [lane.title for lane in window.timeline.model.lanes]
    window.set_mode("review", "review")
    window.timeline.setFocus()
    press(window, "N", "Y")
    assert page.items.current_row() == 0, "Ada's segment still waits"
    shown = page.side_by_side.comparison()
    assert [column.is_decided for column in shown.columns] == [False, True]
    assert shown.target == 0
    press(window, "X")
    assert page.items.current_row() == 1
    assert sorted(decision for decision, _ in said(window).values()) == [ReviewDecision.AGREE, ReviewDecision.DISAGREE]
