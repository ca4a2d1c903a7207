"""Boxes drawn, moved and keyframed on the picture."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from anonymize.places import Reason
from app.core.commands import regions as commands
from app.core.session import Session
from app.gui.faces.places import Places
from app.gui.player import Player
from app.gui.studio import Studio
from project.regions import Keyframe, Region, RegionKind
from project.timebase import SECOND, FrameTimes
from project.types import Changes, FaceTrack
from resources.translation import tr
from widgets.faces.box_canvas import Box, BoxCanvas

_FILLED = frozenset({Reason.UNSEARCHED, Reason.DAMAGED, Reason.GAP, Reason.ENDS, Reason.BEGINS})
"""A face that is drawn at a place of these kinds lasts as long as the place."""
_USUAL_US = SECOND


class Drawing(QObject):
    """Joins the canvas over the picture with the study. A frame's time stamp is where a keyframe is set.

    Signals:
        drawn (str): id of a region that was made.
    """

    drawn = Signal(str)

    def __init__(
        self, studio: Studio, player: Player, canvas: BoxCanvas, places: Places, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio, self._player, self._canvas, self._places = studio, player, canvas, places
        self._faces: dict[str, FaceTrack] = {}
        self._regions: dict[str, Region] = {}
        self._keyframes: dict[str, Sequence[Keyframe]] = {}
        self._run_id = ""
        self._frame_us = 0
        self.selected = ""
        canvas.grabbed.connect(player.pause)
        canvas.draw_requested.connect(self._draw)
        canvas.box_requested.connect(self._move)
        player.position_changed.connect(lambda _at: self.show_box())
        player.picture_changed.connect(lambda _image: self.show_box())

    def set_faces(
        self,
        faces: Sequence[FaceTrack],
        regions: Sequence[Region],
        keyframes: Mapping[str, Sequence[Keyframe]],
        run_id: str,
        frame_us: int,
    ) -> None:
        """Take what may be selected; `keyframes` are those on found tracks, by id."""
        self._faces = {one.id: one for one in faces}
        self._regions = {one.id: one for one in regions}
        self._keyframes = {**keyframes, **{one.id: one.keyframes for one in regions}}
        self._run_id, self._frame_us = run_id, frame_us
        self.show_box()

    def select(self, key: str) -> None:
        """Choose the track or region that is moved."""
        self.selected = key
        self.show_box()

    def region(self) -> Region | None:
        """Return the selected region; None where a track or nothing is selected."""
        return self._regions.get(self.selected)

    def show_box(self) -> None:
        """Show the selected box where it is now, with those of the keyframes around as ghosts."""
        box = self._box(inside=True)
        keys = self._keyframes.get(self.selected, ())
        here = self._here()
        before = [one for one in keys if one.time_us < here][-1:]
        after = [one for one in keys if one.time_us > here][:1]
        keyed = any(one.time_us == here for one in keys)
        words = (
            ""
            if box is None or not keys
            else tr("Keyframe")
            if keyed
            else tr("Between keyframes")
            if before and after
            else ""
        )
        self._canvas.show_box(box, [one.box for one in (*before, *after)], keyed=keyed, words=words)

    def set_keyframe(self) -> None:
        """Set a keyframe in the frame that is shown; beyond an end it lengthens what is selected up to here."""
        box = self._box(inside=False)
        if box is None:
            self._studio.told.emit(tr("Select a box first."))
        else:
            self._move(box)

    def delete_keyframe(self) -> None:
        """Take the keyframe of the frame that is shown away."""
        key, here = self.selected, self._here()
        if key in self._regions:
            self._studio.edit(lambda s: commands.delete_region_box(s, key, here))
        elif key in self._faces:
            self._studio.edit(lambda s: commands.delete_track_box(s, self._run_id, key, here))

    def nudge(self, x: int, y: int, width: int = 0, height: int = 0) -> None:
        """Move the selected box by pixels, or make it larger."""
        box = self._box(inside=True)
        if box is not None:
            self._move((box[0] + x, box[1] + y, max(1, box[2] + width), max(1, box[3] + height)))

    def trim(self, start: bool) -> bool:
        """Let the selected region start at the frame that is shown, or end after it; false where none is selected."""
        region, times = self.region(), self._player.times
        if region is None or times is None:
            return False
        here, key = self._here(), region.id
        if start:
            self._studio.edit(lambda s: commands.change_region(s, key, start_us=here))
        else:
            self._studio.edit(lambda s: commands.change_region(s, key, end_us=_end_of_frame(times, here)))
        return True

    def delete(self) -> bool:
        """Delete the selected region; false where none is selected."""
        region = self.region()
        if region is None:
            return False
        return self._studio.edit(lambda s: commands.delete_region(s, region.id))

    def _draw(self, box: Box, area: bool) -> None:
        recording, times = self._studio.recording, self._player.times
        if recording is None or times is None:
            return
        here = self._here()
        keyframe = Keyframe(here, *box)
        kind = RegionKind.AREA if area else RegionKind.FACE
        start, end = here, min(here + _USUAL_US, times.end_us)
        place = self._places.at(here)
        if area:
            start, end = 0, recording.duration_us
        elif place is not None and place.reason in _FILLED:
            start, end = place.start_us, place.end_us
        made: list[str] = []

        def do(session: Session) -> Changes:
            key, changes = commands.add_region(session, recording.id, kind, keyframe, end, start_us=start)
            made.append(key)
            return changes

        if self._studio.edit(do):
            self.drawn.emit(made[0])

    def _move(self, box: Box) -> None:
        recording, key = self._studio.recording, self.selected
        if recording is None or self._player.times is None:
            return
        here = self._here()
        keyframe, merge = Keyframe(here, *box), tr("box {key} {here}").format(key=key, here=here)
        if key in self._regions:
            self._studio.edit(lambda s: commands.set_region_box(s, key, keyframe, merge))
        elif key in self._faces:
            self._studio.edit(lambda s: commands.set_track_box(s, recording.id, key, keyframe, merge))

    @property
    def now_us(self) -> int:
        """The playhead's time, or that of the first frame where it stands before it: that frame is shown then."""
        times = self._player.times
        return max(self._player.position_us, times.time_of(0)) if times is not None and len(times) else 0

    def _here(self) -> int:
        """Return the time stamp of the frame that is shown."""
        times = self._player.times
        return times.time_of(times.frame_at(self._player.position_us)) if times is not None and len(times) else 0

    def _box(self, *, inside: bool) -> Box | None:
        """Return where the selected box is now; outside of its span where it would be, unless `inside`."""
        time_us = self.now_us
        region, track = self._regions.get(self.selected), self._faces.get(self.selected)
        if region is not None:
            if inside and not region.start_us - self._frame_us < time_us < region.end_us:
                return None
            return _rounded(region.boxes_at(np.array([time_us]))[0])
        if track is None or not len(track.frames):
            return None
        found = track.box_at(time_us, self._frame_us * 3 // 4)
        if found is None and not inside:
            found = track.boxes[0 if time_us < track.times_us[0] else -1]
        return None if found is None else _rounded(found)


def _rounded(box: NDArray[np.floating]) -> Box:
    x, y, width, height = (round(float(one)) for one in box)
    return x, y, max(1, width), max(1, height)


def _end_of_frame(times: FrameTimes, time_us: int) -> int:
    frame = times.frame_at(time_us)
    return times.time_of(frame + 1) if frame + 1 < len(times) else times.end_us
