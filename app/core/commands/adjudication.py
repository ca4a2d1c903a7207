"""Makes the lane of an adjudicated annotator in the recordings of a study."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from app.core.agreement.adjudication import REMARKS, Adjudicated, Counts, Draft, Rule, adjudicate, as_text
from app.core.agreement.lanes import people_of, read_marks
from app.core.clock import utc_now
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.queries.annotators import annotator_by_name, insert_annotator
from project.queries.comments import comments_in, insert_comments
from project.queries.recordings import all_recordings
from project.queries.runs import insert_run
from project.queries.segments import delete_segment, insert_segments, insert_values
from project.schemes.scheme import Scheme
from project.types import Annotator, Changes, Comment, FieldValue, Json, Recording, Run, Segment
from project.version import __version__

KIND = "adjudicate"
NAME = "Adjudicated"


@dataclass(frozen=True, slots=True)
class Made:
    """What `make_lane` did.

    Attributes:
        lane: whose lane it is.
        recordings: what was made of each recording that two or more annotators worked on.
        skipped: the recordings that fewer worked on; they have no lane.
    """

    lane: Annotator
    recordings: tuple[tuple[Recording, Counts], ...]
    skipped: tuple[Recording, ...]

    @property
    def counts(self) -> Counts:
        """The counts of all recordings together."""
        total = Counts()
        for _, counts in self.recordings:
            for key, number in asdict(counts).items():
                setattr(total, key, getattr(total, key) + number)
        return total


def make_lane(
    session: Session, rule: Rule, *, name: str = NAME, recordings: Sequence[str] = (), annotators: Sequence[str] = ()
) -> tuple[Made, Changes]:
    """Make a lane of what the annotators say, in place of the one of that name, as one step; runs say how it was made.

    Segments that come out as they were are left as they are, with their comments. A run is stored for each recording,
    also where nothing changed. Undo brings the lane before back, and leaves the run.

    Args:
        session: whose annotator makes it.
        rule: how.
        name: of the lane.
        recordings: ids; all when it is empty.
        annotators: names of those whose lanes count; all people when it is empty.

    Raises:
        UserError: the name is somebody's who annotates, an annotator is unknown, or no recording has two annotators.
    """
    session.study.require_writable()
    if not 0 <= rule.minimum_iou <= 1:
        raise UserError("The minimum IoU is a share.", "Give a number from 0 to 1.")
    chosen = _sources(session, annotators)
    wanted = [one for one in all_recordings(session.study) if not recordings or one.id in recordings]
    schemes = {scheme.key: scheme for scheme in session.schemes}
    made: list[tuple[Recording, tuple[Annotator, ...], Adjudicated]] = []
    skipped: list[Recording] = []
    for recording in wanted:
        people = tuple(one for one in people_of(session, recording.id) if not chosen or one.name in chosen)
        if len(people) < 2:
            skipped.append(recording)
            continue
        ids = [one.id for one in people]
        made.append((recording, people, adjudicate(read_marks(session, recording.id, ids), ids, schemes, rule)))
    if not made:
        raise UserError(
            "No recording was annotated by two people yet.", "Merge the annotators' work first: greenroom merge"
        )
    lane = lane_called(session, name)
    with session.study.together():
        with session.step(f"Adjudicate as {lane.name}") as step:
            for recording, _, result in made:
                _replace(session, recording.id, lane, result.drafts, schemes)
            for recording in skipped:
                _replace(session, recording.id, lane, (), schemes)
        with session.study.recording_run():
            for recording, people, result in made:
                insert_run(session.study, _run(recording, people, lane, rule, result.counts))
    counted = tuple((recording, result.counts) for recording, _, result in made)
    return Made(lane, counted, tuple(skipped)), step.changes


def lane_called(session: Session, name: str) -> Annotator:
    """Return the adjudicated annotator of a name, who is introduced where there is none.

    Raises:
        UserError: the name is empty or somebody's who annotates.
    """
    name = name.strip()
    if not name:
        raise UserError("The lane needs a name.", "Give one, such as Adjudicated.")
    found = annotator_by_name(session.study, name)
    if found is not None and found.kind != "adjudicated":
        raise UserError(f"“{name}” is an annotator of this study.", "Give the lane another name.")
    if name == session.annotator_name and found is None:
        raise UserError(f"You work as “{name}”.", "Give the lane another name.")
    if found is None:
        found = Annotator(new_id(), name, "adjudicated")
        with session.study.step(f"Introduce {name}", undoable=False):
            insert_annotator(session.study, found)
    return found


def _sources(session: Session, names: Sequence[str]) -> set[str]:
    for name in names:
        found = annotator_by_name(session.study, name)
        if found is None or found.kind != "person":
            raise UserError(f"No person called “{name}” annotates this study.", "Name those whose lanes should count.")
    if len(set(names)) == 1:
        raise UserError("One annotator cannot be adjudicated.", "Name two or more, or nobody for all.")
    return set(names)


def _replace(
    session: Session, recording_id: str, lane: Annotator, drafts: Sequence[Draft], schemes: dict[str, Scheme]
) -> None:
    """Turn the lane into these drafts; what is there already stays. Tracks of schemes not in use are left alone."""
    before: dict[Draft, list[Segment]] = {}
    comments = comments_in(session.study, recording_id)
    for mark in read_marks(session, recording_id, [lane.id]):
        one = mark.segment
        if one.scheme in schemes:
            remark = next((c.text for c in comments.get(one.id, ()) if c.text in REMARKS), "")
            same = Draft(one.scheme, one.track, one.label, one.start_us, one.end_us, as_text(mark.values), remark)
            before.setdefault(same, []).append(one)
    wanted = Counter(drafts)
    fresh: list[tuple[Segment, Draft]] = []
    for draft, number in wanted.items():
        kept = before.get(draft, [])
        for _ in range(min(number, len(kept))):
            kept.pop()
            number -= 1
        for _ in range(number):
            place = recording_id, lane.id, draft.label, draft.start_us, draft.end_us
            fresh.append((Segment(new_id(), *place, draft.scheme, draft.track), draft))
    for old in (one for left in before.values() for one in left):
        delete_segment(session.study, old.id)
    for key in {draft.scheme for _, draft in fresh}:
        session.schemes.keep(schemes[key])
    insert_segments(session.study, [one for one, _ in fresh])
    insert_values(
        session.study,
        [
            FieldValue(one.id, draft.scheme, schemes[draft.scheme].version, key, json.loads(text))
            for one, draft in fresh
            for key, text in draft.values
        ],
    )
    now = utc_now()
    remarks = [Comment(new_id(), one.id, lane.id, draft.remark, now) for one, draft in fresh if draft.remark]
    insert_comments(session.study, remarks)


def _run(recording: Recording, people: Sequence[Annotator], lane: Annotator, rule: Rule, counts: Counts) -> Run:
    parameters: dict[str, Json] = {
        "lane": lane.name,
        "annotators": [*sorted(one.name for one in people)],
        "spans": rule.spans.value,
        "labels": rule.labels.value,
        "choices": rule.choices.value,
        "minimum_iou": rule.minimum_iou,
        "unsettled": rule.unsettled.value,
    }
    return Run(new_id(), recording.id, KIND, "vote", parameters, asdict(counts), utc_now(), __version__)
