"""Which sets are asked: named ones, else the one that would be drawn now; conditions over moments that all show."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.items.sampling import SamplingOptions
from benchmark.runs.run_plan import choose_sets
from benchmark.sets.frozen_sets import make_set
from benchmark.sets.item_sources import NOT_RENDERED, read_pool
from project.errors import UserError
from project.queries.item_set_rows import items_of
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.renderings import invent_renderings

OTHER = f"{WALK} 2"
LABELS = ("error", "competence", "none")


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A study in which two people marked the same 24 moments of two recordings."""
    with open_study(tmp_path_factory.mktemp("marked"), recordings=2) as session:
        for recording in (WALK, OTHER):
            for at in range(24):
                for who in ("Ada", "Bo"):
                    mark(session, who, 20 * at, 20 * at + 4, LABELS[at % 3], recording=recording)
        path = session.study.path
    return path.read_bytes()


@pytest.fixture
def session(marked: bytes, tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "study.greenroom"
    path.write_bytes(marked)
    with Session.open(path, "Ada") as opened:
        yield opened


def test_ten_draws_of_five_each_out_of_what_every_condition_shows(session: Session) -> None:
    invent_renderings(session, [WALK, OTHER], ["blur"])
    invent_renderings(session, [WALK], ["cartoon"])
    made, _ = make_set(session, "conditions")
    items = items_of(session.study, made.id)
    assert made.rule["conditions"] == ["blur", "cartoon"]
    assert made.left_out[NOT_RENDERED] == 24
    assert {item.recording_id for item in items} == {WALK}
    counts = Counter((item.draw, str(item.content["label"])) for item in items)
    assert {*counts.values()} == {5}
    assert len(counts) == 30
    first, again = choose_sets(session, ["conditions"]), choose_sets(session, ["conditions"])
    assert [chosen.id for chosen in first.sets] == [chosen.id for chosen in again.sets] == [made.id]
    assert not again.created_ids
    named, _ = make_set(session, "conditions", options=SamplingOptions(conditions=("blur",)))
    assert {item.recording_id for item in items_of(session.study, named.id)} == {WALK, OTHER}


def test_what_lies_outside_a_rendering_or_has_lost_its_file_is_left_out(session: Session) -> None:
    invent_renderings(session, [WALK], ["blur"], {"start_us": 100 * SECOND, "end_us": 200 * SECOND})
    invent_renderings(session, [OTHER], ["blur"])
    (session.study.folder / "clips" / f"{OTHER}-blur.mp4").write_bytes(b"something else")
    found = read_pool(session, "rendered", SamplingOptions(conditions=("blur",)))
    assert {(candidate.recording_id, candidate.start_us // SECOND) for candidate in found.candidates} == {
        (WALK, start) for start in range(100, 200, 20)
    }
    assert all(100 * SECOND <= gap.start_us < gap.end_us <= 200 * SECOND for gap in found.gaps)


def test_where_nothing_was_rendered_in_every_condition_no_item_is_made(session: Session) -> None:
    invent_renderings(session, [WALK], ["blur"])
    invent_renderings(session, [OTHER], ["cartoon"])
    with pytest.raises(UserError, match="no segment with the label") as caught:
        make_set(session, "conditions")
    assert NOT_RENDERED in caught.value.hint


def test_a_task_without_a_set_gets_one_and_keeps_it(session: Session) -> None:
    first = choose_sets(session, ["verdict", "error"], seed=2)
    assert [item_set.name for item_set in first.sets] == ["verdict-seed-2", "error-seed-2"]
    assert first.created_ids == {item_set.id for item_set in first.sets}
    again = choose_sets(session, ["error", "verdict", "error"], seed=2)
    assert [item_set.name for item_set in again.sets] == ["error-seed-2", "verdict-seed-2"]
    assert not again.created_ids
    assert not again.changes
    others = [choose_sets(session, ["verdict"], seed=1), choose_sets(session, ["verdict"], seed=2, draws=2)]
    assert [chosen.sets[0].name for chosen in others] == ["verdict-seed-1", "verdict-seed-2-2"]


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
        ([], ["large"], ("raw",), "no item set"),
        (["error"], ["small"], ("raw",), "belongs to the task"),
        (["juggling"], [], ("raw",), "no benchmark task"),
        (["verdict"], [], ("raw", "blur"), "rendered by"),
    ):
        with pytest.raises(UserError, match=says):
            choose_sets(session, tasks, names, conditions=conditions)
