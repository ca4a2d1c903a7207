"""A question before something happens: which button Enter presses, and what Esc says."""

import pytest
from PySide6.QtWidgets import QDialog, QLabel
from pytestqt.qtbot import QtBot

from tests.builders.mouse_and_keys import press
from widgets.dialogs.dialog_windows import AgreeDialog

ACCEPTED, REJECTED = QDialog.DialogCode.Accepted, QDialog.DialogCode.Rejected


def shown(qtbot: QtBot, careful: bool) -> AgreeDialog:
    dialog = AgreeDialog("Share", "A copy is made.\n\n• <b>one</b>", "Choose a place…", None, careful=careful)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.mark.parametrize("careful", [False, True])
def test_enter_goes_on_unless_that_gives_something_up(qtbot: QtBot, careful: bool) -> None:
    dialog = shown(qtbot, careful)
    assert [dialog.buttons.away.isDefault(), dialog.buttons.go_on.isDefault()] == [careful, not careful]
    dialog.setFocus()
    press(dialog, "Return")
    assert dialog.result() == (REJECTED if careful else ACCEPTED)


@pytest.mark.parametrize("key", ["Return", "Esc"])
def test_enter_on_cancel_and_esc_say_no(qtbot: QtBot, key: str) -> None:
    dialog = shown(qtbot, careful=False)
    assert "<b>one</b>" in [label.text() for label in dialog.findChildren(QLabel)]
    dialog.buttons.away.setFocus()
    press(dialog, key)
    assert dialog.result() == REJECTED
    assert not dialog.isVisible()
