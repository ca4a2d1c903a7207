"""The group `study`: check a study, undo, find recordings and words again, divide it and bring it together."""

from pathlib import Path
from typing import Any

import click

from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import Checklist, build_checklist
from annotate.review.text_search import StudySearch
from annotate.study.people import require_annotator
from annotate.team import study_copies
from annotate.team.study_copies import MediaWith, plan_command, split_study
from app.cli.command import EDIT, KEEP_REST, argument, command, option
from app.cli.console import Output, progress_bar, record
from app.merge_text import ConflictDescription, describe_conflict, merge_json, merge_report_text
from project.queries.annotator_rows import all_assignments
from project.queries.history_rows import all_conflicts, count_unresolved
from project.session.session import MediaState, Session
from project.text_format import escape_unprintable, pluralize


@command(study=EDIT)
def undo(session: Session) -> Output:
    """Take back the newest edit that still stands.

    It may have been made long ago.

    \b
    Example:
      greenroom study undo my-study.greenroom
    """
    from annotate.study import recording_edits

    done = recording_edits.undo(session)
    return Output({"undone": done.name}, f"Undone: {done.name}")


@command(study=EDIT)
def redo(session: Session) -> Output:
    """Do again what was undone last.

    \b
    Example:
      greenroom study redo my-study.greenroom
    """
    from annotate.study import recording_edits

    done = recording_edits.redo(session)
    return Output({"redone": done.name}, f"Done again: {done.name}")


@command()
def check(study: Path = argument()) -> Output:
    """Say whether a study file is sound, without changing it. Exits with 2 when it is not.

    \b
    Example:
      greenroom study check my-study.greenroom
    """
    from project.integrity.integrity_check import check_study

    problems = check_study(study)
    missing: list[str] = []
    if not problems:
        with Session.open(study, read_only=True) as session:
            from project.queries.recording_rows import all_media

            found = [session.locate(medium) for medium in all_media(session.study)]
        missing = [f"{f.state.value}: {f.path}" for f in found if f.state is not MediaState.PRESENT]
    lines = [f"{study}: {'sound' if not problems else pluralize(len(problems), 'problem')}", *problems]
    if missing:
        lines += ["Files to relink:", *missing]
    return Output({"ok": not problems, "problems": problems, "media": missing}, lines, 2 if problems else 0)


@command(study=EDIT)
def relink(session: Session, folder: Path = argument()) -> Output:
    """Find missing files of a study in a folder, by their content.

    \b
    Example:
      greenroom study relink my-study.greenroom /media/footage
    """
    from annotate.study.recording_edits import relink as run_relink

    with progress_bar("Searching") as bar:
        done = run_relink(session, folder, bar)
    text = [f"Relinked {pluralize(len(done.found), 'file')}." if done.found else "No missing file was found there."]
    text += [f"Still missing: {name}" for name in done.missing]
    return Output({"relinked": done.found, "missing": done.missing}, text)


@command()
def search(
    session: Session,
    words: tuple[str, ...] = argument(required=True),
    limit: int = option("How many at most.", type=click.IntRange(1, 10_000), default=50),
) -> Output:
    """Search all texts of a study, the best fit first.

    They are rationales, corrections, comments, reviews, utterances, recordings and participants. A word is
    found where one begins with it, whatever its accents; words between quotes are found as they stand.

    \b
    Example:
      greenroom study search my-study.greenroom interrupt "the robot"
    """
    typed = " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)
    searched = StudySearch(session)
    hits = searched.find_hits(typed, limit)
    total = len(searched.index.find_locations(typed))
    searched.close()
    more = [f"{pluralize(total - len(hits), 'more text')}; --limit shows them."] if total > len(hits) else []
    lines = [hit.as_text() for hit in hits]
    return Output({"found": total, "hits": hits}, lines + more or "Nothing found.")


@command()
def checklist(
    session: Session, annotator: str | None = option("Only this annotator's; by default everybody's.")
) -> Output:
    """List what is still to be done.

    That is incomplete segments, missing samples, comments, reviews, and recordings that were given.

    \b
    Example:
      greenroom study checklist my-study.greenroom --annotator Ada
    """
    people = [require_annotator(session, annotator)] if annotator else []
    found = build_checklist(session, SegmentTable(session), people)
    return Output(_checklist_json(found), found.as_text())


def _checklist_json(found: Checklist) -> dict[str, Any]:
    return {
        "annotators": [{"name": who.name, **found.counts(who)} for who in found.annotators],
        "tasks": [record(task, annotator=task.annotator.name, recording=task.recording.number) for task in found.tasks],
    }


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

    It has their recordings, by the plan that `greenroom team plan` makes, and nothing of anybody else's work.

    \b
    Example:
      greenroom study split my-study.greenroom --annotator Ada --out for-ada.greenroom
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
      greenroom study merge my-study.greenroom for-ada.greenroom for-bo.greenroom
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
      greenroom study conflicts my-study.greenroom
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

    `greenroom study undo` takes that back.

    \b
    Example:
      greenroom study resolve my-study.greenroom CONFLICT --take theirs
      greenroom study resolve my-study.greenroom all --take ours
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
