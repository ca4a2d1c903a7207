"""What an annotator says about segments that others made."""

from app.core.clock import utc_now
from app.core.commands.segments import find
from app.core.cues.prelabels import is_prelabel
from app.core.session import Session
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.queries.reviews import delete_review, review_by, set_review
from project.types import Changes, Decision, Review, Segment

LONGEST_NOTE = 2_000


def decide(session: Session, segment_id: str, decision: Decision, note: str = "") -> Changes:
    """Agree or disagree with somebody else's segment, in place of what was said about it before.

    Raises:
        UserError: there is no such segment, the annotator of this session made it, it is a pre-label, or its lane is
            an adjudicated one.
    """
    segment = _others(session, segment_id)
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise UserError(f"A note has up to {LONGEST_NOTE:,} characters.", "Say it more briefly.")
    verb = "Agree" if decision is Decision.AGREE else "Disagree"
    with session.step(f"{verb} with segment") as step:
        reviewer = session.annotator()
        assert reviewer is not None
        before = review_by(session.study, segment.id, reviewer.id)
        if before is None or (before.decision, before.note) != (decision, note):
            set_review(session.study, Review(segment.id, reviewer.id, decision, note, utc_now()))
    return step.changes


def withdraw(session: Session, segment_id: str) -> Changes:
    """Take back what the annotator of this session said about a segment.

    Raises:
        UserError: they said nothing about it.
    """
    session.study.require_writable()
    reviewer = session.annotator()
    before = review_by(session.study, segment_id, reviewer.id) if reviewer else None
    if before is None:
        raise UserError(
            f"{session.annotator_name or 'Nobody'} did not review this segment.", "There is nothing to take back."
        )
    with session.step("Withdraw review") as step:
        delete_review(session.study, before)
    return step.changes


def _others(session: Session, segment_id: str) -> Segment:
    session.study.require_writable()
    segment = find(session, segment_id)
    author = next(one for one in all_annotators(session.study) if one.id == segment.annotator_id)
    if author.name == session.annotator_name:
        raise UserError(
            f"{author.name} made this segment.", "Somebody else reviews it: work under another annotator's name."
        )
    if is_prelabel(session.study, segment):
        raise UserError("This is a pre-label, nobody's work.", "Accept or reject it: greenroom cues accept STUDY ID")
    if author.kind == "adjudicated":
        raise UserError(
            f"“{author.name}” was made from several people's work.", "Review the segments of those people instead."
        )
    return segment
