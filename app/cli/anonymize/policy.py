"""Commands about what may leave this machine, and the journal of requests."""

import sys
from pathlib import Path
from typing import cast

import click

from anonymize.egress.egress_authority import (
    CONFIRM,
    UNCONFIRMED,
    needs_confirmation,
    policy_in_file,
    policy_in_force,
    unencrypted_warning,
)
from anonymize.egress.egress_log import (
    LEVEL_NAMES,
    EgressOutcome,
    compute_totals,
    describe_policy,
    read_log,
    read_machine_log,
    write_table,
)
from anonymize.egress.policy_edits import change_policy, confirm_policy, set_policy
from app.cli.command import EDIT, FILE, argument, command, option
from app.cli.console import Output
from project.codec import dump
from project.entities.egress_policy import EgressLevel
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.judgment_rows import all_judges
from project.queries.policy_rows import read_policy
from project.session.session import Session
from project.text_format import escape_unprintable


@command()
def show(session: Session) -> Output:
    """Show what may leave this machine, to whom, and who allowed it.

    \b
    Example:
      greenroom policy show my-study.greenroom
    """
    found, unconfirmed = read_policy(session.study), needs_confirmation(session)
    lines = describe_policy(found)
    if unconfirmed:
        lines = [UNCONFIRMED, "Nothing leaves. The file says:", *lines, CONFIRM]
    return Output({**found.as_json(), "in_force": not unconfirmed}, lines)


@command(study=EDIT)
def confirm(session: Session, yes: bool = option("Do not ask.")) -> Output:
    """Confirm the policy of a study: put it in force on this machine.

    A policy is in force where it is the one that was set last on this machine. It is not after the study came from
    another machine, after an earlier file was put back, or where an earlier version of the program set it.

    \b
    Example:
      greenroom policy confirm my-study.greenroom
    """
    found = policy_in_file(session)
    if needs_confirmation(session):
        if not yes:
            _confirm_policy(describe_policy(found))
        confirm_policy(session)
    return Output({**found.as_json(), "in_force": True}, ["In force on this machine:", *describe_policy(found)])


def _confirm_policy(lines: list[str]) -> None:
    if not sys.stdin.isatty():
        raise UserError("A policy that lets data leave this machine needs a confirmation.", "In a script: --yes")
    click.echo("\n".join(map(escape_unprintable, lines)), err=True)
    if not click.confirm("Put this policy in force on this machine?", err=True):
        raise UserError("The policy was not changed.", "Nothing leaves this machine.")


@command(study=EDIT)
def set_(
    session: Session,
    level: EgressLevel | None = argument(),
    reason: str | None = option("Why it may leave; needed for raw."),
    allowed_by: str | None = option("Who allowed it, such as a board and its number; needed for raw."),
    hosts: tuple[str, ...] = option("A machine that may be sent to; `any` for all.", "--host"),
    downloads: bool | None = option("Whether models may be downloaded meanwhile.", "--downloads/--no-downloads"),
    redirects: bool | None = option(
        "Whether a request may follow where it is sent on to.", "--redirects/--no-redirects"
    ),
    proxies: bool | None = option("Whether this machine's proxy may be used.", "--proxies/--no-proxies"),
    unencrypted: bool | None = option(
        "Whether words and keys may travel unencrypted, over http:// and tcp:// addresses.",
        "--unencrypted/--no-unencrypted",
    ),
) -> Output:
    """Set what may leave this machine; what is not given stays as it is. Undo does not reach it.

    LEVEL is `nothing`, `anonymized` (renderings and texts that passed review) or `raw`.

    \b
    Example:
      greenroom policy set my-study.greenroom anonymized --host api.openai.com
      greenroom policy set my-study.greenroom raw --reason "pilot with actors only" --allowed-by "Board 2026-17"
      greenroom policy set my-study.greenroom --downloads
      greenroom policy set my-study.greenroom nothing
    """
    wanted = change_policy(
        policy_in_force(session),
        level=EgressLevel(level) if level else None,
        reason=reason,
        allowed_by=allowed_by,
        hosts=None if not hosts else () if hosts == ("any",) else hosts,
        downloads=downloads,
        redirects=redirects,
        proxies=proxies,
        unencrypted=unencrypted,
    )
    set_policy(session, wanted)
    found = read_policy(session.study)
    judges = all_judges(session.study) if found.level is not EgressLevel.NOTHING else []
    notes = [note for judge in judges if (note := unencrypted_warning(session, judge))]
    return Output(found.as_json(), [*describe_policy(found), *notes])


@command()
def log(
    study: Path | None = argument(),
    only: str | None = option(
        "Only what left this machine, stayed on it, or was refused.", choices=["left", "local", "refused"]
    ),
    table: Path | None = option("Also write a table to this file.", "--csv", type=FILE),
) -> Output:
    """Print every request that wanted out, for an ethics board.

    Each was written down before it was sent: when, to which machine, what for, how much of which recording, under which
    permission. Those that were refused are there too, with the rule, and those that stayed on this machine. Nothing of
    what was sent stands in it but checksums (--json and --csv).

    Without STUDY, it prints the requests of this machine that belong to no study: downloads of models.

    \b
    Example:
      greenroom policy log my-study.greenroom
      greenroom policy log my-study.greenroom --only left --csv requests.csv
      greenroom policy log
    """
    outcomes = [EgressOutcome(only)] if only else [*EgressOutcome]
    policy = None
    if study is None:
        found = read_machine_log(outcomes)
    else:
        with Session.open(study, read_only=True) as session:
            found, policy = read_log(session, outcomes), policy_in_force(session)
    sums = compute_totals(found)
    if table is not None:
        write_table(found, table)
    result = {
        "policy": None if policy is None else policy.as_json(),
        "requests": [egress_log_row.as_json() for egress_log_row in found],
        "totals": cast(Json, {total.outcome.value: dump(total) for total in sums}),
    }
    told = [egress_log_row.format_details() for egress_log_row in found]
    told += (
        ["", *(total.text for total in sums if not only or total.outcome == only)]
        if found
        else ["No request was made."]
    )
    told += [f"Policy now: {LEVEL_NAMES[policy.level]}."] if policy is not None else []
    told += [f"Table: {table}"] if table is not None else []
    return Output(result, told)
