"""Commands about who annotates what."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands import plan as commands
from app.core.lookup import recording_called
from app.core.session import Session
from app.core.team import team_plan
from project.errors import UserError
from project.types import Json

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
            wish = commands.Wish(
                tuple(name.strip() for name in annotators.split(",")),
                per_recording,
                seed,
                keep,
                tuple(recording_called(session, one).id for one in training),
                with_hold_out,
            )
            commands.make_plan(session, wish)
        found = team_plan(session)
    tell(as_json, found.as_json(), found.as_text())


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
        owner = recording_called(session, recording)
        commands.mark_done(session, owner.id, not undone)
    state = "not done" if undone else "done"
    result: dict[str, Json] = {"recording": owner.number, "annotator": annotator, "done": not undone}
    tell(as_json, result, f"Recording {owner.number}: {state} by {annotator}")


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
        owner = recording_called(session, recording)
        commands.hold_out(session, owner.id, not off)
    state = "no longer held out" if off else "held out"
    tell(as_json, {"recording": owner.number, "held_out": not off}, f"Recording {owner.number}: {state}")
