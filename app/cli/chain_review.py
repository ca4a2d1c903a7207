"""Reviewing chains on the command line."""

from pathlib import Path

import click

from app.cli.chain_drawing import CHAIN
from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands import chain_reviews as commands
from app.core.session import Session
from project.chains import ChainDecision
from project.errors import UserError
from project.types import Json


@click.command()
@STUDY
@CHAIN
@click.option("--decision", type=click.Choice([one.value for one in ChainDecision]), help="What you say.")
@click.option("--note", default="", help="Why.")
@click.option("--withdraw", is_flag=True, help="Take back what was said.")
@click.option("--annotator", required=True, help="Who reviews.")
@json_option
def review(
    study: Path, chain_id: str, decision: str | None, note: str, withdraw: bool, annotator: str, as_json: bool
) -> None:
    """Agree with somebody else's chain, or ask to change or discuss it. A second decision replaces the first.

    \b
    Example:
      greenroom chain review my-study.greenroom CHAIN --decision agree --annotator Bo
    """
    if withdraw == (decision is not None):
        raise UserError("A review says one thing.", "Give --decision, or --withdraw.")
    with Session.open(study, annotator) as session:
        if decision is None:
            commands.withdraw_chain_review(session, chain_id)
        else:
            commands.review_chain(session, chain_id, ChainDecision(decision), note)
    result: dict[str, Json] = {"chain": chain_id, "annotator": annotator, "decision": decision, "note": note}
    tell(as_json, result, f"{annotator}: {decision or 'took it back'}, {chain_id}")


@click.command()
@STUDY
@CHAIN
@click.option("--annotator", required=True, help="Whose version it will be.")
@json_option
def copy(study: Path, chain_id: str, annotator: str, as_json: bool) -> None:
    """Make a version of one's own of a chain, to change it.

    \b
    Example:
      greenroom chain copy my-study.greenroom CHAIN --annotator Bo
    """
    with Session.open(study, annotator) as session:
        made, _ = commands.copy_for_change(session, chain_id)
    tell(as_json, {"id": made, "based_on": chain_id}, f"Added {made}")


@click.command()
@STUDY
@CHAIN
@click.option("--from", "from_id", help="Id of the version that was agreed on; the chain itself when not given.")
@click.option("--annotator", help="Who does it.")
@json_option
def consensus(study: Path, chain_id: str, from_id: str | None, annotator: str | None, as_json: bool) -> None:
    """Make a version of a chain the agreed one, in place of the agreed version before.

    \b
    Example:
      greenroom chain consensus my-study.greenroom CHAIN --from COPY
    """
    with Session.open(study, annotator) as session:
        made, _ = commands.make_consensus(session, chain_id, from_id or chain_id)
    tell(as_json, {"id": made, "chain": chain_id, "from": from_id or chain_id}, f"Agreed on {made}")
