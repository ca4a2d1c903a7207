"""A question before something happens: which button Enter presses, and what Esc says."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel
from pytestqt.qtbot import QtBot

from tests.builders.keyboard_walk import nameless, unexplained
from widgets.dialogs.dialog_windows import AgreeDialog


@pytest.mark.parametrize("careful", [False, True])
def test_enter_goes_on_unless_that_gives_something_up(qtbot: QtBot, careful: bool) -> None:
    dialog = AgreeDialog("Unseal", "A question?\n\n• one\n• two", "Go on", None, careful=careful)
    qtbot.addWidget(dialog)
    dialog.show()
    assert [dialog.buttons.away.isDefault(), dialog.buttons.go_on.isDefault()] == [careful, not careful]
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == (QDialog.DialogCode.Rejected if careful else QDialog.DialogCode.Accepted)


def test_enter_on_cancel_cancels(qtbot: QtBot) -> None:
    dialog = AgreeDialog("Share", "A copy is made.", "Choose a place…", None, careful=False)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.buttons.away.setFocus()
    QTest.keyClick(dialog.buttons.away, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert not dialog.isVisible()


def test_esc_is_a_no_and_every_button_says_what_it_does(qtbot: QtBot) -> None:
    dialog = AgreeDialog("Share", "A copy is made.\n\n• <b>one</b>", "Choose a place…", None, careful=False)
    qtbot.addWidget(dialog)
    dialog.show()
    assert "<b>one</b>" in [child.text() for child in dialog.findChildren(QLabel)]
    assert nameless(dialog) == []
    assert unexplained(dialog) == []
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected
