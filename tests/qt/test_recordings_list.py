"""The list of recordings: its tree, its pictures, and how it is searched, chosen from and dropped on."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFontMetrics, QImage
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPushButton

from app.gui.recordings.recordings_list import RecordingsList
from app.gui.recordings.recordings_model import (
    THUMBNAIL_ROLE,
    RecordingRow,
    RecordingsModel,
    counts_text,
    length_text,
)
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


def test_recordings_stand_under_their_collection_which_is_closed_by_a_click_and_stays_so(qtbot, listing):
    listing.set_rows(rows())
    tree = listing.tree
    assert [tree.model().index(row, 0).data() for row in range(tree.model().rowCount())] == ["Coach", "Reception"]
    assert listing.visible_recordings() == [f"r{i}" for i in range(1, 7)]
    heading = tree.model().index(0, 0)
    with qtbot.waitSignal(listing.context_requested) as sent:
        tree.customContextMenuRequested.emit(tree.visualRect(tree.indexBelow(heading)).center())
    assert sent.args[0] == "r1", "a context menu is for the row under the mouse"
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(heading).center())
    listing.set_rows([*rows(), RecordingRow("r7", 7, "new.mp4", 5, "Reception")])
    assert [tree.isExpanded(tree.model().index(group, 0)) for group in range(2)] == [False, True]
    listing.search.setText("session 2")
    assert tree.isExpanded(tree.model().index(0, 0)), "what is found is shown"
    listing.search.clear()
    assert not tree.isExpanded(tree.model().index(0, 0))


def test_an_update_touches_its_rows_alone(qtbot, listing):
    listing.set_rows(rows())
    told = []
    listing.model.dataChanged.connect(lambda first, last: told.append((first.parent().row(), first.row(), last.row())))
    with qtbot.assertNotEmitted(listing.model.modelReset):
        listing.update_row(RecordingRow("r5", 5, "session 5.mp4", 305_000_000, "Reception", (("Ann", 3),)))
        listing.update_row(listing.model.row("r5"))
        assert told == [(1, 1, 1)]
        new = [replace(listing.model.row(f"r{at}"), segments=(("Ann", at),)) for at in (1, 3, 4)]
        listing.update_rows(new)
    assert told[1:] == [(0, 0, 2), (1, 0, 0)], "once a collection"
    assert [listing.model.row(row.id) for row in new] == new
    listing.update_rows([replace(new[0], collection="Reception"), RecordingRow("new", 9, "new.mp4", 5, "Coach")])
    assert [shown_row.id for shown_row in listing.model.shown_rows()] == ["r2", "r3", "new", "r4", "r5", "r6", "r1"]


def test_choosing_is_told_and_selecting_is_not(qtbot, listing):
    listing.set_rows(rows())
    with qtbot.assertNotEmitted(listing.recording_chosen):
        listing.select("r4")
        listing.set_rows([*rows(), RecordingRow("r7", 7, "new.mp4", 5, "Reception")])
    assert listing.selected() == "r4", "the selection outlives new rows"
    with qtbot.waitSignal(listing.recording_chosen) as sent:
        qtbot.keyClick(listing.tree, Qt.Key.Key_Down)
    assert sent.args == ["r5"]
    with qtbot.waitSignal(listing.recording_chosen) as sent:
        listing.select_relative(-1)
    assert sent.args == ["r4"]


def test_words_find_recordings(qtbot, listing):
    listing.set_rows(rows())
    listing.select("r2")
    with qtbot.assertNotEmitted(listing.recording_chosen):
        for words, found in (("session 2", ["r2"]), ("RECEPTION 6", ["r6"]), ("reception", ["r4", "r5", "r6"])):
            listing.search.clear()
            qtbot.keyClicks(listing.search, words)
            assert listing.visible_recordings() == found
        assert listing.selected() is None
        listing.search.clear()
    assert listing.selected() == "r2", "what the search hid is marked again"
    listing.search.setText("ann")
    assert listing.visible_recordings() == []
    listing.update_row(replace(listing.model.row("r5"), segments=(("Ann", 3),)))
    assert listing.visible_recordings() == ["r5"], "what is new is searched at once"
    with qtbot.waitSignal(listing.recording_chosen) as sent:
        qtbot.keyClick(listing.search, Qt.Key.Key_Return)
    assert sent.args == ["r5"]
    assert listing.tree.hasFocus()


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


def test_missing_media_are_written_not_only_coloured(listing):
    row = RecordingRow("r1", 1, "a.mp4", 1_000_000, missing=True)
    listing.set_rows([row])
    assert "media missing" in row.describe()
    assert listing.model.index_of("r1").data(Qt.ItemDataRole.AccessibleTextRole) == row.describe()
    marked = listing.grab().toImage()
    listing.update_row(replace(row, missing=False))
    assert marked != listing.grab().toImage()


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


def test_a_row_tells_its_length_and_how_far_the_work_is(qapp):
    row = RecordingRow("r", 7, "a.mp4", 61_500_000, "", (("Ann", 1), ("Ben", 4)), True, True)
    assert row.describe() == "7. a.mp4, duration 0:01:01.500, Ann: 1 segment, Ben: 4 segments, faces found, exported"
    assert length_text(replace(row, duration_us=200_000)) == "0.2 s"
    assert length_text(replace(row, duration_us=717_000_000)) == "0:11:57"
    metrics = QFontMetrics(theme.font())
    row = replace(row, segments=(("A", 12), ("B", 0), ("C", 7)))
    wide, narrow = (metrics.horizontalAdvance(text) for text in ("12 · 7", "19"))
    assert counts_text(row, metrics, wide) == "12 · 7"
    assert counts_text(row, metrics, wide - 1) == "19", "counts give way where there is little room"
    assert counts_text(row, metrics, narrow - 1) == ""
