"""Chains drawn in a study with one recording of ten minutes that has no file."""

from collections.abc import Mapping, Sequence

from annotate.chains import chain_edits as chains
from project.entities.causal_chains import Chain, ChainGraph, NodeKind
from project.queries.chain_rows import find_chain, read_graph
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK

KINDS = [*NodeKind]


def graph(session: Session, chain_id: str) -> ChainGraph:
    """Return a chain with its nodes and edges."""
    found = find_chain(session.study, chain_id)
    assert isinstance(found, Chain)
    return read_graph(session.study, found)


def node(
    session: Session,
    chain_id: str,
    text: str,
    start: float = 0,
    end: float | None = None,
    kind: NodeKind = NodeKind.EVENT,
    people: Sequence[str] = (),
) -> str:
    """Add a node, in seconds; returns its id."""
    until = start + 5 if end is None else end
    return chains.add_node(session, chain_id, kind, text, round(start * SECOND), round(until * SECOND), people)[0]


def draw(
    session: Session, shape: Mapping[str, str], *, recording: str = WALK, name: str = ""
) -> tuple[str, dict[str, str]]:
    """Draw a chain of events; `shape` is result -> its reasons, one letter each. Returns its id, and letter -> node id.

    Nodes begin in the order of their letters, ten seconds apart.
    """
    chain_id, _ = chains.add_chain(session, recording, name)
    letters = sorted({*shape} | {text for reasons in shape.values() for text in reasons})
    ids = {text: node(session, chain_id, f"event {text}", 10 * at) for at, text in enumerate(letters)}
    for result, reasons in shape.items():
        for reason in reasons:
            chains.add_edge(session, ids[reason], ids[result])
    return chain_id, ids
