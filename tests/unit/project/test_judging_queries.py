"""What judges said, to whom it was shown and what was sent: kept whole, and never changed."""

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus, Reveal
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.item_set_rows import read_run_answers
from project.queries.judgment_rows import (
    all_judges,
    answered_judgments,
    asked_judges,
    delete_judge,
    find_judgments,
    insert_judgments,
    insert_reveal,
    judge_by_name,
    judge_labels,
    judge_names,
    judgments_in,
    judgments_of,
    prompt_versions,
    put_judge,
    put_prompt_version,
    reveals_to,
)
from project.queries.policy_rows import all_egress, insert_egress
from project.store.study import Study
from tests.builders.stored_judgments import SAID, SENT


def damaged(folder: Path, sql: str) -> Path:
    """Make a study with a judge, an answer, a reveal and a request, and damage it as another program may."""
    with Study.create(folder / "damaged") as study:
        with study.run_transaction():
            insert_judgments(study, [SAID])
            insert_egress(study, SENT)
            insert_reveal(study, Reveal("s-1", "a-1", {"task": ""}, SAID.at))
        with study.step("Add judge"):
            put_judge(study, JudgeEntry("1", "Small", "random"))
    assert check_study(study.path) == []
    with contextlib.closing(sqlite3.connect(study.path)) as raw:
        raw.executescript(f"PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; {sql}")
    return study.path


def store(study: Study, *said: Judgment) -> None:
    with study.run_transaction():
        insert_judgments(study, said)


def test_a_judgment_comes_back_as_it_was_stored_and_the_newest_first(study: Study) -> None:
    store(study, SAID)
    assert judgments_of(study, "s-1") == judgments_in(study, "r-1") == find_judgments(study, ["j-1", "j-9"]) == [SAID]
    assert judgments_of(study, "s-1", "error") == []
    later = replace(SAID, id="j-2", at="2026-01-02T03:04:06Z")
    store(study, later)
    assert judgments_of(study, "s-1") == [later, SAID]


def test_only_an_answer_answers_a_request_and_the_oldest_counts(study: Study) -> None:
    failed = replace(SAID, id="j-0", status=JudgmentStatus.ERROR, at="2026-01-01T00:00:00Z")
    later = replace(SAID, id="j-2", at="2026-01-03T00:00:00Z")
    other = replace(SAID, id="j-3", request_key="other")
    store(study, failed, later, SAID, other)
    assert {judgment.id for judgment in answered_judgments(study, [SAID.request_key, "other", "nothing"])} == {
        "j-1",
        "j-3",
    }


@pytest.mark.parametrize("table", ["judgment", "reveal", "egress"])
def test_what_happened_cannot_be_changed_or_removed(study: Study, table: str) -> None:
    store(study, SAID)
    with study.run_transaction():
        insert_reveal(study, Reveal("s-1", "a-1", {"label": "error"}, "2026-01-02T03:04:05Z"))
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
            insert_reveal(study, reveal)
    assert reveals_to(study, "a-1") == {"s-1": first}


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
        put_judge(study, judge_entry)
    with study.step("Change judge"):
        put_judge(study, replace(judge_entry, name="Tiny"))
    assert judge_by_name(study, "Small") is None
    assert all_judges(study) == [replace(judge_entry, name="Tiny")]
    study.undo()
    assert judge_by_name(study, "Small") == judge_entry
    with study.step("Remove judge"):
        delete_judge(study, "1")
    assert all_judges(study) == []


def test_every_version_of_a_prompt_is_kept(study: Study) -> None:
    with study.step("Edit prompt"):
        put_prompt_version(study, "verdict", 2, "second")
        put_prompt_version(study, "verdict", 1, "first")
    assert prompt_versions(study, "verdict") == {1: "first", 2: "second"}


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("UPDATE judgment SET answer = '{'", lambda study: judgments_of(study, "s-1")),
        ("UPDATE judgment SET status = 'odd'", lambda study: judgments_of(study, "s-1")),
        ("UPDATE judgment SET status = 'odd'", judge_labels),
        ("UPDATE judgment SET sight = '[]'", lambda study: judgments_in(study, "r-1")),
        ('UPDATE egress SET request = \'{"purpose": "joke"}\'', all_egress),
        ("UPDATE judge SET settings = 'x'", all_judges),
        (
            "UPDATE judgment SET status = 'odd';"
            "INSERT INTO benchmark_answer (run_id, item_id, part, judgment_id) SELECT 'r', 'i', '', id FROM judgment",
            lambda study: read_run_answers(study, "r"),
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
        assert judge_names(study) == {"1": "Small"}
        assert set(asked_judges(study)) <= {SAID.judge_id}
