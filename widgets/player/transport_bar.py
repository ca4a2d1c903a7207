"""The row of playback controls under the picture."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.form.controls import Do, tool_button
from widgets.form.input_fields import TimeEdit
from widgets.form.layouts import Gap, make_row
from widgets.form.wheel_guard import Slider
from widgets.text_labels import PlainLabel, describe, plain_tip
from widgets.theme import icon

SPEEDS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)

DEFAULT_KEYS: Mapping[str, str] = {
    "start": "Home",
    "back": "Left",
    "play": "Space",
    "forward": "Right",
    "end": "End",
    "time": "Ctrl+L",
    "speed": "<, >",
    "loop": "R",
    "mute": "M",
    "volume": "Ctrl+Up, Ctrl+Down",
    "full_screen": "F",
    "brightness": "Ctrl+B",
    "layout": "Shift+P",
    "source": "Shift+M",
}
"""The keys that the tooltips name where the window gives no others."""


_SPACING = 2
_GAPS = 4 * theme.GRID
"""Pixels between the groups of controls."""


class TransportBar(QWidget):
    """Says what the user wants of the player; the window tells it what the player does.

    Where it is narrow, controls that have a key of their own give way, the volume first.

    Signals:
        play_requested: play or pause.
        step_requested (int): frames to move: -1 or 1.
        start_requested, end_requested: go to the first or last frame.
        jump_requested (object): microseconds to go to.
        speed_requested (float): 0.25 to 4.
        loop_requested (bool): repeat the selected segment.
        volume_requested (int): 0 to 100.
        mute_requested (bool): sound off or on.
        full_screen_requested: full-screen picture, or back.
        brightness_requested: set brightness and contrast of the picture.
        layout_requested (str): another layout of several pictures.
        source_requested (str): hear the sound of another file.
    """

    play_requested = Signal()
    step_requested = Signal(int)
    start_requested = Signal()
    end_requested = Signal()
    jump_requested = Signal(object)
    speed_requested = Signal(float)
    loop_requested = Signal(bool)
    volume_requested = Signal(int)
    mute_requested = Signal(bool)
    full_screen_requested = Signal()
    brightness_requested = Signal()
    layout_requested = Signal(str)
    source_requested = Signal(str)

    def __init__(self, keys: Mapping[str, str] | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = {**DEFAULT_KEYS, **(keys or {})}
        self.setAccessibleName(tr("Player controls"))
        self._start = self._button("skip-back", tr("Go to the start"), "start", self.start_requested.emit)
        self._back = self._button(
            "step-back", tr("One frame back"), "back", lambda: self.step_requested.emit(-1), autoRepeat=True
        )
        self._play = self._button("play", tr("Play"), "play", self.play_requested.emit, side=20)
        self._forward = self._button(
            "step-forward", tr("One frame forward"), "forward", lambda: self.step_requested.emit(1), autoRepeat=True
        )
        self._end = self._button("skip-forward", tr("Go to the end"), "end", self.end_requested.emit)
        self.time_edit = TimeEdit(tr("Time"))
        self.time_edit.setToolTip(plain_tip(tr("Time: type one to go there ({time})").format(time=self._keys["time"])))
        self.time_edit.time_entered.connect(self.jump_requested)
        self._duration = PlainLabel()
        self._speed = self._speed_button()
        self._loop = self._button(
            "repeat", tr("Repeat the selected segment"), "loop", self.loop_requested, checkable=True
        )
        self._layout = self._choice_button("columns-2", tr("Layout of the pictures"), "layout")
        self._source = self._choice_button("headphones", tr("Sound of"), "source")
        self._mute = self._button("volume-2", tr("Sound off"), "mute", self.mute_requested, checkable=True)
        self._volume = Slider(Qt.Orientation.Horizontal)
        self._volume.setRange(0, 100)
        self._volume.setValue(100)
        self._volume.setFixedWidth(80)
        describe(self._volume, tr("Volume"), tr("Volume ({volume})").format(volume=self._keys["volume"]))
        self._volume.valueChanged.connect(self._volume_moved)
        self.brightness = self._button(
            "contrast", tr("Brightness and contrast"), "brightness", self.brightness_requested.emit
        )
        self._full = self._button("maximize", tr("Full-screen picture"), "full_screen", self.full_screen_requested.emit)
        gap = Gap(theme.GRID)
        ways = (self._start, self._back, self._play, self._forward, self._end, gap)
        times = (self.time_edit, Gap(4), self._duration, None, self._speed, self._loop, gap)
        looks = (self._layout, self._source, self._mute, self._volume, gap, self.brightness, self._full)
        margin = (theme.GRID, theme.GRID // 2, theme.GRID, theme.GRID // 2)
        self.setLayout(make_row(*ways, *times, *looks, margin=margin, spacing=_SPACING))
        self._stays = (self._back, self._play, self._forward, self.time_edit)
        # Start and end go together: one of them alone looks as if the other were missing.
        self._gives_way: tuple[tuple[QWidget, ...], ...] = (
            *((self.brightness,), (self._volume,), (self._duration,), (self._full,), (self._start, self._end)),
            *((self._layout,), (self._source,)),
            *((self._mute,), (self._loop,), (self._speed,)),
        )
        self._needless: set[QWidget] = {self._layout, self._source}
        self.set_duration(0)
        self.set_speed(1.0)

    def minimumSizeHint(self) -> QSize:
        inside = sum(_part_width(part) + _SPACING for part in self._stays) + _GAPS
        return QSize(inside + 2 * theme.GRID, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_excess()

    def set_playing(self, playing: bool) -> None:
        """Show that the player plays or is paused."""
        self._set_name(self._play, tr("Pause") if playing else tr("Play"), "play")
        self._play.setIcon(icon("pause" if playing else "play"))

    def set_time(self, time_us: int) -> None:
        """Show where the playhead is."""
        self.time_edit.set_time(time_us)

    def set_duration(self, duration_us: int) -> None:
        """Show how long the recording is."""
        self._duration.setText(f"/ {format_time(duration_us)}")
        self._duration.setAccessibleName(tr("Duration {duration_us}").format(duration_us=format_time(duration_us)))
        self._hide_excess()

    def set_speed(self, speed: float) -> None:
        """Show the speed, negative while playing backward; one outside the menu is shown too."""
        text = f"{speed:g}x".replace("-", "\N{MINUS SIGN}")
        self._speed.setText(text)
        self._set_name(self._speed, tr("Speed {text}").format(text=text), "speed")
        for action in self._speeds.actions():
            action.setChecked(action.data() == speed)

    def set_loop(self, loop: bool) -> None:
        """Show whether the selected segment is repeated."""
        self._loop.setChecked(loop)

    def set_volume(self, volume: int) -> None:
        """Show the volume, 0 to 100, without asking for it again."""
        self._volume.blockSignals(True)
        self._volume.setValue(volume)
        self._volume.blockSignals(False)
        self._show_sound()

    def set_muted(self, muted: bool) -> None:
        """Show whether the sound is off."""
        self._mute.setChecked(muted)
        self._show_sound()

    def set_playable(self, playable: bool, sound: bool = True, reason: str = "") -> None:
        """Turn off what cannot be done: playing without libVLC, sound without a sound stream.

        Stepping and jumping stay. `reason` is added to the tooltip of what is off.
        """
        for control in (self._play, self._speed, self._loop):
            control.setEnabled(playable)
        for sound_control in (self._mute, self._volume):
            sound_control.setEnabled(playable and sound)
        self._set_name(self._play, tr("Play"), "play")
        if not playable and reason:
            self._play.setToolTip(plain_tip(f"{self._play.toolTip()}: {reason}"))

    def set_layouts(self, layouts: Sequence[tuple[str, str, str]], chosen: str) -> None:
        """Offer layouts of several pictures (key, name, icon); none where there is one picture."""
        self._fill_menu(self._layout, layouts, chosen, self.layout_requested.emit)

    def set_sources(self, sources: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer files whose sound can be heard (key, name); fewer than two are no choice."""
        offered = [(key, name, "headphones") for key, name in sources] if len(sources) > 1 else []
        self._fill_menu(self._source, offered, chosen, self.source_requested.emit)

    def focus_time(self) -> None:
        """Let the user type a time to go to."""
        self.time_edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.time_edit.selectAll()

    def _hide_excess(self) -> None:
        room = self.width() - self.minimumSizeHint().width()
        for parts in reversed(self._gives_way):
            needed = [part for part in parts if part not in self._needless]
            room -= sum(_part_width(part) + _SPACING for part in needed)
            for part in parts:
                part.setVisible(room >= 0 and part in needed)

    def _button(
        self, picture: str, text: str, key: str, do: Do = None, *, side: int = 16, **properties: Any
    ) -> QToolButton:
        keys, focus = self._keys[key], Qt.FocusPolicy.TabFocus
        return tool_button(picture, text, do=do, keys=keys, side=side, focusPolicy=focus, **properties)

    def _speed_button(self) -> QToolButton:
        popup, focus = QToolButton.ToolButtonPopupMode.InstantPopup, Qt.FocusPolicy.TabFocus
        button = tool_button("", "", popupMode=popup, focusPolicy=focus, minimumWidth=48)
        menu = QMenu(button)
        self._speeds = QActionGroup(menu)
        for speed in SPEEDS:
            action = QAction(f"{speed:g}x", menu, checkable=True)
            action.setData(speed)
            action.triggered.connect(lambda _=False, speed=speed: self.speed_requested.emit(speed))
            self._speeds.addAction(action)
            menu.addAction(action)
        button.setMenu(menu)
        return button

    def _choice_button(self, picture: str, text: str, key: str) -> QToolButton:
        popup = QToolButton.ToolButtonPopupMode.InstantPopup
        button = self._button(picture, text, key, popupMode=popup, visible=False)
        button.setMenu(QMenu(button))
        return button

    def _fill_menu(
        self,
        button: QToolButton,
        choices: Sequence[tuple[str, str, str]],
        chosen: str,
        choose: Callable[[str], object],
    ) -> None:
        menu = button.menu()
        menu.clear()
        for key, name, picture in choices:
            action = QAction(name.replace("&", "&&"), menu, checkable=True)
            action.setChecked(key == chosen)
            action.triggered.connect(lambda _=False, key=key: choose(key))
            menu.addAction(action)
            if key == chosen:
                button.setIcon(icon(picture))
                if button is self._source:
                    self._set_name(button, tr("Sound of {name}").format(name=name), "source")
                else:
                    self._set_name(button, tr("Layout of the pictures: {name}").format(name=name.lower()), "layout")
        if bool(choices) == (button in self._needless):
            self._needless ^= {button}
            self._hide_excess()

    def _set_name(self, button: QToolButton, text: str, key: str) -> None:
        describe(button, text, f"{text} ({self._keys[key]})")

    def _volume_moved(self, volume: int) -> None:
        self._show_sound()
        self.volume_requested.emit(volume)

    def _show_sound(self) -> None:
        muted = self._mute.isChecked()
        volume = self._volume.value()
        self._mute.setIcon(icon("volume-x" if muted or not volume else "volume-1" if volume < 50 else "volume-2"))
        self._set_name(self._mute, tr("Sound on") if muted else tr("Sound off"), "mute")


def _part_width(part: QWidget) -> int:
    return part.sizeHint().boundedTo(part.maximumSize()).expandedTo(part.minimumSize()).width()
