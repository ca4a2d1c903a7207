"""The plan of a team: assigns recordings to annotators, sets the training round and hold-outs, and reads the progress.

Assignment balances numbers of recordings first, then pairs, then minutes. The same seed gives the same plan.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotate.study.people import ensure_annotators, require_annotator
from annotate.team.training_gate import FIGURES, TRAINING, Gate, read_gate
from project.codec import dump
from project.entities.study_records import Annotator, Assignment, Changes, Recording, WorkPurpose
from project.errors import UserError
from project.queries.annotator_rows import (
    all_annotators,
    all_assignments,
    completions,
    is_completed,
    set_assignments,
    set_completed,
)
from project.queries.recording_rows import all_recordings, hold_outs, set_hold_out
from project.queries.segment_rows import segment_counts, segments_of, values_in
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import SECOND_US, format_minutes, format_time, utc_now

_EXCHANGES_PER_RECORDING = 40
"""Exchanges tried for each recording, for pairs and again for minutes."""


@dataclass(frozen=True, slots=True)
class PlannedRecording:
    """One recording to be planned; `kept` are annotators who stay with it."""

    id: str
    duration_us: int
    kept: frozenset[str] = frozenset()


def plan_assignments(
    parts: Sequence[PlannedRecording], annotators: Sequence[str], per_recording: int, seed: int
) -> dict[str, frozenset[str]]:
    """Return recording -> its annotators, `per_recording` of them or more where more are kept.

    Where nothing is kept, the numbers of recordings of two annotators differ by one at most. Every two annotators share
    about equally many recordings, and minutes are evened out by exchanging whole groups, which leaves both as they are.
    """
    chance = random.Random(seed)
    order = sorted(parts, key=lambda part: part.id)
    chance.shuffle(order)
    # Those with the least freedom come first, so that the others can make up for them.
    order.sort(key=lambda part: -len(part.kept))
    table = _AssignmentTable(annotators, per_recording, chance)
    for part in order:
        table.assign(part)
    table.balance_pairs()
    table.balance_minutes()
    return {part.id: frozenset(table.groups[part.id]) for part in parts}


class _AssignmentTable:
    def __init__(self, annotators: Sequence[str], per_recording: int, chance: random.Random) -> None:
        self._annotators = [*annotators]
        self._per_recording = per_recording
        self._chance = chance
        self._parts: list[PlannedRecording] = []
        self.groups: dict[str, set[str]] = {}
        self._counts = dict.fromkeys(annotators, 0)
        self._pairs: dict[frozenset[str], int] = {}

    def assign(self, part: PlannedRecording) -> None:
        """Give a recording to those who have the fewest, and of these to those who met least often."""
        group = set(part.kept)
        while len(group) < self._per_recording:
            free = [annotator for annotator in self._annotators if annotator not in group]
            if not free:
                break
            fewest = min(self._counts[annotator] for annotator in free)
            least = [annotator for annotator in free if self._counts[annotator] == fewest]
            self._chance.shuffle(least)
            group.add(
                min(
                    least,
                    key=lambda annotator: sum(self._pairs.get(frozenset((annotator, other)), 0) for other in group),
                )
            )
        for annotator in group:
            if annotator in self._counts:
                self._counts[annotator] += 1
        for pair in combinations(group, 2):
            self._pairs[frozenset(pair)] = self._pairs.get(frozenset(pair), 0) + 1
        self._parts.append(part)
        self.groups[part.id] = group

    def balance_pairs(self) -> None:
        """Let two annotators change places between two recordings where fewer then meet too often."""
        for _ in range(_EXCHANGES_PER_RECORDING * len(self._parts)):
            first, second = self._pick_two()
            ours, theirs = self.groups[first.id] - first.kept, self.groups[second.id] - second.kept
            give = sorted(ours - self.groups[second.id])
            take = sorted(theirs - self.groups[first.id])
            if not give or not take:
                continue
            given, taken = self._chance.choice(give), self._chance.choice(take)
            if self._exchange(first, second, given, taken) > 0:
                self._exchange(first, second, taken, given)

    def balance_minutes(self) -> None:
        """Let two recordings change their whole groups where that makes the minutes more even."""
        minutes = dict.fromkeys(self._annotators, 0.0)
        for part in self._parts:
            for annotator in self.groups[part.id]:
                if annotator in minutes:
                    minutes[annotator] += part.duration_us / 6e7
        free = [part for part in self._parts if not part.kept]
        if len(free) < 2:
            return
        for _ in range(_EXCHANGES_PER_RECORDING * len(free)):
            first, second = self._chance.sample(free, 2)
            longer = (first.duration_us - second.duration_us) / 6e7
            moved = self.groups[first.id] ^ self.groups[second.id]
            change = {annotator: -longer if annotator in self.groups[first.id] else longer for annotator in moved}
            if sum((minutes[annotator] + by) ** 2 - minutes[annotator] ** 2 for annotator, by in change.items()) < 0:
                for annotator, by in change.items():
                    minutes[annotator] += by
                self.groups[first.id], self.groups[second.id] = self.groups[second.id], self.groups[first.id]

    def _pick_two(self) -> tuple[PlannedRecording, PlannedRecording]:
        first, second = self._chance.choice(self._parts), self._chance.choice(self._parts)
        return first, second

    def _exchange(self, first: PlannedRecording, second: PlannedRecording, given: str, taken: str) -> int:
        """Let `given` of the first and `taken` of the second change places; returns what that adds to the squares."""
        added = 0
        for part, leaving, coming in ((first, given, taken), (second, taken, given)):
            group = self.groups[part.id]
            group.remove(leaving)
            for rest in group:
                for pair, by in ((frozenset((leaving, rest)), -1), (frozenset((coming, rest)), 1)):
                    met = self._pairs.get(pair, 0)
                    added += 2 * met * by + 1
                    self._pairs[pair] = met + by
            group.add(coming)
        return added


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How a plan is to be made.

    Attributes:
        annotators: names of those who share the recordings; new ones are introduced.
        keep: also keep what was given out and nobody has begun.
        training: ids of recordings that everybody gets to train on, and nobody to annotate; those of the study's
            training round where none are named.
        held_out: whether held-out recordings are planned too.
    """

    annotators: tuple[str, ...]
    per_recording: int = 2
    seed: int = 0
    keep: bool = False
    training: tuple[str, ...] = ()
    held_out: bool = False


def make_plan(session: Session, wish: PlanOptions) -> Changes:
    """Plan who annotates what. What somebody has begun (segments, or done) stays with them."""
    if wish.per_recording < 1:
        raise UserError("Each recording needs at least one annotator.", "Give at least 1.")
    if len(wish.annotators) < wish.per_recording:
        raise UserError(
            f"A plan with {wish.per_recording} annotators for each recording needs at least "
            f"{wish.per_recording} names.",
            "Name more annotators, or plan fewer for each recording.",
        )
    recordings = all_recordings(session.study)
    gate = read_gate(session)
    training = wish.training or (gate.recordings if gate else ())
    left_out = {*training} | (set() if wish.held_out else hold_outs(session.study))
    if not any(recording.id not in left_out for recording in recordings):
        raise UserError("There are no recordings to plan.", "Add recordings, or include those that are held out.")
    people = ensure_annotators(session, wish.annotators)
    counts = segment_counts(session.study, unseen=True)
    begun = {*completions(session.study), *((place, who) for place, by in counts.items() for who in by)}
    plan = {
        (assignment.recording_id, assignment.annotator_id): assignment
        for assignment in all_assignments(session.study)
        if assignment.recording_id not in training
        and (wish.keep or (assignment.recording_id, assignment.annotator_id) in begun)
    }
    planned = {who.id for who in people}
    stay: dict[str, set[str]] = {}
    for recording_id, who_id in [*plan, *(pair for pair in begun if pair[1] in planned)]:
        stay.setdefault(recording_id, set()).add(who_id)
    parts = [
        PlannedRecording(recording.id, recording.duration_us, frozenset(stay.get(recording.id, ())))
        for recording in recordings
        if recording.id not in left_out
    ]
    made = plan_assignments(parts, [who.id for who in people], wish.per_recording, wish.seed)
    for recording_id, group in made.items():
        for who_id in group:
            plan.setdefault((recording_id, who_id), Assignment(recording_id, who_id))
    for recording_id in training:
        for who in people:
            if gate is None or who.id != gate.reference:
                plan[recording_id, who.id] = Assignment(recording_id, who.id, WorkPurpose.TRAINING)
    with session.step("Plan who annotates what") as step:
        set_assignments(session.study, plan.values())
    return step.changes


def plan_training(session: Session, recordings: Collection[str], without: str) -> Sequence[Assignment]:
    """Return the plan in which everybody in it, but for the annotator `without`, trains on these recordings."""
    present = all_assignments(session.study)
    people = {assignment.annotator_id for assignment in present} - {without}
    rest = [
        assignment
        for assignment in present
        if assignment.recording_id not in recordings and assignment.purpose is WorkPurpose.WORK
    ]
    return [*rest, *(Assignment(place, who, WorkPurpose.TRAINING) for place in recordings for who in sorted(people))]


def mark_done(session: Session, recording_id: str, done: bool = True) -> Changes:
    """Say that the annotator of this session is done with a recording, or is not after all."""
    number = session.recording(recording_id).number
    who = session.annotator()
    if not done and (who is None or not is_completed(session.study, recording_id, who.id)):
        raise UserError(f"Recording {number} is not marked as done.", "Mark it as done when it is fully annotated.")
    if done and who is not None and (unfilled := _list_unfilled(session, recording_id, who.id)):
        start_us, fields = unfilled[0]
        more = pluralize(len(unfilled) - 1, "further segment")
        others = f" {more} {'lack' if unfilled[2:] else 'lacks'} something." if unfilled[1:] else ""
        raise UserError(
            f"Recording {number} is incomplete: at {format_time(start_us)}, {', '.join(fields)} is missing.{others}",
            "Fill in the missing fields, then mark it as done. List them: greenroom study checklist STUDY",
        )
    with session.step(f"Mark recording {number} as {'done' if done else 'not done'}") as step:
        who = session.author()
        set_completed(session.study, recording_id, who.id, utc_now() if done else None)
    return step.changes


def _list_unfilled(session: Session, recording_id: str, annotator_id: str) -> list[tuple[int, list[str]]]:
    """Return start and names of the empty fields of each segment of somebody that lacks what its label needs."""
    values = values_in(session.study, recording_id)
    found = []
    for segment in segments_of(session.study, recording_id):
        scheme = session.schemes.find(segment.scheme) if segment.annotator_id == annotator_id else None
        if scheme is not None:
            filled = values.get(segment.id, {})
            missing = scheme.missing_fields(segment.label, filled, segment.track)
            if missing:
                found.append((segment.start_us, [scheme.field(key).name for key in missing]))
    return found


def hold_out(session: Session, recording_id: str, held_out: bool = True) -> Changes:
    """Hold a recording out, so that nothing of it is ever exported, or no longer."""
    number = session.recording(recording_id).number
    with session.step(f"Hold out recording {number}" if held_out else f"Release recording {number}") as step:
        set_hold_out(session.study, recording_id, held_out)
    return step.changes


def set_training(session: Session, recordings: Sequence[str], reference: str, minimum: Mapping[str, float]) -> Changes:
    """Open a training round; everybody in the plan but the reference is given these recordings to train on.

    The minimum has what each figure must reach, 0 to 1; figures that it does not name do not count.
    """
    if not recordings:
        raise UserError("A training needs recordings.", "Name recordings: --recording 1 --recording 2")
    for figure, least in minimum.items():
        if figure not in FIGURES or not 0 <= least <= 1:
            raise UserError(f"“{least}” is not allowed for {figure}.", "Give a share from 0 to 1.")
    who = require_annotator(session, reference)
    gate = Gate(tuple(dict.fromkeys(recordings)), who.id, dict(minimum))
    with session.step("Set up training") as step:
        session.study.set_property(TRAINING, dump(gate))
        set_assignments(session.study, plan_training(session, gate.recordings, who.id))
    return step.changes


def end_training(session: Session) -> Changes:
    """Take the gate away; what was given for training stays in the plan."""
    with session.step("End training") as step:
        session.study.set_property(TRAINING, None)
    return step.changes


@dataclass(frozen=True, slots=True)
class AssignmentStatus:
    """What one annotator has to do with one recording."""

    purpose: WorkPurpose | None
    segments: int
    done: bool


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator's part in figures: recordings given, begun, done, and their minutes."""

    annotator: Annotator
    given: int
    begun: int
    done: int
    minutes: float


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """The whole plan; `cells` has (recording id, annotator id) for what is given, begun or done."""

    recordings: tuple[Recording, ...]
    annotators: tuple[Annotator, ...]
    cells: dict[tuple[str, str], AssignmentStatus]
    held_out: frozenset[str]

    @property
    def is_made(self) -> bool:
        """Whether anything was given to anybody."""
        return any(cell.purpose for cell in self.cells.values())

    def progress(self, annotator: Annotator) -> AnnotatorProgress:
        """Return the part of one annotator; recordings to train on do not count."""
        work = [
            (recording, cell)
            for recording in self.recordings
            if (cell := self.cells.get((recording.id, annotator.id))) and cell.purpose is WorkPurpose.WORK
        ]
        return AnnotatorProgress(
            annotator,
            len(work),
            sum(1 for _, cell in work if cell.segments or cell.done),
            sum(1 for _, cell in work if cell.done),
            sum(recording.duration_us for recording, _ in work) / 6e7,
        )

    def as_text(self) -> str:
        """Return the plan for people."""
        if not self.is_made:
            return "There is no plan yet. Make one: greenroom team plan STUDY --annotators Ada,Bo,Cy"
        names = {annotator.id: annotator.name for annotator in self.annotators}
        lines = [
            f"{p.annotator.name}: {p.done} of {p.given} recordings done, {p.begun} begun, "
            f"{format_minutes(p.minutes * 60 * SECOND_US)} in all"
            for p in map(self.progress, self.annotators)
            if p.given
        ]
        for recording in self.recordings:
            cells = [(names[who], cell) for (place, who), cell in self.cells.items() if place == recording.id]
            who = ", ".join(f"{name}{_state(cell)}" for name, cell in cells) or "nobody"
            lines.append(
                f"{recording.number:4}  {recording.name}{' (held out)' if recording.id in self.held_out else ''}: {who}"
            )
        return "\n".join(lines)


def read_team_plan(session: Session) -> TeamPlan:
    """Return who has what, and how far they are."""
    study = session.study
    counts, done = segment_counts(study), completions(study)
    purposes = {
        (assignment.recording_id, assignment.annotator_id): assignment.purpose for assignment in all_assignments(study)
    }
    places = {*purposes, *done, *((place, who) for place, of_place in counts.items() for who in of_place)}
    annotators = tuple(annotator for annotator in all_annotators(study) if annotator.kind == "person")
    people = {annotator.id for annotator in annotators}
    return TeamPlan(
        tuple(all_recordings(study)),
        annotators,
        {
            (place, who): AssignmentStatus(
                purposes.get((place, who)), counts.get(place, {}).get(who, 0), (place, who) in done
            )
            for place, who in sorted(places)
            if who in people
        },
        hold_outs(study),
    )


def _state(cell: AssignmentStatus) -> str:
    notes = ["training"] if cell.purpose is WorkPurpose.TRAINING else []
    if cell.done:
        notes.append("done")
    elif cell.segments:
        notes.append(pluralize(cell.segments, "segment"))
    return f" ({', '.join(notes)})" if notes else ""
