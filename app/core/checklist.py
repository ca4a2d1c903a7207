"""What every annotator still has to do, one line each with the place to go to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from operator import is_

from app.core.review import sheet
from app.core.segment_table import SegmentRow, SegmentTable
from app.core.session import Session
from project.counted import counted
from project.queries.comments import unresolved_comments
from project.queries.comparison import in_training
from project.queries.plans import all_assignments, completions
from project.timebase import format_time
from project.types import Annotator, Json, Recording

_LONGEST = 120


class Kind(StrEnum):
    """What a task is about."""

    INCOMPLETE = "incomplete"
    """A segment lacks what its scheme's rules ask for, or is out of place."""
    EMPTY = "empty"
    """A recording was given to somebody who marked nothing in it and did not say that they are done."""
    OPEN = "open"
    """A recording was given to somebody who began it and did not say that they are done."""
    COMMENT = "comment"
    """Somebody remarked on a segment, and that is not resolved."""
    REVIEW = "review"
    """Two are done with a recording, and one has to review segments of the other."""


NAMES = {
    Kind.INCOMPLETE: "Incomplete segments",
    Kind.COMMENT: "Unresolved comments",
    Kind.REVIEW: "Segments to review",
    Kind.OPEN: "Recordings begun and not done",
    Kind.EMPTY: "Recordings not begun",
}


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do, or `count` of them; `segment_id` is None where it is about the recording as a whole."""

    kind: Kind
    annotator: Annotator
    recording: Recording
    text: str
    time_us: int = 0
    segment_id: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Checklist:
    """What is to be done, by annotator, kind and place."""

    annotators: tuple[Annotator, ...]
    tasks: tuple[Task, ...]

    def counts(self, annotator: Annotator) -> dict[Kind, int]:
        """Return how much of each kind somebody has to do, in the order of `NAMES`; reviews count by segment."""
        found: Counter[Kind] = Counter()
        for one in self.tasks:
            if one.annotator.id == annotator.id:
                found[one.kind] += one.count
        return {kind: found[kind] for kind in NAMES}

    def as_json(self) -> dict[str, Json]:
        """Return the counts of each annotator, and every task."""
        return {
            "annotators": [
                {"name": who.name, **{kind.value: number for kind, number in self.counts(who).items()}}
                for who in self.annotators
            ],
            "tasks": [
                {
                    "kind": one.kind.value,
                    "annotator": one.annotator.name,
                    "recording": one.recording.number,
                    "time": one.time_us / 1e6,
                    "segment": one.segment_id,
                    "text": one.text,
                }
                for one in self.tasks
            ],
        }

    def as_text(self) -> str:
        """Return it for people."""
        lines = []
        for who in self.annotators:
            counts = {kind: number for kind, number in self.counts(who).items() if number}
            told = ", ".join(f"{NAMES[kind].lower()} {number}" for kind, number in counts.items())
            lines.append(f"{who.name}: {told or 'nothing to do'}")
            lines += [
                f"  recording {one.recording.number}, {format_time(one.time_us)}  {one.text}"
                if one.segment_id
                else f"  recording {one.recording.number}  {one.text}"
                for one in self.tasks
                if one.annotator.id == who.id
            ]
        return "\n".join(lines) or "Nobody works on this study yet."


class ReviewsWaiting:
    """Finds who has to review what, and keeps what it found about recordings in which nothing changed since.

    After two are done with a recording, each reviews what the other marked differently (SHREC, appendix H). What was
    marked in training is compared with the reference instead.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: dict[str, tuple[list[SegmentRow], list[Annotator], list[Task]]] = {}

    def find(self, table: SegmentTable) -> Iterator[Task]:
        """Return a task for each recording, reviewer and other."""
        rows: dict[str, list[SegmentRow]] = {}
        for row in table.rows.values():
            rows.setdefault(row.segment.recording_id, []).append(row)
        done: dict[str, list[Annotator]] = {}
        study = self._session.study
        for recording_id, annotator_id in sorted(completions(study).keys() - in_training(study)):
            if table.annotators[annotator_id].kind == "person":
                done.setdefault(recording_id, []).append(table.annotators[annotator_id])
        for recording_id, people in done.items():
            here = rows.get(recording_id, [])
            before = self._kept.get(recording_id)
            if before is None or before[1] != people or not _same(before[0], here):
                before = self._kept[recording_id] = here, people, self._tasks(table.recordings[recording_id], people)
            yield from before[2]

    def _tasks(self, recording: Recording, people: Sequence[Annotator]) -> list[Task]:
        found = []
        for pair in combinations(people, 2):
            items = sheet(self._session, recording.id, *pair).items
            for who, other in (pair, pair[::-1]):
                waiting = [mark.segment for item in items for mark in item.waits_for(who.id)]
                if waiting:
                    text = f"{counted(len(waiting), 'segment')} of {other.name} to agree or disagree with."
                    start = min(one.start_us for one in waiting)
                    found.append(Task(Kind.REVIEW, who, recording, text, start))
        return found


def _same(before: Sequence[SegmentRow], now: Sequence[SegmentRow]) -> bool:
    # The table makes new rows of what an edit touched, also where only the reviewer is another one.
    return len(before) == len(now) and all(map(is_, before, now))


def checklist(
    session: Session,
    table: SegmentTable,
    annotators: Sequence[Annotator] = (),
    reviews: ReviewsWaiting | None = None,
) -> Checklist:
    """Return what people still have to do: these, or everybody where none is named.

    Args:
        session: of the study.
        table: its segments, as they are now.
        annotators: whose tasks are wanted.
        reviews: what was found out before, where this is asked again and again.
    """
    people = tuple(annotators or (one for one in table.annotators.values() if one.kind == "person"))
    wanted = {one.id for one in people}
    order = {who.id: place for place, who in enumerate(people)}
    kinds = {kind: place for place, kind in enumerate(NAMES)}
    found = [
        one
        for part in (
            _incomplete(table, wanted),
            _plan(session, table),
            _comments(session, table),
            (reviews or ReviewsWaiting(session)).find(table),
        )
        for one in part
        if one.annotator.id in wanted
    ]
    found.sort(key=lambda one: (order[one.annotator.id], kinds[one.kind], one.recording.number, one.time_us))
    return Checklist(people, tuple(found))


def _incomplete(table: SegmentTable, wanted: set[str]) -> Iterator[Task]:
    for key, row in table.rows.items():
        one = row.segment
        if one.annotator_id in wanted and (problems := table.problems(key)):
            who, recording = table.annotators[one.annotator_id], table.recordings[one.recording_id]
            yield Task(Kind.INCOMPLETE, who, recording, " ".join(problems), one.start_us, key)


def _plan(session: Session, table: SegmentTable) -> Iterator[Task]:
    done = completions(session.study)
    begun = Counter((row.segment.recording_id, row.segment.annotator_id) for row in table.rows.values())
    for one in all_assignments(session.study):
        pair = (one.recording_id, one.annotator_id)
        if pair in done:
            continue
        who, recording = table.annotators[one.annotator_id], table.recordings[one.recording_id]
        if begun[pair]:
            yield Task(Kind.OPEN, who, recording, f"{counted(begun[pair], 'segment')} marked; not said to be done.")
        else:
            yield Task(Kind.EMPTY, who, recording, "Nothing is marked yet.")


def _comments(session: Session, table: SegmentTable) -> Iterator[Task]:
    for one in unresolved_comments(session.study):
        segment = table.rows[one.segment_id].segment
        who, recording = table.annotators[segment.annotator_id], table.recordings[segment.recording_id]
        said = " ".join(one.text.split())
        short = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
        text = f"{table.annotators[one.annotator_id].name}: {short}"
        yield Task(Kind.COMMENT, who, recording, text, segment.start_us, segment.id)
