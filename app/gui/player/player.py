"""Plays one recording: libVLC while it runs forward, exact frames while it stands still or runs backward.

A clock interpolates libVLC's sparse positions.
"""

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from app.gui.player.frame_service import FrameService
from app.gui.player.vlc_engine import VlcEngine
from project.entities.study_records import MediaFacts
from project.errors import UserError
from project.timebase import SECOND_US, FrameTimes
from resources.translation import tr

_MAX_SILENCE_S = 1.2


class PlayClock:
    """Interpolates observed positions with a monotonic clock; never runs backward while playing forward.

    `now_us()`, `playing` and `rate` are what the timeline asks for. A negative rate plays backward.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._rate = 1.0
        self._playing = False
        self._anchor_us = 0
        self._anchor_at = 0.0
        self._last_us = 0
        self._observed = False
        self._range = (0, 0)

    @property
    def playing(self) -> bool:
        """Whether time passes."""
        return self._playing

    @property
    def rate(self) -> float:
        """Recording time a second of real time."""
        return self._rate

    def set_range(self, start_us: int, end_us: int) -> None:
        """Set where time stops at both ends."""
        self._range = (start_us, end_us)

    def set_position(self, time_us: int) -> None:
        """Stand at a position."""
        self._playing = False
        self._last_us = self._anchor_us = self._clamp(time_us)

    def start(self, time_us: int, rate: float) -> None:
        """Run from a position; assumed to be right until the first observation."""
        self._rate = rate
        self._playing = True
        self._observed = False
        self._last_us = self._anchor_us = self._clamp(time_us)
        self._anchor_at = self._monotonic()

    def stop(self) -> int:
        """Stand still, and return where."""
        stopped = self.now_us()
        self.set_position(stopped)
        return self._last_us

    def observe(self, time_us: int, at: float) -> None:
        """Take in that the player was at `time_us` when the monotonic clock showed `at` seconds."""
        if self._playing and at >= self._anchor_at:
            self._anchor_us, self._anchor_at, self._observed = time_us, at, True

    def now_us(self) -> int:
        """Return the position on the recording's axis, in microseconds."""
        if not self._playing:
            return self._last_us
        passed = self._monotonic() - self._anchor_at
        if self._observed:
            passed = min(passed, _MAX_SILENCE_S)
        reached = self._clamp(self._anchor_us + round(passed * self._rate * SECOND_US))
        self._last_us = max(self._last_us, reached) if self._rate >= 0 else min(self._last_us, reached)
        return self._last_us

    def _clamp(self, time_us: int) -> int:
        start, end = self._range
        return min(max(time_us, start), max(start, end))


RATES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
_SHUTTLE = (1.0, 2.0, 4.0)
_TICK_MS = 15
USUAL_FRAME_US = 40_000
"""A step where nobody knows the frames."""
_NO_PLAY_HINT = tr("Stills and stepping work. If it plays no file at all: sudo apt install vlc-plugin-base")
_WITHOUT_INDEX = ("mpegts", "mpeg")
"""Containers in which libVLC begins between key frames: its pictures are grey up to the next one."""
_MAX_PLAYED_PX = 1280
"""The longest side of exact frames while they are played: larger ones would come too late."""
_STILL_US = 100_000
"""How long the exact frame is kept at the start: the first pictures of libVLC lie a frame or two before it."""


class Player(QObject):
    """What the transport bar drives and the timeline follows. Times are microseconds on the recording's axis.

    No position is ever taken from libVLC where a person makes a mark: standing still, `position_us` is the time
    stamp of the exact frame that is shown.

    Signals:
        picture_changed: (QImage) what to paint; a null image where there is no picture.
        position_changed: (time_us) the playhead moved.
        previewed: (time_us) the frame of another time is shown for a while; the playhead stays.
        playing_changed: (bool)
        rate_changed: (float) negative while running backward.
        opened: (FrameTimes) the exact frames of the file are known.
        problem: (UserError) something the user should read.
        message: (str) something worth a line happened.
        exact_shown: (time_us) the exact frame of this time stamp is on screen.
        volume_changed: (int) how loud it is, 0 to 100, whoever is heard.
        started: (time_us, rate) the clock runs from here on; later than `playing_changed`, once libVLC plays.

    Attributes:
        unaccompanied: the clock may run though no file is open, because others are shown by it.
    """

    picture_changed = Signal(QImage)
    position_changed = Signal(object)
    previewed = Signal(object)
    playing_changed = Signal(bool)
    rate_changed = Signal(float)
    opened = Signal(object)
    problem = Signal(object)
    message = Signal(str)
    exact_shown = Signal(object)
    started = Signal(object, float)
    volume_changed = Signal(int)

    def __init__(self, parent: QObject | None = None, engine: Callable[[QObject], VlcEngine] = VlcEngine) -> None:
        super().__init__(parent)
        self.clock = PlayClock()
        self.times: FrameTimes | None = None
        self.duration_us = 0
        self.loop: tuple[int, int] | None = None
        self._stop_at: int | None = None
        self._make_engine = engine
        self._engine: VlcEngine | None = None
        self._engine_tried = False
        self._with_engine = False
        self._waiting_from: int | None = None
        self._started_from = 0
        self._requested_us = -1
        self._previewed_us: int | None = None
        self._path: Path | None = None
        self._facts: MediaFacts | None = None
        self._rate = 1.0
        self._running_rate = 1.0
        self._volume = 80
        self._heard = True
        self._silence_told = False
        self.unaccompanied = False
        self._generation = 0
        self._frames = FrameService(self)
        queued = Qt.ConnectionType.QueuedConnection
        self._frames.ready.connect(self._on_frame, queued)
        self._frames.opened.connect(self._on_opened, queued)
        self._frames.failed.connect(self._on_failed, queued)
        self._timer = QTimer(self, interval=_TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    @property
    def playing(self) -> bool:
        """Whether it plays, forward or backward."""
        return self._timer.isActive()

    @property
    def position_us(self) -> int:
        """Where the playhead is; of the exact frame shown when standing still."""
        return self.clock.now_us() if self._waiting_from is None else self._waiting_from

    @property
    def shown_us(self) -> int:
        """The time of the picture: the playhead's, or that of a preview."""
        return self.position_us if self._previewed_us is None else self._previewed_us

    @property
    def rate(self) -> float:
        """The speed that playing has or will have; negative while running backward."""
        return self._running_rate if self.playing else self._rate

    @property
    def path(self) -> Path | None:
        """The file that is open."""
        return self._path

    def load_engine(self) -> bool:
        """Load libVLC if that was not tried yet; say once what to install when it is missing."""
        if not self._engine_tried:
            self._engine_tried = True
            try:
                self._engine = self._make_engine(self)
            except UserError as error:
                self.problem.emit(error)
            else:
                self._engine.picture_ready.connect(self._on_picture, Qt.ConnectionType.QueuedConnection)
                self._engine.ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
                self._open_in_engine()
        return self._engine is not None

    def open(self, path: Path | None, facts: MediaFacts | None, duration_us: int, at_us: int = 0) -> None:
        """Change to a file and stand at a position; `path` None leaves the time axis without a picture."""
        self._halt()
        self.unaccompanied = False
        self._path, self._facts = path, facts
        self.times = None
        self.loop = None
        self.duration_us = duration_us
        self.clock.set_range(0, duration_us)
        self.clock.set_position(at_us)
        if self._engine is not None:
            self._open_in_engine()
        has_picture = path is not None and facts is not None and facts.video is not None
        if not has_picture:
            self.picture_changed.emit(QImage())
        self._generation = self._frames.open(path if has_picture else None)
        self.position_changed.emit(self.position_us)

    def play_span(self, start_us: int, end_us: int) -> None:
        """Play from a start and pause at an end."""
        self._halt()
        self.clock.set_position(start_us)
        self.play()
        self._stop_at = end_us

    def play(self, rate: float | None = None) -> None:
        """Play from the playhead, at another speed for once if given; from the start when it stands at the end."""
        if self._path is None and not self.unaccompanied:
            return
        at = self.position_us
        self._halt()
        wanted = self._running_rate = self._rate if rate is None else rate
        if wanted > 0 and at >= self._last_start_us():
            at = self.loop[0] if self.loop else 0
        has_use = self._path is not None and (self._engine_shows or self._sound_track > 0)
        self._with_engine = wanted > 0 and has_use and self.load_engine()
        if self._with_engine and self._engine is not None:
            self._waiting_from = self._started_from = at
            self._engine.start(at, wanted)
        else:
            self.clock.start(at, wanted)
        self._requested_us = -1
        self._timer.start()
        self.playing_changed.emit(True)
        self.rate_changed.emit(wanted)
        if not self._with_engine:
            self.started.emit(at, wanted)

    def pause(self) -> None:
        """Stand still on the exact frame."""
        if not self.playing:
            return
        at = self.position_us
        self._halt()
        self._show_exact(at)

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def shuttle(self, direction: int) -> None:
        """L (1) and J (-1) play and go faster at each press; K (0) pauses."""
        if direction == 0:
            self.pause()
            return
        current = self.rate if self.playing else 0.0
        faster = [r for r in _SHUTTLE if r > abs(current)] if current * direction > 0 else [_SHUTTLE[0]]
        self.play(direction * (faster[0] if faster else _SHUTTLE[-1]))

    def set_rate(self, rate: float) -> None:
        """Change the speed, 0.25 to 4, playing or not.

        Playing starts again at the playhead: told to go faster, libVLC shows for half a second what lies a dozen frames
        beside its clock.
        """
        self._rate = min(max(rate, RATES[0]), RATES[-1])
        if self.playing:
            stop_at = self._stop_at
            self.play(self._rate)
            self._stop_at = stop_at
        else:
            self.rate_changed.emit(self._rate)

    def seek(self, time_us: int) -> None:
        """Go to the frame on screen at a time; keeps playing if it was."""
        if self.playing:
            rate = self.rate
            self._halt()
            self.clock.set_position(time_us)
            self.play(rate)
        else:
            self._show_exact(time_us)

    def step(self, frames: int) -> None:
        """Go to a neighbouring frame and stand there; without frames, by the length of a usual one."""
        at = self.position_us
        if self.playing:
            self._halt()
        if self.times is None:
            self._show_exact(at + frames * USUAL_FRAME_US)
        elif at < self.times.time_of(0):
            self._show_exact(self.times.time_of(0) if frames > 0 else 0)
        else:
            self._show_exact(self.times.step(at, frames))

    def preview(self, time_us: int) -> None:
        """Show the exact frame of another time until `end_preview`; nothing while it plays.

        Of frames that are asked for faster than they are decoded, only the newest is shown.
        """
        exact = self.frame_time_us(time_us)
        if not self.playing and exact != self._previewed_us:
            self._previewed_us = exact
            self._frames.request_time(exact)
            self.previewed.emit(exact)

    def end_preview(self) -> None:
        """Show the frame of the playhead again."""
        if self._previewed_us is not None and not self.playing:
            self._show_exact(self.position_us)

    def set_volume(self, percent: int) -> None:
        """Set how loud it is, 0 to 100."""
        self._volume = percent
        self._apply_volume()
        self.volume_changed.emit(percent)

    def set_audible(self, heard: bool) -> None:
        """Let this file's sound be heard, or be silent because another one's is."""
        self._heard = heard
        self._apply_volume()

    def close(self) -> None:
        """Stop, and end every thread; must come before the window is gone."""
        self._halt()
        self._frames.close()
        if self._engine is not None:
            self._engine.release()
            self._engine = None
        self._path = None

    def frame_time_us(self, time_us: int) -> int:
        """Return the time stamp of the frame on screen at a time; the time itself where there is no picture."""
        times = self.times
        if times is None or time_us < times.time_of(0) or time_us >= times.end_us:
            return min(max(time_us, 0), self.duration_us)
        return times.time_of(times.frame_at(time_us))

    def _apply_volume(self) -> None:
        if self._engine is not None:
            self._engine.set_volume(self._volume if self._heard else 0)

    def _open_in_engine(self) -> None:
        video = self._facts.video if self._facts and self._engine_shows else None
        if self._engine is not None and self._path is not None:
            size = (video.width, video.height) if video else (0, 0)
            self._engine.open(self._path, *size, self._sound_track)
        elif self._engine is not None:
            self._engine.stop()

    def _last_start_us(self) -> int:
        return self.times.time_of(len(self.times) - 1) if self.times else max(self.duration_us - 1, 1)

    @property
    def _engine_shows(self) -> bool:
        """Whether libVLC gives the pictures too; else exact frames follow the clock, as those of further cameras do."""
        facts = self._facts
        return facts is not None and facts.video is not None and facts.container not in _WITHOUT_INDEX

    @property
    def _sound_track(self) -> int:
        return self._facts.audio.track if self._facts is not None and self._facts.audio is not None else 0

    def _halt(self) -> None:
        was_playing = self.playing
        self._previewed_us = None
        self._timer.stop()
        self._stop_at = None
        if self._waiting_from is not None:
            self.clock.set_position(self._waiting_from)
            self._waiting_from = None
        self.clock.stop()
        if self._engine is not None and self._with_engine:
            self._engine.pause()
        if was_playing:
            self.playing_changed.emit(False)
            self.rate_changed.emit(self._rate)

    def _show_exact(self, time_us: int) -> None:
        exact = self.frame_time_us(time_us)
        self._previewed_us = None
        self.clock.set_position(exact)
        self._frames.request_time(exact)
        self.position_changed.emit(exact)

    def _tick(self) -> None:
        if self._with_engine and self._engine is not None:
            if self._waiting_from is not None:
                self._start_clock_when_running(self._engine)
            else:
                self._report_missing_sound(self._engine)
            seen = self._engine.take_observation()
            if seen is not None and self._waiting_from is None:
                self.clock.observe(*seen)
        now = self.position_us
        if not self.playing or self._waiting_from is not None:
            return
        backward = self.clock.rate < 0
        if self._stop_at is not None and now >= self._stop_at:
            # Not where the clock is: a busy machine looks at it late.
            end = self._stop_at
            self._halt()
            self._show_exact(end)
        elif self.loop is not None and not backward and now >= self.loop[1]:
            self.seek(self.loop[0])
        elif now <= 0 if backward else now >= self.duration_us:
            self.pause()
        else:
            exact = self.frame_time_us(now)
            if not (self._with_engine and self._engine_shows) and exact != self._requested_us:
                self._requested_us = exact
                self._frames.request_time(exact, _MAX_PLAYED_PX)
            self.position_changed.emit(now)

    def _start_clock_when_running(self, engine: VlcEngine) -> None:
        if engine.failed():
            error = engine.refusal or UserError(tr("libVLC cannot play this file."), _NO_PLAY_HINT)
            self._with_engine = False
            self._halt()
            self.problem.emit(error)
        elif engine.running() and self._waiting_from is not None:
            at, self._waiting_from = self._waiting_from, None
            self.clock.start(at, self._running_rate)
            self._apply_volume()
            self.started.emit(at, self._running_rate)

    def _report_missing_sound(self, engine: VlcEngine) -> None:
        if engine.lacks_sound and not self._silence_told:
            self._silence_told = True
            self.message.emit(tr("No sound device was found: playing without sound."))

    def _on_picture(self) -> None:
        if self.playing and self._with_engine and self._engine is not None:
            # Before the first picture that is one, libVLC shows grey ones.
            first_us = self.times.time_of(0) if self.times else 0
            if self.position_us < max(self._started_from + _STILL_US, first_us):
                return
            image = self._engine.latest_image()
            if image is not None:
                self.picture_changed.emit(image)

    def _on_ended(self) -> None:
        if self._engine is not None and self.playing and self._with_engine and not self._engine.running():
            if self.times is not None and not self._engine_shows:
                # The pictures may go on without sound.
                self._with_engine = False
                self._engine.stop()
                self.clock.start(self.position_us, self._running_rate)
                return
            end = self.duration_us if self.loop is None else self.position_us
            self._halt()
            self._engine.stop()
            if self.loop is not None:
                self.clock.set_position(self.loop[0])
                self.play()
            else:
                self._show_exact(end)

    def _on_frame(self, generation: int, _index: int, time_us: int, image: QImage) -> None:
        if generation == self._generation and not (self.playing and self._with_engine and self._engine_shows):
            self.picture_changed.emit(image)
            if not self.playing:
                self.exact_shown.emit(time_us)

    def _on_opened(self, generation: int, times: FrameTimes) -> None:
        if generation != self._generation:
            return
        self.times = times
        self.opened.emit(times)
        if not self.playing:
            self._show_exact(self.position_us)

    def _on_failed(self, generation: int, error: UserError) -> None:
        if generation == self._generation:
            self.picture_changed.emit(QImage())
            self.problem.emit(error)
