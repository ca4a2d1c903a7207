"""The window with all segments, the comments under the form and the checklist, beside the real main window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from annotate.segments.bulk_edits import add_comment
from annotate.segments.segment_edits import set_field
from app.gui.annotate.segments_dock import SegmentsWindow
from app.gui.annotate.task_checklist import ChecklistWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.errors import Cancelled
from project.progress import Progress, Silent
from project.queries.recording_rows import set_hold_out
from project.queries.segment_rows import all_segments, comments_of, find_segment, values_of
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained
from widgets.table.lazy_table import LOOK_ROLE, MARKS_ROLE


class Answers(Dialogs):
    """Says yes, or no, and keeps what it was asked."""

    def __init__(self) -> None:
        self.yes = True
        self.asked: list[tuple[str, str]] = []

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        self.asked.append((question.split("\n")[0], button))
        return self.yes


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=6, segments=90)
    opened = MainWindow(Answers())
    qtbot.addWidget(opened)
    opened.show()
    qtbot.waitExposed(opened)
    opened.studio.open(tmp_path / "lab.greenroom", "Annotator 1")
    yield opened
    opened.close()


@pytest.fixture
def segments(qtbot: QtBot, window: MainWindow) -> SegmentsWindow:
    window.menus.actions["segments"].trigger()
    found = window.windows.open_window("segments")
    assert isinstance(found, SegmentsWindow)
    qtbot.waitExposed(found)
    return found


def shown(window: SegmentsWindow) -> list[str]:
    return window.view.rows_model.rows()


def search(qtbot: QtBot, window: SegmentsWindow, words: str) -> None:
    with qtbot.waitSignal(window.bar.searched):
        window.bar.search.setText(words)


def test_searching_narrows_the_table_and_marks_what_was_found(qtbot: QtBot, segments: SegmentsWindow) -> None:
    assert len(shown(segments)) == 90
    search(qtbot, segments, "inter")
    assert 0 < len(shown(segments)) < 90
    model = segments.view.rows_model
    place = model.index(0, model.columns.index("found"))
    text, marks = place.data(), place.data(MARKS_ROLE)
    assert all(text[start:end].lower().startswith("inter") for start, end in marks)
    assert len(marks) > 0
    search(qtbot, segments, "no text has these words")
    assert shown(segments) == []
    qtbot.keyClick(segments.bar.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(shown(segments)) == 90)


def test_an_edit_is_found_at_once_and_so_is_its_undo(
    qtbot: QtBot, window: MainWindow, segments: SegmentsWindow
) -> None:
    search(qtbot, segments, "zeppelin")
    session = window.studio.session
    own = next(
        segment for segment in all_segments(session.study) if segment.label == "error" and _mine(window, segment.id)
    )
    window.studio.edit(lambda s: set_field(s, own.id, "rationale", "A Zeppelin."))
    assert shown(segments) == [own.id]
    window.studio.undo()
    assert shown(segments) == []


def test_what_is_not_about_segments_is_on_a_page_of_its_own(
    qtbot: QtBot, window: MainWindow, segments: SegmentsWindow
) -> None:
    session = window.studio.session
    ((recording, name),) = session.study.rows("SELECT id, name FROM recording WHERE number = 3")
    search(qtbot, segments, f'"{name}"')
    assert segments.tabs.isTabVisible(1)
    segments.elsewhere.activated.emit(segments.elsewhere.model().index(0, 0))
    assert window.studio.recording.id == recording


def test_edits_of_many_rows_are_done_in_a_thread_and_can_be_stopped(
    qtbot: QtBot, window: MainWindow, segments: SegmentsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio, begun = window.studio, list[str]()
    session = studio.session
    run = studio.apart.run

    def noted(work: Callable[[Progress], object], text: str, **named: bool) -> object:
        begun.append(text.split()[0])
        assert named == {"stoppable": True}
        return run(work, text, **named)

    monkeypatch.setattr(studio.apart, "run", noted)
    monkeypatch.setattr("app.gui.study.study_controller.LARGE", 5)
    every = {segment.id for segment in all_segments(session.study)}
    segments.view.selectAll()
    segments.bulk_bar.delete_requested.emit()
    left = {segment.id for segment in all_segments(session.study)}
    assert left < every
    assert set(shown(segments)) == left
    studio.undo()
    assert {segment.id for segment in all_segments(session.study)} == every
    studio.redo()
    assert begun == ["Deleting", "Undoing", "Making"]
    monkeypatch.setattr(Silent, "check_cancelled", _stop)
    monkeypatch.setattr(studio.apart, "run", lambda work, _text, **_named: work(Silent()))
    monkeypatch.setattr("project.store.study._PROGRESS_INSTRUCTIONS", 1)
    studio.undo()
    assert {segment.id for segment in all_segments(session.study)} == left
    assert "nothing was changed" in window.messages.message()
    monkeypatch.setattr("app.gui.study.study_controller.LARGE", 1_000)
    monkeypatch.setattr(studio.apart, "run", noted)
    studio.undo()
    assert {segment.id for segment in all_segments(session.study)} == every
    assert len(begun) == 3, "few rows are no reason for a thread"


def _stop(_progress: Silent) -> None:
    raise Cancelled


def test_conditions(qtbot: QtBot, window: MainWindow, segments: SegmentsWindow) -> None:
    segments.bar.buttons["labels"].set_ticked({"error"})
    session = window.studio.session
    errors = {segment.id for segment in all_segments(session.study) if segment.label == "error"}
    assert set(shown(segments)) == errors
    segments.bar.buttons["field channel"].set_ticked({"verbal"})
    assert set(shown(segments)) == {
        error for error in errors if values_of(session.study, error)["channel"].value == "verbal"
    }
    qtbot.mouseClick(segments.bar.clear, Qt.MouseButton.LeftButton)
    assert len(shown(segments)) == 90
    window.choose_recording(session.study.rows("SELECT id FROM recording WHERE number = 2")[0][0])
    segments.bar.buttons["flags"].set_ticked({"here"})
    assert {s.recording_id for text in shown(segments) if (s := find_segment(session.study, text))} == {
        window.studio.recording.id if window.studio.recording else ""
    }


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_ticking_leaves_the_list_open(qtbot: QtBot, segments: SegmentsWindow) -> None:
    button = segments.bar.buttons["labels"]
    menu = button.menu()
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    menu.setActiveAction(menu.actions()[0])
    qtbot.keyClick(menu, Qt.Key.Key_Space)
    assert button.ticked_keys() == {"error"}
    assert button.text() == "Label: Error"
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(menu.actions()[0]).center())
    assert button.ticked_keys() == frozenset()
    assert menu.isVisible(), "ticking closed the list"
    menu.close()


def test_sorting_by_a_click_on_the_head(segments: SegmentsWindow, window: MainWindow) -> None:
    place = segments.view.rows_model.columns.index("duration")
    segments.view.horizontalHeader().setSortIndicator(place, Qt.SortOrder.DescendingOrder)
    session = window.studio.session
    spans = [s.end_us - s.start_us for text in shown(segments) if (s := find_segment(session.study, text))]
    assert spans == sorted(spans, reverse=True)


def test_return_and_selecting_show_the_segment_in_the_main_window(
    qtbot: QtBot, window: MainWindow, segments: SegmentsWindow
) -> None:
    session = window.studio.session
    wanted = shown(segments)[-1]
    segments.view.select([wanted], wanted)
    qtbot.waitUntil(lambda: window.studio.selected == (wanted,))
    found = find_segment(session.study, wanted)
    assert window.studio.recording.id == found.recording_id
    segments.follow.setChecked(False)
    first = shown(segments)[0]
    segments.view.select([first], first)
    qtbot.keyClick(segments.view, Qt.Key.Key_Return)
    assert window.studio.selected == (first,)


def test_edits_of_many_are_one_step_and_say_before_what_stays(
    qtbot: QtBot, window: MainWindow, segments: SegmentsWindow
) -> None:
    session = window.studio.session
    before = all_segments(session.study)
    segments.view.selectAll()
    own = [segment.id for segment in before if _mine(window, segment.id)]
    assert segments.bulk_bar.count.text().startswith(f"90 selected, {len(own)} yours; {90 - len(own)} by others")
    segments.bulk_bar.label_chosen.emit("none")
    assert {segment.id for segment in all_segments(session.study) if segment.label == "none"} >= set(own)
    assert [segment for segment in all_segments(session.study) if segment.id not in own] == [
        segment for segment in before if segment.id not in own
    ]
    assert len(segments.view.selected()) == 90
    window.studio.undo()
    assert all_segments(session.study) == before


def _answers(window: MainWindow) -> Answers:
    assert isinstance(window.files.questions, Answers)
    return window.files.questions


def test_a_bulk_delete_counts_segments_and_recordings_and_asks_where_it_is_more_than_one(
    window: MainWindow, segments: SegmentsWindow
) -> None:
    session = window.studio.session
    segments.follow.setChecked(False)
    own = [segment for segment in all_segments(session.study) if _mine(window, segment.id)]
    first, *others = dict.fromkeys(segment.recording_id for segment in own)
    one_recording = [segment.id for segment in own if segment.recording_id == first]
    two_recordings = [segment.id for segment in own if segment.recording_id in (first, others[0])]
    both = len(two_recordings)
    other_person = next(segment.id for segment in all_segments(session.study) if not _mine(window, segment.id))

    segments.view.select([*one_recording, other_person], one_recording[0])
    segments.view.delete_requested.emit()
    assert _answers(window).asked == [], "one undo brings back what is of one recording"
    assert window.messages.message() == f"Deleted {len(one_recording)} segments. Undo brings them back."
    assert window.menus.actions["undo"].text() == f"&Undo: delete {len(one_recording)} segments"
    window.studio.undo()

    _answers(window).yes = False
    segments.view.select([*two_recordings, other_person], two_recordings[0])
    segments.view.delete_requested.emit()
    assert _answers(window).asked == [(f"Delete {both} segments in 2 recordings?", f"Delete {both} segments")]
    assert {segment.id for segment in all_segments(session.study)} >= set(two_recordings)
    _answers(window).yes = True
    segments.view.delete_requested.emit()
    assert window.messages.message() == f"Deleted {both} segments in 2 recordings. Undo brings them back."
    assert not {segment.id for segment in all_segments(session.study)} & set(two_recordings)
    assert window.menus.actions["undo"].text() == f"&Undo: delete {both} segments in 2 recordings"
    window.studio.undo()
    assert window.messages.message() == f"Undone: Delete {both} segments in 2 recordings", "of no recording alone"

    segments.view.select(two_recordings[-1:], two_recordings[-1])
    segments.view.delete_requested.emit()
    assert window.messages.message() == "Deleted 1 segment. Undo brings it back."


def test_other_edits_of_many_count_and_ask_too(window: MainWindow, segments: SegmentsWindow) -> None:
    session = window.studio.session
    segments.follow.setChecked(False)
    own = [segment for segment in all_segments(session.study) if _mine(window, segment.id) and segment.label != "none"]
    homes, many = len({segment.recording_id for segment in own}), len(own)
    segments.view.select([segment.id for segment in own], own[0].id)
    segments.bulk_bar.label_chosen.emit("none")
    assert _answers(window).asked == [(f"Change {many} segments in {homes} recordings?", f"Change {many} segments")]
    assert window.messages.message() == f"Changed {many} segments in {homes} recordings. One undo takes it back."
    assert session.study.undo_name == f"Change {many} segments in {homes} recordings to unmarked"
    segments.bulk_bar.shift_requested.emit(-1)
    assert len(_answers(window).asked) == 2


def test_copied_rows_leave_held_out_recordings_out(window: MainWindow, segments: SegmentsWindow) -> None:
    session = window.studio.session
    ((recording, name),) = session.study.rows("SELECT id, name FROM recording WHERE number = 1")
    with session.step("Hold out") as step:
        set_hold_out(session.study, recording, True)
    window.studio.publish(step.changes)
    model = segments.view.rows_model
    assert model.index(0, 0).data(Qt.ItemDataRole.DecorationRole) is not None
    segments.view.copy_requested.emit()
    copied = QGuiApplication.clipboard().text()
    kept = sum(s.recording_id != recording for s in all_segments(session.study))
    assert len(copied.splitlines()) == kept + 1
    assert f"1  {name}" not in copied


def test_labels_are_told_by_a_sign_and_columns_can_be_chosen(segments: SegmentsWindow) -> None:
    model = segments.view.rows_model
    looks = {model.index(row, model.columns.index("label")).data(LOOK_ROLE).sign for row in range(model.rowCount())}
    assert len(looks) >= 2
    menu = segments.view.columns_menu()
    titles = {action.text(): action for action in menu.actions()}
    assert not titles["Correction"].isChecked()
    titles["Correction"].trigger()
    assert "field correction" in segments.view.shown_columns()
    assert not segments.view.isColumnHidden(model.columns.index("field correction"))


def test_columns_of_texts_take_the_room_that_is_left_until_somebody_drags_them(segments: SegmentsWindow) -> None:
    view, head = segments.view, segments.view.horizontalHeader()
    place = view.rows_model.columns.index("field rationale")
    segments.resize(600, 400)
    narrow = view.columnWidth(place)
    assert head.length() > view.viewport().width()
    segments.resize(2200, 400)
    assert view.columnWidth(place) > narrow
    assert head.length() == view.viewport().width()
    segments.resize(600, 400)
    assert view.columnWidth(place) == narrow
    head.resizeSection(place, 300)
    segments.resize(620, 400)
    assert view.columnWidth(place) == 300


def test_every_control_has_a_name_and_is_explained(segments: SegmentsWindow) -> None:
    assert nameless(segments) == []
    assert unexplained(segments) == []


def test_selection_of_single_rows_and_ranges(segments: SegmentsWindow) -> None:
    rows = shown(segments)
    wanted = [rows[1], rows[2], rows[5]]
    segments.view.select(wanted)
    assert segments.view.selected() == wanted
    model = segments.view.rows_model
    flag = QItemSelectionModel.SelectionFlag
    segments.view.selectionModel().select(model.index(2, 0), flag.Toggle | flag.Rows)
    assert segments.view.selected() == [rows[1], rows[5]]


def test_comments_under_the_form(qtbot: QtBot, window: MainWindow) -> None:
    session, box = window.studio.session, window.comments.box
    others = next(segment for segment in all_segments(session.study) if not _mine(window, segment.id))
    window.choose_recording(others.recording_id)
    window.studio.select([others.id])
    assert box.isVisibleTo(window)
    box.head.click()
    qtbot.keyClicks(box.field, "Is this right?")
    qtbot.keyClick(box.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    (made,) = comments_of(session.study, others.id)
    assert (made.text, made.resolved) == ("Is this right?", False)
    assert box.head.text() == "Comments (1), 1 unresolved"
    box.resolve_requested.emit(made.id, True)
    assert box.head.text() == "Comments (1)"
    window.studio.undo()
    assert box.head.text() == "Comments (1), 1 unresolved"
    assert nameless(box) == []
    assert unexplained(box) == []


def test_text_that_was_begun_waits_at_its_segment(qtbot: QtBot, window: MainWindow) -> None:
    session, box = window.studio.session, window.comments.box
    first, second, *_ = all_segments(session.study)
    window.studio.select([first.id])
    box.head.click()
    qtbot.keyClicks(box.field, "Half a thou")
    window.studio.select([second.id])
    assert box.field.toPlainText() == ""
    window.studio.select([first.id])
    assert box.field.toPlainText() == "Half a thou"


def test_the_checklist_leads_to_the_segment_and_follows_edits(qtbot: QtBot, window: MainWindow) -> None:
    session = window.studio.session
    own = next(
        segment for segment in all_segments(session.study) if segment.label == "error" and _mine(window, segment.id)
    )
    window.studio.edit(lambda s: set_field(s, own.id, "rationale", ""))
    found = window.windows.open_window("checklist")
    assert isinstance(found, ChecklistWindow)
    view = found.view
    assert view.topLevelItemCount() == 1
    group = view.topLevelItem(0)
    assert group.text(0) == "Incomplete segments (1)"
    view.itemClicked.emit(group.child(0), 0)
    assert window.studio.selected == (own.id,)
    window.studio.edit(lambda s: add_comment(s, own.id, "Look")[1])
    qtbot.waitUntil(lambda: view.topLevelItemCount() == 2)
    assert nameless(found) == []
    assert unexplained(found) == []


def _mine(window: MainWindow, segment_id: str) -> bool:
    session = window.studio.session
    found, author = find_segment(session.study, segment_id), session.annotator()
    return found is not None and author is not None and found.annotator_id == author.id
