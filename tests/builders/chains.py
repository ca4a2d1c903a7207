"""Chains drawn in a study with one recording of ten minutes that has no file."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from project.entities.causal_chains import Chain, ChainDecision, ChainGraph, NodeKind
from project.entities.questions import Maker, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.ids import new_id
from project.queries.chain_rows import find_chain, read_graph
from project.queries.question_rows import insert_questions, set_verification
from project.schema.tables import HUMAN_TABLES
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK

_AT = "2026-01-01T00:00:00Z"


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


def ask(session: Session, chain_id: str) -> None:
    """Add a question and say something about it."""
    chain_reviews.review_chain(session, chain_id, ChainDecision.AGREE)
    who = session.annotator()
    wrong = tuple(WrongOption(text) for text in "bcde")
    recording = graph(session, chain_id).chain.recording_id
    made = Question(
        *(new_id(), recording, chain_id, QuestionKind.EVENT, "", (), "", 0, SECOND),
        *("What?", "a", wrong, "", 0, 0, Maker.PERSON, who.id, "", _AT),
    )
    keep = VerificationDecision.KEEP
    with session.step("Ask"):
        insert_questions(session.study, [made])
        set_verification(session.study, Verification(made.id, who.id, keep, "chain", (), "", "", made.checksum, _AT))


def human_rows(session: Session) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that people wrote into the study."""
    return {name: sorted(session.study.rows(f"SELECT * FROM {name}"), key=repr) for name in HUMAN_TABLES}
