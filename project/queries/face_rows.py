"""Queries on face tracks, corrections and drawn regions, and on who reviewed the faces in which state of the masks."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from project.entities.face_regions import Keyframe, Region, RegionKind, apply_keyframes, region_to_track
from project.entities.study_records import FaceReview, FaceTrack, Json, Origin, Run, SeenSpan
from project.errors import UserError
from project.queries.history_rows import latest_run
from project.queries.row_mapper import RowMapper
from project.store.column_values import damaged_value_error
from project.store.study import Row, Study
from project.text_format import escape_unprintable
from project.timebase import SECOND_US

FACE_REVIEWS = RowMapper(FaceReview, "face_review")
SEEN_SPANS = RowMapper(SeenSpan, "seen_span")

_TRACK = "id, medium_id, position, count, frames, times_us, boxes, scores, origins"


def mask_state(study: Study, recording_id: str) -> str:
    """Return a checksum over everything that decides what is hidden in a recording; "" before faces were looked for.

    It covers the newest run with all that it found, box by box, and the whole file in which it looked. It changes with
    a new run, an assignment, a dismissal, a keyframe, a region, and with the role of a participant whose face was
    found, because a robot's face may stay visible; and where another program changed the run or its tracks. Undoing a
    change brings the old checksum back.
    """
    run = latest_run(study, recording_id, "faces")
    if run is None:
        return ""
    digest = hashlib.sha256(_decisions(study, run).encode())
    told = [run.recording_id, run.backend, dict(run.parameters), dict(run.result), run.finished_at, run.program_version]
    digest.update(json.dumps(told, sort_keys=True).encode())
    # SQLite would copy every track to sort them by two columns.
    tracks = study.rows(f"SELECT {_TRACK} FROM face_track WHERE run_id = ? ORDER BY position", (run.id,))
    for row in sorted(tracks, key=lambda row: (row[2], row[0])):
        digest.update(json.dumps(row[:4]).encode())
        for column in row[4:]:
            digest.update(len(column).to_bytes(8, "little"))
            digest.update(column)
    return digest.hexdigest()


def _decisions(study: Study, run: Run) -> str:
    """Return what people decided about the faces of a run, as JSON."""
    parts = (
        "SELECT c.track_id, c.participant_id, c.dismissed, p.role FROM track_correction c "
        "JOIN face_track t ON t.id = c.track_id LEFT JOIN participant p ON p.id = c.participant_id "
        "WHERE t.run_id = ? AND (c.participant_id IS NOT NULL OR c.dismissed) ORDER BY c.track_id",
        "SELECT b.track_id, b.time_us, b.x, b.y, b.width, b.height FROM track_box b "
        "JOIN face_track t ON t.id = b.track_id WHERE t.run_id = ? ORDER BY b.track_id, b.time_us",
    )
    drawn = (
        "SELECT r.id, r.kind, r.start_us, r.end_us, r.participant_id, p.role FROM region r "
        "LEFT JOIN participant p ON p.id = r.participant_id WHERE r.recording_id = ? ORDER BY r.id",
        "SELECT b.region_id, b.time_us, b.x, b.y, b.width, b.height FROM region_box b "
        "JOIN region r ON r.id = b.region_id WHERE r.recording_id = ? ORDER BY b.region_id, b.time_us",
    )
    content = [run.id, *(study.rows(sql, (run.id,)) for sql in parts)]
    content += [study.rows(sql, (run.recording_id,)) for sql in drawn]
    return json.dumps(content)


face_reviews = FACE_REVIEWS.query("WHERE recording_id = ? ORDER BY at, annotator_id")
set_face_review = FACE_REVIEWS.upsert
delete_face_review = FACE_REVIEWS.delete
seen_spans = SEEN_SPANS.query("WHERE recording_id = ? ORDER BY start_us, end_us, annotator_id")
insert_seen_span = SEEN_SPANS.upsert


REGIONS = RowMapper(Region, "region", noun="A region ({id})")


@dataclass(frozen=True, slots=True)
class OwnedKeyframe:
    """A keyframe of a region or a found track, with the id of that."""

    owner: str
    keyframe: Keyframe


REGION_BOXES = RowMapper(OwnedKeyframe, "region_box", columns={"owner": "region_id"})
TRACK_BOXES = RowMapper(OwnedKeyframe, "track_box", columns={"owner": "track_id"})


def _keyframes(
    boxes: RowMapper[OwnedKeyframe], study: Study, owners: str, value: str
) -> dict[str, tuple[Keyframe, ...]]:
    """Return owner -> its keyframes in order of time, for the owners whose ids a query on a value returns."""
    column = boxes.column_list.split(",")[0]
    owned = boxes.group(study, "owner", f"WHERE {column} IN ({owners}) ORDER BY {column}, time_us", value)
    return {owner: tuple(box.keyframe for box in listed) for owner, listed in owned.items()}


def regions_of(study: Study, recording_id: str) -> list[Region]:
    """Return the regions of a recording, in the order they were made."""
    keyframes = _keyframes(REGION_BOXES, study, "SELECT id FROM region WHERE recording_id = ?", recording_id)
    regions = REGIONS.select(study, "WHERE recording_id = ? ORDER BY id", recording_id)
    return [replace(region, keyframes=keyframes[region.id]) for region in regions if region.id in keyframes]


def find_region(study: Study, region_id: str) -> Region | None:
    """Return one region, or None where there is none of that id."""
    region = REGIONS.find(study, region_id)
    return region and replace(region, keyframes=_keyframes(REGION_BOXES, study, "?", region_id).get(region_id, ()))


def insert_region(study: Study, new: Region) -> None:
    """Add a region with its keyframes; inside a step."""
    REGIONS.insert(study, new)
    REGION_BOXES.insert_all(study, [OwnedKeyframe(new.id, keyframe) for keyframe in new.keyframes])


update_region = REGIONS.update
"""Replace what is said about a region, without its keyframes."""


delete_region = REGIONS.delete_tree


def set_region_box(study: Study, region_id: str, keyframe: Keyframe) -> None:
    """Set a keyframe of a region, in place of one at the same time; inside a step."""
    REGION_BOXES.upsert(study, OwnedKeyframe(region_id, keyframe))


delete_region_box = REGION_BOXES.delete


def set_track_box(study: Study, track_id: str, keyframe: Keyframe) -> None:
    """Set a keyframe on a found track, in place of one at the same time; inside a step."""
    TRACK_BOXES.upsert(study, OwnedKeyframe(track_id, keyframe))


delete_track_box = TRACK_BOXES.delete


def track_boxes(study: Study, run_id: str) -> dict[str, tuple[Keyframe, ...]]:
    """Return track id -> the keyframes on it, in order of time, for the tracks of a run that have any."""
    return _keyframes(TRACK_BOXES, study, "SELECT id FROM face_track WHERE run_id = ?", run_id)


_ORIGINS = [*map(int, Origin)]
_MAX_COORDINATE = 1_000_000
"""Pixels: no box of a picture reaches further."""
_MIN_TIME_US = -SECOND_US * 60
"""A recording that was cut out of a longer one may begin with pictures that are shown before its first key picture."""
_MAX_FRAMES = 1 << 31
_MAX_SECONDS = 1e9


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
    """Store the tracks that a run found in one medium; inside `Study.run_transaction`."""
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
    found = [_unpack(row) for row in rows]
    for track in found:
        if times_us is not None and len(track.frames) and track.frames[-1] >= len(times_us):
            raise _damaged_track_error(track.id)
    return [apply_keyframes(track, moved.get(track.id, ()), times_us) for track in found]


def searched_frames(run: Run) -> SearchedFrames:
    """Return which frames a faces run looked at."""
    what = f"What a run ({escape_unprintable(run.kind)}, {escape_unprintable(run.finished_at)}) says of its frames"
    count, early = run.result.get("frames"), run.result.get("ends_early_s", 0.0)
    if not _is_frame(count) or not isinstance(early, int | float) or not 0 <= early < _MAX_SECONDS:
        raise damaged_value_error(what)
    lists = [run.result.get(key, []) for key in ("damaged_frames", "cuts")]
    for listed in lists:
        if not isinstance(listed, list) or not all(map(_is_frame, listed)):
            raise damaged_value_error(what)
    damaged, cuts = (tuple(cast(list[int], listed)) for listed in lists)
    return SearchedFrames(cast(int, count), damaged, cuts, float(early))


def _is_frame(found: Json) -> bool:
    return isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MAX_FRAMES


def faces_to_hide(study: Study, recording_id: str, times_us: NDArray[np.int64]) -> list[FaceTrack]:
    """Return all faces that are known in a recording: the corrected tracks, then those drawn by hand.

    Args:
        study: the study.
        recording_id: whose faces.
        times_us: (m,) time stamps of all frames of the medium.
    """
    drawn = (
        region_to_track(region, times_us)
        for region in regions_of(study, recording_id)
        if region.kind is RegionKind.FACE
    )
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
        raise _damaged_track_error(row[0]) from None
    if not _is_valid(track):
        raise _damaged_track_error(row[0])
    return track


def _is_valid(track: FaceTrack) -> bool:
    count = len(track.frames)
    if any(len(array) != count for array in (track.times_us, track.boxes, track.scores, track.origins)):
        return False
    return bool(
        (track.frames[:1] >= 0).all()
        and (np.diff(track.frames.astype(np.int64)) > 0).all()
        and (track.times_us[:1] >= _MIN_TIME_US).all()
        # Without a difference, which another program's numbers would make too large.
        and (track.times_us[1:] > track.times_us[:-1]).all()
        and (np.abs(track.boxes) <= _MAX_COORDINATE).all()
        and (track.boxes[:, 2:] >= 0).all()
        and np.isfinite(track.scores).all()
        and np.isin(track.origins, _ORIGINS).all()
    )


def _damaged_track_error(track_id: str) -> UserError:
    return damaged_value_error(f"A face track ({escape_unprintable(track_id)})")
