"""Drawing chains on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands import chains as commands
from app.core.lookup import participant_called, recording_called
from app.core.session import Session
from project.chains import NodeKind
from project.counted import counted
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.timebase import parse_time
from project.types import Json

CHAIN = click.argument("chain_id", metavar="CHAIN")
AUTHOR = click.option("--annotator", help="Who drew the chain: nobody else may change it. By default anybody's.")


def work_as_author(session: Session, annotator: str | None, chain_id: str) -> None:
    """Work under the name of who drew a chain, where no other name was given."""
    if annotator is None:
        author = commands.find_chain(session, chain_id).annotator_id
        session.annotator_name = next(one.name for one in all_annotators(session.study) if one.id == author)


@click.command()
@STUDY
@click.option("--recording", required=True, help="Number, file name or id.")
@click.option("--name", default="", help="Such as “The proposal”; its number where it has none.")
@click.option("--annotator", required=True, help="Who draws it.")
@json_option
def add(study: Path, recording: str, name: str, annotator: str, as_json: bool) -> None:
    """Begin a chain without nodes.

    \b
    Example:
      greenroom chain add my-study.greenroom --recording 1 --name "The proposal" --annotator Ada
    """
    with Session.open(study, annotator) as session:
        owner = recording_called(session, recording)
        chain_id, _ = commands.add_chain(session, owner.id, name)
        named = commands.find_chain(session, chain_id).name
    tell(as_json, {"id": chain_id, "name": named, "recording": owner.number}, f"Added {chain_id}")


@click.command()
@STUDY
@CHAIN
@click.option("--kind", type=click.Choice([one.value for one in NodeKind]), help="What it tells of.")
@click.option("--text", default="", help="What happens, or what somebody believes, wants or feels.")
@click.option("--start", help="Seconds or h:mm:ss.mmm.")
@click.option("--end", help="Seconds or h:mm:ss.mmm.")
@click.option("--who", multiple=True, help="Pseudonym of a character; give it again for each further one.")
@click.option("--reason", multiple=True, help="Id of a node that is a reason for it. Repeatable.")
@click.option("--result", multiple=True, help="Id of a node that it is a reason for. Repeatable.")
@click.option("--segment", help="Id of a segment or cue to make it of, in place of kind, text and times.")
@click.option("--utterance", help="Id of an utterance to make it of, in place of kind, text and times.")
@AUTHOR
@json_option
def node(
    study: Path,
    chain_id: str,
    kind: str | None,
    text: str,
    start: str | None,
    end: str | None,
    who: tuple[str, ...],
    reason: tuple[str, ...],
    result: tuple[str, ...],
    segment: str | None,
    utterance: str | None,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Add a node to a chain.

    \b
    Example:
      greenroom chain node my-study.greenroom CHAIN --kind emotion --text "She is relieved." \\
        --start 0:12.5 --end 0:15 --who P01 --reason NODE
      greenroom chain node my-study.greenroom CHAIN --segment SEGMENT
    """
    made_of = [one for one in (kind, segment, utterance) if one is not None]
    if len(made_of) != 1 or (kind is not None and (start is None or end is None)):
        raise UserError(
            "A node is made of one thing.", "Give --kind with --start and --end, or --segment, or --utterance."
        )
    if kind is None and (reason or result or who or text):
        raise UserError(
            "A node of a segment or an utterance takes all from it.", "Add edges with: greenroom chain edge"
        )
    with Session.open(study, annotator) as session:
        work_as_author(session, annotator, chain_id)
        if kind is not None:
            people = [participant_called(session, one).id for one in who]
            span = parse_time(start or ""), parse_time(end or "")
            node_id, _ = commands.add_node(
                *(session, chain_id, NodeKind(kind), text, *span, people), reasons=reason, results=result
            )
        elif segment is not None:
            node_id, _ = commands.add_node_from_segment(session, chain_id, segment)
        else:
            node_id, _ = commands.add_node_from_utterance(session, chain_id, utterance or "")
        made = commands.find_node(session, node_id)
    shown: dict[str, Json] = {
        "node": node_id,
        "chain": chain_id,
        "kind": made.kind.value,
        "text": made.text,
        "start": made.start_us / 1e6,
        "end": made.end_us / 1e6,
    }
    tell(as_json, shown, f"Added {node_id}")


@click.command()
@STUDY
@click.argument("reason")
@click.argument("result")
@click.option("--remove", is_flag=True, help="Take the edge away.")
@AUTHOR
@json_option
def edge(study: Path, reason: str, result: str, remove: bool, annotator: str | None, as_json: bool) -> None:
    """Say that one node is a reason for another one of its chain.

    \b
    Example:
      greenroom chain edge my-study.greenroom REASON RESULT
    """
    with Session.open(study, annotator) as session:
        work_as_author(session, annotator, commands.find_node(session, result).chain_id)
        change = commands.delete_edge if remove else commands.add_edge
        change(session, reason, result)
    shown: dict[str, Json] = {"reason": reason, "result": result, "there": not remove}
    tell(as_json, shown, f"{'Removed' if remove else 'Added'}: {reason} is a reason for {result}")


@click.command()
@STUDY
@click.argument("node_ids", metavar="NODE...", nargs=-1, required=True)
@AUTHOR
@json_option
def remove(study: Path, node_ids: tuple[str, ...], annotator: str | None, as_json: bool) -> None:
    """Delete nodes with their edges. `greenroom undo` brings them back.

    \b
    Example:
      greenroom chain remove my-study.greenroom NODE
    """
    with Session.open(study, annotator) as session:
        work_as_author(session, annotator, commands.find_node(session, node_ids[0]).chain_id)
        commands.delete_nodes(session, node_ids)
    tell(as_json, {"deleted": [*node_ids]}, f"Deleted {counted(len(node_ids), 'node')}")


@click.command()
@STUDY
@CHAIN
@AUTHOR
@json_option
def delete(study: Path, chain_id: str, annotator: str | None, as_json: bool) -> None:
    """Delete a chain with its nodes and the questions made from it. `greenroom undo` brings all back.

    \b
    Example:
      greenroom chain delete my-study.greenroom CHAIN
    """
    with Session.open(study, annotator) as session:
        work_as_author(session, annotator, chain_id)
        commands.delete_chain(session, chain_id)
    tell(as_json, {"deleted": chain_id}, f"Deleted {chain_id}")
