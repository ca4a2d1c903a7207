"""Frozen sets of items, runs over them and their answers: stored once, then never changed."""

from collections.abc import Iterable

from project.errors import UserError
from project.item_contents import why_unfit
from project.item_sets import BenchmarkRun, FrozenItem, ItemSet, RunAnswer, Shown
from project.json_text import to_json
from project.names import shown
from project.queries.stored_values import damaged_value, stored_choice, stored_object
from project.store import Row, Study

_SET = "id, name, task, seed, draws, rule, left_out, sha256, at, program_version"
_ITEM = "id, set_id, draw, position, about, recording_id, start_us, end_us, content, made_from"
_RUN = "id, set_id, judge_id, judge, annotator_id, variant, modality, condition, seed, at, program_version"


def insert_set(study: Study, new: ItemSet, items: Iterable[FrozenItem]) -> None:
    """Store a set with its items; inside `Study.recording_run`."""
    study.write_run(
        f"INSERT INTO item_set ({_SET}) VALUES ({_marks(_SET)})",
        [
            (
                *(new.id, new.name, new.task, new.seed, new.draws, to_json(dict(new.rule))),
                *(to_json(dict(new.left_out)), new.sha256, new.at, new.program_version),
            )
        ],
    )
    study.write_run(
        f"INSERT INTO item ({_ITEM}) VALUES ({_marks(_ITEM)})",
        [
            (
                *(one.id, one.set_id, one.draw, one.position, one.about, one.recording_id, one.start_us, one.end_us),
                *(to_json(dict(one.content)), one.made_from),
            )
            for one in items
        ],
    )


def all_sets(study: Study) -> list[ItemSet]:
    """Return every set, in the order in which they were made.

    Raises:
        UserError: one of them is damaged.
    """
    return [_set(row) for row in study.rows(f"SELECT {_SET} FROM item_set ORDER BY at, id")]


def set_called(study: Study, name: str) -> ItemSet | None:
    """Return the set of an id or a name, or None.

    Raises:
        UserError: it is damaged, or several have the name: copies that were merged each made one.
    """
    found = [_set(row) for row in study.rows(f"SELECT {_SET} FROM item_set WHERE id = ?1 OR name = ?1", (name,))]
    same = [one for one in found if one.id == name] or found
    if len(same) > 1:
        raise UserError(
            f"There are {len(same)} item sets called “{shown(name)}”.",
            f"Name it by its id: {' or '.join(sorted(one.id for one in same))}",
        )
    return same[0] if same else None


def items_of(study: Study, set_id: str) -> list[FrozenItem]:
    """Return the items of a set, by draw and position.

    Raises:
        UserError: one of them is damaged.
    """
    rows = study.rows(f"SELECT {_ITEM} FROM item WHERE set_id = ? ORDER BY draw, position, id", (set_id,))
    return [_item(row) for row in rows]


def item_called(study: Study, item_id: str) -> FrozenItem | None:
    """Return an item, or None.

    Raises:
        UserError: it is damaged.
    """
    row = study.row(f"SELECT {_ITEM} FROM item WHERE id = ?", (item_id,))
    return _item(row) if row else None


def insert_benchmark_run(study: Study, new: BenchmarkRun) -> None:
    """Store that a run begins; inside `Study.recording_run`."""
    study.write_run(
        f"INSERT INTO benchmark_run ({_RUN}) VALUES ({_marks(_RUN)})",
        [
            (
                *(new.id, new.set_id, new.judge_id, to_json(dict(new.judge)), new.annotator_id, new.variant),
                *(new.shown.value, new.condition, new.seed, new.at, new.program_version),
            )
        ],
    )


def benchmark_runs(study: Study, set_id: str | None = None) -> list[BenchmarkRun]:
    """Return the runs over one set, or over all, in the order in which they began.

    Raises:
        UserError: one of them is damaged.
    """
    rows = study.rows(f"SELECT {_RUN} FROM benchmark_run WHERE set_id = coalesce(?, set_id) ORDER BY at, id", (set_id,))
    return [_run(row) for row in rows]


def insert_answers(study: Study, new: Iterable[RunAnswer]) -> None:
    """Store which judgments are the answers of a run; the first of each item and part counts.

    Inside `Study.recording_run`.
    """
    study.write_run(
        "INSERT INTO benchmark_answer (run_id, item_id, part, judgment_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(one.run_id, one.item_id, one.part, one.judgment_id) for one in new],
    )


def answers_of(study: Study, run_id: str) -> list[RunAnswer]:
    """Return the answers of a run, by item and part."""
    rows = study.rows(
        "SELECT run_id, item_id, part, judgment_id FROM benchmark_answer WHERE run_id = ? ORDER BY item_id, part",
        (run_id,),
    )
    return [RunAnswer(*row) for row in rows]


def _set(row: Row) -> ItemSet:
    values = dict(zip(_SET.split(", "), row, strict=True))
    what = f"The item set “{shown(values['name'])}”"
    found = {key: stored_object(values[key], what) for key in ("rule", "left_out")}
    if not all(isinstance(one, int) for one in found["left_out"].values()):
        raise damaged_value(what)
    return ItemSet(**{**values, **found})


def _item(row: Row) -> FrozenItem:
    values = dict(zip(_ITEM.split(", "), row, strict=True))
    what = f"The item {shown(values['id'])}"
    content = stored_object(values["content"], what)
    if why_unfit(values["about"], content):
        raise damaged_value(what)
    return FrozenItem(**{**values, "content": content})


def _run(row: Row) -> BenchmarkRun:
    values = dict(zip(_RUN.split(", "), row, strict=True))
    what = f"The run {shown(values['id'])} of the benchmark"
    judge = stored_object(values["judge"], what)
    seen = stored_choice(Shown, values.pop("modality"), what)
    return BenchmarkRun(**{**values, "judge": judge, "shown": seen})


def _marks(columns: str) -> str:
    return ", ".join("?" * len(columns.split(", ")))
