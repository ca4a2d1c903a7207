"""The faces of the recording that is shown: boxes over the picture, and where in time there are any."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from project.types import FaceTrack, Origin, Participant, ParticipantRole
from resources.translation import tr
from widgets.picture_overlays import FaceBox, FaceState

_GAP_US = 250_000
_NONE_DRAWN: Mapping[str, tuple[str, FaceState | None]] = {}
_SURE_US = 200_000
"""A box is drawn as guessed only when the face was not found for longer than this: not every frame is searched."""


class FaceOverlay:
    """Answers which boxes lie over the frame on screen at a time.

    Attributes:
        width: of the picture that the boxes were found in, in pixels; 0 when unknown.
    """

    def __init__(self) -> None:
        self.width = 0
        self._tracks: list[tuple[FaceTrack, str, FaceState | None]] = []
        self._found: dict[str, NDArray[np.int64]] = {}
        self._frame_us = 0
        self._selected = ""
        self._doubtful: set[str] = set()

    def set_tracks(
        self,
        tracks: Sequence[FaceTrack],
        people: Mapping[str, Participant],
        frame_us: int,
        drawn: Mapping[str, tuple[str, FaceState | None]] = _NONE_DRAWN,
    ) -> None:
        """Take the tracks.

        Args:
            tracks: the found ones first, which are numbered.
            people: participants by id.
            frame_us: how long a frame is shown.
            drawn: ids of those drawn by hand -> a name, and a state of their own where they are no faces.
        """
        self._frame_us = frame_us
        self._tracks = []
        self._found = {t.id: t.times_us[(t.origins == Origin.DETECTED) | (t.origins == Origin.DRAWN)] for t in tracks}
        # Whom somebody gave a name to is a face.
        self._doubtful = {t.id for t in tracks if t.doubtful and t.participant_id is None and not t.dismissed}
        for number, track in enumerate(tracks, 1):
            who = people.get(track.participant_id or "")
            name, fixed = drawn.get(track.id, (tr("Face {number}").format(number=number), None))
            if track.dismissed:
                fixed = FaceState.DISMISSED
            elif who is not None and who.role is ParticipantRole.ROBOT:
                fixed = FaceState.EXEMPT
            self._tracks.append((track, who.pseudonym if who else name, fixed))

    def select(self, track_id: str) -> None:
        """Choose the track whose box is drawn whole."""
        self._selected = track_id

    def boxes(self, time_us: int, picture_width: int) -> list[FaceBox]:
        """Return the boxes at a time, in pixels of a picture of this width; dismissed ones only when chosen."""
        scale = picture_width / self.width if self.width else 1.0
        found = []
        for track, label, fixed in self._tracks:
            if fixed is FaceState.DISMISSED and track.id != self._selected:
                continue
            # Less than a frame: a track's last box must not stand over the frame after it.
            box = track.box_at(time_us, self._frame_us * 3 // 4)
            if box is None:
                continue
            state = fixed or (FaceState.DETECTED if self._sure(track, time_us) else FaceState.INTERPOLATED)
            x, y, width, height = (float(side) * scale for side in box)
            doubtful = track.id in self._doubtful
            words = tr("{label}, doubtful").format(label=label) if doubtful else label
            chosen = track.id == self._selected
            found.append(FaceBox(track.id, words, x, y, width, height, state, chosen, doubtful))
        return found

    def _sure(self, track: FaceTrack, time_us: int) -> bool:
        found = self._found[track.id]
        at = int(np.searchsorted(found, time_us))
        return any(abs(int(one) - time_us) <= _SURE_US for one in found[max(0, at - 1) : at + 1])

    def coverage(self) -> NDArray[np.int64]:
        """Return the (n, 2) spans in which some face that counts is in the picture, ordered."""
        spans = [
            (int(t.times_us[0]), int(t.times_us[-1]) + self._frame_us)
            for t, _, fixed in self._tracks
            if fixed in (None, FaceState.EXEMPT) and len(t.times_us)
        ]
        merged: list[list[int]] = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1] + _GAP_US:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        return np.array(merged, np.int64).reshape(-1, 2)
