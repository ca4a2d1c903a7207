"""Conditions are compared over the same moments: those that every rendering shows."""

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


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        for recording in (WALK, OTHER):
            for at in range(24):
                label = ("error", "competence", "none")[at % 3]
                for who in ("Ada", "Bo"):
                    mark(opened, who, 20 * at, 20 * at + 4, label, recording=recording)
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
