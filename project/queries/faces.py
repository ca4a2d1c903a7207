"""Face tracks as a run found them, and people's corrections over them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from project.queries.regions import regions_of, track_boxes
from project.queries.runs import latest_run
from project.regions import RegionKind, as_track, corrected
from project.store import Row, Study
from project.types import FaceTrack


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
    return [corrected(_unpack(row), moved.get(row[0], ()), times_us) for row in rows]


def faces_to_hide(study: Study, recording_id: str, times_us: NDArray[np.int64]) -> list[FaceTrack]:
    """Return all faces that are known in a recording: the corrected tracks, then those drawn by hand.

    Args:
        study: the study.
        recording_id: whose faces.
        times_us: (m,) time stamps of all frames of the medium.
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
    return FaceTrack(
        row[0],
        frames=np.frombuffer(row[1], "<i4").astype(np.int32),
        times_us=np.frombuffer(row[2], "<i8").astype(np.int64),
        boxes=np.frombuffer(row[3], "<f4").astype(np.float32).reshape(-1, 4),
        scores=np.frombuffer(row[4], "<f4").astype(np.float32),
        origins=np.frombuffer(row[5], "u1").astype(np.uint8),
        participant_id=row[6],
        dismissed=bool(row[7]),
    )
