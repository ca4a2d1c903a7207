"""Listing, showing, checking and counting chains on the command line."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from app.cli.chain_drawing import CHAIN
from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.chains import statistics as counting
from app.core.chains.checks import Problem, problems
from app.core.chains.checks import sound as is_sound
from app.core.chains.versions import chosen_versions, reviewed
from app.core.commands.chains import find_chain
from app.core.lookup import recording_called
from app.core.session import Session
from project.chains import Chain, ChainGraph
from project.counted import counted
from project.queries.annotators import all_annotators
from project.queries.chains import all_chains, chains_of, graph_of, graphs_of
from project.queries.participants import all_participants
from project.timebase import format_time
from project.types import Json

_RECORDING = click.option("--recording", help="Number, file name or id; all when not given.")


@click.command("list")
@STUDY
@_RECORDING
@json_option
def list_chains(study: Path, recording: str | None, as_json: bool) -> None:
    """List chains with what they are made of.

    \b
    Example:
      greenroom chain list my-study.greenroom --recording 1
    """
    with Session.open(study, read_only=True) as session:
        names = {one.id: one.name for one in all_annotators(session.study)}
        graphs = graphs_of(session.study, _wanted(session, recording))
        listed = [_described(session, one, names) for one in graphs]
    lines = [
        f"{one['id']}  recording {one['recording']}  {one['name']}  {one['annotator']}  "
        f"{counted(len(graph.nodes), 'node')}, {counted(len(graph.subchains), 'subchain')}, "
        f"{counted(graph.steps, 'step') if is_sound(graph) else 'goes round in a circle'}  {one['standing']}"
        for one, graph in zip(listed, graphs, strict=True)
    ]
    tell(as_json, {"chains": [*listed]}, "\n".join(lines) or "No chains.")


@click.command()
@STUDY
@CHAIN
@json_option
def show(study: Path, chain_id: str, as_json: bool) -> None:
    """Show the nodes and edges of a chain, by time.

    \b
    Example:
      greenroom chain show my-study.greenroom CHAIN
    """
    with Session.open(study, read_only=True) as session:
        graph = graph_of(session.study, find_chain(session, chain_id))
        names = {one.id: one.name for one in all_annotators(session.study)}
        people = {one.id: one.pseudonym for one in all_participants(session.study)}
        described = _described(session, graph, names)
    nodes: list[Json] = [
        {
            "id": one.id,
            "kind": one.kind.value,
            "text": one.text,
            "start": one.start_us / 1e6,
            "end": one.end_us / 1e6,
            "people": [people[who] for who in one.people],
            "reasons": [*graph.reasons[one.id]],
            "source": one.source,
        }
        for one in graph.nodes
    ]
    number = {one.id: at for at, one in enumerate(graph.nodes, 1)}
    lines = [f"{graph.chain.name}, {described['annotator']}"]
    for one in graph.nodes:
        who = f" ({', '.join(people[each] for each in one.people)})" if one.people else ""
        because = ", ".join(str(number[each]) for each in graph.reasons[one.id])
        lines.append(
            f"{number[one.id]:3d}. {one.id}  {format_time(one.start_us)} to {format_time(one.end_us)}  "
            f"{one.kind.value}{who}: {one.text}{f'  because of {because}' if because else ''}"
        )
    tell(as_json, {**described, "node_list": nodes}, "\n".join(lines))


@click.command()
@STUDY
@_RECORDING
@click.option("--chain", "chain_id", help="Only this one.")
@json_option
def check(study: Path, recording: str | None, chain_id: str | None, as_json: bool) -> None:
    """Say what is wrong with chains, and what looks as if it were.

    \b
    Example:
      greenroom chain check my-study.greenroom
    """
    with Session.open(study, read_only=True) as session:
        wanted = _wanted(session, recording) if chain_id is None else [find_chain(session, chain_id)]
        found: list[tuple[ChainGraph, Problem]] = []
        for graph in graphs_of(session.study, wanted):
            duration_us = session.recording(graph.chain.recording_id).duration_us
            found += [(graph, one) for one in problems(graph, duration_us)]
    errors = sum(not one.warning for _, one in found)
    listed: list[Json] = [{"chain": graph.chain.id, **asdict(one)} for graph, one in found]
    lines = [
        f"{'warning' if one.warning else 'error'}  {graph.chain.id}"
        f"  {_node_words(graph, one) or graph.chain.name}  {one.message}"
        for graph, one in found
    ]
    lines.append(
        f"{counted(len(wanted), 'chain')}: {counted(errors, 'error')}, {counted(len(found) - errors, 'warning')}."
    )
    result: dict[str, Json] = {"chains": len(wanted), "errors": errors, "problems": listed}
    tell(as_json, result, "\n".join(lines))


@click.command()
@STUDY
@click.option("--all", "everything", is_flag=True, help="Every version of a chain, not only one of each.")
@json_option
def statistics(study: Path, everything: bool, as_json: bool) -> None:
    """Count chains, nodes by kind, subchains and steps, beside R3-VQA's counts.

    Of a chain with several versions one counts: the agreed one, or else the first.

    \b
    Example:
      greenroom chain statistics my-study.greenroom
    """
    with Session.open(study, read_only=True) as session:
        chains = all_chains(session.study)
        found = counting.statistics(
            graphs_of(session.study, chains if everything else chosen_versions(session, chains)) if chains else []
        )
    figures = found.figures()
    lines = [f"{'':32} {'here':>8} {'R3-VQA':>8}"]
    lines += [f"{one.name:32} {_number(one.value):>8} {_number(one.published):>8}" for one in figures]
    lines += [f"Chains of {counted(length, 'step')}: {many}" for length, many in found.steps.items()]
    if found.empty or found.unsound:
        lines.append(f"Left out: {found.empty} without edges, {found.unsound} that do not hold together.")
    result: dict[str, Json] = {
        "figures": {one.key: {"name": one.name, "value": one.value, "published": one.published} for one in figures},
        "steps": {str(length): many for length, many in found.steps.items()},
        "reasons": {str(number): many for number, many in found.reasons.items()},
        "people": {str(number): many for number, many in found.people.items()},
        "empty": found.empty,
        "unsound": found.unsound,
    }
    tell(as_json, result, "\n".join(lines))


def _wanted(session: Session, recording: str | None) -> list[Chain]:
    if recording is None:
        return all_chains(session.study)
    return chains_of(session.study, recording_called(session, recording).id)


def _described(session: Session, graph: ChainGraph, names: Mapping[str, str]) -> dict[str, Json]:
    chain = graph.chain
    return {
        "id": chain.id,
        "name": chain.name,
        "recording": session.recording(chain.recording_id).number,
        "annotator": names[chain.annotator_id],
        "based_on": chain.based_on,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "subchains": len(graph.subchains),
        "steps": graph.steps if is_sound(graph) else None,
        "standing": reviewed(session, graph).standing.value,
    }


def _node_words(graph: ChainGraph, one: Problem) -> str:
    node = graph.by_id.get(one.node_id)
    return "" if node is None else f"{node.id} “{node.text}”"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.2f}"
