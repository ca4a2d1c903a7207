"""What judges said, to whom it was shown, what was sent and what was frozen: kept whole, and never changed."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet, RunAnswer
from project.entities.judgments import JudgeEntry, Judgment, JudgmentTarget, JudgmentTargetKind, Reveal
from project.entities.questions import question_to_json
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.integrity.integrity_check import check_study
from project.queries import item_set_rows, judgment_rows
from project.queries.policy_rows import all_egress, insert_egress
from project.store.study import Study
from tests.builders.questions_said import question
from tests.builders.stored_judgments import SAID, SENT


def damaged(folder: Path, sql: str) -> Path:
    """Make a study with a judge, an answer, a reveal and a request, and damage it as another program may."""
    with Study.create(folder / "damaged") as study:
        with study.run_transaction():
            judgment_rows.insert_judgments(study, [SAID])
            insert_egress(study, SENT)
            judgment_rows.insert_reveal(study, Reveal("s-1", "a-1", {"task": ""}, SAID.at))
        with study.step("Add judge"):
            judgment_rows.put_judge(study, JudgeEntry("1", "Small", "random"))
    assert check_study(study.path) == []
    with contextlib.closing(sqlite3.connect(study.path)) as raw:
        raw.executescript(f"PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; {sql}")
    return study.path


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


def test_a_line_is_either_let_through_or_refused(study: Study) -> None:
    for both in (replace(SENT, rule="consent"), replace(SENT, permission="")):
        with pytest.raises((sqlite3.Error, UserError)), study.run_transaction():
            insert_egress(study, both)


def test_judges_are_edited_in_steps(study: Study) -> None:
    judge_entry = JudgeEntry("1", "Small", "llama-cpp", "small.gguf", {"frames": 15})
    with study.step("Add judge"):
        judgment_rows.put_judge(study, judge_entry)
    with study.step("Change judge"):
        judgment_rows.put_judge(study, replace(judge_entry, name="Tiny"))
    assert judgment_rows.judge_by_name(study, "Small") is None
    assert judgment_rows.all_judges(study) == [replace(judge_entry, name="Tiny")]
    study.undo()
    assert judgment_rows.judge_by_name(study, "Small") == judge_entry
    with study.step("Remove judge"):
        judgment_rows.delete_judge(study, "1")
    assert judgment_rows.all_judges(study) == []


def test_every_version_of_a_prompt_is_kept(study: Study) -> None:
    with study.step("Edit prompt"):
        judgment_rows.put_prompt_version(study, "verdict", 2, "second")
        judgment_rows.put_prompt_version(study, "verdict", 1, "first")
    assert judgment_rows.prompt_versions(study, "verdict") == {1: "first", 2: "second"}


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("UPDATE judgment SET answer = '{'", lambda study: judgment_rows.judgments_of(study, "s-1")),
        ("UPDATE judgment SET status = 'odd'", lambda study: judgment_rows.judgments_of(study, "s-1")),
        ("UPDATE judgment SET status = 'odd'", judgment_rows.judge_labels),
        ("UPDATE judgment SET sight = '[]'", lambda study: judgment_rows.judgments_in(study, "r-1")),
        ('UPDATE egress SET request = \'{"purpose": "joke"}\'', all_egress),
        ("UPDATE judge SET settings = 'x'", judgment_rows.all_judges),
        (
            "UPDATE judgment SET status = 'odd';"
            "INSERT INTO benchmark_answer (run_id, item_id, part, judgment_id) SELECT 'r', 'i', '', id FROM judgment",
            lambda study: item_set_rows.read_run_answers(study, "r"),
        ),
    ],
)
def test_what_is_damaged_is_said_in_one_line(tmp_path: Path, sql: str, read: Callable[[Study], object]) -> None:
    with Study.open(damaged(tmp_path, sql)) as study, pytest.raises(UserError, match="damaged") as told:
        read(study)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE judgment SET answer = '{'",
        "UPDATE judgment SET sight = '[]'",
        "UPDATE judgment SET judge = ''",
        "UPDATE reveal SET own = '7'",
        "UPDATE egress SET request = 'x'",
        "UPDATE judge SET settings = 'null'",
    ],
)
def test_the_check_finds_what_is_damaged_and_a_judge_keeps_its_name(tmp_path: Path, sql: str) -> None:
    path = damaged(tmp_path, sql)
    assert any("no JSON object" in line for line in check_study(path))
    with Study.open(path) as study:
        assert judgment_rows.judge_names(study) == {"1": "Small"}
        assert set(judgment_rows.asked_judges(study)) <= {SAID.judge_id}


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


def test_what_is_stored_is_read_again(sets: Study) -> None:
    assert item_set_rows.all_sets(sets) == [SET]
    assert item_set_rows.find_item_set(sets, "verdicts") == item_set_rows.find_item_set(sets, "s") == SET
    assert item_set_rows.find_item_set(sets, "nothing") is None
    assert item_set_rows.items_of(sets, "s") == [ITEMS[2], ITEMS[1], ITEMS[0]]
    assert item_set_rows.find_item(sets, "i1") == ITEMS[1]
    assert item_set_rows.benchmark_runs(sets) == item_set_rows.benchmark_runs(sets, "s") == [RUN]
    assert item_set_rows.benchmark_runs(sets, "another") == []


def test_an_item_says_what_it_was_made_from() -> None:
    assert [item.target_kind for item in ITEMS] == [
        JudgmentTargetKind.SEGMENT,
        JudgmentTargetKind.QUESTION,
        JudgmentTargetKind.SEGMENT,
    ]
    assert [item.target for item in ITEMS] == [
        None,
        JudgmentTarget(JudgmentTargetKind.QUESTION, "q"),
        JudgmentTarget(JudgmentTargetKind.SEGMENT, "segment-1"),
    ]


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
        "x",
        '{"options": ["a"], "place": 1}',
        '{"options": ["a", "b"], "place": -1}',
        '{"options": ["a", "b"], "place": "1"}',
        '{"options": ["a", 2]}',
        '{"options": "ab"}',
        '{"facts": ["a"]}',
        '{"facts": {"statement": {"a": 1}}}',
        '{"question": {"id": "q"}}',
        '{"question": []}',
        '{"truth": {"verdict": "none"}}',
        '{"traits": []}',
        '{"values": 3}',
        '{"homes": {"r": 1}}',
        '{"label": null}',
        '["a"]',
        "[" * 100_000,
    ],
)
def test_wrong_content_is_said_to_be_damaged_and_found_by_the_check(sets: Study, content: str) -> None:
    sets._connection.execute("DROP TRIGGER temp.keep_item_update")
    sets._connection.execute("UPDATE item SET content = ? WHERE id = 'i1'", (content,))
    sets._connection.commit()
    with pytest.raises(UserError, match="i1 of this study is damaged"):
        item_set_rows.items_of(sets, "s")
    assert len([text for text in check_study(sets.path) if "item" in text]) == 1


def test_a_question_that_was_frozen_is_read_again(sets: Study) -> None:
    each_question = question(1)
    with sets.run_transaction():
        item_set_rows.insert_set(
            sets,
            replace(SET, id="t"),
            [FrozenItem("i9", "t", 0, 0, "question/q", "r", 0, 5, {"question": question_to_json(each_question)})],
        )
    assert item_set_rows.items_of(sets, "t")[0].content["question"] == question_to_json(each_question)


def test_of_two_sets_of_one_name_the_id_is_asked_for(sets: Study) -> None:
    with sets.run_transaction():
        item_set_rows.insert_set(sets, replace(SET, id="t"), [])
    with pytest.raises(UserError, match="2 item sets called “verdicts”") as raised:
        item_set_rows.find_item_set(sets, "verdicts")
    assert raised.value.hint == "Name it by its id: s or t"
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
