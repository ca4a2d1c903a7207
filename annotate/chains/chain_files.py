"""Exports the chains of a study to a file, and imports chains from one.

Personal names are exported as they are. An import that does not fit writes nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from annotate.chains.chain_drafts import SEGMENT, UTTERANCE, ChainDraft, draw_node, find_cycle, to_single_line
from annotate.chains.chain_edits import add_chains_from_drafts
from annotate.chains.chain_formats import FileChain, FileEdge, FileNode, find_format
from annotate.study.leave_permission import LeaveUse, may_leave
from project.entities.causal_chains import ChainGraph, ChainNode, NodeKind
from project.entities.study_records import Changes, Recording
from project.errors import UserError, require_utf8
from project.queries.annotator_rows import annotator_names
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.recording_rows import all_participants, all_recordings, pseudonyms
from project.queries.segment_rows import find_segment
from project.queries.transcript_rows import find_utterance
from project.session.session import Session, resolve_recording
from project.text_format import escape_unprintable
from project.timebase import format_time


def exportable_chains(
    session: Session, chain_ids: Sequence[str] = (), recording_ids: Sequence[str] = ()
) -> list[ChainGraph]:
    """Return the chains that may be exported, in the order in which they were begun. No ids stand for all."""
    asked = [
        chain
        for chain in all_chains(session.study)
        if (not chain_ids or chain.id in chain_ids) and (not recording_ids or chain.recording_id in recording_ids)
    ]
    found = [chain for chain in asked if may_leave(session, chain.recording_id, LeaveUse.EXPORT)]
    if (chain_ids or recording_ids) and len(found) < len(asked):
        raise UserError("Held-out recordings are never exported.", "Choose chains of another recording.")
    if not found:
        raise UserError(
            "There are no chains to export.", "Draw a chain, or choose one in a recording that is not held out."
        )
    return read_graphs(session.study, found)


def export_chains(
    session: Session, graphs: Sequence[ChainGraph], path: Path, *, key: str | None = None, overwrite: bool = False
) -> None:
    """Write chains to a file, which appears when it is whole."""
    from media.encoding import atomic_output

    require_utf8(path)
    form = find_format(path, key)
    with atomic_output(path, (session.study.path,), overwrite=overwrite) as temporary:
        form.write(to_file_chains(session, graphs), temporary)


def to_file_chains(session: Session, graphs: Sequence[ChainGraph]) -> list[FileChain]:
    """Return chains as a file holds them."""
    people = pseudonyms(session.study)
    names = annotator_names(session.study)
    recordings = {recording.id: recording.name for recording in all_recordings(session.study)}
    return [
        _chain(graph, people, recordings[graph.chain.recording_id], names[graph.chain.annotator_id]) for graph in graphs
    ]


def _chain(graph: ChainGraph, people: Mapping[str, str], recording: str, annotator: str) -> FileChain:
    nodes = [
        FileNode(
            *(node.id, node.kind.value, to_single_line(node.text), node.start_us, node.end_us),
            tuple(sorted(people[who] for who in node.people)),
            node.source,
        )
        for node in graph.nodes
    ]
    edges = tuple(FileEdge(edge.reason_id, edge.result_id) for edge in graph.edges)
    about = (to_single_line(recording), to_single_line(annotator))
    return FileChain(to_single_line(graph.chain.name), tuple(nodes), edges, *about)


_NOTHING_IMPORTED = "Nothing was imported."


def import_chains(
    session: Session, path: Path, *, recording: str | None = None, key: str | None = None, keep_rest: bool = False
) -> tuple[list[str], Changes]:
    """Add the chains of a file as one step, as those of the annotator of this session; returns their ids.

    Without `recording` (number, name or id), recordings are found by the names that the file gives, and without `key`
    the format by the file's name. With `keep_rest`, what looks like somebody who withdrew comes in all the same.
    """
    require_utf8(path)
    session.study.require_writable()
    found = find_format(path, key).read(path)
    if not found:
        raise UserError(f"{escape_unprintable(path.name)} contains no chains.", _NOTHING_IMPORTED)
    fixed = None if recording is None else resolve_recording(session, recording)
    placed: list[tuple[str, ChainDraft]] = []
    for number, file_chain in enumerate(found, 1):
        where = f"{escape_unprintable(path.name)}, {_describe_chain(file_chain, number)}"
        owner = fixed or _recording(session, file_chain, where)
        placed.append((owner.id, _drawing(session, file_chain, owner, where)))
    what = f"Import {escape_unprintable(path.name)}"
    return add_chains_from_drafts(session, placed, what=what, keep_rest=keep_rest)


def _recording(session: Session, file_chain: FileChain, where: str) -> Recording:
    alike = [
        recording
        for recording in all_recordings(session.study)
        if to_single_line(recording.name) == to_single_line(file_chain.recording)
    ]
    if len(alike) != 1:
        what = "no recording" if not alike else f"{len(alike)} recordings"
        raise UserError(
            f"{where}: {what} in this study called “{escape_unprintable(file_chain.recording)}”.",
            "Choose the recording yourself.",
        )
    return alike[0]


def _drawing(session: Session, file_chain: FileChain, owner: Recording, where: str) -> ChainDraft:
    if not file_chain.nodes:
        raise UserError(f"{where} has no nodes.", _NOTHING_IMPORTED)
    people = {participant.pseudonym: participant.id for participant in all_participants(session.study)}
    places: dict[str, int] = {}
    nodes = []
    for at, node in enumerate(file_chain.nodes):
        if node.id in places:
            raise UserError(f"{where}: two nodes are called “{_shorten(node.id)}”.", _NOTHING_IMPORTED)
        places[node.id] = at
        nodes.append(_node(session, node, owner, people, where))
    edges = []
    for edge in dict.fromkeys(file_chain.edges):
        loose = next((node_id for node_id in (edge.reason, edge.result) if node_id not in places), None)
        if loose is not None:
            raise UserError(
                f"{where}: an edge leads to “{_shorten(loose)}”, which is not a node of the chain.", _NOTHING_IMPORTED
            )
        edges.append((places[edge.reason], places[edge.result]))
    if round_ := find_cycle(len(nodes), edges):
        names = ", ".join(f"“{_shorten(file_chain.nodes[at].text or file_chain.nodes[at].id)}”" for at in round_[:4])
        raise UserError(f"{where}: the edges form a cycle over {names}.", _NOTHING_IMPORTED)
    return ChainDraft(file_chain.name, tuple(nodes), tuple(edges))


def _node(session: Session, file_node: FileNode, owner: Recording, people: dict[str, str], where: str) -> ChainNode:
    called = f"{where}: node “{_shorten(file_node.id)}”"
    if file_node.kind not in {*NodeKind}:
        raise UserError(
            f"{called}: there is no kind “{_shorten(file_node.kind)}” of node.",
            f"Choose one of {', '.join(NodeKind)}. {_NOTHING_IMPORTED}",
        )
    for who in file_node.people:
        if who not in people:
            raise UserError(
                f"{called}: there is no participant “{_shorten(who)}” in this study.",
                f"Add them first: greenroom participant add. {_NOTHING_IMPORTED}",
            )
    if not 0 <= file_node.start_us < file_node.end_us <= owner.duration_us:
        raise UserError(
            f"{called} lies outside recording {owner.number}, or does not end after it starts.",
            f"The recording lasts from 0:00:00.000 to {format_time(owner.duration_us)}. {_NOTHING_IMPORTED}",
        )
    ids = tuple(people[who] for who in file_node.people)
    source = file_node.source if _source_exists(session, file_node.source, owner.id) else ""
    return draw_node(NodeKind(file_node.kind), file_node.text, file_node.start_us, file_node.end_us, ids, source)


def _source_exists(session: Session, source: str, recording_id: str) -> bool:
    table, _, source_id = to_single_line(source).partition("/")
    if table == SEGMENT:
        found = find_segment(session.study, source_id)
        return found is not None and found.recording_id == recording_id
    if table == UTTERANCE:
        said = find_utterance(session.study, source_id)
        return said is not None and said.recording_id == recording_id
    return False


def _describe_chain(file_chain: FileChain, number: int) -> str:
    return f"chain “{_shorten(file_chain.name)}”" if file_chain.name.strip() else f"chain {number}"


def _shorten(text: str, longest: int = 40) -> str:
    plain = escape_unprintable(to_single_line(text))
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
