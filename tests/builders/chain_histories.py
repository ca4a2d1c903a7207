"""A study with two chains and a question, and lists of edits to play in it."""

import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from project.entities.causal_chains import ChainDecision, NodeKind
from project.entities.questions import Maker, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.errors import UserError
from project.ids import new_id
from project.queries.chain_rows import all_chains
from project.queries.question_rows import insert_questions, set_verification
from project.schema.tables import HUMAN_TABLES
from project.session.session import Session
from tests.builders.chains import draw, graph
from tests.builders.marked_study import SECOND, open_study

AT = "2026-01-01T00:00:00Z"


def ask(session: Session, chain_id: str) -> None:
    """Add a question and say something about it."""
    chain_reviews.review_chain(session, chain_id, ChainDecision.AGREE)
    who = session.annotator()
    wrong = tuple(WrongOption(text) for text in "bcde")
    recording = graph(session, chain_id).chain.recording_id
    made = Question(
        *(new_id(), recording, chain_id, QuestionKind.EVENT, "", (), "", 0, SECOND),
        *("What?", "a", wrong, "", 0, 0, Maker.PERSON, who.id, "", AT),
    )
    keep = VerificationDecision.KEEP
    with session.step("Ask"):
        insert_questions(session.study, [made])
        set_verification(session.study, Verification(made.id, who.id, keep, "chain", (), "", "", made.checksum, AT))


EDIT = st.tuples(
    st.sampled_from(["node", "edge", "cut", "text", "drop", "chain", "undo", "ask", "copy"]),
    st.integers(0, 9),
    st.integers(0, 9),
)


EDITS = st.lists(EDIT, max_size=8)


def play(path: Path, edits: list[tuple[str, int, int]], name: str) -> None:
    with Session.open(path, "Ada") as session:
        for what, first, second in edits:
            there = all_chains(session.study)
            if not there:
                continue
            chain = there[first % len(there)]
            nodes = graph(session, chain.id).nodes
            with suppress(UserError, IndexError):
                text, other = (nodes[at % len(nodes)].id if nodes else "" for at in (first, second))
                if what == "node":
                    at = second * SECOND
                    chains.add_node(session, chain.id, NodeKind.EVENT, name, at, at + SECOND)
                elif what == "edge":
                    chains.add_edge(session, text, other)
                elif what == "cut":
                    edge = graph(session, chain.id).edges[second]
                    chains.delete_edge(session, edge.reason_id, edge.result_id)
                elif what == "text":
                    chains.edit_node(session, text, text=f"{name} {second}")
                elif what == "drop":
                    chains.delete_nodes(session, [text])
                elif what == "chain" and second < 2:
                    chains.delete_chain(session, chain.id)
                elif what == "undo" and session.study.undo_name:
                    session.study.undo()
                elif what == "ask":
                    session.annotator_name = "Bo"
                    ask(session, chain.id)
                elif what == "copy":
                    chain_reviews.copy_for_change(session, chain.id)
            session.annotator_name = "Ada"


@cache
def begun() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with open_study(Path(folder)) as session:
            chain_id, _ = draw(session, {"B": "A", "C": "AB", "D": "C"})
            draw(session, {"B": "A"})
            session.annotator_name = "Bo"
            ask(session, chain_id)
            path = session.study.path
        return path.read_bytes()


def rows(session: Session) -> dict[str, list[tuple[Any, ...]]]:
    return {name: sorted(session.study.rows(f"SELECT * FROM {name}"), key=repr) for name in HUMAN_TABLES}
