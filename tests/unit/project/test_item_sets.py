from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet, RunAnswer
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import question_to_json
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.item_set_rows import (
    all_sets,
    answers_of,
    benchmark_runs,
    find_item,
    find_item_set,
    insert_answers,
    insert_benchmark_run,
    insert_set,
    items_of,
)
from project.store.study import Study
from tests.builders.questions_said import question

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
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "a.greenroom", "a") as found:
        with found.run_transaction():
            insert_set(found, SET, ITEMS)
            insert_benchmark_run(found, RUN)
        yield found


def test_what_is_stored_is_read_again(study: Study) -> None:
    assert all_sets(study) == [SET]
    assert find_item_set(study, "verdicts") == find_item_set(study, "s") == SET
    assert find_item_set(study, "nothing") is None
    assert items_of(study, "s") == [ITEMS[2], ITEMS[1], ITEMS[0]]
    assert find_item(study, "i1") == ITEMS[1]
    assert benchmark_runs(study) == benchmark_runs(study, "s") == [RUN]
    assert benchmark_runs(study, "another") == []


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


def test_the_first_answer_of_a_run_counts(study: Study) -> None:
    with study.run_transaction():
        insert_answers(study, [RunAnswer("b", "i1", "", "first"), RunAnswer("b", "i0", "support", "one")])
        insert_answers(study, [RunAnswer("b", "i1", "", "second")])
    assert answers_of(study, "b") == [RunAnswer("b", "i0", "support", "one"), RunAnswer("b", "i1", "", "first")]


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
def test_wrong_content_is_said_to_be_damaged_and_found_by_the_check(study: Study, content: str) -> None:
    study._connection.execute("DROP TRIGGER temp.keep_item_update")
    study._connection.execute("UPDATE item SET content = ? WHERE id = 'i1'", (content,))
    study._connection.commit()
    with pytest.raises(UserError, match="i1 of this study is damaged"):
        items_of(study, "s")
    assert len([text for text in check_study(study.path) if "item" in text]) == 1


def test_a_question_that_was_frozen_is_read_again(study: Study) -> None:
    each_question = question(1)
    with study.run_transaction():
        insert_set(
            study,
            replace(SET, id="t"),
            [FrozenItem("i9", "t", 0, 0, "question/q", "r", 0, 5, {"question": question_to_json(each_question)})],
        )
    assert items_of(study, "t")[0].content["question"] == question_to_json(each_question)


def test_of_two_sets_of_one_name_the_id_is_asked_for(study: Study) -> None:
    with study.run_transaction():
        insert_set(study, replace(SET, id="t"), [])
    with pytest.raises(UserError, match="2 item sets called “verdicts”") as raised:
        find_item_set(study, "verdicts")
    assert raised.value.hint == "Name it by its id: s or t"
    assert find_item_set(study, "s") == SET


def test_rows_that_belong_to_nothing_are_found(study: Study) -> None:
    with study.run_transaction():
        insert_set(
            study,
            replace(SET, id="t", name="other"),
            [FrozenItem("x", "gone", 5, 0, "", "r", 0, 5), FrozenItem("y", "t", 2, 0, "", "r", 0, 5)],
        )
        insert_benchmark_run(study, replace(RUN, id="c", set_id="gone"))
        insert_answers(study, [RunAnswer("gone", "i1", "", "one")])
    assert {
        "an item belongs to no set: x",
        "an item is in a draw that its set does not have: y",
        "a run of the benchmark is over no set: c",
        "an answer of the benchmark belongs to no run: gone",
    } <= {*check_study(study.path)}
