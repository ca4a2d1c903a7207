"""The overview of a study by recording, and the checklist of what each annotator still has to do."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from operator import is_

from annotate.cues.prelabels import uncounted_annotators
from annotate.review.peer_review import build_recording_review
from annotate.review.segment_table import SegmentRow, SegmentTable
from annotate.segments.time_samples import fill_sample_sheet
from project.entities.study_records import Annotator, MediumRole, Recording, Run
from project.queries.annotator_rows import all_annotators, all_assignments, completions
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_media, all_recordings, appearances, hold_outs
from project.queries.segment_rows import segment_counts, training_work, unresolved_comments
from project.session.session import MediaState, Session
from project.text_format import escape_unprintable, pluralize
from project.timebase import format_time

_MAX_EXCERPT_CHARS = 120


class ChecklistItemKind(StrEnum):
    """What a task is about."""

    INCOMPLETE = "incomplete"
    """A segment lacks what its scheme's rules ask for, or is out of place."""
    SAMPLES = "samples"
    """Somebody took samples of a recording, and others are missing."""
    EMPTY = "empty"
    """A recording was given to somebody who marked nothing in it and did not say that they are done."""
    OPEN = "open"
    """A recording was given to somebody who began it and did not say that they are done."""
    COMMENT = "comment"
    """Somebody remarked on a segment, and that is not resolved."""
    REVIEW = "review"
    """Two are done with a recording, and one has to review segments of the other."""


KIND_NAMES = {
    ChecklistItemKind.INCOMPLETE: "Incomplete segments",
    ChecklistItemKind.SAMPLES: "Samples not coded",
    ChecklistItemKind.COMMENT: "Unresolved comments",
    ChecklistItemKind.REVIEW: "Segments to review",
    ChecklistItemKind.OPEN: "Recordings begun and not done",
    ChecklistItemKind.EMPTY: "Recordings not begun",
}


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One thing to do, or `count` of them; `segment_id` is None where it is about the recording as a whole."""

    kind: ChecklistItemKind
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
    tasks: tuple[ChecklistItem, ...]

    def counts(self, annotator: Annotator) -> dict[ChecklistItemKind, int]:
        """Return how much of each kind somebody has to do, in the order of `KIND_NAMES`; reviews count by segment."""
        found: Counter[ChecklistItemKind] = Counter()
        for task in self.tasks:
            if task.annotator.id == annotator.id:
                found[task.kind] += task.count
        return {kind: found[kind] for kind in KIND_NAMES}

    def as_text(self) -> str:
        """Return it for people."""
        lines = []
        for who in self.annotators:
            counts = {kind: number for kind, number in self.counts(who).items() if number}
            told = ", ".join(f"{KIND_NAMES[kind].lower()} {number}" for kind, number in counts.items())
            lines.append(f"{who.name}: {told or 'nothing to do'}")
            lines += [
                f"  recording {task.recording.number}, {format_time(task.time_us)}  {task.text}"
                if task.segment_id
                else f"  recording {task.recording.number}  {task.text}"
                for task in self.tasks
                if task.annotator.id == who.id
            ]
        return "\n".join(lines) or "Nobody works on this study yet."


class ReviewsWaiting:
    """Finds who has to review what, and keeps what it found about recordings in which nothing changed since.

    After two are done with a recording, each reviews what the other marked differently (SHREC, appendix H). What was
    marked in training is compared with the reference instead.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: dict[str, tuple[list[SegmentRow], list[Annotator], list[ChecklistItem]]] = {}

    def find_pending(self, table: SegmentTable) -> Iterator[ChecklistItem]:
        """Return a task for each recording, reviewer and other."""
        rows: dict[str, list[SegmentRow]] = {}
        for row in table.rows.values():
            rows.setdefault(row.segment.recording_id, []).append(row)
        done: dict[str, list[Annotator]] = {}
        study = self._session.study
        for recording_id, annotator_id in sorted(completions(study).keys() - training_work(study)):
            if table.annotators[annotator_id].kind == "person":
                done.setdefault(recording_id, []).append(table.annotators[annotator_id])
        for recording_id, people in done.items():
            here = rows.get(recording_id, [])
            before = self._kept.get(recording_id)
            if before is None or before[1] != people or not _is_unchanged(before[0], here):
                before = self._kept[recording_id] = here, people, self._tasks(table.recordings[recording_id], people)
            yield from before[2]

    def _tasks(self, recording: Recording, people: Sequence[Annotator]) -> list[ChecklistItem]:
        found = []
        for pair in combinations(people, 2):
            items = build_recording_review(self._session, recording.id, *pair).items
            for who, other in (pair, pair[::-1]):
                waiting = [mark.segment for item in items for mark in item.pending_for(who.id)]
                if waiting:
                    text = f"{pluralize(len(waiting), 'segment')} of {other.name} to agree or disagree with."
                    start = min(segment.start_us for segment in waiting)
                    found.append(ChecklistItem(ChecklistItemKind.REVIEW, who, recording, text, start))
        return found


def _is_unchanged(before: Sequence[SegmentRow], now: Sequence[SegmentRow]) -> bool:
    # The table makes new rows of what an edit touched, also where only the reviewer is another one.
    return len(before) == len(now) and all(map(is_, before, now))


def list_workers(session: Session, table: SegmentTable) -> tuple[Annotator, ...]:
    """Return the people who marked something, were given a recording, or are done with one."""
    active = {row.segment.annotator_id for row in table.rows.values()}
    active |= {assignment.annotator_id for assignment in all_assignments(session.study)}
    active |= {annotator_id for _, annotator_id in completions(session.study)}
    return tuple(who for who in table.annotators.values() if who.kind == "person" and who.id in active)


def build_checklist(
    session: Session, table: SegmentTable, annotators: Sequence[Annotator] = (), reviews: ReviewsWaiting | None = None
) -> Checklist:
    """Return what people still have to do: these, or everybody who works on the study where none is named.

    `reviews` is what was found out before, where this is asked again and again.
    """
    people = tuple(annotators) or list_workers(session, table)
    wanted = {person.id for person in people}
    order = {who.id: place for place, who in enumerate(people)}
    kinds = {kind: place for place, kind in enumerate(KIND_NAMES)}
    found = [
        item
        for part in (
            _incomplete_items(table, wanted),
            _missing_samples(session, table),
            _plan(session, table),
            _comments(session, table),
            (reviews or ReviewsWaiting(session)).find_pending(table),
        )
        for item in part
        if item.annotator.id in wanted
    ]
    found.sort(key=lambda item: (order[item.annotator.id], kinds[item.kind], item.recording.number, item.time_us))
    return Checklist(people, tuple(found))


def _incomplete_items(table: SegmentTable, wanted: set[str]) -> Iterator[ChecklistItem]:
    for key, row in table.rows.items():
        segment = row.segment
        if segment.annotator_id in wanted and (problems := table.problems(key)):
            who, recording = table.annotators[segment.annotator_id], table.recordings[segment.recording_id]
            yield ChecklistItem(ChecklistItemKind.INCOMPLETE, who, recording, " ".join(problems), segment.start_us, key)


def _missing_samples(session: Session, table: SegmentTable) -> Iterator[ChecklistItem]:
    tracks = {
        (scheme.key, track.key): scheme for scheme in session.schemes for track in scheme.tracks if track.sampling
    }
    begun: dict[tuple[str, str, str, str], list[SegmentRow]] = {}
    for row in table.rows.values() if tracks else ():
        segment = row.segment
        if (segment.scheme, segment.track) in tracks:
            work = segment.scheme, segment.track, segment.recording_id, segment.annotator_id
            begun.setdefault(work, []).append(row)
    present = appearances(session.study) if begun else {}
    for (scheme_key, track, recording_id, annotator_id), rows in begun.items():
        scheme, recording = tracks[scheme_key, track], table.recordings[recording_id]
        people = [table.participants[person] for person in sorted(present.get(recording_id, ()))]
        sheet = fill_sample_sheet(recording, scheme, track, people, [(row.segment, row.values) for row in rows])
        if missing := sheet.size - sheet.taken:
            text = f"{scheme.track(track).name}: {missing} of {pluralize(sheet.size, 'sample')} not coded."
            first_us = sheet.missing[0].start_us
            who = table.annotators[annotator_id]
            yield ChecklistItem(ChecklistItemKind.SAMPLES, who, recording, text, first_us, count=missing)


def _plan(session: Session, table: SegmentTable) -> Iterator[ChecklistItem]:
    done = completions(session.study)
    begun = Counter((row.segment.recording_id, row.segment.annotator_id) for row in table.rows.values())
    for assignment in all_assignments(session.study):
        pair = (assignment.recording_id, assignment.annotator_id)
        if pair in done:
            continue
        who, recording = table.annotators[assignment.annotator_id], table.recordings[assignment.recording_id]
        if begun[pair]:
            yield ChecklistItem(
                ChecklistItemKind.OPEN,
                who,
                recording,
                f"{pluralize(begun[pair], 'segment')} marked; not said to be done.",
            )
        else:
            yield ChecklistItem(ChecklistItemKind.EMPTY, who, recording, "Nothing is marked yet.")


def _comments(session: Session, table: SegmentTable) -> Iterator[ChecklistItem]:
    for comment in unresolved_comments(session.study):
        segment = table.rows[comment.segment_id].segment
        who, recording = table.annotators[segment.annotator_id], table.recordings[segment.recording_id]
        said = " ".join(comment.text.split())
        short = said if len(said) <= _MAX_EXCERPT_CHARS else f"{said[: _MAX_EXCERPT_CHARS - 1]}…"
        text = f"{table.annotators[comment.annotator_id].name}: {short}"
        yield ChecklistItem(ChecklistItemKind.COMMENT, who, recording, text, segment.start_us, segment.id)


@dataclass(frozen=True, slots=True)
class RecordingOverview:
    """One recording: its file, how many segments it has, the newest face tracking, and whether it is held out."""

    recording: Recording
    file: str
    state: MediaState | None
    segments: int
    faces: Run | None
    held_out: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """What `build_overview` found; `annotators` are those who made a segment."""

    study: str
    name: str
    annotators: tuple[str, ...]
    recordings: tuple[RecordingOverview, ...]

    @property
    def segments(self) -> int:
        """Number of segments in the whole study."""
        return sum(r.segments for r in self.recordings)

    def as_text(self) -> str:
        """Return the figures and a line for each recording, for people."""
        who = ", ".join(self.annotators) or "nobody yet"
        size = f"{pluralize(len(self.recordings), 'recording')}, {pluralize(self.segments, 'segment')}"
        lines = [f"{escape_unprintable(self.name)}: {size}, by {who}"]
        for r in self.recordings:
            notes = [pluralize(r.segments, "segment")]
            if r.held_out:
                notes.append("held out")
            if r.faces:
                notes.append(pluralize(int(str(r.faces.result.get("tracks") or 0)), "face track"))
            if r.state is not None and r.state is not MediaState.PRESENT:
                notes.append(f"file {r.state.value}")
            length = format_time(r.recording.duration_us)
            lines.append(
                f"{r.recording.number:4}  {length}  {escape_unprintable(r.recording.name)}  ({', '.join(notes)})"
            )
        return "\n".join(lines)


def build_overview(session: Session) -> Overview:
    """Count what is in the study and look where its files are."""
    counts, kept_back = segment_counts(session.study), hold_outs(session.study)
    suggested = uncounted_annotators(session.study)
    counts = {
        place: {annotator_id: n for annotator_id, n in who.items() if annotator_id not in suggested}
        for place, who in counts.items()
    }
    wrote = {annotator_id for of_recording in counts.values() for annotator_id in of_recording}
    main = {m.recording_id: m for m in all_media(session.study) if m.role is MediumRole.MAIN}
    return Overview(
        str(session.study.path),
        str(session.study.get_property("name", session.study.path.stem)),
        tuple(a.name for a in all_annotators(session.study) if a.id in wrote),
        tuple(
            RecordingOverview(
                recording,
                main[recording.id].path if recording.id in main else "",
                session.locate(main[recording.id]).state if recording.id in main else None,
                sum(counts.get(recording.id, {}).values()),
                latest_run(session.study, recording.id, "faces"),
                recording.id in kept_back,
            )
            for recording in all_recordings(session.study)
        ),
    )
