"""Makes one track of what was followed: the boxes gained, and the tracks of one face that met."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from media.index import FrameIndex
from models.boxes import overlap
from project.types import FaceTrack, Origin

_SAME_FACE = 0.3

Boxes = dict[int, NDArray[np.float64]]


@dataclass(slots=True)
class End:
    """One end of a track, and what following it gave.

    Attributes:
        track: whose.
        hit: the frame where the face was found for the first or last time.
        limit: the frame up to which it may be followed; before `hit` for the first, after it for the last.
        found: the boxes by frame.
        met: the track that it was followed to.
    """

    track: FaceTrack
    hit: int
    limit: int
    found: Boxes = field(default_factory=dict)
    met: str | None = None

    @property
    def forward(self) -> bool:
        """Whether this is the last hit."""
        return self.limit > self.hit

    @property
    def box(self) -> NDArray[np.float32]:
        """Where the face was found."""
        box: NDArray[np.float32] = self.track.boxes[self.hit - self.track.frames[0]]
        return box

    @property
    def stretch(self) -> tuple[int, int]:
        """The first and last frame that matter."""
        return min(self.hit, self.limit), max(self.hit, self.limit)


def joined(tracks: Sequence[FaceTrack], ends: Sequence[End], index: FrameIndex) -> list[FaceTrack]:
    """Return the tracks with what their ends gained, those of one face joined, by their first frame."""
    last = {each.track.id: each for each in ends if each.forward}
    first = {each.track.id: each for each in ends if not each.forward}
    following: dict[str, str] = {}
    for earlier, end in last.items():
        later = [name for name, begin in first.items() if _same(end, begin)]
        if later:
            following[earlier] = min(later, key=lambda name: first[name].hit)
    taken: set[str] = set()
    for earlier in [*following]:
        if following[earlier] in taken:
            del following[earlier]
        else:
            taken.add(following[earlier])
    longer = {
        track.id: _with(track, [e.found for e in (first.get(track.id), last.get(track.id)) if e is not None], index)
        for track in tracks
    }
    done = []
    for track in tracks:
        if track.id in taken:
            continue
        whole, name = longer[track.id], track.id
        while name in following:
            before, name = last[name], following[name]
            whole = _one(whole, longer[name], before.hit, first[name].hit, index)
        done.append(whole)
    return sorted(done, key=lambda t: int(t.frames[0]))


def _same(end: End, begin: End) -> bool:
    """Tell whether a face that was lost is the one that was found later."""
    if end.hit >= begin.hit:
        return False
    if end.met == begin.track.id or begin.met == end.track.id:
        return True
    return any(overlap(end.found[f], begin.found[f]) >= _SAME_FACE for f in end.found.keys() & begin.found.keys())


def _with(track: FaceTrack, gains: Sequence[Boxes], index: FrameIndex) -> FaceTrack:
    """Return the track with the boxes gained, which replace what was only guessed from its speed."""
    gained = {frame: box for gain in gains for frame, box in gain.items()}
    if not gained:
        return track
    first, last = min(int(track.frames[0]), *gained), max(int(track.frames[-1]), *gained)
    frames = np.arange(first, last + 1, dtype=np.int32)
    known = frames.clip(track.frames[0], track.frames[-1]) - track.frames[0]
    boxes, origins = track.boxes[known].copy(), track.origins[known].copy()
    for frame, box in gained.items():
        boxes[frame - first] = box
        origins[frame - first] = Origin.TRACKED
    times = index.times.times_us[first : last + 1].astype(np.int64)
    return replace(track, frames=frames, times_us=times, boxes=boxes, scores=track.scores[known], origins=origins)


def _one(a: FaceTrack, b: FaceTrack, lost: int, found: int, index: FrameIndex) -> FaceTrack:
    """Join two tracks of one face: `a` up to its last hit, `b` from its first, in between from one to the other."""
    first, last = int(a.frames[0]), int(b.frames[-1])
    frames = np.arange(first, last + 1, dtype=np.int32)
    by_a = frames.clip(None, a.frames[-1]) - a.frames[0]
    by_b = frames.clip(b.frames[0], None) - b.frames[0]
    weight = np.clip((frames - lost) / (found - lost), 0, 1)
    # Where only one of both was followed to, it alone is believed.
    weight[(frames > lost) & (frames < b.frames[0]) & (frames <= a.frames[-1])] = 0
    weight[(frames < found) & (frames > a.frames[-1]) & (frames >= b.frames[0])] = 1
    boxes = a.boxes[by_a] * (1 - weight[:, None]) + b.boxes[by_b] * weight[:, None]
    origins = np.where(frames <= lost, a.origins[by_a], b.origins[by_b])
    origins[(frames > lost) & (frames < found)] = Origin.TRACKED
    return replace(
        a,
        frames=frames,
        times_us=index.times.times_us[first : last + 1].astype(np.int64),
        boxes=boxes.astype(np.float32),
        scores=np.where(weight < 0.5, a.scores[by_a], b.scores[by_b]),
        origins=origins.astype(np.uint8),
    )
