"""Shows further cameras and plays further sound files of a recording in sync with the player's clock."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from app.gui.player.frame_service import FrameService
from app.gui.player.playback import Playback
from app.gui.player.player import Player
from app.gui.player.vlc_engine import VlcEngine
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes, Json, Medium, MediumRole
from project.errors import UserError
from project.queries.recording_rows import media_of
from project.session.session import LocatedMedium, MediaState
from project.timebase import SECOND_US, FrameTimes
from resources.translation import tr
from widgets.player.camera_grid import (
    MAIN,
    Arrangement,
    Corner,
    MissingPicturePlate,
    MultiViewLayout,
    ViewsGrid,
    ViewTile,
)
from widgets.player.player_view import PlayerView
from widgets.player.transport_bar import TransportBar

_FRAME_CACHE_BYTES = 128 << 20
_MAX_STALE_MS = 200
"""How long the picture before may stand in for the exact one before the view says that it is not."""

_MAX_FRAME_STEP = 15
"""Frames; while playing, requests are closer together than this."""

_NOT_YET = MissingPicturePlate("video-off", tr("Not recording yet"), tr("This camera was started later."))
_OVER = MissingPicturePlate("video-off", tr("No longer recording"), tr("This camera was stopped before."))
_READING = MissingPicturePlate("loader", tr("Reading the file"), tr("The first time, its frames are counted."))


class SideCamera(QObject):
    """Frames come from a decoder of its own, chosen by time stamp: it cannot run away from the clock it is given.

    Times are those of the recording; the medium's offset says where its own zero lies.

    Signals:
        picture_changed: (QImage) what to paint.
        plate_changed: (Plate) there is no picture now, and why.
        exact_changed: (bool or None) whether the picture is the very frame of the moment; None while playing.
    """

    picture_changed = Signal(QImage)
    plate_changed = Signal(object)
    exact_changed = Signal(object)

    def __init__(self, located: LocatedMedium, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.located = located
        self.offset_us = located.medium.offset_us
        self.times: FrameTimes | None = None
        self._frames: FrameService | None = None
        self._generation = 0
        self._plate: MissingPicturePlate | None = None
        self._at_us = 0
        self._standing = True
        self._longest = 0
        self._asked: tuple[int, int] | None = None
        self._since = 0
        self._late = QTimer(self, singleShot=True, interval=_MAX_STALE_MS)
        self._late.timeout.connect(lambda: self.exact_changed.emit(False))

    def open(self) -> None:
        """Begin to read the file, or say why that cannot be."""
        state = self.located.state
        if state is not MediaState.PRESENT:
            titles = {
                MediaState.REPLACED: tr("Another file is in its place"),
                MediaState.OUTSIDE: tr("The file is outside the study's folder"),
            }
            title = titles.get(state, tr("The file is missing"))
            self._show_plate(MissingPicturePlate("video-off", title, self.located.path.name, tr("Locate…")))
            return
        self._show_plate(_READING)
        self._frames = frames = FrameService(self, _FRAME_CACHE_BYTES)
        queued = Qt.ConnectionType.QueuedConnection
        frames.opened.connect(self._on_opened, queued)
        frames.failed.connect(self._on_failed, queued)
        frames.ready.connect(self._on_ready, queued)
        self._generation = frames.open(self.located.path)

    def set_offset(self, offset_us: int) -> None:
        """Let the file begin elsewhere in the recording."""
        self.offset_us = offset_us
        self._asked = None
        self._show()

    def show_exact_frame(self, time_us: int) -> None:
        """Show the exact frame of a moment."""
        self._at_us, self._standing = time_us, True
        self._show()

    def follow(self, time_us: int, longest: int) -> None:
        """Show the frame of a moment in passing, no side of it longer than `longest` pixels."""
        if self._standing:
            self._late.stop()
            self.exact_changed.emit(None)
        self._at_us, self._standing, self._longest = time_us, False, max(longest, 64)
        self._show()

    def close(self) -> None:
        """End the decoder."""
        if self._frames is not None:
            self._frames.close()
            self._frames = None

    def _show(self) -> None:
        if self.times is None or self._frames is None:
            return
        own = self._at_us - self.offset_us
        if own < self.times.time_of(0) or own >= self.times.end_us:
            self._asked = None
            self._show_plate(_NOT_YET if own < self.times.time_of(0) else _OVER)
            return
        wanted = (self.times.frame_at(own), 0 if self._standing else self._longest)
        if wanted != self._asked:
            if self._standing or self._asked is None or abs(wanted[0] - self._asked[0]) > _MAX_FRAME_STEP:
                self._since = wanted[0]
            self._asked = wanted
            if self._standing:
                self._late.start()
            self._frames.request_time(self.times.time_of(wanted[0]), wanted[1])

    def _show_plate(self, plate: MissingPicturePlate) -> None:
        self._late.stop()
        if plate != self._plate:
            self._plate = plate
            self.exact_changed.emit(None)
            self.plate_changed.emit(plate)

    def _on_opened(self, generation: int, times: FrameTimes) -> None:
        if generation == self._generation and self._frames is not None:
            self.times = times
            self._show()

    def _on_failed(self, generation: int, error: UserError) -> None:
        if generation == self._generation and self._frames is not None:
            self._asked = None
            self._show_plate(MissingPicturePlate("video-off", error.message, error.hint))

    def _on_ready(self, generation: int, index: int, _time_us: int, image: QImage) -> None:
        if generation != self._generation or self._asked is None:
            return
        # What was asked for before a jump lies elsewhere, and would flash up.
        if not min(self._since, self._asked[0]) <= index <= max(self._since, self._asked[0]):
            return
        self._plate = None
        self.picture_changed.emit(image)
        if self._standing and self._asked == (index, 0):
            self._late.stop()
            self.exact_changed.emit(True)


MAX_DRIFT_US = 80_000
"""How far the sound may be from the clock before it is moved."""

_MIN_JUMP_INTERVAL_S = 1.0
_SETTLE_S = 0.5
_MAX_LEAD_US = 600_000


class SideSound(QObject):
    """An engine without a picture, made when somebody first wants to hear another file than the main one.

    It starts with the clock. When it is off by more than `MAX_DRIFT_US` it jumps, once in a second at most; how late it
    was says how far ahead the next jump must aim, since a jump takes libVLC a while.
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
    def is_playing(self) -> bool:
        """Whether it plays."""
        return self._on

    def set_source(self, located: LocatedMedium | None) -> None:
        """Be heard from now on, or be silent with None."""
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
        self._engine.open(located.path, 0, 0, located.medium.sound_track)
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
        seen = self._engine.take_observation() if self._engine is not None and self._on else None
        if seen is None:
            return None
        own, at = seen
        clock = self._player.position_us - round((time.monotonic() - at) * self._rate * SECOND_US)
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
        if self._engine is None or self._chosen is None or rate <= 0 or not self._covers(own):
            return
        self._on, self._loud = True, False
        self._moved_at = time.monotonic()
        self._engine.start(own + round(self._lead_us * rate), rate)

    def _stop(self) -> None:
        if self._on and self._engine is not None:
            self._engine.pause()
        self._on = False

    def _covers(self, own_us: int) -> bool:
        return self._chosen is not None and 0 <= own_us < self._chosen.medium.facts.duration_us

    def _follow_playing(self, playing: bool) -> None:
        if not playing:
            self._stop()

    def _tick(self, time_us: int) -> None:
        if self._engine is None or self._chosen is None or not self._player.playing:
            return
        if self._covers(time_us - self._offset_us) != self._on:
            self._start(time_us, self._player.rate)
            return
        if not self._on or not self._engine.running():
            return
        if not self._loud:
            self._loud = True
            self._engine.set_volume(self._volume)
        error = self.error_us()
        waited = time.monotonic() - self._moved_at
        if error is None or waited < _SETTLE_S:
            return
        if abs(error) > MAX_DRIFT_US and waited >= _MIN_JUMP_INTERVAL_S:
            self._lead_us = min(max(self._lead_us - round(error / self._rate), 0), _MAX_LEAD_US)
            self._moved_at = time.monotonic()
            self._engine.seek(self._player.position_us - self._offset_us + round(self._lead_us * self._rate))


LAYOUTS = (
    (MultiViewLayout.SIDE.value, tr("Side by side"), "columns-2"),
    (MultiViewLayout.INSET.value, tr("Picture in picture"), "picture-in-picture-2"),
    (MultiViewLayout.SINGLE.value, tr("One picture"), "square"),
)
_DEFAULT_ASPECT = 16 / 9


class Views(QObject):
    """The player plays the main file and keeps the clock; further cameras and sounds follow it.

    Signals:
        changed: there are other views than before, or another layout, or another sound is heard.
        locate_requested: somebody wants to find a missing file.
    """

    changed = Signal()
    locate_requested = Signal()

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        playback: Playback,
        grid: ViewsGrid,
        bar: TransportBar,
        engine: Callable[[QObject], VlcEngine] = VlcEngine,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._playback = playback
        self.grid = grid
        self._bar = bar
        self.cameras: dict[str, SideCamera] = {}
        self.sound = SideSound(player, engine, self)
        self.heard = MAIN
        self._media: list[LocatedMedium] = []
        self._kept: dict[str, dict[str, Json]] = {}
        grid.clicked.connect(player.toggle)
        grid.arrangement_changed.connect(self._remember_arrangement)
        grid.action_requested.connect(self.locate_requested)
        bar.layout_requested.connect(lambda key: self.set_layout(MultiViewLayout(key)))
        bar.source_requested.connect(self.select_sound)
        player.position_changed.connect(self._follow_clock)
        player.previewed.connect(self._follow_clock)
        player.playing_changed.connect(lambda _playing: self._follow_clock(player.position_us))
        player.volume_changed.connect(self.sound.set_volume)
        playback.recording_opened.connect(self.reload)
        studio.bridge.changed.connect(self._apply)

    @property
    def has_several(self) -> bool:
        """Whether there is more than one picture."""
        return bool(self.cameras)

    def set_layout(self, layout: MultiViewLayout) -> None:
        """Show the pictures in another way."""
        self.grid.change_arrangement(layout=layout)

    def sources(self) -> list[tuple[str, str]]:
        """Return key and name of every file whose sound can be heard, the main one first."""
        heard = [medium for medium in self._media if medium.medium.facts.audio is not None]
        return [
            (_source_key(medium.medium), self._file_name(medium.medium))
            for medium in heard
            if medium.state is MediaState.PRESENT
        ]

    def select_sound(self, key: str) -> None:
        """Hear a file's sound instead of the one before; the main file's where it is not there, or may not be read."""
        there = (medium for medium in self._media if medium.state is MediaState.PRESENT)
        chosen = next((located_medium for located_medium in there if _source_key(located_medium.medium) == key), None)
        side = None if key == MAIN else chosen
        try:
            self.sound.set_source(side)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self.heard = key if side is not None else MAIN
        self._player.set_audible(side is None)
        self._remember_arrangement()

    def select_next_sound(self) -> None:
        """Hear the next file's sound."""
        keys = [key for key, _ in self.sources()]
        if len(keys) < 2:
            self._playback.message.emit(tr("This recording has one sound."))
            return
        self.select_sound(keys[(keys.index(self.heard) + 1) % len(keys)] if self.heard in keys else keys[0])
        self._playback.message.emit(tr("Sound of {value}.").format(value=dict(self.sources())[self.heard]))

    def reload(self) -> None:
        """Open the further files of the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        self._close_cameras()
        self._media = []
        if session is not None and recording is not None:
            media = media_of(session.study, recording.id)
            # One file alone is the player's business, and is not looked for twice.
            self._media = [session.locate(medium) for medium in media] if len(media) > 1 else []
        for located_medium in self._media:
            medium = located_medium.medium
            if medium.role is MediumRole.CAMERA and medium.facts.video is not None:
                self.cameras[medium.id] = SideCamera(located_medium, self)
        self._show_views()
        for key, camera in self.cameras.items():
            self._connect_camera(camera, self.grid.view(key))
            camera.open()
            camera.show_exact_frame(self._player.position_us)
        self._restore(recording.id if recording else "")
        main = next(
            (located_medium for located_medium in self._media if located_medium.medium.role is MediumRole.MAIN), None
        )
        there = any(located_medium.state is MediaState.PRESENT for located_medium in self._media)
        if there and (main is None or main.state is not MediaState.PRESENT):
            self._player.unaccompanied = True
            self._bar.set_playable(True)

    def saved_states(self) -> dict[str, Json]:
        """Return what is remembered: recording id -> arrangement and sound."""
        return {key: dict(value) for key, value in self._kept.items()}

    def restore_states(self, states: object) -> None:
        """Take what was remembered; anything that is not understood is left out."""
        self._kept = {}
        if isinstance(states, Mapping):
            self._kept = {str(key): dict(value) for key, value in states.items() if isinstance(value, Mapping)}

    def close(self) -> None:
        """End every decoder and engine."""
        self._close_cameras()
        self.sound.close()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if not changes.ids("medium"):
            return
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        media = media_of(session.study, recording.id)
        before = {medium.medium.id: (medium.medium.path, medium.medium.role) for medium in self._media}
        if not before and len(media) == 1:
            return
        if before != {m.id: (m.path, m.role) for m in media}:
            self.reload()
            return
        moved = [session.locate(m) for m in media if m not in [medium.medium for medium in self._media]]
        self._media = [next((new for new in moved if new.medium.id == o.medium.id), o) for o in self._media]
        for located_medium in moved:
            if located_medium.medium.id in self.cameras:
                self.cameras[located_medium.medium.id].set_offset(located_medium.medium.offset_us)
        if any(located_medium.medium.id == self.heard for located_medium in moved):
            self.select_sound(self.heard)

    def _connect_camera(self, camera: SideCamera, view: PlayerView) -> None:
        def show(image: QImage) -> None:
            view.set_picture(image)

        def tell(plate: MissingPicturePlate) -> None:
            view.set_picture(None)
            view.set_notice(plate.icon, plate.title, plate.hint, plate.action)

        camera.picture_changed.connect(show)
        camera.plate_changed.connect(tell)
        camera.exact_changed.connect(view.set_exact)

    def _follow_clock(self, time_us: int) -> None:
        for key, camera in self.cameras.items():
            view = self.grid.view(key)
            if view.isHidden():
                continue
            if not self._player.playing:
                camera.show_exact_frame(time_us)
            else:
                camera.follow(time_us, round(max(view.width(), view.height()) * view.devicePixelRatioF()))

    def _show_views(self) -> None:
        main = next((medium.medium for medium in self._media if medium.medium.role is MediumRole.MAIN), None)
        views = [
            ViewTile(key, self._file_name(camera.located.medium), _aspect_ratio(camera.located.medium))
            for key, camera in self.cameras.items()
        ]
        self.grid.set_views(views, self._file_name(main) if main else "", _aspect_ratio(main))

    def _restore(self, recording_id: str) -> None:
        kept = self._kept.get(recording_id, {})
        self.grid.set_arrangement(_parse_arrangement(kept))
        heard = kept.get("heard")
        self.select_sound(heard if isinstance(heard, str) and heard in dict(self.sources()) else MAIN)
        if kept:
            # A file that is missing today is heard again when it is back.
            self._kept[recording_id] = kept

    def _remember_arrangement(self) -> None:
        recording = self._studio.recording
        if recording is not None and len(self._media) > 1:
            arrangement: dict[str, Json] = {**asdict(self.grid.arrangement), "heard": self.heard}
            self._kept[recording.id] = arrangement
        self._bar.set_layouts(LAYOUTS if self.has_several else (), self.grid.arrangement.layout.value)
        self._bar.set_sources(self.sources(), self.heard)
        if self.has_several:
            # What was hidden until now has stood at another moment.
            self._follow_clock(self._player.position_us)
        self.changed.emit()

    def _close_cameras(self) -> None:
        for camera in self.cameras.values():
            camera.close()
            camera.deleteLater()
        self.cameras = {}

    def _file_name(self, medium: Medium) -> str:
        return Path(medium.path).stem


def _source_key(medium: Medium) -> str:
    return MAIN if medium.role is MediumRole.MAIN else medium.id


def _aspect_ratio(medium: Medium | None) -> float:
    video = medium.facts.video if medium else None
    return video.width / video.height if video and video.width and video.height else _DEFAULT_ASPECT


def _parse_arrangement(kept: Mapping[str, Json]) -> Arrangement:
    usual = Arrangement()
    layout, large, corner, share = (kept.get(key) for key in ("layout", "large", "corner", "share"))
    return Arrangement(
        MultiViewLayout(layout) if layout in list(MultiViewLayout) else usual.layout,
        large if isinstance(large, str) else usual.large,
        Corner(corner) if corner in list(Corner) else usual.corner,
        float(share) if isinstance(share, float) else usual.share,
    )
