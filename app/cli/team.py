"""Commands that divide a study among annotators, bring their work together, and show how far everyone is.

The plan of who annotates what, active minutes, the checklist, held-out recordings and the training round are here too.
"""

from pathlib import Path
from typing import Any

import click

from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import Checklist, build_checklist
from annotate.study.people import require_annotator
from annotate.team import assignments, study_copies
from annotate.team.activity import format_minutes, totals_by_recording
from annotate.team.assignments import TeamPlan, read_team_plan
from annotate.team.study_copies import MediaWith, plan_command, split_study
from annotate.team.training_gate import FIGURES, Gate, TrainingResult, evaluate_training, list_trainees, read_gate
from app.cli.command import EDIT, KEEP_REST, argument, command, option
from app.cli.console import Output, progress_bar, record
from app.merge_text import ConflictDescription, describe_conflict, merge_json, merge_report_text
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.annotator_rows import all_activity, all_assignments, annotator_names
from project.queries.history_rows import all_conflicts, count_unresolved
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.text_format import escape_unprintable, pluralize


@command(study=EDIT)
def split(
    session: Session,
    annotator: str = option("Who the copy is for."),
    out: Path = option("Where the copy goes."),
    media: MediaWith = option(
        "What becomes of the recordings' files: left where they are, linked, or copied beside the copy.",
        default="leave",
    ),
) -> Output:
    """Make a copy of a study for one annotator.

    It has their recordings, by the plan that `greenroom plan` makes, and nothing of anybody else's work.

    \b
    Example:
      greenroom split my-study.greenroom --annotator Ada --out for-ada.greenroom
    """
    with progress_bar("Copy") as bar:
        planned = bool(all_assignments(session.study))
        made = split_study(session, annotator, out, MediaWith(media), bar)
        command = plan_command(session, annotator)
    counts = made.rows
    lines = [
        f"Made {made.path}: {pluralize(counts.get('recording', 0), 'recording')}, "
        f"{pluralize(counts.get('segment', 0), 'segment')}"
    ]
    if not planned:
        lines.append(f"There is no plan, so it has all recordings. To share them out: {command}")
    return Output(
        {
            "copy": str(made.path),
            "copy_id": made.copy_id,
            "annotator": annotator,
            "planned": planned,
            "rows": dict(counts),
        },
        lines,
    )


@command(study=EDIT, reads=("dry_run",))
def merge(
    session: Session,
    copies: tuple[Path, ...] = argument(metavar="COPY...", required=True),
    dry_run: bool = option("Say what would come, each copy by itself, and change nothing."),
    keep_rest: bool = KEEP_REST,
) -> Output:
    """Bring the work of copies home. What both sides changed is kept in both versions, as a conflict.

    Merging a copy twice changes nothing, and the order of copies does not matter. What is of somebody who withdrew
    stays out; a copy that holds what only looks like them is refused.

    \b
    Example:
      greenroom merge my-study.greenroom for-ada.greenroom for-bo.greenroom
    """
    from anonymize.withdrawal.withdrawal_plan import PersonalStringFinder

    with progress_bar("Merge") as bar:
        done = study_copies.merge_copies(
            session,
            copies,
            finder=PersonalStringFinder(with_model=True),
            keep_rest=keep_rest,
            dry_run=dry_run,
            progress=bar,
        )
        unresolved = count_unresolved(session.study)
    result = {**merge_json(done), "dry_run": dry_run, "unresolved_conflicts": unresolved}
    return Output(result, merge_report_text(done, unresolved, dry_run=dry_run))


@command()
def conflicts(
    session: Session, as_json: bool, everything: bool = option("Also those that were resolved.", "--all")
) -> Output:
    """List what two people changed differently, in both versions.

    \b
    Example:
      greenroom conflicts my-study.greenroom
    """
    listed = all_conflicts(session.study, unresolved=not everything)
    found = [describe_conflict(session, conflict, keys=as_json) for conflict in listed]
    lines = []
    for description in found:
        state = f" ({description.resolution} was taken)" if description.resolution else ""
        lines.append(f"{description.id}  {escape_unprintable(description.title)}{state}")
        lines += _version_lines(description)
    return Output({"conflicts": [description.as_json() for description in found]}, lines or "No conflicts.")


@command(study=EDIT)
def resolve(
    session: Session, conflict: str = argument(), take: study_copies.ConflictSide = option("Which version.")
) -> Output:
    """Choose one version of a conflict, or of all that are left.

    `greenroom undo` takes that back.

    \b
    Example:
      greenroom resolve my-study.greenroom CONFLICT --take theirs
      greenroom resolve my-study.greenroom all --take ours
    """
    if conflict == "all":
        chosen = [open_conflict.id for open_conflict in all_conflicts(session.study, unresolved=True)]
    else:
        chosen = [study_copies.find_conflict(session, conflict).id]
    for text in chosen:
        study_copies.resolve_conflict(session, text, study_copies.ConflictSide(take))
    left = count_unresolved(session.study)
    result = {"conflicts": chosen, "taken": take, "unresolved": left}
    return Output(result, f"Took {take} in {len(chosen)}; {left} conflicts are left")


def _version_lines(description: ConflictDescription) -> list[str]:
    if description.deleted:
        who = escape_unprintable(description.source) if description.deleted == "theirs" else "this study"
        side = [
            f"{line.name} {escape_unprintable(line.ours if description.deleted == 'theirs' else line.theirs)}"
            for line in description.lines
        ]
        return [f"    {who} deleted it; the other side has: {', '.join(side)}"]
    return [
        f"    {line.name}: ours {escape_unprintable(line.ours)} | "
        f"{escape_unprintable(description.source)} {escape_unprintable(line.theirs)}"
        for line in description.differing
    ]


@command()
def activity(session: Session) -> Output:
    """Show how long annotators were active, by recording.

    Only those minutes are there that annotators let be counted (Study > Active minutes).

    \b
    Example:
      greenroom activity my-study.greenroom
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


@command()
def checklist(
    session: Session, annotator: str | None = option("Only this annotator's; by default everybody's.")
) -> Output:
    """List what is still to be done.

    That is incomplete segments, comments, reviews, and recordings that were given.

    \b
    Example:
      greenroom checklist my-study.greenroom --annotator Ada
    """
    people = [require_annotator(session, annotator)] if annotator else []
    found = build_checklist(session, SegmentTable(session), people)
    return Output(_checklist_json(found), found.as_text())


def _checklist_json(found: Checklist) -> dict[str, Any]:
    return {
        "annotators": [{"name": who.name, **found.counts(who)} for who in found.annotators],
        "tasks": [record(task, annotator=task.annotator.name, recording=task.recording.number) for task in found.tasks],
    }


ANNOTATOR = option("Whose it is.", required=True)


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
      greenroom plan my-study.greenroom --annotators Ada,Bo,Cy --per-recording 2
      greenroom plan my-study.greenroom
    """
    if annotators is None and (keep or training or with_hold_out):
        raise UserError("A plan needs annotators.", "Give names: --annotators Ada,Bo,Cy")
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


@command(study=EDIT, annotator=ANNOTATOR)
def done(
    session: Session,
    annotator: str,
    recording: Recording = option(),
    undone: bool = option("It is not done after all.", "--undo"),
) -> Output:
    """Mark a recording as done by its annotator.

    \b
    Example:
      greenroom done my-study.greenroom --recording 1 --annotator Ada
    """
    assignments.mark_done(session, recording.id, not undone)
    state = "not done" if undone else "done"
    result = {"recording": recording.number, "annotator": annotator, "done": not undone}
    return Output(result, f"Recording {recording.number}: {state} by {annotator}")


@command(study=EDIT)
def hold_out(session: Session, recording: Recording = option(), off: bool = option("Hold it out no longer.")) -> Output:
    """Hold a recording out: nothing of it is ever exported.

    \b
    Example:
      greenroom hold-out my-study.greenroom --recording 7
    """
    assignments.hold_out(session, recording.id, not off)
    state = "no longer held out" if off else "held out"
    return Output({"recording": recording.number, "held_out": not off}, f"Recording {recording.number}: {state}")


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
      greenroom training my-study.greenroom --recording 1 --recording 2 --reference Expert --minimum-labels 0.8
      greenroom training my-study.greenroom
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
