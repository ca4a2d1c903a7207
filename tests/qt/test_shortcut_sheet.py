"""The sheet of all keys."""

import pytest
from PySide6.QtCore import Qt

from widgets.dialogs.shortcut_dialogs import Shortcut, ShortcutSheet
from widgets.text_labels import KeyCaps

TABLE = [
    Shortcut("Player", "Space", "Play or pause"),
    Shortcut("Player", "J, K, L", "Back, stop, forward"),
    Shortcut("Player", ",", "One frame back"),
    Shortcut("Segments", "E", "Error"),
    Shortcut("Study", "Ctrl++", "Zoom in"),
]


@pytest.fixture
def sheet(qtbot):
    sheet = ShortcutSheet(TABLE)
    qtbot.addWidget(sheet)
    with qtbot.waitExposed(sheet):
        sheet.show()
    return sheet


def test_words_find_keys_and_deeds(qtbot, sheet):
    assert sheet.visible_shortcuts() == TABLE
    for words, found in (
        ("frame", TABLE[2:3]),
        ("player back", TABLE[1:3]),
        ("ctrl", TABLE[4:]),
        ("ERROR", TABLE[3:4]),
    ):
        sheet.search.clear()
        qtbot.keyClicks(sheet.search, words)
        assert sheet.visible_shortcuts() == found
    qtbot.keyClicks(sheet.search, "zzz")
    assert sheet.visible_shortcuts() == []
    assert sheet._nothing.isVisible()


@pytest.mark.parametrize(
    ("key", "held"),
    [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_F1, Qt.KeyboardModifier.ControlModifier)],
)
def test_esc_and_the_key_that_opens_it_close_it(qtbot, sheet, key, held):
    qtbot.keyClick(sheet.search, key, held)
    assert not sheet.isVisible()
    assert not sheet.isModal()


@pytest.mark.parametrize(
    ("keys", "caps"),
    [
        (",", [[","]]),
        ("Ctrl+Z", [["Ctrl", "Z"]]),
        ("Ctrl++", [["Ctrl", "+"]]),
        ("+", [["+"]]),
        ("J, K", [["J"], ["K"]]),
        (",, .", [[","], ["."]]),
    ],
)
def test_keys_are_split_into_caps(qtbot, keys, caps):
    widget = KeyCaps(keys)
    qtbot.addWidget(widget)
    assert widget._alternatives == caps
    assert widget.accessibleName() == keys
    assert not widget.grab().isNull()
