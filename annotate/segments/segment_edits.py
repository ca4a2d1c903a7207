"""Edits of segments: adding, moving, labelling, filling in, splitting and deleting them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from annotate.study.recording_edits import MIN_SPAN_US, require_inside, require_span
from annotate.team.training_gate import require_training
from project.entities.study_records import Changes, FieldValue, Json, Segment, Verdict
from project.errors import UserError, unknown_id
from project.ids import new_id
from project.queries import segment_rows
from project.queries.segment_rows import table_segments
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme import Extent, Scheme, Track, clip_to_utterance
from project.session.session import Session
from project.text_format import describe_rows


def find_segment(session: Session, segment_id: str) -> Segment:
    """Return a segment."""
    found = segment_rows.find_segment(session.study, segment_id)
    if found is None:
        raise unknown_id("segment", segment_id)
    return found


def find_own_segment(session: Session, segment_id: str) -> Segment:
    """Return a segment that the annotator of this session made, and so may change."""
    found = find_segment(session, segment_id)
    hint = "Only the annotator who made it can change it."
    session.require_own(found.annotator_id, "This segment was made by somebody else.", hint)
    return found


def find_own_segments(session: Session, segment_ids: Iterable[str]) -> list[Segment]:
    """Return segments that the annotator of this session made, in the order of the ids; see `find_own_segment`."""
    wanted, author = [*segment_ids], session.annotator()
    session.study.require_writable()
    found = {segment.id: segment for segment in table_segments(session.study, wanted)}
    for segment_id in wanted:
        if segment_id not in found or author is None or author.id != found[segment_id].annotator_id:
            find_own_segment(session, segment_id)
    return [found[segment_id] for segment_id in wanted]


def add_segment(
    session: Session,
    recording_id: str,
    start_us: int,
    end_us: int,
    label: str,
    values: Mapping[str, Json] | None = None,
    *,
    scheme: str | None = None,
    track: str | None = None,
) -> tuple[str, Changes]:
    """Mark a span of a recording; returns the new segment's id and what changed.

    On a track whose segments cover the recording, the span is the recording. On one whose segments lie inside an
    utterance, it is cut to the utterance under it, where the recording has a transcript. On one of points, start and
    end are the same. Without names, it goes to the study's default scheme and the scheme's first track.
    """
    require_training(session, recording_id)
    used = session.schemes.get(scheme)
    lane = used.track(track or used.tracks[0].key)
    start_us, end_us = fit_span(session, recording_id, used, lane, label, start_us, end_us)
    name = "" if label == Verdict.NONE else f" {(lane.label(label) or lane).name.lower()}"
    noun = "segment" if not lane.holds_points else "point" if lane.sampling is None else "sample"
    with session.step(f"Add{name} {noun}") as step:
        made_id = insert_new_segment(session, recording_id, used, lane, label, start_us, end_us, values or {})
    return made_id, step.changes


def fit_span(
    session: Session, recording_id: str, scheme: Scheme, track: Track, label: str, start_us: int, end_us: int
) -> tuple[int, int]:
    """Return start and end of a new segment as its track wants them; raises `UserError` where it cannot be made."""
    scheme.check_label(track.key, label)
    if track.extent is Extent.RECORDING:
        start_us, end_us = 0, session.recording(recording_id).duration_us
    _require_fitting(session, track, recording_id, start_us, end_us)
    return _cut_to_utterance(session, recording_id, start_us, end_us) if track.inside else (start_us, end_us)


def insert_new_segment(
    session: Session,
    recording_id: str,
    scheme: Scheme,
    track: Track,
    label: str,
    start_us: int,
    end_us: int,
    values: Mapping[str, Json],
) -> str:
    """Insert a segment that fits, with its values; inside a step. Returns its id."""
    author = session.author()
    session.schemes.store_text(scheme)
    segment = Segment(new_id(), recording_id, author.id, label, start_us, end_us, scheme.key, track.key)
    segment_rows.insert_segment(session.study, segment)
    for field, value in values.items():
        write_field(session, segment, field, value)
    return segment.id


def move_segments(session: Session, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> Changes:
    """Give segments new starts and ends, in microseconds, as one step.

    Edits with the same `merge_key` in quick succession (a key held down) become one step.
    """
    moved = [(find_own_segment(session, segment_id), start_us, end_us) for segment_id, start_us, end_us in spans]
    for segment, start_us, end_us in moved:
        _require_movable(session, segment)
        _require_fitting(session, _find_track(session, segment), segment.recording_id, start_us, end_us)
    resized = any(s.end_us - s.start_us != end - start for s, start, end in moved)
    verb = "Resize" if resized else "Move"
    with session.step(f"{verb} {_format_count([segment for segment, _, _ in moved])}", merge_key) as step:
        for segment, start_us, end_us in moved:
            segment_rows.update_segment(session.study, replace(segment, start_us=start_us, end_us=end_us))
    return step.changes


def set_label(session: Session, segment_ids: Iterable[str], label: str) -> Changes:
    """Change the label; values that only other labels have are kept, and show again when it is one of these again."""
    segments = find_own_segments(session, segment_ids)
    for scheme, track in {(segment.scheme, segment.track) for segment in segments}:
        session.schemes.get(scheme).check_label(track, label)
    several = f"{_format_count(segments)} " if len(segments) > 1 else ""
    with session.step(f"Change {several}to {_label_text(session, segments, label)}") as step:
        for segment in segments:
            if segment.label != label:
                segment_rows.update_segment(session.study, replace(segment, label=label))
    return step.changes


def set_field(session: Session, segment_id: str, field: str, value: Json, merge_key: str | None = None) -> Changes:
    """Fill in one field of a segment's form; None or an empty value clears it."""
    segment = find_own_segment(session, segment_id)
    scheme = session.schemes.get(segment.scheme)
    with session.step(f"Change {scheme.field(field).name.lower()}", merge_key) as step:
        write_field(session, segment, field, value)
    return step.changes


def edit_segment(
    session: Session,
    segment_id: str,
    *,
    start_us: int | None = None,
    end_us: int | None = None,
    label: str | None = None,
    values: Mapping[str, Json] | None = None,
) -> Changes:
    """Change several things about a segment as one step; None leaves a thing as it is."""
    old = find_own_segment(session, segment_id)
    track = _find_track(session, old)
    if track.holds_points:
        start_us, end_us = (end_us if start_us is None else start_us), (start_us if end_us is None else end_us)
    new = replace(
        old,
        start_us=old.start_us if start_us is None else start_us,
        end_us=old.end_us if end_us is None else end_us,
        label=label or old.label,
    )
    if new.label != old.label:
        session.schemes.get(old.scheme).check_label(old.track, new.label)
    if (new.start_us, new.end_us) != (old.start_us, old.end_us):
        _require_movable(session, old)
        _require_fitting(session, track, new.recording_id, new.start_us, new.end_us)
    with session.step("Edit segment") as step:
        if new != old:
            segment_rows.update_segment(session.study, new)
        for field, value in (values or {}).items():
            write_field(session, new, field, value)
    return step.changes


def delete_kept_value(session: Session, segment_id: str, field: str, version: int) -> Changes:
    """Delete a value that was filled in under one version of the scheme and that the newest has no place for."""
    segment = find_own_segment(session, segment_id)
    scheme = session.schemes.find(segment.scheme)
    values = segment_rows.value_history(session.study, segment_id)
    found = next((value for value in values if (value.field, value.version) == (field, version)), None)
    if found is None:
        raise UserError(
            f"The field “{field}” has no value of version {version} of the scheme.", "It may have been deleted."
        )
    if scheme is not None and not scheme.orphaned_values(segment.track, {field: found.value}):
        raise UserError(f"The value in “{field}” belongs to the form.", "Change it in the form.")
    with session.step(f"Delete kept value of {field}") as step:
        segment_rows.clear_value(session.study, found)
    return step.changes


def split_segment(session: Session, segment_id: str, at_us: int) -> tuple[str, Changes]:
    """Cut a segment in two at a time inside it; both keep the values. Returns the second one's id."""
    segment = find_own_segment(session, segment_id)
    _require_movable(session, segment)
    if not segment.start_us + MIN_SPAN_US <= at_us <= segment.end_us - MIN_SPAN_US:
        raise UserError("The playhead is not inside the segment.", "Move the playhead to where you want to split it.")
    second = replace(segment, id=new_id(), start_us=at_us)
    with session.step("Split segment") as step:
        segment_rows.update_segment(session.study, replace(segment, end_us=at_us))
        segment_rows.insert_segment(session.study, second)
        for value in segment_rows.value_history(session.study, segment.id):
            segment_rows.set_value(session.study, replace(value, segment_id=second.id))
    return second.id, step.changes


def delete_segments(session: Session, segment_ids: Iterable[str]) -> Changes:
    """Delete segments and what was filled in about them, as one step."""
    found = find_own_segments(session, segment_ids)
    with session.step(f"Delete {_format_count(found)}") as step:
        segment_rows.delete_segments(session.study, *(segment.id for segment in found))
    return step.changes


def write_field(session: Session, segment: Segment, field: str, value: Json) -> None:
    """Fill in one field of a segment that may be changed, or clear it; inside a step."""
    scheme = session.schemes.get(segment.scheme)
    checked = scheme.check_value(field, value)
    wanted = scheme.field(field)
    if checked is not None and not wanted.applies_to(segment.label, segment.track):
        owners = wanted.only_for or wanted.tracks
        raise UserError(
            f"{wanted.name} does not apply to {_label_text(session, [segment], segment.label)} segments.",
            f"It applies to {' and '.join(owners)} segments only.",
        )
    session.schemes.store_text(scheme)
    new = FieldValue(segment.id, scheme.key, scheme.version, field, checked)
    if checked is not None:
        segment_rows.set_value(session.study, new)
        return
    for old in segment_rows.value_history(session.study, segment.id):
        # What the form could not show was not what was cleared: it is kept.
        if old.field == field and not scheme.orphaned_values(segment.track, {field: old.value}):
            segment_rows.clear_value(session.study, old)


def _find_track(session: Session, segment: Segment) -> Track:
    """Return the track of a segment; where the study has it no longer, one that holds what the segment is."""
    scheme = session.schemes.find(segment.scheme)
    found = None if scheme is None else scheme.track_or_empty(segment.track)
    if found is not None and found.labels:
        return found
    return Track(segment.track, segment.track, (), extent=Extent.POINT if segment.is_point else Extent.SPAN)


def _require_movable(session: Session, segment: Segment) -> None:
    track = _find_track(session, segment)
    if track.extent is Extent.RECORDING:
        raise UserError(f"{track.name} segments cover the whole recording.", "Their start and end cannot be changed.")
    if track.sampling is not None:
        raise UserError(
            f"{track.name} are samples.", "Their times cannot be changed; delete a sample to take it again."
        )


def _require_fitting(session: Session, track: Track, recording_id: str, start_us: int, end_us: int) -> None:
    """Refuse times that do not fit the recording, or the track: points have one time, other segments two."""
    if not track.holds_points:
        require_span(session, recording_id, start_us, end_us, "segment")
    require_inside(session, recording_id, start_us, end_us, "segment")
    problem = track.span_problem(start_us, end_us, session.recording(recording_id).duration_us)
    if problem and track.holds_points and start_us != end_us:
        raise UserError(f"{track.name} are points.", "Give one time for start and end.")
    if problem:
        raise UserError(problem, f"See the track {track.name} of the scheme.")


def _cut_to_utterance(session: Session, recording_id: str, start_us: int, end_us: int) -> tuple[int, int]:
    spoken = utterances_of(session.study, recording_id)
    if not spoken:
        return start_us, end_us
    if start_us == end_us and any(said.start_us <= start_us <= said.end_us for said in spoken):
        return start_us, end_us
    inside = clip_to_utterance(start_us, end_us, spoken)
    if inside is None or inside[1] - inside[0] < MIN_SPAN_US:
        raise UserError(
            "Nobody speaks here.", "Mark a part of an utterance: segments of this track lie inside utterances."
        )
    return inside


def _label_text(session: Session, segments: Sequence[Segment], label: str) -> str:
    if label == Verdict.NONE or not segments:
        return "unmarked"
    track = session.schemes.get(segments[0].scheme).track(segments[0].track)
    return (track.label(label) or track).name.lower()


def _format_count(segments: Sequence[Segment]) -> str:
    return describe_rows(len(segments), "segment", len({segment.recording_id for segment in segments}))
