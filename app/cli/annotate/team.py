"""The group `team`: plan who annotates what, train annotators, and show how long they were active."""

from typing import Any

import click

from annotate.team import assignments
from annotate.team.activity import format_minutes, totals_by_recording
from annotate.team.assignments import TeamPlan, read_team_plan
from annotate.team.training_gate import FIGURES, Gate, TrainingResult, evaluate_training, list_trainees, read_gate
from app.cli.command import command, option
from app.cli.console import Output, record
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.annotator_rows import all_activity, annotator_names
from project.queries.recording_rows import all_recordings
from project.session.session import Session


@command()
def activity(session: Session) -> Output:
    """Show how long annotators were active, by recording.

    Only those minutes are there that annotators let be counted (Study > Active minutes).

    \b
    Example:
      greenroom team activity my-study.greenroom
    """
    shares, names = totals_by_recording(session), annotator_names(session.study)
    numbers = {recording.id: recording.number for recording in all_recordings(session.study)}
    counters = [
        record(
            active,
            *("recording_id", "annotator_id"),
            recording=numbers[active.recording_id],
            annotator=names.get(active.annotator_id),
        )
        for active in all_activity(session.study)
        if active.recording_id in numbers
    ]
    found = {"seconds": sum(counter["seconds"] for counter in counters), "activity": counters}
    lines = [f"{share.name}  {share.annotator}: {format_minutes(share.seconds)}" for share in shares]
    lines.append(f"In all: {format_minutes(sum(share.seconds for share in shares))}")
    return Output(found, "\n".join(lines) if shares else "No active minutes were counted.")


@command(edits=("annotators",))
def plan(
    session: Session,
    annotators: str | None = option("Names, separated by commas; without it, the plan is shown."),
    per_recording: int = option("Annotators a recording.", default=2, type=click.IntRange(1)),
    seed: int = option("The same seed gives the same plan.", default=0),
    keep: bool = option("Also keep assignments that nobody has begun."),
    training: tuple[Recording, ...] = option("A recording for everybody to train on."),
    with_hold_out: bool = option("Plan held-out recordings too."),
) -> Output:
    """Plan who annotates what, or show how far everybody is.

    Recordings, and then minutes, are shared out evenly. What somebody has begun stays with them.

    \b
    Example:
      greenroom team plan my-study.greenroom --annotators Ada,Bo,Cy --per-recording 2
      greenroom team plan my-study.greenroom
    """
    if annotators is None and (keep or training or with_hold_out):
        raise UserError("A plan needs annotators.", "Name them: --annotators Ada,Bo,Cy")
    if annotators is not None:
        wish = assignments.PlanOptions(
            tuple(name.strip() for name in annotators.split(",")),
            per_recording,
            seed,
            keep,
            tuple(owner.id for owner in training),
            with_hold_out,
        )
        assignments.make_plan(session, wish)
    found = read_team_plan(session)
    return Output(_plan_json(found), found.as_text())


def _plan_json(found: TeamPlan) -> dict[str, Any]:
    names = {annotator.id: annotator.name for annotator in found.annotators}
    parts = map(found.progress, found.annotators)
    return {
        "annotators": [record(part, "annotator", name=part.annotator.name) for part in parts],
        "recordings": [
            record(
                recording,
                held_out=recording.id in found.held_out,
                annotators=[
                    record(cell, name=names[who]) for (place, who), cell in found.cells.items() if place == recording.id
                ],
            )
            for recording in found.recordings
        ],
    }


_SHARE_TYPE = click.FloatRange(0, 1)


@command(edits=("recording", "reference", "minimum_boundaries", "minimum_labels", "minimum_attributes", "off"))
def training(
    session: Session,
    recording: tuple[Recording, ...] = option("A recording to train on."),
    reference: str | None = option("Name of the annotator to compare with."),
    minimum_boundaries: float | None = option("Mean overlap (IoU) of matched segments, 0 to 1.", type=_SHARE_TYPE),
    minimum_labels: float | None = option("Share of matched segments with the same label, 0 to 1.", type=_SHARE_TYPE),
    minimum_attributes: float | None = option("Mean Jaccard index of the attributes, 0 to 1.", type=_SHARE_TYPE),
    off: bool = option("End the training: the work is open to everybody."),
) -> Output:
    """Set what opens the real work, or show how everybody does.

    It opens once an annotator has reached the scores in training.

    \b
    Example:
      greenroom team training my-study.greenroom --recording 1 --recording 2 --reference Expert --minimum-labels 0.8
      greenroom team training my-study.greenroom
    """
    given = dict(zip(FIGURES, (minimum_boundaries, minimum_labels, minimum_attributes), strict=True))
    least = {figure: value for figure, value in given.items() if value is not None}
    changing = bool(recording or reference or least)
    if changing and (not recording or reference is None):
        raise UserError("A training needs recordings and a reference.", "Give both: --recording 1 --reference NAME")
    if off:
        assignments.end_training(session)
    elif reference is not None:
        ids = [owner.id for owner in recording]
        assignments.set_training(session, ids, reference, least)
    gate = read_gate(session)
    people = [evaluate_training(session, who, gate) for who in list_trainees(session)] if gate else []
    names = annotator_names(session.study)
    numbers = [session.recording(text).number for text in gate.recordings] if gate else []
    if gate is None:
        return Output({"training": None, "annotators": []}, "There is no training in this study.")
    about = {
        "recordings": numbers,
        "reference": names.get(gate.reference, ""),
        "minimum": gate.minimum,
    }
    where = f"recording{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
    heading = f"Training on {where} against {about['reference']}: {_minimum_text(gate)}"
    return Output(
        {
            "training": about,
            "annotators": [
                record(person, "annotator", "figures", "short", name=person.annotator.name, **person.figures)
                for person in people
            ],
        },
        [heading, *map(_trainee_line, people)],
    )


def _minimum_text(gate: Gate) -> str:
    return ", ".join(f"{figure} at least {least:.2f}" for figure, least in gate.minimum.items()) or "nothing required"


def _trainee_line(trained: TrainingResult) -> str:
    figures = ", ".join(f"{key} {'-' if value is None else f'{value:.2f}'}" for key, value in trained.figures.items())
    state = "passed" if trained.passed else "not passed yet"
    return f"{trained.annotator.name}: {state}, {trained.done} of {trained.given} done, {figures} (n = {trained.pairs})"
