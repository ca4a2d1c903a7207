"""All cameras of the recording that is shown, and whose sound is heard: joins decoders, sound and widgets."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.core.session import LocatedMedium, MediaState
from app.gui.playback import Playback
from app.gui.player import Player
from app.gui.side_camera import SideCamera
from app.gui.side_sound import SideSound
from app.gui.studio import Studio
from app.gui.vlc_engine import VlcEngine
from project.errors import UserError
from project.queries.media import media_of
from project.types import Changes, Json, Medium, MediumRole
from resources.translation import tr
from widgets.player_view import PlayerView
from widgets.transport_bar import TransportBar
from widgets.views_grid import MAIN, Arrangement, Plate, View, ViewsGrid
from widgets.views_layout import Corner, Layout

LAYOUTS = (
    (Layout.SIDE.value, tr("Side by side"), "columns-2"),
    (Layout.INSET.value, tr("Picture in picture"), "picture-in-picture-2"),
    (Layout.SINGLE.value, tr("One picture"), "square"),
)
_USUAL_ASPECT = 16 / 9


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
        studio: Studio,
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
        grid.arranged.connect(self._keep)
        grid.action_requested.connect(self.locate_requested)
        bar.layout_requested.connect(lambda key: self.set_layout(Layout(key)))
        bar.source_requested.connect(self.hear)
        player.position_changed.connect(self._move)
        player.playing_changed.connect(lambda _playing: self._move(player.position_us))
        player.volume_changed.connect(self.sound.set_volume)
        playback.recording_opened.connect(self.reload)
        studio.bridge.changed.connect(self._apply)

    @property
    def several(self) -> bool:
        """Whether there is more than one picture."""
        return bool(self.cameras)

    def set_layout(self, layout: Layout) -> None:
        """Show the pictures in another way."""
        self.grid.change(layout=layout)

    def sources(self) -> list[tuple[str, str]]:
        """Return key and name of every file whose sound can be heard, the main one first."""
        heard = [one for one in self._media if one.medium.facts.audio is not None]
        return [(_key(one.medium), self._name(one.medium)) for one in heard if one.state is MediaState.PRESENT]

    def hear(self, key: str) -> None:
        """Hear a file's sound instead of the one before; the main file's where it is not there, or may not be read."""
        there = (one for one in self._media if one.state is MediaState.PRESENT)
        chosen = next((one for one in there if _key(one.medium) == key), None)
        side = None if key == MAIN else chosen
        try:
            self.sound.choose(side)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self.heard = key if side is not None else MAIN
        self._player.set_heard(side is None)
        self._keep()

    def hear_next(self) -> None:
        """Hear the next file's sound."""
        keys = [key for key, _ in self.sources()]
        if len(keys) < 2:
            self._playback.told.emit(tr("This recording has one sound."))
            return
        self.hear(keys[(keys.index(self.heard) + 1) % len(keys)] if self.heard in keys else keys[0])
        self._playback.told.emit(tr("Sound of {value}.").format(value=dict(self.sources())[self.heard]))

    def reload(self) -> None:
        """Open the further files of the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        self._close_cameras()
        self._media = []
        if session is not None and recording is not None:
            media = media_of(session.study, recording.id)
            # One file alone is the player's business, and is not looked for twice.
            self._media = [session.locate(medium) for medium in media] if len(media) > 1 else []
        for one in self._media:
            medium = one.medium
            if medium.role is MediumRole.CAMERA and medium.facts.video is not None:
                self.cameras[medium.id] = SideCamera(one, self)
        self._show_views()
        for key, camera in self.cameras.items():
            self._join(camera, self.grid.view(key))
            camera.open()
            camera.stand(self._player.position_us)
        self._restore(recording.id if recording else "")
        main = next((one for one in self._media if one.medium.role is MediumRole.MAIN), None)
        there = any(one.state is MediaState.PRESENT for one in self._media)
        if there and (main is None or main.state is not MediaState.PRESENT):
            self._player.unaccompanied = True
            self._bar.set_playable(True)

    def states(self) -> dict[str, Json]:
        """Return what is remembered: recording id -> arrangement and sound."""
        return {key: dict(value) for key, value in self._kept.items()}

    def restore(self, states: object) -> None:
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
        before = {one.medium.id: (one.medium.path, one.medium.role) for one in self._media}
        if not before and len(media) == 1:
            return
        if before != {m.id: (m.path, m.role) for m in media}:
            self.reload()
            return
        moved = [session.locate(m) for m in media if m not in [one.medium for one in self._media]]
        self._media = [next((new for new in moved if new.medium.id == o.medium.id), o) for o in self._media]
        for one in moved:
            if one.medium.id in self.cameras:
                self.cameras[one.medium.id].move(one.medium.offset_us)
        if any(one.medium.id == self.heard for one in moved):
            self.hear(self.heard)

    def _join(self, camera: SideCamera, view: PlayerView) -> None:
        def show(image: QImage) -> None:
            view.set_picture(image)

        def tell(plate: Plate) -> None:
            view.set_picture(None)
            view.set_notice(plate.icon, plate.title, plate.hint, plate.action)

        camera.picture_changed.connect(show)
        camera.plate_changed.connect(tell)
        camera.exact_changed.connect(view.set_exact)

    def _move(self, time_us: int) -> None:
        for key, camera in self.cameras.items():
            view = self.grid.view(key)
            if view.isHidden():
                continue
            if not self._player.playing:
                camera.stand(time_us)
            else:
                camera.follow(time_us, round(max(view.width(), view.height()) * view.devicePixelRatioF()))

    def _show_views(self) -> None:
        main = next((one.medium for one in self._media if one.medium.role is MediumRole.MAIN), None)
        views = [
            View(key, self._name(camera.located.medium), _aspect(camera.located.medium))
            for key, camera in self.cameras.items()
        ]
        self.grid.set_views(views, self._name(main) if main else "", _aspect(main))

    def _restore(self, recording_id: str) -> None:
        kept = self._kept.get(recording_id, {})
        self.grid.arrange(_arrangement(kept))
        heard = kept.get("heard")
        self.hear(heard if isinstance(heard, str) and heard in dict(self.sources()) else MAIN)
        if kept:
            # A file that is missing today is heard again when it is back.
            self._kept[recording_id] = kept

    def _keep(self) -> None:
        recording = self._studio.recording
        if recording is not None and len(self._media) > 1:
            arrangement: dict[str, Json] = {**asdict(self.grid.arrangement), "heard": self.heard}
            self._kept[recording.id] = arrangement
        self._bar.set_layouts(LAYOUTS if self.several else (), self.grid.arrangement.layout.value)
        self._bar.set_sources(self.sources(), self.heard)
        if self.several:
            # What was hidden until now has stood at another moment.
            self._move(self._player.position_us)
        self.changed.emit()

    def _close_cameras(self) -> None:
        for camera in self.cameras.values():
            camera.close()
            camera.deleteLater()
        self.cameras = {}

    def _name(self, medium: Medium) -> str:
        return Path(medium.path).stem


def _key(medium: Medium) -> str:
    return MAIN if medium.role is MediumRole.MAIN else medium.id


def _aspect(medium: Medium | None) -> float:
    video = medium.facts.video if medium else None
    return video.width / video.height if video and video.width and video.height else _USUAL_ASPECT


def _arrangement(kept: Mapping[str, Json]) -> Arrangement:
    usual = Arrangement()
    layout, large, corner, share = (kept.get(key) for key in ("layout", "large", "corner", "share"))
    return Arrangement(
        Layout(layout) if layout in list(Layout) else usual.layout,
        large if isinstance(large, str) else usual.large,
        Corner(corner) if corner in list(Corner) else usual.corner,
        float(share) if isinstance(share, float) else usual.share,
    )
