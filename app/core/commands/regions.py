"""Edits of rectangles drawn by hand: regions of their own, and keyframes on found tracks."""

from collections.abc import Sequence
from dataclasses import replace

from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.queries import regions as rows
from project.regions import Keyframe, Region, RegionKind
from project.timebase import format_time
from project.types import Changes

LONGEST_LABEL = 200
_NAMES = {RegionKind.FACE: "face", RegionKind.AREA: "area", RegionKind.NOTHING: "region without a face"}


def find_region(session: Session, region_id: str) -> Region:
    """Return a region.

    Raises:
        UserError: there is none with this id.
    """
    found = rows.region_called(session.study, region_id)
    if found is None:
        raise UserError("This region is no longer part of the study.", "Draw it again.")
    return found


def add_region(
    session: Session,
    recording_id: str,
    kind: RegionKind,
    keyframe: Keyframe,
    end_us: int,
    *,
    start_us: int | None = None,
    label: str = "",
    participant_id: str | None = None,
) -> tuple[str, Changes]:
    """Draw a region; returns its id and what changed.

    Args:
        session: whose annotator draws it.
        recording_id: of the recording.
        kind: what is in it.
        keyframe: where it is.
        end_us: when it ends; cut to the recording.
        start_us: when it starts; at the keyframe when not given.
        label: what it hides, in a few words.
        participant_id: whose face it is.

    Raises:
        UserError: it would be empty, or outside of the picture or the recording.
    """
    begin = keyframe.time_us if start_us is None else start_us
    end = min(end_us, max(session.recording(recording_id).duration_us, begin + 1))
    _check_span(begin, end)
    made = Region(new_id(), recording_id, kind, _label(label), begin, end, (keyframe,), participant_id)
    _check_box(session, recording_id, keyframe)
    with session.step(f"Draw {_NAMES[kind]}") as step:
        rows.insert_region(session.study, made)
    return made.id, step.changes


def add_areas(session: Session, recording_id: str, areas: Sequence[tuple[Keyframe, int]], label: str = "") -> Changes:
    """Draw several areas that are always masked, each from its keyframe to an end, as one step.

    Raises:
        UserError: one would be empty, or outside of the picture or the recording.
    """
    last = session.recording(recording_id).duration_us
    made = []
    for keyframe, end_us in areas:
        end = min(end_us, max(last, keyframe.time_us + 1))
        _check_span(keyframe.time_us, end)
        _check_box(session, recording_id, keyframe)
        made.append(Region(new_id(), recording_id, RegionKind.AREA, label, keyframe.time_us, end, (keyframe,)))
    with session.step(f"Draw {counted(len(made), 'area')}") as step:
        for one in made:
            rows.insert_region(session.study, one)
    return step.changes


def change_region(
    session: Session,
    region_id: str,
    *,
    kind: RegionKind | None = None,
    label: str | None = None,
    start_us: int | None = None,
    end_us: int | None = None,
) -> Changes:
    """Change what is said about a region: what is in it, its name, when it starts and ends.

    Raises:
        UserError: it does not exist, or would be empty.
    """
    before = find_region(session, region_id)
    after = replace(
        before,
        kind=kind or before.kind,
        label=before.label if label is None else _label(label),
        start_us=before.start_us if start_us is None else start_us,
        end_us=before.end_us if end_us is None else end_us,
    )
    _check_span(after.start_us, after.end_us)
    with session.step(f"Change {_NAMES[after.kind]}") as step:
        if after != before:
            rows.update_region(session.study, after)
    return step.changes


def delete_region(session: Session, region_id: str) -> Changes:
    """Take a region away.

    Raises:
        UserError: it does not exist.
    """
    before = find_region(session, region_id)
    with session.step(f"Delete {_NAMES[before.kind]}") as step:
        rows.delete_region(session.study, region_id)
    return step.changes


def set_region_box(session: Session, region_id: str, keyframe: Keyframe, merge_key: str | None = None) -> Changes:
    """Say where a region is at a time; outside of its span it then lasts up to there.

    Raises:
        UserError: it does not exist, or the box is empty or outside of the picture.
    """
    before = find_region(session, region_id)
    _check_box(session, before.recording_id, keyframe)
    start, end = min(before.start_us, keyframe.time_us), max(before.end_us, keyframe.time_us + 1)
    with session.step(f"Move {_NAMES[before.kind]}", merge_key) as step:
        if (start, end) != (before.start_us, before.end_us):
            rows.update_region(session.study, replace(before, start_us=start, end_us=end))
        rows.set_region_box(session.study, region_id, keyframe)
    return step.changes


def delete_region_box(session: Session, region_id: str, time_us: int) -> Changes:
    """Take the keyframe at a time from a region.

    Raises:
        UserError: it has none there, or no other.
    """
    before = find_region(session, region_id)
    _check_there(time_us, before.keyframes)
    if len(before.keyframes) == 1:
        raise UserError("This is the region's only keyframe.", "Delete the region instead.")
    with session.step("Delete keyframe") as step:
        rows.delete_region_box(session.study, region_id, time_us)
    return step.changes


def set_track_box(
    session: Session, recording_id: str, track_id: str, keyframe: Keyframe, merge_key: str | None = None
) -> Changes:
    """Say where the face of a found track is at a time; outside of its span it then lasts up to there.

    Raises:
        UserError: the box is empty or outside of the picture.
    """
    _check_box(session, recording_id, keyframe)
    with session.step("Move face", merge_key) as step:
        rows.set_track_box(session.study, track_id, keyframe)
    return step.changes


def delete_track_box(session: Session, run_id: str, track_id: str, time_us: int) -> Changes:
    """Take the keyframe at a time from a found track of a run.

    Raises:
        UserError: it has none there.
    """
    _check_there(time_us, rows.track_boxes(session.study, run_id).get(track_id, ()))
    with session.step("Delete keyframe") as step:
        rows.delete_track_box(session.study, track_id, time_us)
    return step.changes


def _label(text: str) -> str:
    label = " ".join(text.split())
    if len(label) > LONGEST_LABEL:
        raise UserError(f"A name has up to {LONGEST_LABEL} characters.", "Choose a shorter one.")
    return label


def _check_span(start_us: int, end_us: int) -> None:
    if start_us < 0 or end_us <= start_us:
        raise UserError("A region ends after it starts.", "Give it another start or end.")


def _check_box(session: Session, recording_id: str, one: Keyframe) -> None:
    if one.width < 1 or one.height < 1:
        raise UserError("This box is empty.", "Draw it larger.")
    medium = session.main_medium(recording_id)
    video = medium.facts.video if medium is not None else None
    if video is None:
        raise UserError("This recording has no picture.", "Choose one with video.")
    inside = one.x < video.width and one.y < video.height and one.x + one.width > 0 and one.y + one.height > 0
    if not inside:
        raise UserError("This box lies outside of the picture.", f"The picture is {video.width}x{video.height}.")


def _check_there(time_us: int, keyframes: Sequence[Keyframe]) -> None:
    if all(one.time_us != time_us for one in keyframes):
        raise UserError(f"There is no keyframe at {format_time(time_us)}.", "Go to one first.")
