"""Which sets are asked: named ones, else the one that would be drawn now."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.items.sampling import SamplingOptions
from benchmark.runs.run_plan import choose_sets
from benchmark.sets.frozen_sets import make_set
from project.errors import UserError
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chosen") / "study.greenroom"
    with Study.create(path) as study:
        fill_study(study, recordings=4, segments=200, annotators=2, seed=0)
    return path


@pytest.fixture
def session(folder: Path, tmp_path: Path) -> Iterator[Session]:
    copy = tmp_path / "study.greenroom"
    copy.write_bytes(folder.read_bytes())
    with Session.open(copy, "Annotator 1") as opened:
        yield opened


def test_a_task_without_a_set_gets_one_and_keeps_it(session: Session) -> None:
    first = choose_sets(session, ["verdict", "error"], seed=2)
    assert [item_set.name for item_set in first.sets] == ["verdict-seed-2", "error-seed-2"]
    assert first.created_ids == {item_set.id for item_set in first.sets}
    again = choose_sets(session, ["error", "verdict", "error"], seed=2)
    assert [item_set.name for item_set in again.sets] == ["error-seed-2", "verdict-seed-2"]
    assert not again.created_ids
    assert not again.changes


def test_another_seed_or_number_of_draws_is_another_set(session: Session) -> None:
    names = [
        choose_sets(session, ["verdict"], seed=seed, draws=draws).sets[0].name
        for seed, draws in ((0, None), (1, None), (0, 2), (0, 3))
    ]
    assert names == ["verdict-seed-0", "verdict-seed-1", "verdict-seed-0-2", "verdict-seed-0"]


def test_a_set_that_somebody_wished_otherwise_is_asked_by_its_name_alone(session: Session) -> None:
    wished = [
        make_set(session, "verdict", "small", 0, 3, 20)[0],
        make_set(session, "verdict", "all", 0, 3, None, SamplingOptions(include=("disagreed",)))[0],
    ]
    usual = choose_sets(session, ["verdict"]).sets[0]
    assert usual.id not in {item_set.id for item_set in wished}
    assert choose_sets(session, (), ["small", "all"]).sets == tuple(wished)
    assert choose_sets(session, ["verdict"], ["small"]).sets == tuple(wished[:1])


def test_what_cannot_be_chosen_is_said(session: Session) -> None:
    make_set(session, "verdict", "small", 0, 3, 20)
    for tasks, names, conditions, says in (
        ([], [], ("raw",), "nothing to run"),
        ([], ["large"], ("raw",), "no set"),
        (["error"], ["small"], ("raw",), "one of the task"),
        (["juggling"], [], ("raw",), "no benchmark task"),
        (["verdict"], [], ("raw", "blur"), "rendered by"),
    ):
        with pytest.raises(UserError, match=says):
            choose_sets(session, tasks, names, conditions=conditions)
