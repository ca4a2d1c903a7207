"""The sound of a further file, kept beside the player's clock."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject

from app.core.session import LocatedMedium
from app.gui.player import Player
from app.gui.vlc_engine import VlcEngine
from project.timebase import SECOND

APART_US = 80_000
"""How far the sound may be from the clock before it is moved."""

_CALM_S = 1.0
_SETTLED_S = 0.5
_MOST_LEAD_US = 600_000


class SideSound(QObject):
    """An engine without a picture, made when somebody first wants to hear another file than the main one.

    It starts with the clock. When it is off by more than `APART_US` it jumps, once in a second at most; how late it was
    says how far ahead the next jump must aim, since a jump takes libVLC a while.
    """

    def __init__(self, player: Player, make_engine: Callable[[QObject], VlcEngine], parent: QObject | None) -> None:
        super().__init__(parent)
        self._player = player
        self._make_engine = make_engine
        self._engine: VlcEngine | None = None
        self._chosen: LocatedMedium | None = None
        self._offset_us = 0
        self._volume = 80
        self._rate = 1.0
        self._on = False
        self._loud = False
        self._moved_at = 0.0
        self._lead_us = 0
        player.started.connect(self._start)
        player.playing_changed.connect(self._follow_playing)
        player.position_changed.connect(self._tick)

    @property
    def sounding(self) -> bool:
        """Whether it plays."""
        return self._on

    def choose(self, located: LocatedMedium | None) -> None:
        """Be heard from now on, or be silent with None.

        Raises:
            UserError: libVLC is missing.
        """
        if located == self._chosen:
            return
        self._stop()
        self._chosen = located
        if located is None:
            if self._engine is not None:
                self._engine.stop()
            return
        if self._engine is None:
            self._engine = self._make_engine(self)
        self._engine.open(located.path, 0, 0)
        self._offset_us = located.medium.offset_us
        if self._player.playing:
            self._start(self._player.position_us, self._player.rate)

    def set_volume(self, percent: int) -> None:
        """Set how loud it is, 0 to 100."""
        self._volume = percent
        if self._engine is not None and self._loud:
            self._engine.set_volume(percent)

    def error_us(self) -> int | None:
        """Return how far it is ahead of the clock; None while nothing new is known."""
        seen = self._engine.observation() if self._engine is not None and self._on else None
        if seen is None:
            return None
        own, at = seen
        clock = self._player.position_us - round((time.monotonic() - at) * self._rate * SECOND)
        return own + self._offset_us - clock

    def close(self) -> None:
        """Stop, and free libVLC."""
        self._on = False
        if self._engine is not None:
            self._engine.release()
            self._engine = None
        self._chosen = None

    def _start(self, at_us: int, rate: float) -> None:
        self._stop()
        self._rate = rate
        own = at_us - self._offset_us
        if self._engine is None or self._chosen is None or rate <= 0 or not self._has(own):
            return
        self._on, self._loud = True, False
        self._moved_at = time.monotonic()
        self._engine.start(own + round(self._lead_us * rate), rate)

    def _stop(self) -> None:
        if self._on and self._engine is not None:
            self._engine.pause()
        self._on = False

    def _has(self, own_us: int) -> bool:
        return self._chosen is not None and 0 <= own_us < self._chosen.medium.facts.duration_us

    def _follow_playing(self, playing: bool) -> None:
        if not playing:
            self._stop()

    def _tick(self, time_us: int) -> None:
        if self._engine is None or self._chosen is None or not self._player.playing:
            return
        if self._has(time_us - self._offset_us) != self._on:
            self._start(time_us, self._player.rate)
            return
        if not self._on or not self._engine.running():
            return
        if not self._loud:
            self._loud = True
            self._engine.set_volume(self._volume)
        error = self.error_us()
        waited = time.monotonic() - self._moved_at
        if error is None or waited < _SETTLED_S:
            return
        if abs(error) > APART_US and waited >= _CALM_S:
            self._lead_us = min(max(self._lead_us - round(error / self._rate), 0), _MOST_LEAD_US)
            self._moved_at = time.monotonic()
            self._engine.seek(self._player.position_us - self._offset_us + round(self._lead_us * self._rate))
