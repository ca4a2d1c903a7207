"""Judgments as the annotator at work may see them; that they were shown is recorded."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from annotate.blinding.reveals import reveal, split_by_visibility
from project.entities.judgments import Judgment
from project.queries.annotator_rows import annotator_names
from project.queries.judgment_rows import find_judgments
from project.queries.segment_rows import find_segment
from project.session.session import Session


@dataclass(frozen=True, slots=True)
class VisibleAnswer:
    """One judgment as it may be shown now.

    Attributes:
        number: the number of the recording.
        people: who made the segment, and its label.
        hidden: why its answer is not shown; "" where it is.
        cached: whether it was there before, or is from an equal request.
    """

    judgment: Judgment
    number: int
    people: str
    hidden: str = ""
    cached: bool = False


def visible_answers(session: Session, ids: Sequence[str], cached: Container[str]) -> list[VisibleAnswer]:
    """Return judgments as the annotator at work may see them, by recording and time, judges in the order of answers.

    That they were shown is recorded, as in the window. `cached` are the ids of those that were not asked now.
    """
    found = {judgment.id: judgment for judgment in find_judgments(session.study, ids)}
    parted = split_by_visibility(session, [found[text] for text in ids if text in found])
    for segment_id, task in {(judgment.segment_id, judgment.task) for judgment in parted.judgments}:
        reveal(session, segment_id, task)
    numbers = {
        recording_id: session.recording(recording_id).number
        for recording_id in {judgment.recording_id for judgment in found.values()}
    }
    names = annotator_names(session.study)
    people = {}
    for segment_id in {judgment.segment_id for judgment in found.values()}:
        about = find_segment(session.study, segment_id)
        people[segment_id] = f"{names.get(about.annotator_id, '?')}: {about.label}" if about else ""
    listed = [(judgment, "") for judgment in parted.judgments] + [
        (judgment, parted.hidden_reason) for judgment in parted.hidden
    ]
    made = [
        VisibleAnswer(judgment, numbers[judgment.recording_id], people[judgment.segment_id], why, judgment.id in cached)
        for judgment, why in listed
    ]
    place = {text: at for at, text in enumerate(ids)}
    return sorted(
        made,
        key=lambda answer: (
            answer.number,
            answer.judgment.start_us,
            answer.judgment.segment_id,
            place.get(answer.judgment.id, 0),
        ),
    )
