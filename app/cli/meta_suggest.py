"""Judges suggest parts of the meta information, from the command line."""

from pathlib import Path

import click

from app.cli.meta import RECORDING
from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.errors import UserError
from project.types import Json


@click.command()
@STUDY
@RECORDING
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all if none."
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(["looks", "words_summary", "frames_summary", "audit"]),
    help="What is suggested; again for each further one; all of them, in this order, if none.",
)
@click.option("--condition", default="raw", show_default=True, help="What judges see: raw, or a rendering's method.")
@click.option("--accept", is_flag=True, help="Take over what the newest answer says; what a person wrote stays.")
@click.option("--replace", is_flag=True, help="With --accept: also in the place of what a person wrote.")
@click.option("--annotator", help="Who takes it over; needed with --accept.")
@json_option
def suggest(
    study: Path,
    recording: str,
    judges: tuple[str, ...],
    parts: tuple[str, ...],
    condition: str,
    accept: bool,
    replace: bool,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Ask judges for looks, both summaries, and what these say differently.

    Contradictions are only looked for where both summaries are there, so with --accept one call makes all.

    \b
    Example:
      greenroom meta suggest my-study.greenroom --recording 1 --judge vision --accept --annotator Ada
      greenroom meta suggest my-study.greenroom --recording 1 --judge text --part words_summary
    """
    from app.cli.asking import ask_here
    from app.core.judging.judges.entries import judges_called
    from app.core.lookup import recording_called
    from app.core.meta.answers import TASKS, answers_about, take
    from app.core.meta.suggesting import suggestion

    if accept and not annotator:
        raise UserError("Somebody has to take it over.", "Give --annotator.")
    with Session.open(study, annotator) as session:
        session.study.require_writable()
        owner = recording_called(session, recording)
        asked = judges_called(session, judges)
        told: list[Json] = []
        lines: list[str] = []
        for task in (one for one in TASKS if not parts or one in parts):
            before = {one.id for one in answers_about(session, owner.id)}
            came = ask_here(session, suggestion(owner.id, task, asked, condition))
            notes = [one.as_text() for one in came.outcome.notes]
            answers = [one for one in answers_about(session, owner.id) if one.task == task]
            one: dict[str, Json] = {"part": task, "answers": len(answers), "notes": [*notes]}
            one["new"] = sum(each.id not in before for each in answers)
            if accept and answers:
                taken = take(session, answers[0].id, replace_own=replace)
                one |= {"taken": taken.new, "kept": taken.kept, "unread": [*taken.unread]}
            told.append(one)
            lines.append(_line(one))
    tell(as_json, {"recording": owner.number, "parts": told}, "\n".join(lines))


def _line(one: dict[str, Json]) -> str:
    parts = [f"{one['part']}: {one['new']} new of {one['answers']} answers"]
    if "taken" in one:
        parts.append(f"{one['taken']} taken over, {one['kept']} stay as they were written")
    notes = one["notes"]
    assert isinstance(notes, list)
    return "; ".join(parts) + "".join(f"\n  {note}" for note in notes)
