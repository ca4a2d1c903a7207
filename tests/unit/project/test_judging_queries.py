"""What judges said, to whom it was shown, what was sent and what was frozen: kept whole, and never changed."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet, RunAnswer
from project.entities.judgments import JudgeEntry, Judgment, Reveal
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.integrity.integrity_check import check_study
from project.queries import item_set_rows, judgment_rows
from project.queries.policy_rows import all_egress, insert_egress
from project.store.study import Study
from tests.builders.stored_judgments import SAID, SENT


def store(study: Study, *said: Judgment) -> None:
    with study.run_transaction():
        judgment_rows.insert_judgments(study, said)


def test_a_judgment_comes_back_as_it_was_stored_and_the_newest_first(study: Study) -> None:
    store(study, SAID)
    assert (
        judgment_rows.judgments_of(study, "s-1")
        == judgment_rows.judgments_in(study, "r-1")
        == judgment_rows.find_judgments(study, ["j-1", "j-9"])
        == [SAID]
    )
    assert judgment_rows.judgments_of(study, "s-1", "error") == []
    later = replace(SAID, id="j-2", at="2026-01-02T03:04:06Z")
    store(study, later)
    assert judgment_rows.judgments_of(study, "s-1") == [later, SAID]


@pytest.mark.parametrize("table", ["judgment", "reveal", "egress"])
def test_what_happened_cannot_be_changed_or_removed(study: Study, table: str) -> None:
    store(study, SAID)
    with study.run_transaction():
        judgment_rows.insert_reveal(study, Reveal("s-1", "a-1", {"label": "error"}, "2026-01-02T03:04:05Z"))
        insert_egress(study, SENT)
    for change in (f"UPDATE {table} SET at = 'never'", f"DELETE FROM {table}"):
        with pytest.raises((sqlite3.Error, UserError, RuntimeError)), study.run_transaction():
            study.write_run(change, [()])
        with pytest.raises((sqlite3.Error, UserError, RuntimeError)), study.step("Change"):
            study.write(change, ())
    assert study.row(f"SELECT count(*), max(at) FROM {table}") == (1, "2026-01-02T03:04:05Z")


def test_the_first_reveal_counts(study: Study) -> None:
    first = Reveal("s-1", "a-1", {"label": "error", "rationale": "late"}, "2026-01-02T03:04:05Z")
    for reveal in (
        first,
        replace(first, own={"label": "none"}, at="2026-01-03T00:00:00Z"),
        replace(first, annotator_id="b"),
    ):
        with study.run_transaction():
            judgment_rows.insert_reveal(study, reveal)
    assert judgment_rows.reveals_to(study, "a-1") == {"s-1": first}


def test_a_request_comes_back_as_it_was_written_down(study: Study) -> None:
    refused = replace(SENT, id="e-2", permission="", rule="consent", at="2026-01-02T03:04:06Z")
    with study.run_transaction():
        insert_egress(study, refused)
        insert_egress(study, SENT)
    assert all_egress(study) == [SENT, refused]
    for both in (replace(SENT, rule="consent"), replace(SENT, permission="")):
        with pytest.raises((sqlite3.Error, UserError)), study.run_transaction():
            insert_egress(study, both)


def judgments(study: Study) -> object:
    return judgment_rows.judgments_of(study, "s-1")


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("UPDATE judgment SET answer = '{'", judgments),
        ("UPDATE judgment SET sight = '[]'", judgments),
        ("UPDATE reveal SET own = '7'", lambda study: judgment_rows.reveals_to(study, "a-1")),
        ("UPDATE egress SET request = 'x'", all_egress),
        ("UPDATE judge SET settings = 'null'", judgment_rows.all_judges),
    ],
)
def test_what_is_damaged_is_found_by_the_check_and_said_in_one_line(
    study: Study, sql: str, read: Callable[[Study], object]
) -> None:
    store(study, SAID)
    with study.run_transaction():
        insert_egress(study, SENT)
        judgment_rows.insert_reveal(study, Reveal("s-1", "a-1", {"task": ""}, SAID.at))
    with study.step("Add judge"):
        judgment_rows.put_judge(study, JudgeEntry("1", "Small", "random"))
    study.close()
    assert check_study(study.path) == []
    with contextlib.closing(sqlite3.connect(study.path)) as raw:
        raw.executescript(f"PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; {sql}")
    assert any("no JSON object" in line for line in check_study(study.path))
    with Study.open(study.path) as again:
        with pytest.raises(UserError, match="damaged") as told:
            read(again)
        assert judgment_rows.judge_names(again) == {"1": "Small"}
    assert "\n" not in str(told.value)


SET = ItemSet("s", "verdicts", "verdict", 7, 2, {"size": 4}, {"disagreed": 3}, "ab", "2026-01-01T00:00:00", "1")
ITEMS = [
    FrozenItem("i2", "s", 1, 0, "", "r", 0, 5, {"label": "none"}, "x"),
    FrozenItem("i1", "s", 0, 1, "question/q", "r", 0, 5, {"options": ["a", "b"], "place": 1}, "y"),
    FrozenItem("i0", "s", 0, 0, "segment-1", "r", 3, 5),
]
RUN = BenchmarkRun(
    "b", "s", "j", {"name": "gpt"}, None, "plain", ItemModality.TEXT_AND_VIDEO, "raw", 0, "2026-01-02T00:00:00", "1"
)  # fmt: skip


@pytest.fixture
def sets(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "a.greenroom", "a") as found:
        with found.run_transaction():
            item_set_rows.insert_set(found, SET, ITEMS)
            item_set_rows.insert_benchmark_run(found, RUN)
        yield found


def test_the_first_answer_of_a_run_counts(sets: Study) -> None:
    with sets.run_transaction():
        item_set_rows.insert_answers(sets, [RunAnswer("b", "i1", "", "first"), RunAnswer("b", "i0", "support", "one")])
        item_set_rows.insert_answers(sets, [RunAnswer("b", "i1", "", "second")])
    assert item_set_rows.answers_of(sets, "b") == [
        RunAnswer("b", "i0", "support", "one"),
        RunAnswer("b", "i1", "", "first"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        *("x", "[" * 100_000, '{"options": ["a"], "place": 1}', '{"options": ["a", "b"], "place": -1}'),
        *('{"options": ["a", 2]}', '{"facts": {"statement": {"a": 1}}}', '{"question": {"id": "q"}}'),
        *('{"truth": {"verdict": "none"}}', '{"traits": []}', '{"homes": {"r": 1}}', '{"label": null}'),
    ],
)
def test_wrong_content_is_said_to_be_damaged_and_found_by_the_check(sets: Study, content: str) -> None:
    sets._connection.execute("DROP TRIGGER temp.keep_item_update")
    sets._connection.execute("UPDATE item SET content = ? WHERE id = 'i1'", (content,))
    sets._connection.commit()
    with pytest.raises(UserError, match="i1 of this study is damaged"):
        item_set_rows.items_of(sets, "s")
    assert len([text for text in check_study(sets.path) if "item" in text]) == 1


def test_of_two_sets_of_one_name_the_id_is_asked_for(sets: Study) -> None:
    with sets.run_transaction():
        item_set_rows.insert_set(sets, replace(SET, id="t"), [])
    with pytest.raises(UserError, match="Several item sets are called “verdicts”") as raised:
        item_set_rows.find_item_set(sets, "verdicts")
    assert raised.value.hint == "Give the id: s or t."
    assert item_set_rows.find_item_set(sets, "s") == SET


def test_rows_that_belong_to_nothing_are_found(sets: Study) -> None:
    with sets.run_transaction():
        item_set_rows.insert_set(
            sets,
            replace(SET, id="t", name="other"),
            [FrozenItem("x", "gone", 5, 0, "", "r", 0, 5), FrozenItem("y", "t", 2, 0, "", "r", 0, 5)],
        )
        item_set_rows.insert_benchmark_run(sets, replace(RUN, id="c", set_id="gone"))
        item_set_rows.insert_answers(sets, [RunAnswer("gone", "i1", "", "one")])
    assert {
        "an item belongs to no set: x",
        "an item is in a draw that its set does not have: y",
        "a run of the benchmark is over no set: c",
        "an answer of the benchmark belongs to no run: gone",
    } <= {*check_study(sets.path)}
