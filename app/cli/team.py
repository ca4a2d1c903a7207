"""Commands that divide a study among annotators, bring their work together, and show how far everyone is.

The plan of who annotates what, active minutes, the checklist, held-out recordings and the training round are here too.
"""

from pathlib import Path

import click

from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import build_checklist
from annotate.study.people import require_annotator
from annotate.team import assignments, study_copies
from annotate.team.activity import activity_to_json, format_minutes, totals_by_recording
from annotate.team.assignments import read_team_plan
from annotate.team.study_copies import MediaWith, plan_command, split_study
from annotate.team.training_gate import FIGURES, Gate, TrainingResult, evaluate_training, list_trainees, read_gate
from app.cli.command import KEEP_REST, STUDY, json_option, print_result, progress_bar
from app.merge_text import ConflictDescription, describe_conflict, merge_json, merge_report_text
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.annotator_rows import all_annotators, all_assignments
from project.queries.history_rows import all_conflicts, count_unresolved
from project.session.session import Session, resolve_recording
from project.text_format import escape_unprintable, pluralize


@click.command()
@STUDY
@click.option("--annotator", required=True, help="Who the copy is for.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the copy goes.")
@click.option(
    "--media",
    default="leave",
    show_default=True,
    type=click.Choice([media_with.value for media_with in MediaWith]),
    help="What becomes of the recordings' files: left where they are, linked, or copied beside the copy.",
)
@json_option
def split(study: Path, annotator: str, out: Path, media: str, as_json: bool) -> None:
    """Make a copy of a study for one annotator.

    It has their recordings, by the plan that `greenroom plan` makes, and nothing of anybody else's work.

    \b
    Example:
      greenroom split my-study.greenroom --annotator Ada --out for-ada.greenroom
    """
    with Session.open(study) as session, progress_bar("Copy") as bar:
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
    print_result(
        as_json,
        {
            "copy": str(made.path),
            "copy_id": made.copy_id,
            "annotator": annotator,
            "planned": planned,
            "rows": dict(counts),
        },
        "\n".join(lines),
    )


@click.command()
@STUDY
@click.argument("copies", metavar="COPY...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Say what would come, each copy by itself, and change nothing.")
@KEEP_REST
@json_option
def merge(study: Path, copies: tuple[Path, ...], dry_run: bool, keep_rest: bool, as_json: bool) -> None:
    """Bring the work of copies home. What both sides changed is kept in both versions, as a conflict.

    Merging a copy twice changes nothing, and the order of copies does not matter. What is of somebody who withdrew
    stays out; a copy that holds what only looks like them is refused.

    \b
    Example:
      greenroom merge my-study.greenroom for-ada.greenroom for-bo.greenroom
    """
    from anonymize.withdrawal.withdrawal import PersonalStringFinder

    with Session.open(study, read_only=dry_run) as session, progress_bar("Merge") as bar:
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
    print_result(as_json, result, merge_report_text(done, unresolved, dry_run=dry_run))


@click.command()
@STUDY
@click.option("--all", "everything", is_flag=True, help="Also those that were resolved.")
@json_option
def conflicts(study: Path, everything: bool, as_json: bool) -> None:
    """List what two people changed differently, in both versions.

    \b
    Example:
      greenroom conflicts my-study.greenroom
    """
    with Session.open(study, read_only=True) as session:
        listed = all_conflicts(session.study, unresolved=not everything)
        found = [describe_conflict(session, conflict, keys=as_json) for conflict in listed]
    lines = []
    for description in found:
        state = f" ({description.resolution} was taken)" if description.resolution else ""
        lines.append(f"{description.id}  {escape_unprintable(description.title)}{state}")
        lines += _version_lines(description)
    print_result(
        as_json, {"conflicts": [description.as_json() for description in found]}, "\n".join(lines) or "No conflicts."
    )


@click.command()
@STUDY
@click.argument("conflict")
@click.option(
    "--take",
    required=True,
    type=click.Choice([side.value for side in study_copies.ConflictSide]),
    help="Which version.",
)
@json_option
def resolve(study: Path, conflict: str, take: str, as_json: bool) -> None:
    """Choose one version of a conflict, or of all that are left.

    `greenroom undo` takes that back.

    \b
    Example:
      greenroom resolve my-study.greenroom CONFLICT --take theirs
      greenroom resolve my-study.greenroom all --take ours
    """
    with Session.open(study) as session:
        if conflict == "all":
            chosen = [open_conflict.id for open_conflict in all_conflicts(session.study, unresolved=True)]
        else:
            chosen = [study_copies.find_conflict(session, conflict).id]
        session.study.require_writable()
        for text in chosen:
            study_copies.resolve_conflict(session, text, study_copies.ConflictSide(take))
        left = count_unresolved(session.study)
    result: dict[str, Json] = {"conflicts": [*chosen], "taken": take, "unresolved": left}
    print_result(as_json, result, f"Took {take} in {len(chosen)}; {left} conflicts are left")


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


@click.command()
@STUDY
@json_option
def activity(study: Path, as_json: bool) -> None:
    """Show how long annotators were active, by recording.

    Only those minutes are there that annotators let be counted (Study > Active minutes).

    \b
    Example:
      greenroom activity my-study.greenroom
    """
    with Session.open(study, read_only=True) as session:
        found, shares = activity_to_json(session), totals_by_recording(session)
    lines = [f"{share.name}  {share.annotator}: {format_minutes(share.seconds)}" for share in shares]
    lines.append(f"In all: {format_minutes(sum(share.seconds for share in shares))}")
    print_result(as_json, found, "\n".join(lines) if shares else "No active minutes were counted.")


@click.command()
@STUDY
@click.option("--annotator", help="Whose; everybody's when not given.")
@json_option
def checklist(study: Path, annotator: str | None, as_json: bool) -> None:
    """List what is still to be done.

    That is incomplete segments, comments, reviews, and recordings that were given.

    \b
    Example:
      greenroom checklist my-study.greenroom --annotator Ada
    """
    with Session.open(study, read_only=True) as session:
        people = [require_annotator(session, annotator)] if annotator else []
        found = build_checklist(session, SegmentTable(session), people)
    print_result(as_json, found.as_json(), found.as_text())


RECORDING = click.option("--recording", required=True, help="Number, file name or id.")
ANNOTATOR = click.option("--annotator", required=True, help="Whose it is.")


@click.command()
@STUDY
@click.option("--annotators", help="Names, separated by commas; without it, the plan is shown.")
@click.option("--per-recording", default=2, show_default=True, type=click.IntRange(1), help="Annotators a recording.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same plan.")
@click.option("--keep", is_flag=True, help="Also keep what was given out and nobody has begun.")
@click.option("--training", multiple=True, help="A recording for everybody to train on; again for each further one.")
@click.option("--with-hold-out", is_flag=True, help="Plan held-out recordings too.")
@json_option
def plan(
    study: Path,
    annotators: str | None,
    per_recording: int,
    seed: int,
    keep: bool,
    training: tuple[str, ...],
    with_hold_out: bool,
    as_json: bool,
) -> None:
    """Plan who annotates what, or show how far everybody is.

    Recordings, and then minutes, are shared out evenly. What somebody has begun stays with them.

    \b
    Example:
      greenroom plan my-study.greenroom --annotators Ada,Bo,Cy --per-recording 2
      greenroom plan my-study.greenroom
    """
    if annotators is None and (keep or training or with_hold_out):
        raise UserError("A plan needs annotators.", "Name them: --annotators Ada,Bo,Cy")
    with Session.open(study, read_only=annotators is None) as session:
        if annotators is not None:
            wish = assignments.PlanOptions(
                tuple(name.strip() for name in annotators.split(",")),
                per_recording,
                seed,
                keep,
                tuple(resolve_recording(session, text).id for text in training),
                with_hold_out,
            )
            assignments.make_plan(session, wish)
        found = read_team_plan(session)
    print_result(as_json, found.as_json(), found.as_text())


@click.command()
@STUDY
@RECORDING
@ANNOTATOR
@click.option("--undo", "undone", is_flag=True, help="It is not done after all.")
@json_option
def done(study: Path, recording: str, annotator: str, undone: bool, as_json: bool) -> None:
    """Mark a recording as done by its annotator.

    \b
    Example:
      greenroom done my-study.greenroom --recording 1 --annotator Ada
    """
    with Session.open(study, annotator) as session:
        owner = resolve_recording(session, recording)
        assignments.mark_done(session, owner.id, not undone)
    state = "not done" if undone else "done"
    result: dict[str, Json] = {"recording": owner.number, "annotator": annotator, "done": not undone}
    print_result(as_json, result, f"Recording {owner.number}: {state} by {annotator}")


@click.command("hold-out")
@STUDY
@RECORDING
@click.option("--off", is_flag=True, help="Hold it out no longer.")
@json_option
def hold_out(study: Path, recording: str, off: bool, as_json: bool) -> None:
    """Hold a recording out: nothing of it is ever exported.

    \b
    Example:
      greenroom hold-out my-study.greenroom --recording 7
    """
    with Session.open(study) as session:
        owner = resolve_recording(session, recording)
        assignments.hold_out(session, owner.id, not off)
    state = "no longer held out" if off else "held out"
    print_result(as_json, {"recording": owner.number, "held_out": not off}, f"Recording {owner.number}: {state}")


_SHARE_TYPE = click.FloatRange(0, 1)


@click.command()
@STUDY
@click.option("--recording", multiple=True, help="A recording to train on; give it again for each further one.")
@click.option("--reference", help="Name of the annotator to compare with.")
@click.option("--minimum-boundaries", type=_SHARE_TYPE, help="Mean overlap (IoU) of matched segments, 0 to 1.")
@click.option("--minimum-labels", type=_SHARE_TYPE, help="Share of matched segments with the same label, 0 to 1.")
@click.option("--minimum-attributes", type=_SHARE_TYPE, help="Mean Jaccard index of the attributes, 0 to 1.")
@click.option("--off", is_flag=True, help="End the training: the work is open to everybody.")
@json_option
def training(
    study: Path,
    recording: tuple[str, ...],
    reference: str | None,
    minimum_boundaries: float | None,
    minimum_labels: float | None,
    minimum_attributes: float | None,
    off: bool,
    as_json: bool,
) -> None:
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
    with Session.open(study, read_only=not (changing or off)) as session:
        if off:
            assignments.end_training(session)
        elif reference is not None:
            ids = [resolve_recording(session, text).id for text in recording]
            assignments.set_training(session, ids, reference, least)
        gate = read_gate(session)
        people = [evaluate_training(session, who, gate) for who in list_trainees(session)] if gate else []
        names = {annotator.id: annotator.name for annotator in all_annotators(session.study)}
        numbers = [session.recording(text).number for text in gate.recordings] if gate else []
    if gate is None:
        print_result(as_json, {"training": None, "annotators": []}, "There is no training in this study.")
        return
    about: dict[str, Json] = {
        "recordings": [*numbers],
        "reference": names.get(gate.reference, ""),
        "minimum": {**gate.minimum},
    }
    where = f"recording{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
    heading = f"Training on {where} against {about['reference']}: {_minimum_text(gate)}"
    print_result(
        as_json,
        {"training": about, "annotators": [_trainee_json(person) for person in people]},
        "\n".join([heading, *map(_trainee_line, people)]),
    )


def _minimum_text(gate: Gate) -> str:
    return ", ".join(f"{figure} at least {least:.2f}" for figure, least in gate.minimum.items()) or "nothing required"


def _trainee_json(trained: TrainingResult) -> Json:
    return {
        "name": trained.annotator.name,
        "given": trained.given,
        "done": trained.done,
        "pairs": trained.pairs,
        **trained.figures,
        "passed": trained.passed,
    }


def _trainee_line(trained: TrainingResult) -> str:
    figures = ", ".join(f"{key} {'-' if value is None else f'{value:.2f}'}" for key, value in trained.figures.items())
    state = "passed" if trained.passed else "not passed yet"
    return f"{trained.annotator.name}: {state}, {trained.done} of {trained.given} done, {figures} (n = {trained.pairs})"
