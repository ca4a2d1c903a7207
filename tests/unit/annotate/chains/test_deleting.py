"""Whatever is edited or deleted leaves sound chains and nothing loose, and undo brings back every row as it was."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotate.chains import chain_edits as chains
from annotate.chains.chain_checks import is_sound
from annotate.study.people import add_participant
from annotate.study.recording_edits import redo, undo
from project.entities.study_records import ParticipantRole
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.question_rows import all_questions
from project.queries.recording_rows import delete_participant, delete_recording
from project.session.session import Session
from tests.builders.chain_histories import EDITS, ask, begun, play, rows
from tests.builders.chains import draw, graph
from tests.builders.marked_study import WALK, open_study


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        chain_id, ids = draw(opened, {"C": "AB"})
        who, _ = add_participant(opened, "P01", ParticipantRole.USER)
        chains.edit_node(opened, ids["A"], people=[who])
        draw(opened, {"B": "A"}, recording="walk 2")
        opened.annotator_name = "Bo"
        ask(opened, chain_id)
        opened.annotator_name = "Ada"
        yield opened
    assert check_study(tmp_path / "pair.greenroom") == []


def test_a_recording_goes_with_its_chains_and_their_questions(session: Session) -> None:
    before = rows(session)
    with session.step("Delete recording"):
        delete_recording(session.study, WALK)
    assert [chain.recording_id for chain in all_chains(session.study)] == ["walk 2"]
    assert all_questions(session.study) == []
    session.study.undo()
    assert rows(session) == before
    session.study.redo()


def test_a_chain_goes_with_what_was_said_about_it(session: Session) -> None:
    before = rows(session)
    chains.delete_chain(session, all_chains(session.study)[0].id)
    assert all_questions(session.study) == []
    session.study.undo()
    assert rows(session) == before


def test_a_participant_goes_and_the_node_stays(session: Session) -> None:
    before = rows(session)
    ((who,),) = session.study.rows("SELECT id FROM participant")
    with session.step("Delete participant"):
        delete_participant(session.study, who)
    assert [node.people for node in graph(session, all_chains(session.study)[0].id).nodes] == [(), (), ()]
    session.study.undo()
    assert rows(session) == before


@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
def test_edits_leave_sound_chains_and_undo_takes_them_back(edits: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "home.greenroom"
        path.write_bytes(begun())
        with Session.open(path, "Ada") as session:
            before = rows(session)
            # Who was introduced stays introduced.
            known = session.study.row("SELECT coalesce(max(id), 0) FROM journal_step")
        play(path, [edit for edit in edits if edit[0] != "undo"], "new")
        with Session.open(path, "Ada") as session:
            assert all(is_sound(graph) for graph in read_graphs(session.study, all_chains(session.study)))
            after, steps = rows(session), 0
            made = session.study.row("SELECT count(*) FROM journal_step WHERE id > ?", known or (0,))
            for _ in range(made[0]):
                undo(session)
                steps += 1
            assert rows(session) == before
            for _ in range(steps):
                redo(session)
            assert rows(session) == after
        assert check_study(path) == []
