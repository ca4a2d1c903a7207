"""A set whose rows another program wrote wrongly is asked, read and shown, or refused with one line."""

import json
from collections.abc import Callable
from contextlib import suppress

import pytest

from benchmark.judging.judge_registry import add_judge
from benchmark.runs import people_runs as people
from benchmark.runs.people_runs import HumanRunOptions
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from benchmark.sets.frozen_sets import find_changed_items
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import Silent
from project.queries.item_set_rows import all_sets
from project.session.session import Session
from tests.builders.item_sets import verdicts


def damaged(session: Session, table: str, column: str, text: str | int) -> None:
    session.study._connection.execute(f"DROP TRIGGER IF EXISTS temp.keep_{table}_update")
    session.study._connection.execute(f"UPDATE {table} SET {column} = ?", (text,))


def everything(session: Session, made: ItemSet, judge: JudgeEntry) -> None:
    """Do what the window and the command line do with a set; only a UserError may come of it."""

    def tried(act: Callable[[], object]) -> None:
        with suppress(UserError):
            act()

    tried(lambda: all_sets(session.study))
    tried(
        lambda: run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT, fresh=True), Silent())
    )
    tried(lambda: read_figures(session))
    tried(lambda: find_changed_items(session, all_sets(session.study)[0]))
    tried(lambda: people.unanswered_item_ids(session, made))
    tried(lambda: _answer(session, made))


def _answer(session: Session, made: ItemSet) -> None:
    found, _ = people.start_run(session, people.read_queue(session, made, HumanRunOptions(ItemModality.TEXT)))
    for item_question in found.remaining[:1]:
        people.plan_question_task(session, found, item_question)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"truth": {}},
        {"truth": {"verdict": {}}},
        {"truth": {"verdict": {"label": 3}}},
        {"truth": {"verdict": {"label": None}}},
        {"truth": {"verdict": {"label": "error"}}, "traits": {"labels": 3}},
        {
            "truth": {"verdict": {"label": "error"}},
            "traits": {"labels": [{}], "collection": [1], "attributes": {"a": 1}},
        },
        {"truth": {"verdict": {"label": "error"}}, "traits": {"steps": "many", "agreed": [], "channel": {"a": []}}},
        {"scheme": "gone", "track": "gone"},
        {"scheme": "shrec", "track": "gone", "truth": {"verdict": {"label": "error"}}},
        {"scheme": "shrec", "track": "segments", "label": "gone", "values": {"attributes": 3, "rationale": []}},
        {"options": [], "place": 7},
        {"person": "gone", "homes": ["gone"]},
    ],
)
def test_whatever_stands_in_an_item_ends_in_one_line(session: Session, content: Json) -> None:
    made, _ = verdicts(session, ["error", "none"])
    judge = add_judge(session, "oracle", "oracle", "", {})[0]
    run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT), Silent())
    damaged(session, "item", "content", json.dumps(content))
    everything(session, made, judge)


@pytest.mark.parametrize(
    ("table", "column", "text"),
    [
        ("item", "about", "item/i1"),
        ("item", "about", "question/gone"),
        ("item", "about", "chain/"),
        ("item", "about", "recording/gone/"),
        ("item", "recording_id", "gone"),
        ("item", "end_us", 10**15),
        ("item", "set_id", "gone"),
        ("item_set", "task", "gone"),
        ("item_set", "rule", '{"include": 5}'),
        ("item_set", "rule", '{"shares": ["a"], "conditions": [[]], "scheme": {}}'),
        ("item_set", "rule", '{"scheme": "gone"}'),
        ("item_set", "left_out", '{"a": "b"}'),
        ("benchmark_run", "judge", "{}"),
        ("benchmark_run", "judge", '{"backend": "gone", "settings": 3, "name": []}'),
        ("benchmark_run", "judge", '{"backend": "oracle", "settings": {"gone": 3}}'),
        ("benchmark_run", "variant", "gone"),
        ("benchmark_run", "annotator_id", "gone"),
        ("benchmark_answer", "judgment_id", "gone"),
        ("benchmark_answer", "part", "gone"),
    ],
)
def test_whatever_stands_in_another_row_does_too(session: Session, table: str, column: str, text: str | int) -> None:
    made, _ = verdicts(session, ["error", "none"])
    judge = add_judge(session, "oracle", "oracle", "", {})[0]
    run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT), Silent())
    damaged(session, table, column, text)
    everything(session, made, judge)
