"""Joins the player with what shows it: the picture, the controls under it, the timeline and the range slider."""

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from app.core.session import LocatedMedium, MediaState
from app.gui.background import Background
from app.gui.face_overlay import FaceOverlay
from app.gui.player import Player
from app.gui.studio import Studio
from media.cache import cache_folder
from project.errors import UserError
from project.timebase import FrameTimes
from project.types import Segment
from resources.translation import tr
from widgets.player_view import PlayerView
from widgets.timeline.view import TimelineView
from widgets.transport_bar import TransportBar

_LATE_MS = 200


class Playback(QObject):
    """Opens the file of the recording that is shown and keeps everything at the same moment.

    Signals:
        media_missing: (LocatedMedium) the file is not there, or is another one.
        told: (str) something worth a line happened.
        loop_changed: (bool) the selected segment is repeated, or not any more.
        recording_opened: another recording's main file was opened, or none.
    """

    media_missing = Signal(object)
    told = Signal(str)
    loop_changed = Signal(bool)
    recording_opened = Signal()

    def __init__(
        self,
        studio: Studio,
        player: Player,
        view: PlayerView,
        bar: TransportBar,
        timeline: TimelineView,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._view = view
        self._bar = bar
        self._timeline = timeline
        self._background = background
        self.faces = FaceOverlay()
        self.looping = False
        self.muted = False
        self._late = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._late.timeout.connect(lambda: view.set_exact(False))
        timeline.set_clock(player.clock)
        self._connect()

    def _connect(self) -> None:
        player, bar = self._player, self._bar
        player.picture_changed.connect(self._show_picture)
        player.position_changed.connect(self._show_position)
        player.playing_changed.connect(self._show_playing)
        player.rate_changed.connect(bar.set_speed)
        player.opened.connect(self._show_frames)
        player.exact_shown.connect(self._show_exact)
        bar.play_requested.connect(player.toggle)
        bar.step_requested.connect(player.step)
        bar.start_requested.connect(self.go_to_start)
        bar.end_requested.connect(self.go_to_end)
        bar.jump_requested.connect(self.jump)
        bar.speed_requested.connect(player.set_rate)
        bar.loop_requested.connect(self.set_looping)
        bar.volume_requested.connect(self.set_volume)
        bar.mute_requested.connect(self.set_muted)
        self._timeline.seek_requested.connect(player.seek)
        self._timeline.activated.connect(self.loop_segment)
        self._studio.selection_changed.connect(self._update_loop)
        self._studio.recording_changed.connect(self.open_recording)

    def open_recording(self, at_us: int = 0) -> None:
        """Open the file of the recording that is shown."""
        self._open_main(at_us)
        self.recording_opened.emit()

    def _open_main(self, at_us: int) -> None:
        recording, session = self._studio.recording, self._studio.session
        self.set_looping(False)
        self._timeline.set_peaks(None)
        if recording is None or session is None:
            self._view.set_notice(
                "film", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
            )
            self._view.set_subject("")
            self._player.open(None, None, 0)
            self._bar.set_duration(0)
            self._bar.set_playable(False)
            return
        self._view.set_subject(tr("Recording {number}, {name}").format(number=recording.number, name=recording.name))
        self._bar.set_duration(recording.duration_us)
        medium = session.main_medium(recording.id)
        located = session.locate(medium) if medium else None
        if located is None or located.state is not MediaState.PRESENT:
            self._show_missing(located)
            self._player.open(None, None, recording.duration_us, at_us)
            self._bar.set_playable(False, reason=tr("the file is missing"))
            return
        facts = located.medium.facts
        if facts.video is None:
            self._view.set_notice("volume-2", tr("Sound only"), tr("This recording has no picture."))
        else:
            self._view.set_notice("loader", tr("Reading the file"), tr("The first time, its frames are counted."))
        self.faces.width = facts.video.width if facts.video else 0
        self._bar.set_playable(True, facts.audio is not None)
        self._player.open(located.path, facts, recording.duration_us, at_us)
        if facts.audio is not None:
            self._load_peaks(located, recording.id)

    def jump(self, time_us: int) -> None:
        """Go to a time, within the recording."""
        self._player.seek(min(max(time_us, 0), self._player.duration_us))

    def skip(self, delta_us: int) -> None:
        """Go forward or back by a time."""
        self.jump(self._player.position_us + delta_us)

    def go_to_start(self) -> None:
        """Go to the first frame."""
        self.jump(self._player.times.time_of(0) if self._player.times else 0)

    def go_to_end(self) -> None:
        """Go to the last frame."""
        times = self._player.times
        self.jump(times.time_of(len(times) - 1) if times else self._player.duration_us)

    def play_selected(self) -> None:
        """Play the selected segment once, from its start to its end."""
        chosen = self._selected()
        if chosen is not None:
            self._player.play_span(chosen.start_us, chosen.end_us)

    def loop_segment(self, _segment_id: str) -> None:
        """Go to the selected segment and repeat it."""
        chosen = self._selected()
        if chosen is not None:
            self.set_looping(True)
            self.jump(chosen.start_us)

    def repeat(self, start_us: int, end_us: int) -> None:
        """Go to a span and repeat it, until something else is repeated."""
        self._player.loop = (start_us, end_us)
        self.looping = True
        self._bar.set_loop(True)
        self.loop_changed.emit(True)
        self.jump(start_us)

    def span(self) -> tuple[int, int] | None:
        """Return the span of the selected segments together, else the marked one."""
        found = (self._timeline.model.segment(one) for one in self._studio.selected)
        chosen = [one for one in found if one is not None]
        if chosen:
            return min(one.start_us for one in chosen), max(one.end_us for one in chosen)
        start, end = self._studio.mark_in, self._studio.mark_out
        return (start, end) if start is not None and end is not None else None

    def set_looping(self, on: bool) -> None:
        """Repeat the selected segment, or the marked span; or stop doing so."""
        span = self.span() if on else None
        if on and span is None:
            self.told.emit(tr("Select a segment to repeat it, or mark a start and an end."))
        self.looping = span is not None
        self._player.loop = span
        self._bar.set_loop(self.looping)
        self.loop_changed.emit(self.looping)

    def set_volume(self, percent: int) -> None:
        """Set how loud it is, and remember it."""
        percent = min(max(percent, 0), 100)
        self._bar.set_volume(percent)
        self.muted = False
        self._bar.set_muted(False)
        self._player.set_volume(percent)
        self._studio.change_settings(lambda kept: replace(kept, volume=percent))

    def change_volume(self, delta: int) -> None:
        """Make it louder or quieter."""
        self.set_volume(self._studio.settings.volume + delta)

    def set_muted(self, muted: bool) -> None:
        """Turn the sound off or on."""
        self.muted = muted
        self._bar.set_muted(muted)
        self._player.set_volume(0 if muted else self._studio.settings.volume)

    def show_faces(self) -> None:
        """Draw the boxes of the frame on screen anew."""
        picture = self._view.picture()
        if picture is not None:
            # Before the first frame's time stamp that frame is on screen already.
            times = self._player.times
            first = times.time_of(0) if times is not None and len(times) else 0
            self._view.set_overlays(self.faces.boxes(max(self._player.position_us, first), picture.width()))

    def _show_picture(self, image: QImage) -> None:
        self._view.set_picture(None if image.isNull() else image)
        self.show_faces()

    def _show_position(self, time_us: int) -> None:
        self._bar.set_time(time_us)
        if not self._player.playing:
            self._timeline.set_playhead(time_us)
            if self._view.picture() is not None:
                self._late.start()

    def _show_exact(self, _time_us: int) -> None:
        self._late.stop()
        self._view.set_exact(True)
        self.show_faces()

    def _show_playing(self, playing: bool) -> None:
        self._bar.set_playing(playing)
        self._timeline.set_playing(playing)
        if playing:
            self._late.stop()
            self._view.set_exact(None)

    def _show_frames(self, times: FrameTimes) -> None:
        self._timeline.set_frames(times)

    def _show_missing(self, located: LocatedMedium | None) -> None:
        if located is None:
            hint = tr("This recording has no media file.\nSegments can be worked on all the same.")
            self._view.set_notice("video-off", tr("No file"), hint)
            return
        titles = {
            MediaState.REPLACED: tr("Another file is in its place"),
            MediaState.OUTSIDE: tr("The file is outside the study's folder"),
        }
        title = titles.get(located.state, tr("The file is missing"))
        hint = tr("{path}\nFile > Locate missing media… finds it again. Segments can be worked on meanwhile.").format(
            path=located.path
        )
        self._view.set_notice("video-off", title, hint)
        self.media_missing.emit(located)

    def _load_peaks(self, located: LocatedMedium, recording_id: str) -> None:
        def work(progress: object) -> object:
            from media.waveform import load_peaks

            return load_peaks(located.path, cache_folder(), progress)  # type: ignore[arg-type]

        def show(peaks: object) -> None:
            if self._studio.recording is not None and self._studio.recording.id == recording_id:
                self._timeline.set_peaks(peaks)  # type: ignore[arg-type]

        def fail(error: Exception) -> None:
            if not isinstance(error, UserError):
                raise error
            self.told.emit(str(error))

        self._background.run_confined(work, show, fail)

    def _selected(self) -> Segment | None:
        chosen = self._studio.selected
        return self._timeline.model.segment(chosen[-1]) if chosen else None

    def _update_loop(self) -> None:
        if self.looping:
            self.set_looping(self.span() is not None)
