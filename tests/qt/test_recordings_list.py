"""The list of recordings: its tree, its pictures, and how it is searched, chosen from and dropped on."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPushButton

from app.gui.recordings.recording_arrangement import (
    RecordingArrangement,
    RecordingFilter,
    RecordingOrder,
    RecordingRow,
)
from app.gui.recordings.recordings_list import RecordingsList
from app.gui.recordings.recordings_model import RecordingsModel


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


@pytest.mark.parametrize(
    ("order", "backwards", "expected"),
    [
        (RecordingOrder.NUMBER, True, "r3 r2 r1 r4"),
        (RecordingOrder.NAME, False, "r2 r1 r3 r4"),
        (RecordingOrder.ADDED, False, "r3 r2 r1 r4"),
        (RecordingOrder.DURATION, True, "r3 r1 r2 r4"),
        (RecordingOrder.SEGMENTS, False, "r1 r3 r2 r4"),
        (RecordingOrder.DONE, False, "r1 r3 r2 r4"),
    ],
)
def test_recordings_are_sorted_within_their_collection_and_stay_so(listing, order, backwards, expected):
    listing.set_rows(
        [
            RecordingRow("r1", 1, "beta", 20, "Lab", (("Ada", 1), ("Ben", 3))),
            RecordingRow("r2", 2, "Alpha", 30, "Lab", done=True),
            RecordingRow("r3", 3, "gamma", 10, "Lab", (("Ada", 2),)),
            RecordingRow("r4", 4, "aaa", 99, "Street", (("Ada", 9),)),
        ]
    )
    listing.set_arrangement(RecordingArrangement(order, backwards))
    assert " ".join(listing.visible_recordings()) == expected
    assert RecordingArrangement.from_json(listing.model.arrangement.as_json()) == listing.model.arrangement
    listing.set_arrangement(RecordingArrangement(RecordingOrder.SEGMENTS))
    listing.update_row(replace(listing.model.row("r2"), segments=(("Ada", 5),)))
    assert listing.visible_recordings() == ["r2", "r1", "r3", "r4"], "one that changed goes to its new place"


def test_a_filter_leaves_recordings_out_and_says_so(qtbot, listing):
    first, second, *rest = rows()
    listing.set_rows([replace(first, done=True, people=(("p1", "P01"),)), replace(second, held_out=True), *rest])
    for only, person, found in (
        (RecordingFilter.DONE, "", ["r1"]),
        (RecordingFilter.NOT_DONE, "", ["r2", "r3", "r4", "r5", "r6"]),
        (RecordingFilter.HELD_OUT, "", ["r2"]),
        (RecordingFilter.ALL, "p1", ["r1"]),
        (RecordingFilter.HELD_OUT, "p1", []),
    ):
        listing.set_arrangement(RecordingArrangement(only=only, person=person))
        assert listing.visible_recordings() == found
    button = next(part for part in listing.findChildren(QPushButton) if part.text() == "Show all")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert len(listing.visible_recordings()) == 6
