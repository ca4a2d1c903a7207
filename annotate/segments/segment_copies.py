"""Copies of segments: pasting them elsewhere, duplicating them, and merging neighbours into a single segment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.segments.segment_edits import find_own_segments, fit_span, insert_new_segment, write_field
from annotate.team.training_gate import require_training
from project.entities.study_records import Changes, Json, Segment
from project.errors import UserError
from project.queries import segment_rows
from project.schemes.scheme import Extent, Scheme
from project.session.session import Session
from project.text_format import describe_rows


@dataclass(frozen=True, slots=True)
class SegmentCopy:
    """What is pasted of a segment; it stays when the segment is changed or deleted.

    Attributes:
        values: of the fields that its label has, by key.
    """

    scheme: str
    track: str
    label: str
    start_us: int
    end_us: int
    values: Mapping[str, Json]


def copy_segments(session: Session, segment_ids: Iterable[str]) -> tuple[SegmentCopy, ...]:
    """Return copies of own segments of a recording, by start.

    Those of others are refused: agreement would count a copy as a second opinion.
    """
    segments = _one_recording(_own_segments(session, segment_ids))
    return tuple(
        SegmentCopy(
            *(segment.scheme, segment.track, segment.label, segment.start_us, segment.end_us),
            _values_of(session, session.schemes.get(segment.scheme), segment),
        )
        for segment in segments
    )


def paste_segments(
    session: Session, recording_id: str, copies: Sequence[SegmentCopy], at_us: int, verb: str = "Paste"
) -> tuple[list[str], Changes]:
    """Insert copies as one step: the first starts at a time, the others keep their distance from it.

    Copies of a track about the whole recording are about the whole recording again. Returns the new ids.
    """
    if not copies:
        raise UserError("No segment was copied.", "Select segments and copy them first.")
    require_training(session, recording_id)
    schemes = [session.schemes.get(copy.scheme) for copy in copies]
    tracks = [scheme.track(copy.track) for scheme, copy in zip(schemes, copies, strict=True)]
    placed = [copy.start_us for track, copy in zip(tracks, copies, strict=True) if track.extent is not Extent.RECORDING]
    by_us = at_us - min(placed, default=at_us)
    spans = [
        fit_span(session, recording_id, scheme, track, copy.label, copy.start_us + by_us, copy.end_us + by_us)
        for scheme, track, copy in zip(schemes, tracks, copies, strict=True)
    ]
    with session.step(f"{verb} {describe_rows(len(copies), 'segment')}") as step:
        made = [
            insert_new_segment(session, recording_id, scheme, track, copy.label, *span, copy.values)
            for scheme, track, copy, span in zip(schemes, tracks, copies, spans, strict=True)
        ]
    return made, step.changes


def duplicate_segments(session: Session, segment_ids: Sequence[str], at_us: int) -> tuple[list[str], Changes]:
    """Insert copies of own segments of a recording; the first starts at a time."""
    recording_id = _own_segments(session, segment_ids)[0].recording_id
    return paste_segments(session, recording_id, copy_segments(session, segment_ids), at_us, "Duplicate")


def merge_segments(session: Session, segment_ids: Iterable[str]) -> tuple[str, list[str], Changes]:
    """Make a single segment of neighbours of one track and label, from the first start to the last end.

    The first one stays, with its values; it takes over the comments of the others, and their values where it has none.

    Returns:
        Its id, the names of the fields in which the others differed, and what changed.
    """
    segments = _one_recording(_own_segments(session, segment_ids))
    first, others = segments[0], segments[1:]
    if not others:
        raise UserError("A single segment cannot be merged.", "Select two or more neighbours of one track and label.")
    if len({(segment.scheme, segment.track, segment.label) for segment in segments}) > 1:
        raise UserError("These segments differ in track or label.", "Merge neighbours of one track and label.")
    scheme = session.schemes.get(first.scheme)
    end_us = max(segment.end_us for segment in segments)
    _require_neighbours(session, scheme, segments, end_us)
    values = _values_of(session, scheme, first)
    differing: dict[str, None] = {}
    merged = dict(values)
    for segment in others:
        for field, value in _values_of(session, scheme, segment).items():
            if merged.setdefault(field, value) != value:
                differing[scheme.field(field).name] = None
    with session.step(f"Merge {describe_rows(len(segments), 'segment')}") as step:
        segment_rows.update_segment(session.study, replace(first, end_us=end_us))
        for field in merged.keys() - values.keys():
            write_field(session, first, field, merged[field])
        for segment in others:
            for comment in segment_rows.comments_of(session.study, segment.id):
                segment_rows.update_comment(session.study, replace(comment, segment_id=first.id))
        segment_rows.delete_segments(session.study, *(segment.id for segment in others))
    return first.id, [*differing], step.changes


def _require_neighbours(session: Session, scheme: Scheme, segments: Sequence[Segment], end_us: int) -> None:
    first, chosen = segments[0], {segment.id for segment in segments}
    track = scheme.track_or_empty(first.track)
    if track.extent in (Extent.RECORDING, Extent.POINT) or track.sampling is not None:
        raise UserError(f"{track.name} cannot be merged.", "Only segments with a start and an end of their own can be.")
    for other in segment_rows.segments_of(session.study, first.recording_id):
        same_lane = (other.annotator_id, other.scheme, other.track) == (first.annotator_id, first.scheme, first.track)
        same = same_lane and (track.coding == "one" or other.label == first.label)
        if same and other.id not in chosen and other.start_us < end_us and other.end_us > first.start_us:
            raise UserError("Another segment of the track lies between these.", "Select it too, or move it first.")


def _own_segments(session: Session, segment_ids: Iterable[str]) -> list[Segment]:
    segments = find_own_segments(session, segment_ids)
    if not segments:
        raise UserError("No segment is selected.", "Select segments of your own on the timeline.")
    return segments


def _one_recording(segments: Sequence[Segment]) -> list[Segment]:
    if len({segment.recording_id for segment in segments}) > 1:
        raise UserError("These segments are in several recordings.", "Select segments of one recording.")
    return sorted(segments, key=lambda segment: (segment.start_us, segment.end_us, segment.id))


def _values_of(session: Session, scheme: Scheme, segment: Segment) -> dict[str, Json]:
    values = scheme.known_values(segment.track, segment_rows.values_of(session.study, segment.id))
    return {key: value for key, value in values.items() if scheme.field(key).applies_to(segment.label, segment.track)}
