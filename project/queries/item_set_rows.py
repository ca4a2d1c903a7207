"""Queries on frozen item sets, benchmark runs and answers, which are stored once and never changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from project.entities.frozen_items import (
    BenchmarkRun,
    FrozenItem,
    ItemModality,
    ItemSet,
    RunAnswer,
    describe_content_problem,
)
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError
from project.store.column_values import damaged_value_error, judgment_label, parse_choice, parse_object, to_json
from project.store.study import Row, Study
from project.text_format import escape_unprintable

_SET_COLUMNS = "id, name, task, seed, draws, rule, left_out, sha256, at, program_version"
_ITEM_COLUMNS = "id, set_id, draw, position, about, recording_id, start_us, end_us, content, made_from"
_RUN_COLUMNS = "id, set_id, judge_id, judge, annotator_id, variant, modality, condition, seed, at, program_version"


def insert_set(study: Study, new: ItemSet, items: Iterable[FrozenItem]) -> None:
    """Store a set with its items; inside `Study.run_transaction`."""
    study.write_run(
        f"INSERT INTO item_set ({_SET_COLUMNS}) VALUES ({_placeholders(_SET_COLUMNS)})",
        [
            (
                *(new.id, new.name, new.task, new.seed, new.draws, to_json(dict(new.rule))),
                *(to_json(dict(new.left_out)), new.sha256, new.at, new.program_version),
            )
        ],
    )
    study.write_run(
        f"INSERT INTO item ({_ITEM_COLUMNS}) VALUES ({_placeholders(_ITEM_COLUMNS)})",
        [
            (
                *(
                    item.id,
                    item.set_id,
                    item.draw,
                    item.position,
                    item.about,
                    item.recording_id,
                    item.start_us,
                    item.end_us,
                ),
                *(to_json(dict(item.content)), item.made_from),
            )
            for item in items
        ],
    )


def all_sets(study: Study) -> list[ItemSet]:
    """Return every set, in the order in which they were made."""
    return [_set(row) for row in study.rows(f"SELECT {_SET_COLUMNS} FROM item_set ORDER BY at, id")]


def find_item_set(study: Study, name: str) -> ItemSet | None:
    """Return the set of an id or a name, or None."""
    found = [
        _set(row) for row in study.rows(f"SELECT {_SET_COLUMNS} FROM item_set WHERE id = ?1 OR name = ?1", (name,))
    ]
    same = [item_set for item_set in found if item_set.id == name] or found
    if len(same) > 1:
        raise UserError(
            f"There are {len(same)} item sets called “{escape_unprintable(name)}”.",
            f"Name it by its id: {' or '.join(sorted(item_set.id for item_set in same))}",
        )
    return same[0] if same else None


def items_of(study: Study, set_id: str) -> list[FrozenItem]:
    """Return the items of a set, by draw and position."""
    rows = study.rows(f"SELECT {_ITEM_COLUMNS} FROM item WHERE set_id = ? ORDER BY draw, position, id", (set_id,))
    return [_item(row) for row in rows]


def find_item(study: Study, item_id: str) -> FrozenItem | None:
    """Return an item, or None."""
    row = study.row(f"SELECT {_ITEM_COLUMNS} FROM item WHERE id = ?", (item_id,))
    return _item(row) if row else None


def insert_benchmark_run(study: Study, new: BenchmarkRun) -> None:
    """Store that a run begins; inside `Study.run_transaction`."""
    study.write_run(
        f"INSERT INTO benchmark_run ({_RUN_COLUMNS}) VALUES ({_placeholders(_RUN_COLUMNS)})",
        [
            (
                *(new.id, new.set_id, new.judge_id, to_json(dict(new.judge)), new.annotator_id, new.variant),
                *(new.shown.value, new.condition, new.seed, new.at, new.program_version),
            )
        ],
    )


def benchmark_runs(study: Study, set_id: str | None = None) -> list[BenchmarkRun]:
    """Return the runs over one set, or over all, in the order in which they began."""
    rows = study.rows(
        f"SELECT {_RUN_COLUMNS} FROM benchmark_run WHERE set_id = coalesce(?, set_id) ORDER BY at, id", (set_id,)
    )
    return [_run(row) for row in rows]


def insert_answers(study: Study, new: Iterable[RunAnswer]) -> None:
    """Store which judgments are the answers of a run; the first of each item and part counts.

    Inside `Study.run_transaction`.
    """
    study.write_run(
        "INSERT INTO benchmark_answer (run_id, item_id, part, judgment_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(answer.run_id, answer.item_id, answer.part, answer.judgment_id) for answer in new],
    )


def answers_of(study: Study, run_id: str) -> list[RunAnswer]:
    """Return the answers of a run, by item and part."""
    rows = study.rows(
        "SELECT run_id, item_id, part, judgment_id FROM benchmark_answer WHERE run_id = ? ORDER BY item_id, part",
        (run_id,),
    )
    return [RunAnswer(*row) for row in rows]


def _set(row: Row) -> ItemSet:
    values = dict(zip(_SET_COLUMNS.split(", "), row, strict=True))
    what = f"The item set “{escape_unprintable(values['name'])}”"
    found = {key: parse_object(values[key], what) for key in ("rule", "left_out")}
    if not all(isinstance(count, int) for count in found["left_out"].values()):
        raise damaged_value_error(what)
    return ItemSet(**{**values, **found})


def _item(row: Row) -> FrozenItem:
    values = dict(zip(_ITEM_COLUMNS.split(", "), row, strict=True))
    what = f"The item {escape_unprintable(values['id'])}"
    content = parse_object(values["content"], what)
    if describe_content_problem(values["about"], content):
        raise damaged_value_error(what)
    return FrozenItem(**{**values, "content": content})


def _run(row: Row) -> BenchmarkRun:
    values = dict(zip(_RUN_COLUMNS.split(", "), row, strict=True))
    what = f"The run {escape_unprintable(values['id'])} of the benchmark"
    judge = parse_object(values["judge"], what)
    seen = parse_choice(ItemModality, values.pop("modality"), what)
    return BenchmarkRun(**{**values, "judge": judge, "shown": seen})


def _placeholders(columns: str) -> str:
    return ", ".join("?" * len(columns.split(", ")))


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
