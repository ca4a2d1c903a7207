"""Edits of the plan: who annotates what, who is done with what, what is held out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.core.clock import utc_now
from app.core.commands.people import introduced
from app.core.planning import Part, plan
from app.core.session import Session
from app.core.training import gate_of
from project.errors import UserError
from project.queries.hold_outs import hold_outs, set_hold_out
from project.queries.plans import all_assignments, completions, is_done, set_assignments, set_done
from project.queries.recordings import all_recordings
from project.queries.segments import segment_counts
from project.types import Assignment, Changes, WorkPurpose


@dataclass(frozen=True, slots=True)
class Wish:
    """How a plan is to be made.

    Attributes:
        annotators: names of those who share the recordings; new ones are introduced.
        per_recording: how many annotate each recording.
        seed: the same seed gives the same plan.
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


def make_plan(session: Session, wish: Wish) -> Changes:
    """Plan who annotates what. What somebody has begun (segments, or done) stays with them.

    Raises:
        UserError: there are fewer annotators than each recording needs, or no recordings, or a name is empty.
    """
    if wish.per_recording < 1:
        raise UserError("Each recording needs at least one annotator.", "Give 1 or more.")
    if len(wish.annotators) < wish.per_recording:
        raise UserError(
            f"{wish.per_recording} annotators for each recording need at least as many names.",
            "Name more annotators, or ask for fewer for each recording.",
        )
    recordings = all_recordings(session.study)
    gate = gate_of(session)
    training = wish.training or (gate.recordings if gate else ())
    left_out = {*training} | (set() if wish.held_out else hold_outs(session.study))
    if not any(one.id not in left_out for one in recordings):
        raise UserError("There is no recording to plan.", "Add recordings, or plan the held-out ones too.")
    people = introduced(session, wish.annotators)
    present = all_assignments(session.study)
    kept = [one for one in present if one.recording_id not in training and (wish.keep or _begun(session, one))]
    stay: dict[str, set[str]] = {}
    for one in kept:
        stay.setdefault(one.recording_id, set()).add(one.annotator_id)
    counts = segment_counts(session.study, unseen=True)
    for who in people:
        for recording_id, of_recording in counts.items():
            if who.id in of_recording:
                stay.setdefault(recording_id, set()).add(who.id)
    parts = [
        Part(one.id, one.duration_us, frozenset(stay.get(one.id, ()))) for one in recordings if one.id not in left_out
    ]
    made = plan(parts, [who.id for who in people], wish.per_recording, wish.seed)
    wanted = {(one.recording_id, one.annotator_id): one for one in kept}
    for recording_id, group in made.items():
        for who_id in group:
            wanted.setdefault((recording_id, who_id), Assignment(recording_id, who_id))
    for recording_id in training:
        for who in people:
            if gate is None or who.id != gate.reference:
                wanted[recording_id, who.id] = Assignment(recording_id, who.id, WorkPurpose.TRAINING)
    with session.step("Plan who annotates what") as step:
        set_assignments(session.study, wanted.values())
    return step.changes


def give_training(session: Session, recordings: Collection[str], without: str) -> Sequence[Assignment]:
    """Return the plan in which everybody in it, but for the annotator `without`, trains on these recordings."""
    present = all_assignments(session.study)
    people = {one.annotator_id for one in present} - {without}
    rest = [one for one in present if one.recording_id not in recordings and one.purpose is WorkPurpose.WORK]
    return [*rest, *(Assignment(place, who, WorkPurpose.TRAINING) for place in recordings for who in sorted(people))]


def mark_done(session: Session, recording_id: str, done: bool = True) -> Changes:
    """Say that the annotator of this session is done with a recording, or is not after all."""
    number = session.recording(recording_id).number
    who = session.annotator()
    if not done and (who is None or not is_done(session.study, recording_id, who.id)):
        raise UserError(f"Recording {number} is not marked as done.", "Mark it when all of it is annotated.")
    with session.step(f"Mark recording {number} as {'done' if done else 'not done'}") as step:
        who = session.annotator()
        assert who is not None
        set_done(session.study, recording_id, who.id, utc_now() if done else None)
    return step.changes


def hold_out(session: Session, recording_id: str, held_out: bool = True) -> Changes:
    """Hold a recording out, so that nothing of it is ever exported, or no longer."""
    number = session.recording(recording_id).number
    with session.step(f"Hold out recording {number}" if held_out else f"Release recording {number}") as step:
        set_hold_out(session.study, recording_id, held_out)
    return step.changes


def _begun(session: Session, one: Assignment) -> bool:
    if (one.recording_id, one.annotator_id) in completions(session.study):
        return True
    return bool(segment_counts(session.study, unseen=True).get(one.recording_id, {}).get(one.annotator_id))
