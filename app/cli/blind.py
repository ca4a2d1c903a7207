"""Commands about judges being hidden until people have said their own, and who changed their mind after."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands.blind_first import set_blind_first
from app.core.judging.annotators.reveals import blind_first
from app.core.judging.annotators.revision_words import report_text
from app.core.judging.annotators.revisions import revisions as find_revisions
from app.core.session import Session

_SAYS = {
    True: "What judges say about a segment is hidden from an annotator until their own is complete",
    False: "What judges say about a segment is shown at once",
}


@click.command()
@STUDY
@click.argument("on", required=False, type=click.Choice(["on", "off"]))
@click.option("--annotator", help="Who decides it; the name from the settings when not given.")
@json_option
def blind(study: Path, on: str | None, annotator: str | None, as_json: bool) -> None:
    """Hide judges from annotators until they have said their own.

    Without on or off, it shows whether they are hidden.

    `greenroom undo` takes a change back.

    \b
    Example:
      greenroom blind my-study.greenroom
      greenroom blind my-study.greenroom off
    """
    with Session.open(study, annotator, read_only=on is None) as session:
        if on is not None:
            set_blind_first(session, on == "on")
        hidden = blind_first(session)
    tell(as_json, {"blind_first": hidden}, _SAYS[hidden])


@click.command()
@STUDY
@click.option("--annotator", help="Whose eyes it is for; the name from the settings when not given.")
@json_option
def revisions(study: Path, annotator: str | None, as_json: bool) -> None:
    """List who revised what after they were shown judges.

    It says which part, from what to what, and toward which judges.

    \b
    Example:
      greenroom revisions my-study.greenroom
    """
    with Session.open(study, annotator, read_only=True) as session:
        found = find_revisions(session)
        text = report_text(session, found)
    tell(as_json, found.as_json(), text)
