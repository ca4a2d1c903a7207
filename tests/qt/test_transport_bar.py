"""The buttons under the picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSlider, QToolButton

from tests.builders.keyboard_walk import controls, tab_walk
from widgets.player.transport_bar import DEFAULT_KEYS, SPEEDS, TransportBar


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


def test_a_typed_time_asks_to_jump_hours_too(qtbot, bar):
    bar.set_duration(5 * 3600 * 1_000_000)
    for typed, time_us in (("0:01:23.456", 83_456_000), ("4:00:00", 4 * 3600 * 1_000_000)):
        bar.focus_time()
        qtbot.keyClicks(bar.time_edit, typed)
        with qtbot.waitSignal(bar.jump_requested) as sent:
            qtbot.keyClick(bar.time_edit, Qt.Key.Key_Return)
        assert sent.args == [time_us]


def test_speeds_run_from_a_quarter_to_four(qtbot, bar):
    speed = button(bar, "Speed 1x")
    actions = speed.menu().actions()
    assert [action.data() for action in actions] == list(SPEEDS)
    assert (SPEEDS[0], SPEEDS[-1]) == (0.25, 4.0)
    with qtbot.waitSignal(bar.speed_requested) as sent:
        actions[0].trigger()
    assert sent.args == [0.25]
    bar.set_speed(0.25)
    assert [action.isChecked() for action in actions].index(True) == 0
    assert speed.text() == "0.25x"


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


def test_where_it_is_narrow_only_what_has_a_key_gives_way(qtbot, bar):
    bar.resize(900, bar.height())
    wide = set(controls(bar))
    bar.resize(bar.minimumSizeHint().width(), bar.height())
    narrow = set(controls(bar))
    assert {button(bar, "Play"), button(bar, "One frame back"), bar.time_edit} <= narrow
    assert narrow < wide
    assert all(control.geometry().right() <= bar.width() for control in narrow)
    for width in range(bar.minimumSizeHint().width(), 900, 20):
        bar.resize(width, bar.height())
        names = {control.accessibleName() for control in controls(bar)}
        assert ("Go to the start" in names) == ("Go to the end" in names), width
    bar.resize(900, bar.height())
    assert set(controls(bar)) == wide


def several(bar):
    names = [control.accessibleName() for control in controls(bar)]
    return [name for name in names if "Layout" in name or "Sound of " in name]


def test_layouts_and_sounds_are_offered_where_there_are_several(qtbot, bar):
    assert several(bar) == []
    bar.set_sources([("main", "front")], "main")
    assert several(bar) == [], "one sound is no choice"
    bar.set_sources([("main", "front"), ("m", "lapel & co")], "m")
    bar.set_layouts([("side", "Side by side", "columns-2"), ("inset", "Picture in picture", "square")], "side")
    bar.resize(1000, bar.height())
    source = button(bar, "Sound of lapel & co")
    assert [action.isChecked() for action in source.menu().actions()] == [False, True]
    with qtbot.waitSignal(bar.source_requested) as sent:
        source.menu().actions()[0].trigger()
    assert sent.args == ["main"]
    with qtbot.waitSignal(bar.layout_requested) as sent:
        button(bar, "Layout of the pictures: side by side").menu().actions()[1].trigger()
    assert sent.args == ["inset"]
    bar.set_layouts((), "")
    bar.set_sources((), "")
    assert several(bar) == []
