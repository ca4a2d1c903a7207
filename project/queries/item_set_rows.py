"""Queries on frozen item sets, benchmark runs and answers, which are stored once and never changed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from project.entities.frozen_items import (
    BenchmarkRun,
    FrozenItem,
    ItemSet,
    RunAnswer,
    describe_content_problem,
)
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.row_mapper import RowMapper
from project.store.column_values import damaged_value_error, judgment_label, parse_choice, parse_object, to_json
from project.store.study import Study
from project.text_format import escape_unprintable


def _parse_counts(text: str) -> dict[str, int]:
    counts = json.loads(text)
    if not isinstance(counts, dict) or not all(isinstance(count, int) for count in counts.values()):
        raise ValueError(text)
    return counts


ITEM_SETS = RowMapper(
    ItemSet,
    "item_set",
    noun="The item set “{name}”",
    codecs={"left_out": (lambda counts: to_json(dict(counts)), _parse_counts)},
)
ITEMS = RowMapper(FrozenItem, "item", noun="The item {id}")
BENCHMARK_RUNS = RowMapper(
    BenchmarkRun, "benchmark_run", noun="The run {id} of the benchmark", columns={"shown": "modality"}
)
RUN_ANSWERS = RowMapper(RunAnswer, "benchmark_answer")


def insert_set(study: Study, new: ItemSet, items: Iterable[FrozenItem]) -> None:
    """Store a set with its items; inside `Study.run_transaction`."""
    ITEM_SETS.insert(study, new)
    ITEMS.insert_all(study, items)


all_sets = ITEM_SETS.query("ORDER BY at, id")


def find_item_set(study: Study, name: str) -> ItemSet | None:
    """Return the set of an id or a name, or None."""
    found = ITEM_SETS.select(study, "WHERE id = ?1 OR name = ?1", name)
    same = [item_set for item_set in found if item_set.id == name] or found
    if len(same) > 1:
        raise UserError(
            f"Several item sets are called “{escape_unprintable(name)}”.",
            f"Give the id: {' or '.join(sorted(item_set.id for item_set in same))}.",
        )
    return same[0] if same else None


def items_of(study: Study, set_id: str) -> list[FrozenItem]:
    """Return the items of a set, by draw and position."""
    return [*map(_checked, ITEMS.select(study, "WHERE set_id = ? ORDER BY draw, position, id", set_id))]


def find_item(study: Study, item_id: str) -> FrozenItem | None:
    """Return an item, or None."""
    item = ITEMS.find(study, item_id)
    return item and _checked(item)


insert_benchmark_run = BENCHMARK_RUNS.insert


def benchmark_runs(study: Study, set_id: str | None = None) -> list[BenchmarkRun]:
    """Return the runs over one set, or over all, in the order in which they began."""
    return BENCHMARK_RUNS.select(study, "WHERE set_id = coalesce(?, set_id) ORDER BY at, id", set_id)


insert_answers = RUN_ANSWERS.insert_missing
"""Store which judgments are the answers of a run; the first of each item and part counts."""


answers_of = RUN_ANSWERS.query("WHERE run_id = ? ORDER BY item_id, part")


def _checked(item: FrozenItem) -> FrozenItem:
    if describe_content_problem(item.about, dict(item.content)):
        raise damaged_value_error(f"The item {escape_unprintable(item.id)}")
    return item


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer of a run.

    Attributes:
        key: `TASK` or `TASK/PART`.
        answer: {} where it could not be read or was refused.
        ms: that it took.
        cost: in the currency of the judge's prices; None where it has none.
        cached: whether it was taken from an equal request.
    """

    item_id: str
    key: str
    judgment_id: str
    status: JudgmentStatus
    answer: dict[str, Json]
    ms: int
    cost: float | None
    tokens_in: int
    tokens_out: int
    cached: bool


def read_run_answers(study: Study, run_id: str) -> list[GivenAnswer]:
    """Return the answers of a run, by item and key."""
    rows = study.rows(
        "SELECT a.item_id, a.part, j.id, j.status, j.answer, j.ms, j.cost, j.tokens_in, j.tokens_out, j.cached_from "
        "FROM benchmark_answer AS a JOIN judgment AS j ON j.id = a.judgment_id "
        "WHERE a.run_id = ? ORDER BY a.item_id, a.part",
        (run_id,),
    )
    return [
        GivenAnswer(
            *(row[0], row[1], row[2], parse_choice(JudgmentStatus, row[3], judgment_label(row[2]))),
            *(parse_object(row[4], judgment_label(row[2])), row[5], row[6]),
            *(row[7] or 0, row[8] or 0, row[9] is not None),
        )
        for row in rows
    ]


def usable_answers(study: Study, run_id: str) -> dict[tuple[str, str], str]:
    """Return item and key -> judgment of what a run was answered, without what was refused or could not be read."""
    rows = study.rows(
        "SELECT a.item_id, a.part, a.judgment_id FROM benchmark_answer AS a JOIN judgment AS j ON j.id = a.judgment_id "
        "WHERE a.run_id = ? AND j.status = 'ok'",
        (run_id,),
    )
    return {(row[0], row[1]): row[2] for row in rows}


def failed_items(study: Study, run: BenchmarkRun) -> set[str]:
    """Return the items about which a judge was asked since a run began, in its way, and failed."""
    rows = study.rows(
        "SELECT DISTINCT j.item_id FROM item AS i JOIN judgment AS j ON j.item_id = i.id "
        "WHERE i.set_id = ? AND j.item_id <> '' AND j.judge_id = ? AND j.variant = ? AND j.seed = ? "
        "AND j.status = 'error' AND j.at >= ?",
        (run.set_id, run.judge_id, run.variant, run.seed, run.at),
    )
    return {row[0] for row in rows}
