"""Whatever is done to questions, undo takes back step by step, to a study without any of it; redo brings it back."""

import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from annotate.study.recording_edits import redo, undo
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.questions.question_edits import QuestionCorrection, correct_question, delete_questions
from benchmark.questions.verification import verify
from project.entities.causal_chains import ChainDecision
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.question_rows import all_questions
from project.schema.tables import HUMAN_TABLES
from project.session.session import Session
from tests.builders.chains import draw
from tests.builders.marked_study import open_study

KEPT = {"annotator"}
"""Who was introduced stays introduced."""
DEEDS = ("make", "keep", "drop", "correct", "delete", "text", "cut", "review", "copy", "agree", "gone")


def rows(session: Session) -> dict[str, list[tuple[Any, ...]]]:
    tables = [name for name in HUMAN_TABLES if name not in KEPT]
    return {name: sorted(session.study.rows(f"SELECT * FROM {name}"), key=repr) for name in tables}


@cache
def begun() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with open_study(Path(folder)) as session:
            draw(session, {"B": "A", "C": "AB"})
            draw(session, {"E": "D", "G": "F"})
            add_rule_questions(session)
            path = session.study.path
        return path.read_bytes()


def do(session: Session, what: str, at: int) -> None:
    questions, there = all_questions(session.study), all_chains(session.study)
    question = questions[at % len(questions)].id if questions else ""
    chain = there[at % len(there)] if there else None
    nodes = read_graphs(session.study, [chain])[0].nodes if chain else ()
    if what == "make":
        add_rule_questions(session)
    elif what == "keep":
        verify(session, question, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    elif what == "drop":
        verify(session, question, VerificationDecision.DROP, (), note=f"No {at}")
    elif what == "correct":
        correct_question(session, question, QuestionCorrection(text=f"What happens at {at}?"))
    elif what == "delete":
        delete_questions(session, [question])
    elif chain and what == "gone":
        chains.delete_chain(session, chain.id)
    elif chain and what == "review":
        chain_reviews.review_chain(session, chain.id, ChainDecision.DISCUSS, f"Why {at}?")
    elif chain and what == "copy":
        chain_reviews.copy_for_change(session, chain.id)
    elif chain and what == "agree":
        chain_reviews.make_consensus(session, chain.id, chain.id)
    elif nodes and what == "text":
        chains.edit_node(session, nodes[at % len(nodes)].id, text=f"a thing of {at}")
    elif nodes and what == "cut":
        chains.delete_nodes(session, [nodes[at % len(nodes)].id])


@settings(max_examples=settings.default.max_examples // 3, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 9), st.booleans()), max_size=8))
def test_every_step_is_taken_back_and_done_again(deeds: list[tuple[str, int, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "home.greenroom"
        path.write_bytes(begun())
        with Session.open(path, "Ada") as session:
            states = [rows(session)]
            for what, at, other in deeds:
                session.annotator_name = "Bo" if other else "Ada"
                with suppress(UserError):
                    do(session, what, at)
                if rows(session) != states[-1]:
                    states.append(rows(session))
            for before in reversed(states[:-1]):
                undo(session)
                assert rows(session) == before
            for after in states[1:]:
                redo(session)
                assert rows(session) == after
            while session.study.undo_name:
                undo(session)
            assert not any(rows(session)[name] for name in ("chain", "chain_node", "question", "verification"))
        assert check_study(path) == []
