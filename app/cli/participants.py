"""The command about who appears in recordings, and what they consented to."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.types import ConsentUse, Json, ParticipantRole

_USE = click.Choice([one.value for one in ConsentUse])


@click.command()
@STUDY
@click.argument("pseudonym", required=False)
@click.option("--role", type=click.Choice([one.value for one in ParticipantRole]), help="Who they are.")
@click.option("--recording", multiple=True, help="Number, file name or id of one in which they appear. Repeatable.")
@click.option("--consent", multiple=True, type=_USE, help="Something that they consented to. Repeatable.")
@click.option("--no-consent", multiple=True, type=_USE, help="Something that they did not, or no longer. Repeatable.")
@json_option
def participant(
    study: Path,
    pseudonym: str | None,
    role: str | None,
    recording: tuple[str, ...],
    consent: tuple[str, ...],
    no_consent: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say who appears where, and what they agreed to.

    \b
    Example:
      greenroom participant my-study.greenroom
      greenroom participant my-study.greenroom P01 --role user --recording 1 --consent release
    """
    from app.core.commands import participants as commands
    from app.core.lookup import recording_called
    from project.queries.participants import all_participants, consents

    with Session.open(study, read_only=pseudonym is None) as session:
        if pseudonym is not None:
            found = next((p for p in all_participants(session.study) if p.pseudonym == pseudonym), None)
            if found is None:
                commands.add_participant(session, pseudonym, ParticipantRole(role or ParticipantRole.USER))
                found = next(p for p in all_participants(session.study) if p.pseudonym == pseudonym.strip())
            elif role is not None and found.role.value != role:
                commands.change_role(session, found, ParticipantRole(role))
            for text in recording:
                commands.set_appearance(session, recording_called(session, text).id, found, True)
            for uses, given in ((consent, True), (no_consent, False)):
                for use in uses:
                    commands.set_consent(session, found, ConsentUse(use), given)
        rows: list[Json] = [
            {
                "pseudonym": one.pseudonym,
                "role": one.role.value,
                "consents": [use.value for use, given in consents(session.study, one.id).items() if given],
            }
            for one in all_participants(session.study)
            if pseudonym in (None, one.pseudonym)
        ]
    lines = [f"{r['pseudonym']} ({r['role']}): {', '.join(r['consents']) or 'no consent'}" for r in rows]  # type: ignore[index, call-overload, arg-type]
    tell(as_json, {"participants": rows}, "\n".join(lines) or "There are no participants yet.")
