"""Chains and questions that another program damaged: what is left is read, or one line says what is wrong."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from benchmark.questions.question_edits import add_questions
from benchmark.questions.verification import verify
from project.entities.causal_chains import ChainDecision
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.chain_rows import chain_reviews as reviews_of
from project.queries.question_rows import all_questions, verifications
from project.search.free_texts import free_texts
from project.session.session import Session
from project.store.study import Study
from tests.builders.chains import draw
from tests.builders.marked_study import open_study
from tests.builders.questions_said import question


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        session.annotator_name = "Ada"
        draw(session, {"B": "A"})
        (whole,) = all_chains(session.study)
        add_questions(session, [question(1)])
        session.annotator_name = "Bo"
        draw(session, {"D": "C"})
        chain_reviews.review_chain(session, whole.id, ChainDecision.AGREE, "fine")
        verify(session, question(1).id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"], note="good")
        return session.study.path


def damage(path: Path, sql: str, *values: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(sql, values)
    connection.commit()
    connection.close()


GONE = {
    "the recording of a chain": ("UPDATE chain SET recording_id = 'gone' WHERE id = (SELECT max(id) FROM chain)", 1),
    "the annotator of a chain": ("UPDATE chain SET annotator_id = 'gone' WHERE id = (SELECT max(id) FROM chain)", 1),
    "the chain of a node": ("DELETE FROM chain WHERE id = (SELECT max(id) FROM chain)", 1),
    "a character": ("INSERT INTO chain_person SELECT id, 'gone' FROM chain_node", 2),
    "a node of an edge": ("INSERT INTO chain_edge (result_id, reason_id) SELECT 'gone', id FROM chain_node", 2),
    "a reviewer": ("UPDATE chain_review SET reviewer_id = 'gone'", 2),
    "who verified": ("UPDATE verification SET annotator_id = 'gone'", 2),
    "who asked": ("UPDATE question SET annotator_id = 'gone'", 2),
    "the recording of a question": ("UPDATE question SET recording_id = 'gone'", 2),
}


@pytest.mark.parametrize("what", [*GONE])
def test_what_refers_to_nothing_is_left_out_and_named(path: Path, what: str) -> None:
    sql, left = GONE[what]
    damage(path, sql)
    assert any("that is not there" in line for line in check_study(path))
    with Session.open(path, "Ada") as session:
        study = session.study
        known = {
            row[0]
            for table in ("recording", "annotator", "participant")
            for row in study.rows(f"SELECT id FROM {table}")
        }
        graphs = read_graphs(study, all_chains(study))
        assert len(graphs) == left
        assert {who for graph in graphs for node in graph.nodes for who in node.people} <= known
        assert {graph.chain.annotator_id for graph in graphs} <= known
        assert {review.reviewer_id for graph in graphs for review in reviews_of(study, graph.chain.id)} <= known
        assert {question.recording_id for question in all_questions(study)} <= known
        assert {each.annotator_id for said in verifications(study).values() for each in said} <= known
        assert {free_text.recording_id for free_text in free_texts(study) if free_text.recording_id} <= known
        chains.delete_chain(session, graphs[0].chain.id)
        assert len(all_chains(study)) == left - 1


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(("covers", one) for one in ("x", "null", '{"a": 1}', '"abc"', "[null]", "[" * 100_000, '["\\ud800"]')),
        *(
            ("wrong", one)
            for one in ("x", "5", "[]", '{"a": 1}', "[[null, 1]]", '[["a", NaN, ""]]', '[["a", "b", ""]]')
        ),
        *(("wrong", one) for one in ("[" * 100_000, '[["\\ud800", 1, ""]]', "[" + ", ".join(['["a"]'] * 8) + "]")),
        ("kind", "zzz"),
    ],
)
def test_a_question_that_cannot_be_read_is_one_line(path: Path, column: str, text: str) -> None:
    damage(path, f"UPDATE question SET {column} = ?", text)
    assert any("A question (question-00001) of this study is damaged" in line for line in check_study(path))
    with Session.open(path, "Ada") as session:
        with pytest.raises(UserError, match=r"A question \(question-00001\) of this study is damaged"):
            all_questions(session.study)
        assert len(all_chains(session.study)) == 2
        assert [*free_texts(session.study)]


def test_an_option_that_says_what_the_answer_says_is_named(path: Path) -> None:
    damage(path, "UPDATE question SET answer = json_extract(wrong, '$[0][0]')")
    assert "a question has the same option twice: question-00001" in check_study(path)


@pytest.mark.parametrize("text", ["x", "null", "{}", "[1]", "[" * 100_000])
def test_what_somebody_said_that_cannot_be_read_is_one_line(path: Path, text: str) -> None:
    damage(path, "UPDATE verification SET checks = ?", text)
    with Session.open(path, "Ada") as session, pytest.raises(UserError, match="is damaged"):
        verifications(session.study)


@pytest.mark.parametrize(
    ("table", "column", "read"),
    [
        ("chain_node", "text", lambda study: read_graphs(study, all_chains(study))),
        ("question", "text", all_questions),
        ("verification", "note", verifications),
    ],
)
def test_a_text_that_is_no_utf8_is_one_line(
    path: Path, table: str, column: str, read: Callable[[Study], object]
) -> None:
    damage(path, f"UPDATE {table} SET {column} = CAST(x'ff41' AS TEXT)")
    assert any(f"texts of “{table}” are no UTF-8" in line for line in check_study(path))
    with Session.open(path, "Ada") as session, pytest.raises(UserError, match="is damaged"):
        read(session.study)
