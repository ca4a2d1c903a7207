"""The window with all segments, the comments under the form and the checklist, beside the real main window."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from annotate.review.segment_table import SegmentTable
from annotate.segments.bulk_edits import add_comment
from annotate.segments.segment_edits import set_field
from app.gui.annotate.segments_tab import SegmentsTab
from app.gui.annotate.task_checklist import ChecklistTab
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Segment
from project.errors import Cancelled
from project.progress import Progress, Silent
from project.queries.recording_rows import set_hold_out
from project.queries.segment_rows import all_segments, comments_of, find_segment, values_of
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.scripted_dialogs import Answers
from tests.builders.waiting import HANG_S
from tests.qt.conftest import OpenReused
from widgets.table.cell_delegate import MARKS_ROLE


@pytest.fixture
def window(open_reused: OpenReused, tmp_path: Path, answers: Answers) -> MainWindow:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=6, segments=90)
    answers.give(agree=True)
    return open_reused(tmp_path / "lab.greenroom", "Annotator 1")


@pytest.fixture
def segments(qtbot: QtBot, window: MainWindow) -> SegmentsTab:
    window.menus.actions["segments"].trigger()
    found: SegmentsTab = window.windows.open_window("segments")
    qtbot.waitExposed(found)
    return found


def shown(window: SegmentsTab) -> list[str]:
    return window.view.records()


def every(window: MainWindow) -> list[Segment]:
    return all_segments(window.studio.session.study)


def own_segments(window: MainWindow) -> list[Segment]:
    author = window.studio.session.annotator().id
    return [segment for segment in every(window) if segment.annotator_id == author]


def search(qtbot: QtBot, window: SegmentsTab, words: str) -> None:
    with qtbot.waitSignal(window.bar.searched):
        window.bar.search.setText(words)


def test_searching_marks_what_was_found_and_follows_edits(
    qtbot: QtBot, window: MainWindow, segments: SegmentsTab
) -> None:
    assert len(shown(segments)) == 90
    search(qtbot, segments, "inter")
    assert 0 < len(shown(segments)) < 90
    model = segments.view.records_model
    place = model.index(0, segments.view.column_keys.index("found"))
    text, marks = place.data(), place.data(MARKS_ROLE)
    assert len(marks) > 0
    assert all(text[start:end].lower().startswith("inter") for start, end in marks)
    search(qtbot, segments, "zeppelin")
    assert shown(segments) == []
    own = next(segment for segment in own_segments(window) if segment.label == "error")
    window.studio.edit(lambda s: set_field(s, own.id, "rationale", "A Zeppelin."))
    assert shown(segments) == [own.id]
    window.studio.undo()
    assert shown(segments) == []
    ((recording, name),) = window.studio.session.study.rows("SELECT id, name FROM recording WHERE number = 3")
    search(qtbot, segments, f'"{name}"')
    assert segments.tabs.isTabVisible(1), "what is not about segments is on a page of its own"
    segments.elsewhere.opened.emit(segments.elsewhere.records()[0])
    assert window.studio.recording.id == recording
    qtbot.keyClick(segments.bar.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(shown(segments)) == 90)


def test_what_is_typed_while_the_rows_are_read_is_found_once_they_are(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = threading.Event()
    monkeypatch.setattr("app.gui.annotate.segments_tab._MAX_INLINE_ROWS", 10)
    monkeypatch.setattr(SegmentTable, "find_all_problems", lambda _: read.wait(HANG_S))
    segments: SegmentsTab = window.windows.open_window("segments")
    search(qtbot, segments, "inter")
    assert shown(segments) == []
    read.set()
    qtbot.waitUntil(lambda: 0 < len(shown(segments)) < 90)


def test_conditions_narrow_and_heads_sort_the_table(qtbot: QtBot, window: MainWindow, segments: SegmentsTab) -> None:
    study = window.studio.session.study
    segments.bar.buttons["labels"].set_ticked({"error"})
    errors = {segment.id for segment in every(window) if segment.label == "error"}
    assert set(shown(segments)) == errors
    segments.bar.buttons["field channel"].set_ticked({"verbal"})
    verbal = {error for error in errors if values_of(study, error)["channel"] == "verbal"}
    assert set(shown(segments)) == verbal
    qtbot.mouseClick(segments.bar.clear, Qt.MouseButton.LeftButton)
    assert len(shown(segments)) == 90
    window.choose_recording(study.rows("SELECT id FROM recording WHERE number = 2")[0][0])
    segments.bar.buttons["flags"].set_ticked({"here"})
    assert {find_segment(study, text).recording_id for text in shown(segments)} == {window.studio.recording.id}
    segments.bar.buttons["flags"].set_ticked(set())
    place = segments.view.column_keys.index("duration")
    segments.view.horizontalHeader().setSortIndicator(place, Qt.SortOrder.DescendingOrder)
    found = [find_segment(study, text) for text in shown(segments)]
    spans = [segment.end_us - segment.start_us for segment in found]
    assert len(spans) == 90
    assert spans == sorted(spans, reverse=True)


def test_edits_of_many_rows_are_done_in_a_thread_and_can_be_stopped(
    window: MainWindow, segments: SegmentsTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio, begun = window.studio, list[str]()
    run = studio.apart.run

    def noted(work: Callable[[Progress], object], text: str, **named: bool) -> object:
        begun.append(text.split()[0])
        assert named == {"stoppable": True}
        return run(work, text, **named)

    monkeypatch.setattr(studio.apart, "run", noted)
    monkeypatch.setattr("app.gui.study.study_controller.LARGE", 5)
    before = {segment.id for segment in every(window)}
    segments.view.selectAll()
    segments.bulk_bar.delete_requested.emit()
    left = {segment.id for segment in every(window)}
    assert left < before
    assert set(shown(segments)) == left
    studio.undo()
    assert {segment.id for segment in every(window)} == before
    studio.redo()
    assert begun == ["Deleting", "Undoing", "Making"]
    monkeypatch.setattr(Silent, "check_cancelled", _stop)
    monkeypatch.setattr(studio.apart, "run", lambda work, _text, **_named: work(Silent()))
    monkeypatch.setattr("project.store.study._PROGRESS_INSTRUCTIONS", 1)
    studio.undo()
    assert {segment.id for segment in every(window)} == left
    assert "nothing was changed" in window.messages.message()
    monkeypatch.setattr("app.gui.study.study_controller.LARGE", 1_000)
    monkeypatch.setattr(studio.apart, "run", noted)
    studio.undo()
    assert {segment.id for segment in every(window)} == before
    assert len(begun) == 3, "few rows are no reason for a thread"


def _stop(_progress: Silent) -> None:
    raise Cancelled


def test_rows_are_shown_in_the_main_window_and_copied_without_what_is_held_out(
    qtbot: QtBot, window: MainWindow, segments: SegmentsTab
) -> None:
    study = window.studio.session.study
    wanted = shown(segments)[-1]
    segments.view.select([wanted], wanted)
    qtbot.waitUntil(lambda: window.studio.selected == (wanted,))
    assert window.studio.recording.id == find_segment(study, wanted).recording_id
    segments.follow.setChecked(False)
    rows = shown(segments)
    segments.view.select([rows[0]], rows[0])
    qtbot.keyClick(segments.view, Qt.Key.Key_Return)
    assert window.studio.selected == (rows[0],)
    segments.view.select([rows[1], rows[2], rows[5]])
    assert segments.view.selected() == [rows[1], rows[2], rows[5]]
    model, flag = segments.view.records_model, QItemSelectionModel.SelectionFlag
    segments.view.selectionModel().select(model.index(2, 0), flag.Toggle | flag.Rows)
    assert segments.view.selected() == [rows[1], rows[5]]
    segments.view.clearSelection()
    ((recording, name),) = study.rows("SELECT id, name FROM recording WHERE number = 1")
    with window.studio.session.step("Hold out") as step:
        set_hold_out(study, recording, True)
    window.studio.publish(step.changes)
    assert model.index(0, 0).data(Qt.ItemDataRole.DecorationRole) is not None
    segments.view.copy_requested.emit()
    copied = QGuiApplication.clipboard().text()
    assert len(copied.splitlines()) == 1 + sum(segment.recording_id != recording for segment in every(window))
    assert f"1  {name}" not in copied


def test_edits_of_many_are_one_step_and_ask_where_it_is_more_than_one_recording(
    window: MainWindow, segments: SegmentsTab, answers: Answers
) -> None:
    before = every(window)
    segments.follow.setChecked(False)
    own = own_segments(window)
    ids = {segment.id for segment in own}
    segments.view.selectAll()
    assert segments.bulk_bar.count.text().startswith(f"90 selected, {len(own)} yours; {90 - len(own)} by others")
    segments.bulk_bar.label_chosen.emit("none")
    assert {segment.id for segment in every(window) if segment.label == "none"} >= ids
    others = [segment for segment in before if segment.id not in ids]
    assert [segment for segment in every(window) if segment.id not in ids] == others
    assert len(segments.view.selected()) == 90
    window.studio.undo()
    assert every(window) == before
    own = [segment for segment in own if segment.label != "none"]
    homes, many = len({segment.recording_id for segment in own}), len(own)
    segments.view.select([segment.id for segment in own], own[0].id)
    answers.asked.clear()
    segments.bulk_bar.label_chosen.emit("none")
    assert asked(answers) == [(f"Change {many} segments in {homes} recordings?", f"Change {many} segments")]
    assert window.messages.message() == f"Changed {many} segments in {homes} recordings. One undo takes it back."
    assert window.studio.session.study.undo_name == f"Change {many} segments in {homes} recordings to unmarked"
    segments.bulk_bar.shift_requested.emit(-1)
    assert len(answers.asked) == 2


def test_why_an_edit_failed_is_said_where_it_was_asked_for(
    qtbot: QtBot, window: MainWindow, segments: SegmentsTab
) -> None:
    segments.activateWindow()
    qtbot.waitUntil(segments.isActiveWindow)
    segments.view.select([own_segments(window)[0].id], "")
    before = every(window)
    segments.bulk_bar.shift_requested.emit(-(10**9))
    assert every(window) == before
    assert segments.bulk_bar.count.isVisible()
    assert segments.bulk_bar.count.text().startswith("The segment must lie inside recording")


def asked(answers: Answers) -> list[tuple[str, str]]:
    return [(question.splitlines()[0], button) for _, _, question, button in answers.asked]


def test_a_bulk_delete_counts_and_asks_where_it_is_more_than_one_recording(
    window: MainWindow, segments: SegmentsTab, answers: Answers
) -> None:
    segments.follow.setChecked(False)
    own = own_segments(window)
    first, second, *_ = dict.fromkeys(segment.recording_id for segment in own)
    one_recording = [segment.id for segment in own if segment.recording_id == first]
    two_recordings = [segment.id for segment in own if segment.recording_id in (first, second)]
    both = len(two_recordings)
    other_person = next(segment.id for segment in every(window) if segment not in own)

    segments.view.select([*one_recording, other_person], one_recording[0])
    segments.view.delete_requested.emit()
    assert answers.asked == [], "one undo brings back what is of one recording"
    assert window.messages.message() == f"Deleted {len(one_recording)} segments. Undo brings them back."
    assert window.menus.actions["undo"].text() == f"&Undo: delete {len(one_recording)} segments"
    window.studio.undo()

    answers.give(agree=False)
    segments.view.select([*two_recordings, other_person], two_recordings[0])
    segments.view.delete_requested.emit()
    assert asked(answers) == [(f"Delete {both} segments in 2 recordings?", f"Delete {both} segments")]
    assert {segment.id for segment in every(window)} >= set(two_recordings)
    answers.give(agree=True)
    segments.view.delete_requested.emit()
    assert window.messages.message() == f"Deleted {both} segments in 2 recordings. Undo brings them back."
    assert not {segment.id for segment in every(window)} & set(two_recordings)
    assert window.menus.actions["undo"].text() == f"&Undo: delete {both} segments in 2 recordings"
    window.studio.undo()
    assert window.messages.message() == f"Undone: Delete {both} segments in 2 recordings", "of no recording alone"

    segments.view.select(two_recordings[-1:], two_recordings[-1])
    segments.view.delete_requested.emit()
    assert window.messages.message() == "Deleted 1 segment. Undo brings it back."


def test_comments_stand_under_the_form_and_wait_at_their_segment(qtbot: QtBot, window: MainWindow) -> None:
    study, box = window.studio.session.study, window.comments.box
    own = own_segments(window)
    other = next(segment for segment in every(window) if segment not in own)
    window.choose_recording(other.recording_id)
    window.studio.select([other.id])
    assert box.isVisibleTo(window)
    box.head.click()
    qtbot.keyClicks(box.field, "Is this right?")
    qtbot.keyClick(box.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    (made,) = comments_of(study, other.id)
    assert (made.text, made.resolved) == ("Is this right?", False)
    assert box.head.text() == "Comments (1), 1 unresolved"
    box.resolve_requested.emit(made.id, True)
    assert box.head.text() == "Comments (1)"
    window.studio.undo()
    assert box.head.text() == "Comments (1), 1 unresolved"
    qtbot.keyClicks(box.field, "Half a thou")
    window.studio.select([own[0].id])
    assert box.field.toPlainText() == ""
    window.studio.select([other.id])
    assert box.field.toPlainText() == "Half a thou"


def test_the_checklist_leads_to_the_segment_and_follows_edits(qtbot: QtBot, window: MainWindow) -> None:
    own = next(segment for segment in own_segments(window) if segment.label == "error")
    window.studio.edit(lambda s: set_field(s, own.id, "rationale", ""))
    checklist: ChecklistTab = window.windows.open_window("checklist")
    view = checklist.view
    assert view.topLevelItemCount() == 1
    group = view.topLevelItem(0)
    assert group.text(0) == "Incomplete segments (1)"
    view.itemClicked.emit(group.child(0), 0)
    assert window.studio.selected == (own.id,)
    window.studio.edit(lambda s: add_comment(s, own.id, "Look")[1])
    qtbot.waitUntil(lambda: view.topLevelItemCount() == 2)
