"""Two copies in which one chain was edited, merged: nothing is loose, and circles that only both make are said."""

import shutil
from pathlib import Path

import pytest

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from annotate.chains.chain_checks import compute_chain_statistics, find_cycle_nodes, find_problems, is_sound
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.merging.merge import merge_copy, open_copy
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.history_rows import all_conflicts
from project.queries.question_rows import all_questions
from project.session.session import Session
from tests.builders.chains import ask, draw, graph, node
from tests.builders.marked_study import open_study


def copy_of(path: Path, name: str) -> Path:
    return Path(shutil.copyfile(path, path.with_name(f"{name}.greenroom")))


def bring_home(session: Session, *copies: Path) -> None:
    for path in copies:
        with open_copy(session.study, path) as copy:
            merge_copy(session.study, copy, None)


@pytest.fixture
def home(tmp_path: Path) -> tuple[Path, str, dict[str, str]]:
    with open_study(tmp_path) as session:
        chain_id, ids = draw(session, {"B": "A", "C": "B", "D": "C"})
        return session.study.path, chain_id, ids


def test_a_circle_that_only_both_edits_make_is_found_and_shown(home: tuple[Path, str, dict[str, str]]) -> None:
    path, chain_id, ids = home
    with Session.open(path, "Ada") as session:
        extra = node(session, chain_id, "event E", 100)
    first, second = copy_of(path, "first"), copy_of(path, "second")
    with Session.open(first, "Ada") as session:
        chains.add_edge(session, ids["D"], extra)
        assert is_sound(graph(session, chain_id))
    with Session.open(second, "Ada") as session:
        chains.add_edge(session, extra, ids["B"])
        assert is_sound(graph(session, chain_id))
    with Session.open(path, "Ada") as session:
        bring_home(session, first, second)
        found = graph(session, chain_id)
        assert find_cycle_nodes(found) == {ids["B"], ids["C"], ids["D"], extra}
        assert {problem.key for problem in find_problems(found) if not problem.warning} == {"cycle"}
        assert compute_chain_statistics([found]).unsound == 1
        chains.edit_node(session, extra, text="still edited")
        with pytest.raises(UserError, match="not a valid chain"):
            chain_reviews.make_consensus(session, chain_id, chain_id)
        chains.delete_edge(session, extra, ids["B"])
        assert is_sound(graph(session, chain_id))
    assert check_study(path) == []


@pytest.mark.parametrize(("deleted", "deleter"), [("node", "home"), ("chain", "copy"), ("chain", "home")])
def test_an_edge_or_a_question_of_what_the_other_deleted_is_a_conflict(
    home: tuple[Path, str, dict[str, str]], deleted: str, deleter: str
) -> None:
    path, chain_id, ids = home
    copy = copy_of(path, "copy")
    file, other = (path, copy) if deleter == "home" else (copy, path)
    with Session.open(file, "Ada") as session:
        chains.delete_nodes(session, [ids["D"]]) if deleted == "node" else chains.delete_chain(session, chain_id)
    with Session.open(other, "Ada" if deleted == "node" else "Bo") as session:
        chains.add_edge(session, ids["A"], ids["D"]) if deleted == "node" else ask(session, chain_id)
    with Session.open(path, "Ada") as session:
        bring_home(session, copy)
        assert all_conflicts(session.study)
        assert all(is_sound(found) for found in read_graphs(session.study, all_chains(session.study)))
        assert all(question.chain_id == chain_id for question in all_questions(session.study))
    assert check_study(path) == []
