"""The line at the foot of the window: messages, how the study stands, and what may leave the machine."""

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton

from app.gui.window.message_bar import MessageBar, MessageLevel
from project.entities.egress_policy import EgressLevel as PolicyLevel
from project.errors import UserError
from tests.builders.mouse_and_keys import click, press
from widgets import theme


@pytest.fixture
def bar(qtbot):
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.resize(1000, 32)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


def test_a_message_is_one_line_with_its_hint_and_read_out(bar):
    bar.show_error(UserError("This is not a video.", "Choose another file."))
    assert bar.message() == "This is not a video."
    assert bar.hint() == "Choose another file."
    assert bar.accessibleDescription() == "Error: This is not a video. Choose another file."
    bar.show_message("one\ntwo\n three", MessageLevel.WARNING)
    assert bar.message() == "one two three"
    text = "word " * 2_000
    bar.show_message(text, MessageLevel.ERROR)
    label = next(label for label in bar.findChildren(QLabel) if label.toolTip())
    assert label.toolTip() == f"<qt>{text.strip()}</qt>"
    assert bar.minimumSizeHint().width() < 800


def test_the_action_says_its_key_once(qtbot, bar):
    bar.show_message("It moved.", MessageLevel.WARNING, action=("locate", "Locate…"))
    button = next(button for button in bar.findChildren(QPushButton) if button.text() == "Locate…")
    with qtbot.waitSignal(bar.action_chosen) as sent:
        click(button)
    assert sent.args == ["locate"]
    assert not button.isVisible()
    assert bar.message() == ""


def test_esc_and_the_button_dismiss(qtbot, bar):
    bar.show_message("It failed.", MessageLevel.ERROR)
    with qtbot.waitSignal(bar.dismissed):
        press(bar, "Esc")
    assert bar.message() == ""
    bar.show_message("It failed again.", MessageLevel.ERROR)
    with qtbot.waitSignal(bar.dismissed):
        click(bar.findChild(QToolButton))
    with qtbot.assertNotEmitted(bar.dismissed):
        bar.dismiss()


def test_an_info_goes_by_itself_and_an_error_stays(qtbot, bar, monkeypatch):
    monkeypatch.setattr("app.gui.window.message_bar._INFO_MS", 1)
    bar.show_message("It failed.", MessageLevel.ERROR)
    assert not bar._timer.isActive()
    bar.show_message("Saved a copy.")
    qtbot.waitUntil(lambda: bar.message() == "")


def test_the_policy_stands_out_where_raw_footage_may_leave_and_leads_on(qtbot, bar):
    badge = bar._policy
    assert not badge.icon().isNull()
    quiet = badge.styleSheet()
    bar.set_policy(PolicyLevel.RAW, "Raw footage may leave", "Allowed by Board 7")
    assert theme.palette().error.name() in badge.styleSheet() != quiet
    assert (badge.toolTip(), badge.accessibleName()) == ("Allowed by Board 7", "Policy: Raw footage may leave")
    with qtbot.waitSignal(bar.policy_clicked):
        badge.click()
