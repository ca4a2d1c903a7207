"""Commands that part a study among annotators and bring their work together."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY
from app.core.commands import team as commands
from app.core.commands.splitting import MediaWith, plan_command, split_for
from app.core.conflicts import Described, described
from app.core.merge_report import as_json as report_json
from app.core.merge_report import as_text as report_text
from app.core.session import Session
from project.counted import counted
from project.names import shown
from project.queries.conflicts import all_conflicts, count_unresolved
from project.queries.plans import all_assignments
from project.types import Json


@click.command()
@STUDY
@click.option("--annotator", required=True, help="Who the copy is for.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the copy goes.")
@click.option(
    "--media",
    default="leave",
    show_default=True,
    type=click.Choice([one.value for one in MediaWith]),
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
        made = split_for(session, annotator, out, MediaWith(media), bar)
        command = plan_command(session, annotator)
    counts = made.rows
    lines = [
        f"Made {made.path}: {counted(counts.get('recording', 0), 'recording')}, "
        f"{counted(counts.get('segment', 0), 'segment')}"
    ]
    if not planned:
        lines.append(f"There is no plan, so it has all recordings. To share them out: {command}")
    tell(
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
@json_option
def merge(study: Path, copies: tuple[Path, ...], dry_run: bool, as_json: bool) -> None:
    """Bring the work of copies home. What both sides changed is kept in both versions, as a conflict.

    Merging a copy twice changes nothing, and the order of copies does not matter.

    \b
    Example:
      greenroom merge my-study.greenroom for-ada.greenroom for-bo.greenroom
    """
    with Session.open(study, read_only=dry_run) as session, progress_bar("Merge") as bar:
        done = commands.merge_copies(session, copies, dry_run=dry_run, progress=bar)
        unresolved = count_unresolved(session.study)
    result = {**report_json(done), "dry_run": dry_run, "unresolved_conflicts": unresolved}
    tell(as_json, result, report_text(done, unresolved, dry_run=dry_run))


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
        found = [described(session, one, keys=as_json) for one in listed]
    lines = []
    for one in found:
        state = f" ({one.resolution} was taken)" if one.resolution else ""
        lines.append(f"{one.id}  {shown(one.title)}{state}")
        lines += _versions(one)
    tell(as_json, {"conflicts": [one.as_json() for one in found]}, "\n".join(lines) or "No conflicts.")


@click.command()
@STUDY
@click.argument("conflict")
@click.option("--take", required=True, type=click.Choice([one.value for one in commands.Side]), help="Which version.")
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
            chosen = [one.id for one in all_conflicts(session.study, unresolved=True)]
        else:
            chosen = [commands.find_conflict(session, conflict).id]
        session.study.require_writable()
        for one in chosen:
            commands.resolve(session, one, commands.Side(take))
        left = count_unresolved(session.study)
    result: dict[str, Json] = {"conflicts": [*chosen], "taken": take, "unresolved": left}
    tell(as_json, result, f"Took {take} in {len(chosen)}; {left} conflicts are left")


def _versions(one: Described) -> list[str]:
    if one.deleted:
        who = shown(one.source) if one.deleted == "theirs" else "this study"
        side = [f"{line.name} {shown(line.ours if one.deleted == 'theirs' else line.theirs)}" for line in one.lines]
        return [f"    {who} deleted it; the other side has: {', '.join(side)}"]
    return [
        f"    {line.name}: ours {shown(line.ours)} | {shown(one.source)} {shown(line.theirs)}" for line in one.differing
    ]
