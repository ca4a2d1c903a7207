import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton

from project.errors import UserError
from project.policy import Level as PolicyLevel
from tests.qt.walking import nameless, unexplained
from widgets import theme
from widgets.message_bar import Level, MessageBar


@pytest.fixture
def bar(qtbot):
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.resize(1000, 32)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


def test_an_error_is_shown_with_its_hint_and_read_out(bar):
    bar.show_error(UserError("This is not a video.", "Choose another file."))
    assert bar.message() == "This is not a video."
    assert bar.hint() == "Choose another file."
    assert bar.accessibleDescription() == "Error: This is not a video. Choose another file."


def test_a_message_is_one_line_however_it_was_written(bar):
    bar.show_message("one\ntwo\n three", Level.WARNING)
    assert bar.message() == "one two three"


def test_a_long_message_gives_way_and_is_whole_in_the_tooltip(qtbot, bar):
    text = "word " * 200
    bar.show_message(text, Level.ERROR)
    label = next(label for label in bar.findChildren(QLabel) if label.toolTip())
    assert label.toolTip() == f"<qt>{text.strip()}</qt>"
    assert bar.minimumSizeHint().width() < 800


def test_the_action_says_its_key_once(qtbot, bar):
    bar.show_message("It moved.", Level.WARNING, action=("locate", "Locate…"))
    button = next(button for button in bar.findChildren(QPushButton) if button.text() == "Locate…")
    with qtbot.waitSignal(bar.action_chosen) as sent:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert sent.args == ["locate"]
    assert not button.isVisible()
    assert bar.message() == ""


def test_esc_and_the_button_dismiss(qtbot, bar):
    bar.show_message("It failed.", Level.ERROR)
    with qtbot.waitSignal(bar.dismissed):
        qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.message() == ""
    bar.show_message("It failed again.", Level.ERROR)
    with qtbot.waitSignal(bar.dismissed):
        qtbot.mouseClick(bar.findChild(QToolButton), Qt.MouseButton.LeftButton)
    with qtbot.assertNotEmitted(bar.dismissed):
        bar.dismiss()


def test_an_info_goes_by_itself_and_an_error_stays(qtbot, bar):
    bar._timer.setInterval(1)
    bar.show_message("It failed.", Level.ERROR)
    assert not bar._timer.isActive()
    bar.show_message("Saved a copy.")
    qtbot.waitUntil(lambda: bar.message() == "")


def test_it_tells_how_things_stand(bar):
    bar.set_saved("Read-only")
    texts = [label.text() for label in bar.findChildren(QLabel)]
    assert "Read-only" in texts
    assert bar.policy() == "Nothing leaves this machine"


def test_every_control_has_a_name(bar):
    bar.show_message("It moved.", Level.WARNING, action=("locate", "Locate…"))
    assert nameless(bar) == []
    assert unexplained(bar) == []


def test_the_policy_stands_out_where_raw_footage_may_leave_and_leads_on(qtbot, bar):
    badge = bar._policy
    assert not badge.icon().isNull()
    quiet = badge.styleSheet()
    bar.set_policy(PolicyLevel.RAW, "Raw footage may leave", "Allowed by Board 7")
    assert theme.palette().error.name() in badge.styleSheet() != quiet
    assert (badge.toolTip(), badge.accessibleName()) == ("Allowed by Board 7", "Policy: Raw footage may leave")
    with qtbot.waitSignal(bar.policy_clicked):
        badge.click()
