"""The buttons under the picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSlider, QToolButton

from tests.builders.keyboard_walk import controls, tab_walk
from widgets.player.transport_bar import DEFAULT_KEYS, TransportBar


@pytest.fixture
def bar(qtbot):
    bar = TransportBar()
    qtbot.addWidget(bar)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


def button(bar, name):
    return next(child for child in bar.findChildren(QToolButton) if child.accessibleName() == name)


def test_every_button_says_what_the_user_wants(qtbot, bar):
    for name, signal, args in (
        ("Go to the start", "start_requested", []),
        ("One frame back", "step_requested", [-1]),
        ("Play", "play_requested", []),
        ("One frame forward", "step_requested", [1]),
        ("Go to the end", "end_requested", []),
        ("Repeat the selected segment", "loop_requested", [True]),
        ("Sound off", "mute_requested", [True]),
        ("Full-screen picture", "full_screen_requested", []),
    ):
        with qtbot.waitSignal(getattr(bar, signal)) as sent:
            qtbot.mouseClick(button(bar, name), Qt.MouseButton.LeftButton)
        assert sent.args == args
    with qtbot.waitSignal(bar.volume_requested) as sent:
        bar.findChild(QSlider).setValue(40)
    assert sent.args == [40]


def test_telling_the_bar_asks_for_nothing(qtbot, bar):
    with (
        qtbot.assertNotEmitted(bar.volume_requested),
        qtbot.assertNotEmitted(bar.mute_requested),
        qtbot.assertNotEmitted(bar.loop_requested),
        qtbot.assertNotEmitted(bar.jump_requested),
    ):
        bar.set_volume(30)
        bar.set_muted(True)
        bar.set_loop(True)
        bar.set_time(1_000)
        bar.set_playing(True)
    assert button(bar, "Pause").toolTip() == "Pause (Space)"
    assert button(bar, "Sound on")


def test_without_a_player_stepping_stays(bar):
    bar.set_playable(False, reason="install libVLC")
    assert not button(bar, "Play").isEnabled()
    assert "install libVLC" in button(bar, "Play").toolTip()
    assert button(bar, "One frame forward").isEnabled()
    assert bar.time_edit.isEnabled()


def test_every_control_has_a_tooltip_with_its_key_and_is_reached_with_tab(bar):
    assert controls(bar)
    for control in controls(bar):
        assert any(f"({key})" in control.toolTip() for key in DEFAULT_KEYS.values()), control.accessibleName()
    assert set(controls(bar)) <= set(tab_walk(button(bar, "Go to the start")))
