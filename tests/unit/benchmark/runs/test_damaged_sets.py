"""A set whose rows another program wrote wrongly is asked, read and shown, or refused with one line."""

import json

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


def damage(session: Session, table: str, column: str, text: str) -> None:
    session.study._connection.execute(f"DROP TRIGGER IF EXISTS temp.keep_{table}_update")
    session.study._connection.execute(f"UPDATE {table} SET {column} = ?", (text,))


def do_everything(session: Session, made: ItemSet, judge: JudgeEntry) -> list[UserError]:
    """Do what the window and the command line do with a set; only a UserError may come of it."""
    asking = BenchmarkRequest([made], [judge], shown=ItemModality.TEXT, fresh=True)
    refused = []
    for act in (
        lambda: all_sets(session.study),
        lambda: run_benchmark(session, asking, Silent()),
        lambda: read_figures(session),
        lambda: find_changed_items(session, all_sets(session.study)[0]),
        lambda: people.unanswered_item_ids(session, made),
        lambda: answer_as_a_person(session, made),
    ):
        try:
            act()
        except UserError as error:
            refused.append(error)
    return refused


def answer_as_a_person(session: Session, made: ItemSet) -> None:
    queue, _ = people.start_run(session, people.read_queue(session, made, HumanRunOptions(ItemModality.TEXT)))
    for question in queue.remaining[:1]:
        people.plan_question_task(session, queue, question)


TRUTH = {"verdict": {"label": "error"}}
CONTENTS: list[Json] = [
    {},
    {"truth": {"verdict": {"label": 3}}},
    {"truth": TRUTH, "traits": {"labels": [{}], "steps": "many", "agreed": [], "attributes": {"a": 1}}},
    {"scheme": "shrec", "track": "gone", "truth": TRUTH},
    {"scheme": "shrec", "track": "segments", "label": "gone", "values": {"attributes": 3, "rationale": []}},
    {"person": "gone", "homes": ["gone"]},
]


@pytest.mark.parametrize(
    ("table", "column", "text"),
    [
        *(("item", "content", json.dumps(content)) for content in CONTENTS),
        ("item", "about", "item/i1"),
        ("item", "recording_id", "gone"),
        ("item", "set_id", "gone"),
        ("item_set", "task", "gone"),
        ("item_set", "rule", '{"shares": ["a"], "conditions": [[]], "scheme": {}}'),
        ("benchmark_run", "judge", '{"backend": "gone", "settings": 3, "name": []}'),
        ("benchmark_run", "variant", "gone"),
        ("benchmark_answer", "judgment_id", "gone"),
    ],
)
def test_whatever_stands_in_a_row_ends_in_one_line(session: Session, table: str, column: str, text: str) -> None:
    made, _ = verdicts(session, ["error", "none"])
    judge = add_judge(session, "oracle", "oracle", "", {})[0]
    run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT), Silent())
    damage(session, table, column, text)
    assert all("\n" not in str(error) for error in do_everything(session, made, judge))
