"""Regions that were drawn by hand, and keyframes that were set on found tracks."""

from collections import defaultdict
from collections.abc import Iterable

from project.regions import Keyframe, Region, RegionKind
from project.store import Row, Study

_COLUMNS = "id, recording_id, kind, label, start_us, end_us, participant_id"


def regions_of(study: Study, recording_id: str) -> list[Region]:
    """Return the regions of a recording, in the order they were made."""
    boxes: dict[str, list[Keyframe]] = defaultdict(list)
    for row in study.rows(
        "SELECT b.region_id, b.time_us, b.x, b.y, b.width, b.height FROM region_box b "
        "JOIN region r ON r.id = b.region_id WHERE r.recording_id = ? ORDER BY b.region_id, b.time_us",
        (recording_id,),
    ):
        boxes[row[0]].append(Keyframe(*row[1:]))
    rows = study.rows(f"SELECT {_COLUMNS} FROM region WHERE recording_id = ? ORDER BY id", (recording_id,))
    return [_region(row, boxes[row[0]]) for row in rows if boxes[row[0]]]


def region_called(study: Study, region_id: str) -> Region | None:
    """Return one region, or None where there is none of that id."""
    row = study.row(f"SELECT {_COLUMNS} FROM region WHERE id = ?", (region_id,))
    if row is None:
        return None
    boxes = study.rows(
        "SELECT time_us, x, y, width, height FROM region_box WHERE region_id = ? ORDER BY time_us", (region_id,)
    )
    return _region(row, [Keyframe(*one) for one in boxes])


def insert_region(study: Study, new: Region) -> None:
    """Add a region with its keyframes; inside a step."""
    study.write(
        f"INSERT INTO region ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (new.id, new.recording_id, new.kind.value, new.label, new.start_us, new.end_us, new.participant_id),
    )
    for one in new.keyframes:
        set_region_box(study, new.id, one)


def update_region(study: Study, new: Region) -> None:
    """Replace what is said about a region, without its keyframes; inside a step."""
    study.write(
        "UPDATE region SET kind = ?, label = ?, start_us = ?, end_us = ?, participant_id = ? WHERE id = ?",
        (new.kind.value, new.label, new.start_us, new.end_us, new.participant_id, new.id),
    )


def delete_region(study: Study, region_id: str) -> None:
    """Remove a region with its keyframes; inside a step."""
    study.write("DELETE FROM region_box WHERE region_id = ?", (region_id,))
    study.write("DELETE FROM region WHERE id = ?", (region_id,))


def set_region_box(study: Study, region_id: str, keyframe: Keyframe) -> None:
    """Set a keyframe of a region, in place of one at the same time; inside a step."""
    _set_box(study, "region_box", "region_id", region_id, keyframe)


def delete_region_box(study: Study, region_id: str, time_us: int) -> None:
    """Remove a keyframe of a region; inside a step."""
    study.write("DELETE FROM region_box WHERE region_id = ? AND time_us = ?", (region_id, time_us))


def set_track_box(study: Study, track_id: str, keyframe: Keyframe) -> None:
    """Set a keyframe on a found track, in place of one at the same time; inside a step."""
    _set_box(study, "track_box", "track_id", track_id, keyframe)


def delete_track_box(study: Study, track_id: str, time_us: int) -> None:
    """Remove a keyframe from a found track; inside a step."""
    study.write("DELETE FROM track_box WHERE track_id = ? AND time_us = ?", (track_id, time_us))


def track_boxes(study: Study, run_id: str) -> dict[str, list[Keyframe]]:
    """Return track id -> the keyframes on it, in order of time, for the tracks of a run that have any."""
    found: dict[str, list[Keyframe]] = defaultdict(list)
    for row in study.rows(
        "SELECT b.track_id, b.time_us, b.x, b.y, b.width, b.height FROM track_box b "
        "JOIN face_track t ON t.id = b.track_id WHERE t.run_id = ? ORDER BY b.track_id, b.time_us",
        (run_id,),
    ):
        found[row[0]].append(Keyframe(*row[1:]))
    return dict(found)


def _set_box(study: Study, table: str, column: str, owner: str, one: Keyframe) -> None:
    study.write(
        f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT ({column}, time_us) DO UPDATE SET "
        "x = excluded.x, y = excluded.y, width = excluded.width, height = excluded.height",
        (owner, one.time_us, one.x, one.y, one.width, one.height),
    )


def _region(row: Row, keyframes: Iterable[Keyframe]) -> Region:
    return Region(row[0], row[1], RegionKind(row[2]), row[3], row[4], row[5], tuple(keyframes), row[6])
