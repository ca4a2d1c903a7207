"""Edits of a face review: assigning and dismissing tracks, marking places as seen, and marking a recording reviewed.

Hand-drawn boxes are edited here too: regions of their own, and keyframes on tracks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotate.study.people import build_participant
from anonymize.faces.face_review import build_face_sheet
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import Changes, FaceReview, ParticipantRole, SeenSpan
from project.errors import UserError, no_longer_in_study, require_length
from project.ids import new_id
from project.queries import face_rows, recording_rows
from project.queries.face_rows import update_region
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import FrameTimes, format_time, utc_now

MAX_LABEL_CHARS = 200
_NAMES = {RegionKind.FACE: "face", RegionKind.AREA: "area", RegionKind.NOTHING: "region without a face"}


def find_region(session: Session, region_id: str) -> Region:
    """Return a region."""
    found = face_rows.find_region(session.study, region_id)
    if found is None:
        raise no_longer_in_study("region")
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

    It starts at the keyframe when nothing else is given, and its end is cut to that of the recording.
    """
    begin = keyframe.time_us if start_us is None else start_us
    end = min(end_us, max(session.recording(recording_id).duration_us, begin + 1))
    _check_span(begin, end)
    made = Region(new_id(), recording_id, kind, _label(label), begin, end, (keyframe,), participant_id)
    _check_box(session, recording_id, keyframe)
    with session.step(f"Draw {_NAMES[kind]}") as step:
        face_rows.insert_region(session.study, made)
    return made.id, step.changes


def add_areas(session: Session, recording_id: str, areas: Sequence[tuple[Keyframe, int]], label: str = "") -> Changes:
    """Draw several areas that are always masked, each from its keyframe to an end, as one step."""
    last = session.recording(recording_id).duration_us
    made = []
    for keyframe, end_us in areas:
        end = min(end_us, max(last, keyframe.time_us + 1))
        _check_span(keyframe.time_us, end)
        _check_box(session, recording_id, keyframe)
        made.append(Region(new_id(), recording_id, RegionKind.AREA, label, keyframe.time_us, end, (keyframe,)))
    with session.step(f"Draw {pluralize(len(made), 'area')}") as step:
        for region in made:
            face_rows.insert_region(session.study, region)
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
    """Change what is said about a region: what is in it, its name, when it starts and ends."""
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
            face_rows.update_region(session.study, after)
    return step.changes


def delete_region(session: Session, region_id: str) -> Changes:
    """Take a region away."""
    before = find_region(session, region_id)
    with session.step(f"Delete {_NAMES[before.kind]}") as step:
        face_rows.delete_region(session.study, region_id)
    return step.changes


def set_region_box(session: Session, region_id: str, keyframe: Keyframe, merge_key: str | None = None) -> Changes:
    """Say where a region is at a time; outside of its span it then lasts up to there."""
    before = find_region(session, region_id)
    _check_box(session, before.recording_id, keyframe)
    start, end = min(before.start_us, keyframe.time_us), max(before.end_us, keyframe.time_us + 1)
    with session.step(f"Move {_NAMES[before.kind]}", merge_key) as step:
        if (start, end) != (before.start_us, before.end_us):
            face_rows.update_region(session.study, replace(before, start_us=start, end_us=end))
        face_rows.set_region_box(session.study, region_id, keyframe)
    return step.changes


def delete_region_box(session: Session, region_id: str, time_us: int) -> Changes:
    """Take the keyframe at a time from a region."""
    before = find_region(session, region_id)
    _check_keyframe_exists(time_us, before.keyframes)
    if len(before.keyframes) == 1:
        raise UserError("This is the region's only keyframe.", "Delete the region instead.")
    with session.step("Delete keyframe") as step:
        face_rows.delete_region_box(session.study, region_id, time_us)
    return step.changes


def set_track_box(
    session: Session, recording_id: str, track_id: str, keyframe: Keyframe, merge_key: str | None = None
) -> Changes:
    """Say where the face of a found track is at a time; outside of its span it then lasts up to there."""
    _check_box(session, recording_id, keyframe)
    with session.step("Move face", merge_key) as step:
        face_rows.set_track_box(session.study, track_id, keyframe)
    return step.changes


def delete_track_box(session: Session, run_id: str, track_id: str, time_us: int) -> Changes:
    """Take the keyframe at a time from a found track of a run."""
    _check_keyframe_exists(time_us, face_rows.track_boxes(session.study, run_id).get(track_id, ()))
    with session.step("Delete keyframe") as step:
        face_rows.delete_track_box(session.study, track_id, time_us)
    return step.changes


def _label(text: str) -> str:
    return require_length(" ".join(text.split()), MAX_LABEL_CHARS, "A name")


def _check_span(start_us: int, end_us: int) -> None:
    if start_us < 0 or end_us <= start_us:
        raise UserError("The region must end after it starts.", "Choose an end after the start.")


def _check_box(session: Session, recording_id: str, keyframe: Keyframe) -> None:
    if keyframe.width < 1 or keyframe.height < 1:
        raise UserError("The box is empty.", "Draw it larger.")
    medium = session.main_medium(recording_id)
    video = medium.facts.video if medium is not None else None
    if video is None:
        raise UserError("This recording has no picture.", "Choose a recording with video.")
    inside = (
        keyframe.x < video.width
        and keyframe.y < video.height
        and keyframe.x + keyframe.width > 0
        and keyframe.y + keyframe.height > 0
    )
    if not inside:
        raise UserError("The box lies outside the picture.", f"The picture has {video.width} x {video.height} pixels.")


def _check_keyframe_exists(time_us: int, keyframes: Sequence[Keyframe]) -> None:
    if all(keyframe.time_us != time_us for keyframe in keyframes):
        raise UserError(f"There is no keyframe at {format_time(time_us)}.", "Go to a keyframe first.")


def assign_faces(
    session: Session, track_ids: Sequence[str], participant_id: str | None, region_ids: Sequence[str] = ()
) -> Changes:
    """Say whose face several tracks, and faces drawn by hand, are, as one step; a suggestion is accepted so."""
    drawn = [_require_face_region(session, region_id) for region_id in region_ids]
    with session.step(_step_name("Assign", [*track_ids, *region_ids])) as step:
        _assign(session, track_ids, drawn, participant_id)
    return step.changes


def assign_faces_to_new(
    session: Session,
    recording_id: str,
    track_ids: Sequence[str],
    pseudonym: str,
    role: ParticipantRole,
    region_ids: Sequence[str] = (),
) -> tuple[str, Changes]:
    """Make a participant who appears in a recording, and give them several faces, as one step; returns the new id."""
    drawn = [_require_face_region(session, region_id) for region_id in region_ids]
    made = build_participant(session, pseudonym, role)
    with session.step(f"{_step_name('Assign', [*track_ids, *region_ids])} to {made.pseudonym}") as step:
        recording_rows.insert_participant(session.study, made)
        recording_rows.set_appearance(session.study, recording_id, made.id, True)
        _assign(session, track_ids, drawn, made.id)
    return made.id, step.changes


def dismiss_faces(session: Session, track_ids: Sequence[str], dismissed: bool = True) -> Changes:
    """Say that several tracks are no faces, or take that back, as one step."""
    with session.step(_step_name("Dismiss" if dismissed else "Restore", track_ids)) as step:
        for track_id in track_ids:
            face_rows.set_dismissed(session.study, track_id, dismissed)
    return step.changes


def mark_seen(session: Session, recording_id: str, spans: Iterable[tuple[int, int]]) -> Changes:
    """Say that one looked at stretches of a recording and that no face is left uncovered in them."""
    wanted = [*spans]
    if any(start < 0 or end <= start for start, end in wanted):
        raise UserError("The interval must end after it starts.", "Choose an end after the start.")
    with session.step("Mark as seen") as step:
        who = session.author()
        now = utc_now()
        for start, end in wanted:
            face_rows.insert_seen_span(session.study, SeenSpan(recording_id, who.id, start, end, now))
    return step.changes


def mark_reviewed(session: Session, recording_id: str, times: FrameTimes | None = None) -> Changes:
    """Say that all faces of a recording are hidden as they should be, in the state they are in."""
    session.study.require_writable()
    found = build_face_sheet(session, recording_id, times)
    number = found.recording.number
    if found.run is None:
        raise UserError(f"The faces of recording {number} have not been tracked yet.", "Track them first (Ctrl+T).")
    if found.pending:
        raise UserError(
            f"Recording {number} cannot be reviewed yet: {found.pending_places_text()} left.",
            "Check each place, cover uncovered faces, and mark the place as seen.",
        )
    with session.step(f"Mark faces of recording {number} as reviewed") as step:
        who = session.author()
        state = face_rows.mask_state(session.study, recording_id)
        face_rows.set_face_review(session.study, FaceReview(recording_id, who.id, state, utc_now()))
    return step.changes


def withdraw_review(session: Session, recording_id: str) -> Changes:
    """Take back that the annotator of this session reviewed a recording's faces."""
    session.study.require_writable()
    who = session.annotator()
    mine = [
        face_review
        for face_review in face_rows.face_reviews(session.study, recording_id)
        if who and face_review.annotator_id == who.id
    ]
    if who is None or not mine:
        raise UserError("You did not review these faces.", "Only your own decisions can be withdrawn.")
    with session.step("Withdraw review of faces") as step:
        face_rows.delete_face_review(session.study, recording_id, who.id)
    return step.changes


def _assign(session: Session, track_ids: Sequence[str], drawn: Sequence[Region], participant_id: str | None) -> None:
    for track_id in track_ids:
        face_rows.assign_participant(session.study, track_id, participant_id)
    for region in drawn:
        update_region(session.study, replace(region, participant_id=participant_id))


def _require_face_region(session: Session, region_id: str) -> Region:
    found = find_region(session, region_id)
    if found.kind is not RegionKind.FACE:
        raise UserError("Only a face can belong to a participant.", "Change the region to a face first.")
    return found


def _step_name(verb: str, track_ids: Sequence[str]) -> str:
    return f"{verb} face" if len(track_ids) == 1 else f"{verb} {pluralize(len(track_ids), 'face')}"
