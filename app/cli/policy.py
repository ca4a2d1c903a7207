"""Commands about what may leave this machine."""

import sys
from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.errors import UserError
from project.names import shown
from project.policy import Level


@click.group()
def policy() -> None:
    """Show or set what of a study may leave this machine.

    By default nothing does. What leaves, and what was kept from it, is in the journal: greenroom egress.
    """


@policy.command()
@STUDY
@json_option
def show(study: Path, as_json: bool) -> None:
    """Show what may leave this machine, to whom, and who allowed it.

    \b
    Example:
      greenroom policy show my-study.greenroom
    """
    from app.core.leaving.in_force import CONFIRM, UNCONFIRMED, needs_confirmation
    from app.core.leaving.policy_words import about_policy
    from project.queries.policy import policy_of

    with Session.open(study, read_only=True) as session:
        found, unconfirmed = policy_of(session.study), needs_confirmation(session)
    lines = about_policy(found)
    if unconfirmed:
        lines = [UNCONFIRMED, "Nothing leaves. The file says:", *lines, CONFIRM]
    tell(as_json, {**found.as_json(), "in_force": not unconfirmed}, "\n".join(lines))


@policy.command()
@STUDY
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def confirm(study: Path, yes: bool, as_json: bool) -> None:
    """Confirm the policy of a study: put it in force on this machine.

    A policy is in force where it is the one that was set last on this machine. It is not after the study came from
    another machine, after an earlier file was put back, or where an earlier version of the program set it.

    \b
    Example:
      greenroom policy confirm my-study.greenroom
    """
    from app.core.commands.policy import confirm_policy
    from app.core.leaving.in_force import needs_confirmation, said_policy
    from app.core.leaving.policy_words import about_policy

    with Session.open(study) as session:
        found = said_policy(session)
        if needs_confirmation(session):
            if not yes:
                _ask(about_policy(found))
            confirm_policy(session)
    tell(as_json, {**found.as_json(), "in_force": True}, "\n".join(["In force on this machine:", *about_policy(found)]))


def _ask(lines: list[str]) -> None:
    if not sys.stdin.isatty():
        raise UserError("A policy that lets something leave has to be confirmed.", "In a script: --yes")
    click.echo("\n".join(map(shown, lines)), err=True)
    if not click.confirm("Put this policy in force on this machine?", err=True):
        raise UserError("The policy was not put in force.", "Nothing leaves.")


@policy.command("set")
@STUDY
@click.argument("level", required=False, type=click.Choice([one.value for one in Level]))
@click.option("--reason", help="Why it may leave; needed for raw.")
@click.option("--allowed-by", help="Who allowed it, such as a board and its number; needed for raw.")
@click.option(
    "--host", "hosts", multiple=True, help="A machine that may be sent to; again for each, `any` for whichever."
)
@click.option("--downloads/--no-downloads", default=None, help="Whether models may be downloaded meanwhile.")
@click.option("--redirects/--no-redirects", default=None, help="Whether a request may follow where it is sent on to.")
@click.option("--proxies/--no-proxies", default=None, help="Whether this machine's proxy may be used.")
@click.option(
    "--unencrypted/--no-unencrypted",
    default=None,
    help="Whether words and keys may travel unencrypted, over http:// and tcp:// addresses.",
)
@json_option
def set_(
    study: Path,
    level: str | None,
    reason: str | None,
    allowed_by: str | None,
    hosts: tuple[str, ...],
    downloads: bool | None,
    redirects: bool | None,
    proxies: bool | None,
    unencrypted: bool | None,
    as_json: bool,
) -> None:
    """Set what may leave this machine; what is not given stays as it is. Undo does not reach it.

    LEVEL is `nothing`, `anonymized` (renderings and texts that passed review) or `raw`.

    \b
    Example:
      greenroom policy set my-study.greenroom anonymized --host api.openai.com
      greenroom policy set my-study.greenroom raw --reason "pilot with actors only" --allowed-by "Board 2026-17"
      greenroom policy set my-study.greenroom --downloads
      greenroom policy set my-study.greenroom nothing
    """
    from app.core.commands.policy import changed, set_policy
    from app.core.leaving.foretelling import unencrypted_note
    from app.core.leaving.in_force import policy_in_force
    from app.core.leaving.policy_words import about_policy
    from project.queries.judges import all_judges
    from project.queries.policy import policy_of

    with Session.open(study) as session:
        wanted = changed(
            policy_in_force(session),
            level=Level(level) if level else None,
            reason=reason,
            allowed_by=allowed_by,
            hosts=None if not hosts else () if hosts == ("any",) else hosts,
            downloads=downloads,
            redirects=redirects,
            proxies=proxies,
            unencrypted=unencrypted,
        )
        set_policy(session, wanted)
        found = policy_of(session.study)
        judges = all_judges(session.study) if found.level is not Level.NOTHING else []
        notes = [note for one in judges if (note := unencrypted_note(session, one))]
    tell(as_json, found.as_json(), "\n".join([*about_policy(found), *notes]))
