"""Face tracks as a run found them, and people's corrections over them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from project.errors import UserError
from project.names import shown
from project.queries.regions import regions_of, track_boxes
from project.queries.runs import latest_run
from project.queries.stored_values import damaged_value
from project.regions import RegionKind, as_track, corrected
from project.store import Row, Study
from project.timebase import SECOND
from project.types import FaceTrack, Json, Origin, Run

_ORIGINS = [*map(int, Origin)]
_FARTHEST = 1_000_000
"""Pixels: no box of a picture reaches further."""
_EARLIEST_US = -SECOND * 60
"""A recording that was cut out of a longer one may begin with pictures that are shown before its first key picture."""
_MOST_FRAMES = 1 << 31
_MOST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class SearchedFrames:
    """Which frames a faces run looked at.

    Attributes:
        count: how many, from the first.
        damaged: those of them that could not be decoded whole.
        cuts: those that begin another shot.
        ends_early_s: how much the file lacks at its end, at least.
    """

    count: int
    damaged: tuple[int, ...]
    cuts: tuple[int, ...]
    ends_early_s: float


def insert_tracks(study: Study, run_id: str, medium_id: str, tracks: Sequence[FaceTrack]) -> None:
    """Store the tracks that a run found in one medium; inside `Study.recording_run`."""
    study.write_run(
        "INSERT INTO face_track (id, run_id, medium_id, position, count, frames, times_us, boxes, scores, origins) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(track.id, run_id, medium_id, position, *_pack(track)) for position, track in enumerate(tracks)],
    )


def tracks_of(study: Study, recording_id: str, times_us: NDArray[np.int64] | None = None) -> list[FaceTrack]:
    """Return the tracks of the newest faces run over a recording, with people's corrections, in the run's order.

    Args:
        study: the study.
        recording_id: whose tracks.
        times_us: (m,) time stamps of all frames of the medium, where keyframes outside of a track should lengthen it.

    Raises:
        UserError: a track or the run is damaged, or a track has frames that the medium has not.
    """
    run = latest_run(study, recording_id, "faces")
    if run is None:
        return []
    rows = study.rows(
        "SELECT t.id, t.frames, t.times_us, t.boxes, t.scores, t.origins, c.participant_id, coalesce(c.dismissed, 0) "
        "FROM face_track t LEFT JOIN track_correction c ON c.track_id = t.id WHERE t.run_id = ? "
        "ORDER BY t.position, t.id",
        (run.id,),
    )
    moved = track_boxes(study, run.id)
    found = [_unpack(row) for row in rows]
    for track in found:
        if times_us is not None and len(track.frames) and track.frames[-1] >= len(times_us):
            raise _damaged(track.id)
    return [corrected(track, moved.get(track.id, ()), times_us) for track in found]


def searched_frames(run: Run) -> SearchedFrames:
    """Return which frames a faces run looked at.

    Raises:
        UserError: what it says of them is damaged.
    """
    what = f"What a run ({shown(run.kind)}, {shown(run.finished_at)}) says of its frames"
    count, early = run.result.get("frames"), run.result.get("ends_early_s", 0.0)
    if not _is_frame(count) or not isinstance(early, int | float) or not 0 <= early < _MOST_SECONDS:
        raise damaged_value(what)
    lists = [run.result.get(key, []) for key in ("damaged_frames", "cuts")]
    for listed in lists:
        if not isinstance(listed, list) or not all(map(_is_frame, listed)):
            raise damaged_value(what)
    damaged, cuts = (tuple(cast(list[int], listed)) for listed in lists)
    return SearchedFrames(cast(int, count), damaged, cuts, float(early))


def _is_frame(found: Json) -> bool:
    return isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MOST_FRAMES


def faces_to_hide(study: Study, recording_id: str, times_us: NDArray[np.int64]) -> list[FaceTrack]:
    """Return all faces that are known in a recording: the corrected tracks, then those drawn by hand.

    Args:
        study: the study.
        recording_id: whose faces.
        times_us: (m,) time stamps of all frames of the medium.

    Raises:
        UserError: see `tracks_of`.
    """
    drawn = (as_track(one, times_us) for one in regions_of(study, recording_id) if one.kind is RegionKind.FACE)
    return [*tracks_of(study, recording_id, times_us), *(track for track in drawn if track is not None)]


def assign_participant(study: Study, track_id: str, participant_id: str | None) -> None:
    """Say whose face a track is, or that nobody knows; inside a step."""
    study.write(
        "INSERT INTO track_correction VALUES (?, ?, 0) "
        "ON CONFLICT (track_id) DO UPDATE SET participant_id = excluded.participant_id",
        (track_id, participant_id),
    )


def set_dismissed(study: Study, track_id: str, dismissed: bool) -> None:
    """Say that a track is no face, or take that back; inside a step."""
    study.write(
        "INSERT INTO track_correction VALUES (?, NULL, ?) "
        "ON CONFLICT (track_id) DO UPDATE SET dismissed = excluded.dismissed",
        (track_id, int(dismissed)),
    )


def _pack(track: FaceTrack) -> tuple[int, bytes, bytes, bytes, bytes, bytes]:
    return (
        len(track.frames),
        track.frames.astype("<i4").tobytes(),
        track.times_us.astype("<i8").tobytes(),
        track.boxes.astype("<f4").tobytes(),
        track.scores.astype("<f4").tobytes(),
        track.origins.astype("u1").tobytes(),
    )


def _unpack(row: Row) -> FaceTrack:
    """Read a track, which other programs may have written to; what is not one would hide no face, or another."""
    try:
        track = FaceTrack(
            row[0],
            frames=np.frombuffer(row[1], "<i4").astype(np.int32),
            times_us=np.frombuffer(row[2], "<i8").astype(np.int64),
            boxes=np.frombuffer(row[3], "<f4").astype(np.float32).reshape(-1, 4),
            scores=np.frombuffer(row[4], "<f4").astype(np.float32),
            origins=np.frombuffer(row[5], "u1").astype(np.uint8),
            participant_id=row[6],
            dismissed=bool(row[7]),
        )
    except (ValueError, TypeError):
        raise _damaged(row[0]) from None
    if not _is_sound(track):
        raise _damaged(row[0])
    return track


def _is_sound(track: FaceTrack) -> bool:
    count = len(track.frames)
    if any(len(each) != count for each in (track.times_us, track.boxes, track.scores, track.origins)):
        return False
    return bool(
        (track.frames[:1] >= 0).all()
        and (np.diff(track.frames.astype(np.int64)) > 0).all()
        and (track.times_us[:1] >= _EARLIEST_US).all()
        # Without a difference, which another program's numbers would make too large.
        and (track.times_us[1:] > track.times_us[:-1]).all()
        and (np.abs(track.boxes) <= _FARTHEST).all()
        and (track.boxes[:, 2:] >= 0).all()
        and np.isfinite(track.scores).all()
        and np.isin(track.origins, _ORIGINS).all()
    )


def _damaged(track_id: str) -> UserError:
    return damaged_value(f"A face track ({shown(track_id)})")
