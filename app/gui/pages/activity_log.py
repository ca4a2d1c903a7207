"""Counts active minutes while the window is used, and writes them to the study periodically."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QWidget

from annotate.team import activity
from annotate.team.activity import ActiveTime
from app.gui.player.player import Player
from app.gui.study.study_controller import StudyController
from project.errors import UserError
from project.queries.annotator_rows import Key

POLL_INTERVAL_MS = 5_000
WRITE_INTERVAL_S = 60.0
_INPUT_EVENTS = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseMove,
        QEvent.Type.Wheel,
        QEvent.Type.TabletMove,
        QEvent.Type.TouchUpdate,
    }
)


class ActivityLog(QObject):
    """Looks every few seconds whether somebody is active; while it is off, it counts and writes nothing.

    Signals:
        changed: minutes were written, deleted, or counting was switched on or off.
    """

    changed = Signal()

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        window: QWidget,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(window)
        self._studio = studio
        self._player = player
        self._window = window
        self._clock = clock
        self._time = ActiveTime()
        self._key: Key | None = None
        self._written = clock()
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_INTERVAL_MS)
        self._timer.timeout.connect(self.count_elapsed)
        studio.recording_changed.connect(self._on_context_changed)
        studio.leaving.connect(self._on_leaving)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._watch)
        self._watch(app.focusWindow())

    @property
    def is_enabled(self) -> bool:
        """Whether minutes are counted."""
        return self._studio.settings.activity

    def set_enabled(self, on: bool) -> None:
        """Count from now on, or no longer."""
        if on == self.is_enabled:
            return
        self.count_elapsed()
        if on:
            self._time.clear()
        else:
            self.write_minutes()
        self._studio.change_settings(lambda kept: replace(kept, activity=on))
        self.changed.emit()

    def delete_minutes(self) -> None:
        """Delete the minutes of the current annotator from this study."""
        session = self._studio.session
        who = session.annotator() if session is not None else None
        self._time.clear()
        if session is not None and who is not None:
            try:
                activity.delete_activity_of(session, who)
            except UserError as error:
                self._studio.failed.emit(error)
        self.changed.emit()

    def count_elapsed(self) -> None:
        """Count the time since the last look; while something large is written, the study is left alone."""
        if self._studio.apart.busy:
            return
        now = self._clock()
        if self._player.playing:
            self._time.record_activity(now)
        key = self._key if self.is_enabled else None
        self._time.tick(now, key, self._window.isVisible() and not self._window.isMinimized())
        self._key = self._current_key()
        if now - self._written >= WRITE_INTERVAL_S:
            self.write_minutes()

    def write_minutes(self) -> None:
        """Write what was counted."""
        self._written = self._clock()
        session, seconds = self._studio.session, self._time.take_seconds()
        if session is None or not seconds or not self.is_enabled:
            return
        try:
            activity.store_seconds(session, seconds)
        except UserError as error:
            self._studio.failed.emit(error)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _INPUT_EVENTS:
            self._time.record_activity(self._clock())
        return super().eventFilter(watched, event)

    def _watch(self, window: QWindow | None) -> None:
        """Notice input in a window of the program from the first time that it has the focus."""
        if window is not None:
            window.installEventFilter(self)

    def _on_context_changed(self) -> None:
        self.count_elapsed()
        self._key = self._current_key()
        if self._studio.recording is None:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()
        self.write_minutes()

    def _on_leaving(self) -> None:
        self.count_elapsed()
        self.write_minutes()
        self._time.clear()

    def _current_key(self) -> Key | None:
        """Return what counts now; nobody is introduced into a study by being there."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or session.study.read_only:
            return None
        who = session.annotator()
        return None if who is None else (recording.id, who.id, date.today().isoformat())
