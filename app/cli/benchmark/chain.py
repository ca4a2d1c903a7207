"""Commands about causal chains: draw, list, show, check, count, review, import and export them."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotate.chains import chain_checks, chain_edits, chain_versions
from annotate.chains.chain_checks import ChainProblem, find_problems, is_sound
from annotate.chains.chain_edits import find_chain
from annotate.chains.chain_versions import read_review_status, select_versions
from app.cli.command import EDIT, KEEP_REST, argument, command, option
from app.cli.console import UNSCRUBBED_NOTE, Output, aligned, record
from project.entities.causal_chains import Chain, ChainDecision, ChainGraph, NodeKind
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.annotator_rows import all_annotators, annotator_names
from project.queries.chain_rows import all_chains, chains_of, read_graph, read_graphs
from project.queries.recording_rows import pseudonyms
from project.session.session import Session, resolve_participant
from project.text_format import pluralize
from project.timebase import format_time, parse_time

CHAIN = argument(metavar="CHAIN")
AUTHOR = option("Who drew the chain: nobody else may change it. By default anybody's.")


def use_author_name(session: Session, annotator: str | None, chain_id: str) -> None:
    """Work under the name of the author of a chain, if no other name was given."""
    if annotator is None:
        author = chain_edits.find_chain(session, chain_id).annotator_id
        session.annotator_name = next(
            known_annotator.name for known_annotator in all_annotators(session.study) if known_annotator.id == author
        )


@command(study=EDIT, annotator=option("Who draws it.", required=True))
def add(
    session: Session,
    recording: Recording = option(),
    name: str = option("Such as “The proposal”; its number where it has none.", default=""),
) -> Output:
    """Begin a chain without nodes.

    \b
    Example:
      greenroom chain add my-study.greenroom --recording 1 --name "The proposal" --annotator Ada
    """
    chain_id, _ = chain_edits.add_chain(session, recording.id, name)
    named = chain_edits.find_chain(session, chain_id).name
    return Output({"id": chain_id, "name": named, "recording": recording.number}, f"Added {chain_id}")


@command(study=EDIT, annotator=AUTHOR)
def node(
    session: Session,
    annotator: str | None,
    chain_id: str = CHAIN,
    kind: NodeKind | None = option("What it tells of."),
    text: str = option("What happens, or what somebody believes, wants or feels.", default=""),
    start: str | None = option("Seconds or h:mm:ss.mmm."),
    end: str | None = option("Seconds or h:mm:ss.mmm."),
    who: tuple[str, ...] = option("Pseudonym of a character."),
    reason: tuple[str, ...] = option("Id of a node that is a reason for it."),
    result: tuple[str, ...] = option("Id of a node that it is a reason for."),
    segment: str | None = option("Id of a segment or cue to make it of, in place of kind, text and times."),
    utterance: str | None = option("Id of an utterance to make it of, in place of kind, text and times."),
) -> Output:
    """Add a node to a chain.

    \b
    Example:
      greenroom chain node my-study.greenroom CHAIN --kind emotion --text "She is relieved." \\
        --start 0:12.5 --end 0:15 --who P01 --reason NODE
      greenroom chain node my-study.greenroom CHAIN --segment SEGMENT
    """
    made_of = [source for source in (kind, segment, utterance) if source is not None]
    if len(made_of) != 1 or (kind is not None and (start is None or end is None)):
        raise UserError(
            "A node needs exactly one origin.", "Give --kind with --start and --end, or --segment, or --utterance."
        )
    if kind is None and (reason or result or who or text):
        raise UserError(
            "--segment and --utterance set everything about the node.", "Add edges with: greenroom chain edge"
        )
    use_author_name(session, annotator, chain_id)
    if kind is not None:
        people = [resolve_participant(session, name).id for name in who]
        span = parse_time(start or ""), parse_time(end or "")
        node_id, _ = chain_edits.add_node(
            *(session, chain_id, NodeKind(kind), text, *span, people), reasons=reason, results=result
        )
    elif segment is not None:
        node_id, _ = chain_edits.add_node_from_segment(session, chain_id, segment)
    else:
        node_id, _ = chain_edits.add_node_from_utterance(session, chain_id, utterance or "")
    made = chain_edits.find_node(session, node_id)
    data = record(made, "id", "chain_id", "people", "source", node=node_id, chain=chain_id)
    return Output(data, f"Added {node_id}")


@command(study=EDIT, annotator=AUTHOR)
def edge(
    session: Session,
    annotator: str | None,
    reason: str = argument(),
    result: str = argument(),
    remove: bool = option("Take the edge away."),
) -> Output:
    """Say that one node is a reason for another one of its chain.

    \b
    Example:
      greenroom chain edge my-study.greenroom REASON RESULT
    """
    use_author_name(session, annotator, chain_edits.find_node(session, result).chain_id)
    change = chain_edits.delete_edge if remove else chain_edits.add_edge
    change(session, reason, result)
    shown = {"reason": reason, "result": result, "there": not remove}
    return Output(shown, f"{'Removed' if remove else 'Added'}: {reason} is a reason for {result}")


@command(study=EDIT, annotator=AUTHOR)
def remove(
    session: Session, annotator: str | None, node_ids: tuple[str, ...] = argument(metavar="NODE...", required=True)
) -> Output:
    """Delete nodes with their edges. `greenroom study undo` brings them back.

    \b
    Example:
      greenroom chain remove my-study.greenroom NODE
    """
    use_author_name(session, annotator, chain_edits.find_node(session, node_ids[0]).chain_id)
    chain_edits.delete_nodes(session, node_ids)
    return Output({"deleted": node_ids}, f"Deleted {pluralize(len(node_ids), 'node')}")


@command(study=EDIT, annotator=AUTHOR)
def delete(session: Session, annotator: str | None, chain_id: str = CHAIN) -> Output:
    """Delete a chain with its nodes and the questions made from it. `greenroom study undo` brings all back.

    \b
    Example:
      greenroom chain delete my-study.greenroom CHAIN
    """
    use_author_name(session, annotator, chain_id)
    chain_edits.delete_chain(session, chain_id)
    return Output({"deleted": chain_id}, f"Deleted {chain_id}")


FORMAT = option("Which one; by default seen from the file's name.", "--format", choices=["json", "graphml"])


@command(study=EDIT, annotator=option("Whose chains they become.", required=True))
def import_file(
    session: Session,
    file: Path = argument(),
    recording: str | None = option("Number, file name or id; by default by the names in the file."),
    key: str | None = FORMAT,
    keep_rest: bool = KEEP_REST,
) -> Output:
    """Import chains, all of a file or none, as one step that undo takes back.

    \b
    Example:
      greenroom chain import my-study.greenroom chains.json --annotator Ada
      greenroom chain import my-study.greenroom drawn.graphml --recording 1 --annotator Ada
    """
    from annotate.chains.chain_files import import_chains

    made, _ = import_chains(session, file, recording=recording, key=key, keep_rest=keep_rest)
    return Output({"chains": made}, f"Imported {pluralize(len(made), 'chain')}.")


@command()
def export_file(
    session: Session,
    out: Path = option("File, ending in .json or .graphml."),
    chain_ids: tuple[str, ...] = option("Id of a chain; by default all.", "--chain"),
    recording: tuple[Recording, ...] = option(),
    key: str | None = FORMAT,
    force: bool = option("Replace a file of the same name."),
) -> Output:
    """Export chains as JSON or GraphML. Hold-outs are never exported.

    They are raw: names and all else that is personal is in them.

    \b
    Example:
      greenroom chain export my-study.greenroom --out chains.json
      greenroom chain export my-study.greenroom --out one.graphml --chain CHAIN
    """
    from annotate.chains.chain_edits import find_chain
    from annotate.chains.chain_files import export_chains, exportable_chains

    ids = [find_chain(session, chain_id).id for chain_id in chain_ids]
    places = [owner.id for owner in recording]
    graphs = exportable_chains(session, ids, places)
    export_chains(session, graphs, out, key=key, overwrite=force)
    text = f"Wrote {pluralize(len(graphs), 'chain')} to {out}\n{UNSCRUBBED_NOTE}"
    return Output({"file": out, "chains": [graph.chain.id for graph in graphs]}, text)


@command(study=EDIT, annotator=option("Who reviews.", required=True))
def review(
    session: Session,
    annotator: str,
    chain_id: str = CHAIN,
    decision: ChainDecision | None = option("What you say."),
    note: str = option("Why.", default=""),
    withdraw: bool = option("Take back what was said."),
) -> Output:
    """Agree with somebody else's chain, or ask to change or discuss it. A second decision replaces the first.

    \b
    Example:
      greenroom chain review my-study.greenroom CHAIN --decision agree --annotator Bo
    """
    if withdraw == (decision is not None):
        raise UserError("--decision and --withdraw exclude each other.", "Give one of them.")
    if decision is None:
        chain_versions.withdraw_chain_review(session, chain_id)
    else:
        chain_versions.review_chain(session, chain_id, ChainDecision(decision), note)
    result = {"chain": chain_id, "annotator": annotator, "decision": decision, "note": note}
    return Output(result, f"{annotator}: {decision or 'took it back'}, {chain_id}")


@command(study=EDIT, annotator=option("Whose version it will be.", required=True))
def copy(session: Session, chain_id: str = CHAIN) -> Output:
    """Make a version of one's own of a chain, to change it.

    \b
    Example:
      greenroom chain copy my-study.greenroom CHAIN --annotator Bo
    """
    made, _ = chain_versions.copy_for_change(session, chain_id)
    return Output({"id": made, "based_on": chain_id}, f"Added {made}")


@command(study=EDIT, annotator=option("Who does it."))
def consensus(
    session: Session,
    chain_id: str = CHAIN,
    from_id: str | None = option("Id of the version that was agreed on; by default the chain itself.", "--from"),
) -> Output:
    """Make a version of a chain the agreed one, in place of the agreed version before.

    \b
    Example:
      greenroom chain consensus my-study.greenroom CHAIN --from COPY
    """
    made, _ = chain_versions.make_consensus(session, chain_id, from_id or chain_id)
    return Output({"id": made, "chain": chain_id, "from": from_id or chain_id}, f"Agreed on {made}")


@command()
def list_chains(session: Session, recording: Recording | None = option()) -> Output:
    """List chains with what they are made of.

    \b
    Example:
      greenroom chain list my-study.greenroom --recording 1
    """
    names = annotator_names(session.study)
    graphs = read_graphs(session.study, _select_chains(session, recording))
    listed = [_chain_json(session, chain_graph, names) for chain_graph in graphs]
    lines = [
        f"{entry['id']}  recording {entry['recording']}  {entry['name']}  {entry['annotator']}  "
        f"{pluralize(len(graph.nodes), 'node')}, {pluralize(len(graph.subchains), 'subchain')}, "
        f"{pluralize(graph.longest_path_length, 'step') if is_sound(graph) else 'goes round in a circle'}  "
        f"{entry['status']}"
        for entry, graph in zip(listed, graphs, strict=True)
    ]
    return Output({"chains": listed}, lines or "No chains.")


@command()
def show(session: Session, chain_id: str = CHAIN) -> Output:
    """Show the nodes and edges of a chain, by time.

    \b
    Example:
      greenroom chain show my-study.greenroom CHAIN
    """
    graph = read_graph(session.study, find_chain(session, chain_id))
    names = annotator_names(session.study)
    people = pseudonyms(session.study)
    described = _chain_json(session, graph, names)
    nodes = [
        record(node, "chain_id", people=[people[who] for who in node.people], reasons=graph.reasons[node.id])
        for node in graph.nodes
    ]
    number = {chain_node.id: at for at, chain_node in enumerate(graph.nodes, 1)}
    lines = [f"{graph.chain.name}, {described['annotator']}"]
    for node in graph.nodes:
        who = f" ({', '.join(people[participant_id] for participant_id in node.people)})" if node.people else ""
        because = ", ".join(str(number[reason_id]) for reason_id in graph.reasons[node.id])
        lines.append(
            f"{number[node.id]:3d}. {node.id}  {format_time(node.start_us)} to {format_time(node.end_us)}  "
            f"{node.kind.value}{who}: {node.text}{f'  because of {because}' if because else ''}"
        )
    return Output({**described, "node_list": nodes}, lines)


@command()
def check(
    session: Session, recording: Recording | None = option(), chain_id: str | None = option("Only this one.", "--chain")
) -> Output:
    """Say what is wrong with chains, and what looks as if it were.

    \b
    Example:
      greenroom chain check my-study.greenroom
    """
    wanted = _select_chains(session, recording) if chain_id is None else [find_chain(session, chain_id)]
    found: list[tuple[ChainGraph, ChainProblem]] = []
    for graph in read_graphs(session.study, wanted):
        duration_us = session.recording(graph.chain.recording_id).duration_us
        found += [(graph, problem) for problem in find_problems(graph, duration_us)]
    errors = sum(not chain_problem.warning for _, chain_problem in found)
    listed = [{"chain": graph.chain.id, **asdict(chain_problem)} for graph, chain_problem in found]
    lines = [
        f"{'warning' if chain_problem.warning else 'error'}  {graph.chain.id}"
        f"  {_node_text(graph, chain_problem) or graph.chain.name}  {chain_problem.message}"
        for graph, chain_problem in found
    ]
    lines.append(
        f"{pluralize(len(wanted), 'chain')}: {pluralize(errors, 'error')}, {pluralize(len(found) - errors, 'warning')}."
    )
    result = {"chains": len(wanted), "errors": errors, "problems": listed}
    return Output(result, lines)


@command()
def statistics(
    session: Session, everything: bool = option("Every version of a chain, not only one of each.", "--all")
) -> Output:
    """Count chains, nodes by kind, subchains and steps, beside R3-VQA's counts.

    Of a chain with several versions one counts: the agreed one, or else the first.

    \b
    Example:
      greenroom chain statistics my-study.greenroom
    """
    chains = all_chains(session.study)
    found = chain_checks.compute_chain_statistics(
        read_graphs(session.study, chains if everything else select_versions(session, chains)) if chains else []
    )
    figures = found.figures()
    rows = [(figure.name, _format_number(figure.value), _format_number(figure.published)) for figure in figures]
    lines = aligned(rows, "", "here", "R3-VQA")
    lines += [f"Chains of {pluralize(length, 'step')}: {many}" for length, many in found.steps.items()]
    if found.empty or found.unsound:
        lines.append(f"Left out: {found.empty} without edges, {found.unsound} that do not hold together.")
    result = {
        "figures": {figure.key: record(figure, "key") for figure in figures},
        "steps": {str(length): many for length, many in found.steps.items()},
        "reasons": {str(number): many for number, many in found.reasons.items()},
        "people": {str(number): many for number, many in found.people.items()},
        "empty": found.empty,
        "unsound": found.unsound,
    }
    return Output(result, lines)


def _select_chains(session: Session, recording: Recording | None) -> list[Chain]:
    if recording is None:
        return all_chains(session.study)
    return chains_of(session.study, recording.id)


def _chain_json(session: Session, graph: ChainGraph, names: Mapping[str, str]) -> dict[str, Any]:
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
        "steps": graph.longest_path_length if is_sound(graph) else None,
        "status": read_review_status(session, graph).state.value,
    }


def _node_text(graph: ChainGraph, chain_problem: ChainProblem) -> str:
    node = graph.nodes_by_id.get(chain_problem.node_id)
    return "" if node is None else f"{node.id} “{node.text}”"


def _format_number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.2f}"
