"""What runs of the benchmark were answered, without all that was sent for it."""

from dataclasses import dataclass

from project.item_sets import BenchmarkRun
from project.judging import JudgmentStatus
from project.queries.stored_values import judgment_called, stored_choice, stored_object
from project.store import Study
from project.types import Json


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


def given_answers(study: Study, run_id: str) -> list[GivenAnswer]:
    """Return the answers of a run, by item and key.

    Raises:
        UserError: one of them is damaged.
    """
    rows = study.rows(
        "SELECT a.item_id, a.part, j.id, j.status, j.answer, j.ms, j.cost, j.tokens_in, j.tokens_out, j.cached_from "
        "FROM benchmark_answer AS a JOIN judgment AS j ON j.id = a.judgment_id "
        "WHERE a.run_id = ? ORDER BY a.item_id, a.part",
        (run_id,),
    )
    return [
        GivenAnswer(
            *(row[0], row[1], row[2], stored_choice(JudgmentStatus, row[3], judgment_called(row[2]))),
            *(stored_object(row[4], judgment_called(row[2])), row[5], row[6]),
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
