"""Who trains on a recording is told nothing about items of it, and is not asked about them, until they are done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.team.assignments import mark_done
from benchmark.runs import people_runs as people
from benchmark.runs.people_runs import HumanRunOptions
from project.entities.frozen_items import FrozenItem, ItemModality, ItemSet
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders.frozen_sets import AskVerdict, freeze
from tests.builders.training_round import open_round


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(people, "get_benchmark_task", lambda _key: AskVerdict())
    with open_round(tmp_path) as opened:
        yield opened


def frozen(session: Session) -> ItemSet:
    first, second = all_recordings(session.study)[:2]
    marked = all_segments(session.study)[0]
    content = {"scheme": marked.scheme, "track": marked.track}
    return freeze(
        session,
        [
            FrozenItem("marked", "set", 0, 0, marked.id, first.id, marked.start_us, marked.end_us, content),
            FrozenItem("unmarked", "set", 0, 1, "", first.id, 8_000_000, 9_000_000, content),
            FrozenItem("elsewhere", "set", 0, 2, "", second.id, 1_000_000, 2_000_000, content),
        ],
    )


def test_items_of_what_somebody_trains_on_are_hidden_from_them(session: Session) -> None:
    made = frozen(session)
    assert people.unanswered_item_ids(session, made) == frozenset(), "who does not train sees all"
    session.annotator_name = "Ada"
    assert people.unanswered_item_ids(session, made) == {"marked", "unmarked"}
    assert [
        item_question.item_id
        for item_question in people.read_queue(session, made, HumanRunOptions(ItemModality.TEXT)).questions
    ] == ["elsewhere"]
    mark_done(session, all_recordings(session.study)[0].id)
    assert people.unanswered_item_ids(session, made) == frozenset()
    asked = {
        item_question.item_id
        for item_question in people.read_queue(session, made, HumanRunOptions(ItemModality.TEXT)).questions
    }
    assert asked == {"marked", "unmarked", "elsewhere"}
