"""Edits of many segments of one's own as one step, and comments on segments of anybody."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from annotate.segments.segment_edits import delete_segments, find_segment, move_segments, set_label, write_field
from project.entities.study_records import Changes, Comment, Json, Segment
from project.errors import UserError, require_length, unknown_id
from project.ids import new_id
from project.queries import segment_rows
from project.queries.segment_rows import table_segments, table_values
from project.schemes.scheme import Extent, Field, FieldKind, Track
from project.session.session import Session
from project.text_format import describe_rows, pluralize
from project.timebase import utc_now


def own_segments(session: Session, segment_ids: Iterable[str]) -> list[Segment]:
    """Return those of some segments that the annotator of the session made."""
    author = session.annotator()
    found = table_segments(session.study, [*segment_ids])
    return [segment for segment in found if author is not None and segment.annotator_id == author.id]


def filter_by_label(session: Session, segments: Sequence[Segment], label: str) -> list[Segment]:
    """Return those whose track has a label."""
    return [
        segment
        for segment in segments
        if (scheme := session.schemes.find(segment.scheme)) is not None
        and session.schemes.is_in_use(segment.scheme)
        and label in {known.key for known in scheme.track_or_empty(segment.track).offered_labels}
    ]


def filter_by_choice(session: Session, segments: Sequence[Segment], field: str, choice: str) -> list[Segment]:
    """Return those whose form has a field with a choice."""
    return [
        segment
        for segment in segments
        if session.schemes.is_in_use(segment.scheme)
        and any(
            known.key == field and known.applies_to(segment.label, segment.track) and choice in _keys(known)
            for known in session.schemes.get(segment.scheme).fields
        )
    ]


def filter_movable(session: Session, segments: Sequence[Segment]) -> list[Segment]:
    """Return those whose times may be changed: they are neither about the recording as a whole nor samples."""

    def is_movable(track: Track) -> bool:
        return track.extent is not Extent.RECORDING and track.sampling is None

    return [
        segment
        for segment in segments
        if (scheme := session.schemes.find(segment.scheme)) is None or is_movable(scheme.track_or_empty(segment.track))
    ]


def change_label(session: Session, segment_ids: Iterable[str], label: str) -> Changes:
    """Give own segments whose track has it another label."""
    return set_label(
        session,
        [segment.id for segment in _require_any(filter_by_label(session, own_segments(session, segment_ids), label))],
        label,
    )


def add_choice(session: Session, segment_ids: Iterable[str], field: str, choice: str) -> Changes:
    """Add a choice to a field of own segments; where only one can be chosen, it takes the other's place."""
    return _change_choices(session, segment_ids, field, choice, lambda before: [*before, choice], "Add")


def remove_choice(session: Session, segment_ids: Iterable[str], field: str, choice: str) -> Changes:
    """Take a choice from a field of own segments."""
    return _change_choices(
        session, segment_ids, field, choice, lambda before: [item for item in before if item != choice], "Remove"
    )


def shift_segments(session: Session, segment_ids: Iterable[str], by_us: int) -> Changes:
    """Move own segments in time."""
    found = _require_any(filter_movable(session, own_segments(session, segment_ids)))
    return move_segments(session, [(segment.id, segment.start_us + by_us, segment.end_us + by_us) for segment in found])


def delete_own_segments(session: Session, segment_ids: Iterable[str]) -> Changes:
    """Delete own segments."""
    return delete_segments(session, [segment.id for segment in _require_any(own_segments(session, segment_ids))])


def _change_choices(
    session: Session,
    segment_ids: Iterable[str],
    field: str,
    choice: str,
    change: Callable[[list[Json]], list[Json]],
    verb: str,
) -> Changes:
    session.study.require_writable()
    segments = _require_any(filter_by_choice(session, own_segments(session, segment_ids), field, choice))
    values = table_values(session.study, [segment.id for segment in segments])
    known = session.schemes.get(segments[0].scheme).field(field)
    name = next(field_choice.name for field_choice in known.choices if field_choice.key == choice)
    where = describe_rows(len(segments), "segment", len({segment.recording_id for segment in segments}))
    with session.step(f"{verb} {name} ({'1 ' if len(segments) == 1 else ''}{where})") as step:
        for segment in segments:
            form = session.schemes.get(segment.scheme).field(field)
            before = values.get(segment.id, {}).get(field)
            several = [key for key in (before if isinstance(before, list) else [before]) if key in _keys(form)]
            if (verb == "Add") == (choice in several):
                continue
            after = change(several)
            write_field(session, segment, field, after if form.kind is FieldKind.CHOICES else choice if after else None)
    return step.changes


def _keys(field: Field) -> set[Json]:
    return {choice.key for choice in field.choices}


def _require_any(segments: list[Segment]) -> list[Segment]:
    if not segments:
        raise UserError(
            "You made none of these segments, so you cannot change them.", "Choose segments that you made yourself."
        )
    return segments


MAX_COMMENT_CHARS = 5_000


def add_comment(session: Session, segment_id: str, text: str) -> tuple[str, Changes]:
    """Remark on a segment, one's own or somebody else's; returns the comment's id and what changed."""
    session.study.require_writable()
    segment = find_segment(session, segment_id)
    checked = _check_text(text)
    with session.step("Add comment") as step:
        author = session.author()
        new = Comment(new_id(), segment.id, author.id, checked, utc_now())
        segment_rows.insert_comments(session.study, [new])
    return new.id, step.changes


def edit_comment(session: Session, comment_id: str, text: str) -> Changes:
    """Change what one's own comment says."""
    old = _require_own_comment(session, comment_id)
    new = replace(old, text=_check_text(text))
    with session.step("Edit comment") as step:
        if new != old:
            segment_rows.update_comment(session.study, new)
    return step.changes


def resolve_comments(session: Session, comment_ids: Iterable[str], resolved: bool = True) -> Changes:
    """Say that comments are dealt with, or are not after all; anybody may."""
    session.study.require_writable()
    found = [find_comment(session, comment_id) for comment_id in comment_ids]
    verb = "Resolve" if resolved else "Reopen"
    with session.step(f"{verb} {'comment' if len(found) == 1 else pluralize(len(found), 'comment')}") as step:
        for old in found:
            if old.resolved != resolved:
                segment_rows.update_comment(session.study, replace(old, resolved=resolved))
    return step.changes


def delete_comment(session: Session, comment_id: str) -> Changes:
    """Delete one's own comment."""
    old = _require_own_comment(session, comment_id)
    with session.step("Delete comment") as step:
        segment_rows.delete_comment(session.study, old.id)
    return step.changes


def find_comment(session: Session, comment_id: str) -> Comment:
    """Return a comment."""
    found = segment_rows.find_comment(session.study, comment_id)
    if found is None:
        raise unknown_id("comment", comment_id)
    return found


def _require_own_comment(session: Session, comment_id: str) -> Comment:
    found = find_comment(session, comment_id)
    hint = "Reply with your own comment, or mark it as resolved."
    session.require_own(found.annotator_id, "Somebody else made this comment.", hint)
    return found


def _check_text(text: str) -> str:
    text = text.strip()
    if not text:
        raise UserError("A comment cannot be empty.", "Type the comment.")
    return require_length(text, MAX_COMMENT_CHARS, "A comment")
