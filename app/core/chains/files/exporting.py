"""Chains of a study go to a file, as they are: personal names in them are not taken out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.core.chains.files.form import FileChain, FileNode, form_of
from app.core.session import Session
from media.destination import replaced_when_whole
from project.chains import ChainGraph
from project.errors import UserError
from project.names import require_text
from project.queries.annotators import all_annotators
from project.queries.chains import all_chains, graphs_of
from project.queries.hold_outs import hold_outs
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings


def exportable_chains(
    session: Session, chain_ids: Sequence[str] = (), recording_ids: Sequence[str] = ()
) -> list[ChainGraph]:
    """Return the chains that may be exported, in the order in which they were begun.

    Args:
        session: of the study.
        chain_ids: those that are wanted; all where it is empty.
        recording_ids: those of these recordings; of all where it is empty.

    Raises:
        UserError: one that is asked for is of a recording that is held out, or there is none to export.
    """
    kept_back = hold_outs(session.study)
    asked = [
        one
        for one in all_chains(session.study)
        if (not chain_ids or one.id in chain_ids) and (not recording_ids or one.recording_id in recording_ids)
    ]
    found = [one for one in asked if one.recording_id not in kept_back]
    if (chain_ids or recording_ids) and len(found) < len(asked):
        raise UserError("A recording that is held out is never exported.", "Choose chains of another one.")
    if not found:
        raise UserError("There is no chain to export.", "Draw one, or choose one that is not held out.")
    return graphs_of(session.study, found)


def export_chains(
    session: Session, graphs: Sequence[ChainGraph], path: Path, *, key: str | None = None, overwrite: bool = False
) -> None:
    """Write chains to a file, which appears when it is whole.

    Raises:
        UserError: it is of no format for chains, is there already and may not be replaced, or cannot be written.
    """
    require_text(path)
    form = form_of(path, key)
    with replaced_when_whole(path, (session.study.path,), overwrite=overwrite) as temporary:
        form.write(file_chains(session, graphs), temporary)


def file_chains(session: Session, graphs: Sequence[ChainGraph]) -> list[FileChain]:
    """Return chains as a file holds them."""
    people = {one.id: one.pseudonym for one in all_participants(session.study)}
    names = {one.id: one.name for one in all_annotators(session.study)}
    recordings = {one.id: one.name for one in all_recordings(session.study)}
    return [_chain(one, people, recordings[one.chain.recording_id], names[one.chain.annotator_id]) for one in graphs]


def _chain(graph: ChainGraph, people: Mapping[str, str], recording: str, annotator: str) -> FileChain:
    nodes = [
        FileNode(
            *(one.id, one.kind.value, one.text, one.start_us, one.end_us),
            tuple(sorted(people[who] for who in one.people)),
            one.source,
        )
        for one in graph.nodes
    ]
    edges = tuple((one.reason_id, one.result_id) for one in graph.edges)
    return FileChain(graph.chain.name, recording, annotator, tuple(nodes), edges)
