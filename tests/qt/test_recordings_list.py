from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFontMetrics, QImage
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPushButton, QToolButton

from app.gui.recordings.recordings_list import RecordingsList
from app.gui.recordings.recordings_model import (
    THUMBNAIL_ROLE,
    RecordingRow,
    RecordingsDelegate,
    RecordingsModel,
    counts_text,
    length_text,
)
from tests.builders.keyboard_walk import controls, nameless, tab_walk, unexplained
from widgets import theme


def rows(count=6):
    return [
        RecordingRow(f"r{i}", i, f"session {i}.mp4", i * 61_000_000, "Coach" if i <= count // 2 else "Reception")
        for i in range(1, count + 1)
    ]


@pytest.fixture
def listing(qtbot):
    listing = RecordingsList()
    qtbot.addWidget(listing)
    listing.resize(264, 600)
    with qtbot.waitExposed(listing):
        listing.show()
    return listing


def test_the_model_is_a_sound_tree(qapp):
    model = RecordingsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.set_rows(rows())
    model.update_row(RecordingRow("r2", 2, "renamed.mp4", 5, "Reception"))
    model.update_row(RecordingRow("new", 7, "new.mp4", 5, "Third"))
    assert model.rowCount() == 3
    assert [row.id for row in model.rows()] == ["r1", "r3", "r4", "r5", "r6", "r2", "new"]
    model.set_rows([])
    assert model.rowCount() == 0
    del tester


def test_a_picture_goes_with_the_file_that_it_is_of(qapp):
    model, asked = RecordingsModel(), []
    model.thumbnail_needed.connect(asked.append)
    here = RecordingRow("r1", 1, "a.mp4", 5, file="f00d")

    def shown():
        return model.index_of("r1").data(THUMBNAIL_ROLE)

    for change in (lambda: model.update_row(replace(here, file="")), lambda: model.set_rows([])):
        model.set_rows([here])
        assert shown() is None
        assert asked.pop() == "r1"
        model.set_thumbnail("r1", QImage(2, 2, QImage.Format.Format_RGB888))
        model.set_rows([here])
        assert shown() is not None
        change()
        model.set_rows([here])
        assert shown() is None


def test_recordings_stand_under_their_collection(listing):
    listing.set_rows(rows())
    model: QAbstractItemModel = listing.tree.model()
    assert [model.index(i, 0).data() for i in range(model.rowCount())] == ["Coach", "Reception"]
    assert listing.visible_recordings() == [f"r{i}" for i in range(1, 7)]


def test_an_update_touches_one_row(qtbot, listing):
    listing.set_rows(rows())
    touched = []
    resets = []
    listing.model.dataChanged.connect(lambda first, last, _roles: touched.append((first, last)))
    listing.model.modelReset.connect(lambda: resets.append(1))
    listing.update_row(RecordingRow("r5", 5, "session 5.mp4", 305_000_000, "Reception", (("Ann", 3),)))
    assert [(first.row(), last.row(), first.parent().row()) for first, last in touched] == [(1, 1, 1)]
    assert not resets
    listing.update_row(listing.model.row("r5"))
    assert len(touched) == 1


def test_an_update_of_many_rows_is_told_once_a_collection(qtbot, listing):
    listing.set_rows(rows())
    told = []
    listing.model.dataChanged.connect(lambda first, last: told.append((first.parent().row(), first.row(), last.row())))
    new = [replace(listing.model.row(f"r{at}"), segments=(("Ann", at),)) for at in (1, 3, 4)]
    with qtbot.assertNotEmitted(listing.model.modelReset):
        listing.update_rows(new)
    assert told == [(0, 0, 2), (1, 0, 0)]
    assert [listing.model.row(one.id) for one in new] == new
    listing.update_rows([replace(new[0], collection="Reception"), RecordingRow("new", 9, "new.mp4", 5, "Coach")])
    assert [shown_row.id for shown_row in listing.model.shown_rows()] == ["r2", "r3", "new", "r4", "r5", "r6", "r1"]


def test_choosing_and_selecting(qtbot, listing):
    listing.set_rows(rows())
    with qtbot.assertNotEmitted(listing.recording_chosen):
        listing.select("r4")
    assert listing.selected() == "r4"
    with qtbot.waitSignal(listing.recording_chosen) as sent:
        qtbot.keyClick(listing.tree, Qt.Key.Key_Down)
    assert sent.args == ["r5"]
    with qtbot.waitSignal(listing.recording_chosen) as sent:
        listing.select_relative(-1)
    assert sent.args == ["r4"]


def test_the_selection_outlives_new_rows(qtbot, listing):
    listing.set_rows(rows())
    listing.select("r4")
    with qtbot.assertNotEmitted(listing.recording_chosen):
        listing.set_rows(rows(8))
    assert listing.selected() == "r4"


@pytest.mark.parametrize(
    ("words", "found"), [("session 2", ["r2"]), ("RECEPTION 6", ["r6"]), ("coach", ["r1", "r2", "r3"])]
)
def test_words_find_recordings(qtbot, listing, words, found):
    listing.set_rows(rows())
    with qtbot.assertNotEmitted(listing.recording_chosen):
        qtbot.keyClicks(listing.search, words)
    assert listing.visible_recordings() == found
    listing.search.clear()
    assert len(listing.visible_recordings()) == 6


def test_nothing_found_and_nothing_there_say_what_to_do(qtbot, listing):
    assert listing._empty.isVisible()
    with qtbot.waitSignal(listing.add_requested):
        qtbot.mouseClick(listing._empty.findChild(QPushButton), Qt.MouseButton.LeftButton)
    listing.set_rows(rows())
    qtbot.keyClicks(listing.search, "zzz")
    assert listing._nothing.isVisible()


def test_dropped_files_are_passed_on(qtbot, listing):
    paths = [Path("/tmp/a file.mp4"), Path("/tmp/日本 'q'.mkv")]
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths] + [QUrl("https://example.org/x.mp4")])
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    listing.dragEnterEvent(enter)
    assert enter.isAccepted()
    assert listing._drop_hint.isVisible()
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    with qtbot.waitSignal(listing.files_dropped) as sent:
        listing.dropEvent(drop)
    assert sent.args == [paths]
    assert not listing._drop_hint.isVisible()
    assert not listing.tree.viewport().acceptDrops()


def test_missing_media_is_written_not_only_coloured(listing):
    row = RecordingRow("r1", 1, "a.mp4", 1_000_000, missing=True)
    listing.set_rows([row])
    assert "media missing" in row.describe()
    index = listing.model.index_of("r1")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == row.describe()
    present = RecordingRow("r1", 1, "a.mp4", 1_000_000)
    marked = listing.grab().toImage()
    listing.update_row(present)
    assert marked != listing.grab().toImage()


def test_a_row_tells_how_far_the_work_is():
    row = RecordingRow("r", 7, "a.mp4", 61_500_000, "", (("Ann", 1), ("Ben", 4)), True, True)
    assert row.describe() == ("7. a.mp4, duration 0:01:01.500, Ann: 1 segment, Ben: 4 segments, faces found, exported")


def test_only_rows_on_screen_ask_for_a_thumbnail_and_each_once(qtbot, listing):
    asked = []
    listing.thumbnail_needed.connect(asked.append)
    listing.set_rows(rows(403))
    listing.grab()
    qtbot.waitUntil(lambda: len(asked) > 3)
    assert len(asked) < 30
    picture = QImage(160, 90, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    before = listing.grab().toImage()
    listing.set_thumbnail("r1", picture)
    assert listing.grab().toImage() != before
    qtbot.wait(1)
    assert len(asked) == len(set(asked))


def test_hundreds_of_rows_are_as_easy_as_ten(listing, monkeypatch):
    painted = []
    paint = RecordingsDelegate._paint_recording
    monkeypatch.setattr(
        RecordingsDelegate, "_paint_recording", lambda self, *rest: (painted.append(rest[2].id), paint(self, *rest))
    )

    def painted_in_a_walk(count):
        listing.set_rows(rows(count))
        painted.clear()
        for step in range(11):
            listing.select(f"r{1 + step * (count - 1) // 10}")
            listing.grab()
        return len(painted)

    # Ten rows fill the height of the list as hundreds do: what is painted is the same.
    assert painted_in_a_walk(12) >= 11 * 8
    assert painted_in_a_walk(403) < 2 * painted_in_a_walk(12)


def test_hundreds_of_rows_are_laid_out_once(listing, monkeypatch):
    measured = []
    size = RecordingsDelegate.sizeHint
    monkeypatch.setattr(
        RecordingsDelegate, "sizeHint", lambda self, *rest: (measured.append(rest[1].row()), size(self, *rest))[1]
    )
    listing.set_rows(rows(403))
    listing.select("r1")
    listing.grab()
    assert 403 <= len(measured) <= 2 * 405


def test_a_recording_that_the_search_hides_is_marked_again_afterwards(qtbot, listing):
    listing.set_rows(rows())
    listing.select("r2")
    with qtbot.assertNotEmitted(listing.recording_chosen):
        listing.search.setText("reception")
        assert listing.selected() is None
        assert listing.visible_recordings() == ["r4", "r5", "r6"]
        assert len(listing.model.rows()) == 6
        listing.search.clear()
    assert listing.selected() == "r2"


def test_what_is_new_about_a_recording_is_searched_at_once(listing):
    listing.set_rows(rows())
    listing.search.setText("ann")
    assert listing.visible_recordings() == []
    new = RecordingRow("r5", 5, "session 5.mp4", 305_000_000, "Reception", (("Ann", 3),))
    listing.update_row(new)
    assert listing.visible_recordings() == ["r5"]
    listing.update_row(replace(new, segments=()))
    assert listing.visible_recordings() == []


def test_return_in_the_search_field_chooses_the_first_that_was_found(qtbot, listing):
    listing.set_rows(rows())
    qtbot.keyClicks(listing.search, "reception")
    with qtbot.waitSignal(listing.recording_chosen) as sent:
        qtbot.keyClick(listing.search, Qt.Key.Key_Return)
    assert sent.args == ["r4"]
    assert listing.tree.hasFocus()


def test_a_heading_opens_and_closes(qtbot, listing):
    listing.set_rows(rows())
    heading = listing.tree.model().index(0, 0)
    assert listing.tree.isExpanded(heading)
    place = listing.tree.visualRect(heading).center()
    qtbot.mouseClick(listing.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not listing.tree.isExpanded(heading)


def test_a_context_menu_is_for_the_row_under_the_mouse(qtbot, listing):
    listing.set_rows(rows())
    place = listing.tree.visualRect(listing.tree.indexBelow(listing.tree.model().index(0, 0))).center()
    with qtbot.waitSignal(listing.context_requested) as sent:
        listing.tree.customContextMenuRequested.emit(place)
    assert sent.args[0] == "r1"


def test_every_control_has_a_name_and_is_reached_with_tab(qtbot, listing):
    listing.set_rows(rows())
    listing.tree.selectionModel().setCurrentIndex(
        listing.tree.model().index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate
    )
    assert nameless(listing) == []
    assert unexplained(listing) == []
    reached = tab_walk(listing.search)
    assert {control for control in controls(listing) if not isinstance(control, QToolButton)} <= set(reached)


def test_a_collection_that_was_closed_stays_closed_when_a_recording_is_added(listing):
    listing.set_rows(rows())
    first = listing.tree.model().index(0, 0)
    listing.tree.collapse(first)
    listing.set_rows([*rows(), RecordingRow("r7", 7, "new.mp4", 5, "Reception")])
    tree = listing.tree
    assert [tree.isExpanded(tree.model().index(group, 0)) for group in range(2)] == [False, True]
    listing.search.setText("session 2")
    assert tree.isExpanded(tree.model().index(0, 0)), "what is found is shown"
    listing.search.clear()
    assert not tree.isExpanded(tree.model().index(0, 0))


def test_counts_give_way_where_there_is_little_room(qapp):
    metrics = QFontMetrics(theme.font())
    row = RecordingRow("r1", 1, "a.mp4", 5, segments=(("A", 12), ("B", 0), ("C", 7)))
    wide, narrow = (metrics.horizontalAdvance(text) for text in ("12 · 7", "19"))
    assert counts_text(row, metrics, wide) == "12 · 7"
    assert counts_text(row, metrics, wide - 1) == "19"
    assert counts_text(row, metrics, narrow - 1) == ""


def test_a_short_clip_has_a_length():
    assert length_text(RecordingRow("r1", 1, "a.mp4", 200_000)) == "0.2 s"
    assert length_text(RecordingRow("r1", 1, "a.mp4", 717_000_000)) == "0:11:57"
