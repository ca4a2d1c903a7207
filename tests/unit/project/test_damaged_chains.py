"""Chains and questions that another program damaged: what is left is read, or one line says what is wrong."""

import sqlite3
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
from tests.builders.chains import draw
from tests.builders.marked_study import open_study
from tests.builders.questions_said import question


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with open_study(tmp_path_factory.mktemp("whole")) as session:
        session.annotator_name = "Ada"
        draw(session, {"B": "A"})
        (whole,) = all_chains(session.study)
        add_questions(session, [question(1)])
        session.annotator_name = "Bo"
        draw(session, {"D": "C"})
        chain_reviews.review_chain(session, whole.id, ChainDecision.AGREE, "fine")
        verify(session, question(1).id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"], note="good")
    return session.study.path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    (tmp_path / "a.greenroom").write_bytes(whole)
    return tmp_path / "a.greenroom"


def damage(path: Path, sql: str, *values: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(sql, values)
    connection.commit()
    connection.close()


GONE = {
    "the recording of a chain": ("UPDATE chain SET recording_id = 'gone' WHERE id = (SELECT max(id) FROM chain)", 1),
    "the chain of a node": ("DELETE FROM chain WHERE id = (SELECT max(id) FROM chain)", 1),
    "a character": ("INSERT INTO chain_person SELECT id, 'gone' FROM chain_node", 2),
    "a node of an edge": ("INSERT INTO chain_edge (result_id, reason_id) SELECT 'gone', id FROM chain_node", 2),
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
        *(("covers", "[" * 100_000), ("covers", '["\\ud800"]'), ("kind", "zzz")),
        *(("wrong", text) for text in ("5", "[[null, 1]]", '[["a", NaN, ""]]', '[["a", "b", ""]]')),
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


def test_what_somebody_said_that_cannot_be_read_is_one_line(path: Path) -> None:
    damage(path, "UPDATE verification SET checks = '{}'")
    with Session.open(path, "Ada") as session, pytest.raises(UserError, match="is damaged"):
        verifications(session.study)


def test_a_text_that_is_no_utf8_is_one_line(path: Path) -> None:
    damage(path, "UPDATE chain_node SET text = CAST(x'ff41' AS TEXT)")
    assert any("texts of “chain_node” are no UTF-8" in line for line in check_study(path))
    with Session.open(path, "Ada") as session, pytest.raises(UserError, match="is damaged"):
        read_graphs(session.study, all_chains(session.study))
