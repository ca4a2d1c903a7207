"""The command that prints the journal of requests."""

from pathlib import Path
from typing import cast

import click

from app.cli.output import json_option, tell
from app.core.session import Session
from project.types import Json


@click.command()
@click.argument("study", required=False, type=click.Path(path_type=Path))
@click.option(
    "--only",
    type=click.Choice(["left", "local", "refused"]),
    help="Only what left this machine, stayed on it, or was refused.",
)
@click.option(
    "--csv", "table", type=click.Path(dir_okay=False, path_type=Path), help="Also write a table to this file."
)
@json_option
def egress(study: Path | None, only: str | None, table: Path | None, as_json: bool) -> None:
    """Print every request that wanted out, for an ethics board.

    Each was written down before it was sent: when, to which machine, what for, how much of which recording, under which
    permission. Those that were refused are there too, with the rule, and those that stayed on this machine. Nothing of
    what was sent stands in it but checksums (--json and --csv).

    Without STUDY, it prints the requests of this machine that belong to no study: downloads of models.

    \b
    Example:
      greenroom egress my-study.greenroom
      greenroom egress my-study.greenroom --only left --csv requests.csv
      greenroom egress
    """
    from app.core.leaving.in_force import policy_in_force
    from app.core.leaving.journal import Fate, lines, lines_of_machine, totals, write_table
    from app.core.leaving.policy_words import LEVELS

    fates = [Fate(only)] if only else [*Fate]
    policy = None
    if study is None:
        found = lines_of_machine(fates)
    else:
        with Session.open(study, read_only=True) as session:
            found, policy = lines(session, fates), policy_in_force(session)
    sums = totals(found)
    if table is not None:
        write_table(found, table)
    result: dict[str, Json] = {
        "policy": None if policy is None else policy.as_json(),
        "requests": [one.as_json() for one in found],
        "totals": cast(Json, {one.fate.value: one.as_json() for one in sums}),
    }
    told = [one.told() for one in found]
    told += ["", *(one.text for one in sums if not only or one.fate == only)] if found else ["No request was made."]
    told += [f"Policy now: {LEVELS[policy.level]}."] if policy is not None else []
    told += [f"Table: {table}"] if table is not None else []
    tell(as_json, result, "\n".join(told))
