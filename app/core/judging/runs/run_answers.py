"""Which judgments are the answers of runs of the benchmark, noted in the moment in which they are stored."""

from collections.abc import Iterable, Mapping
from typing import cast

from project.after import plain_part
from project.item_sets import RunAnswer
from project.judging import Judgment, JudgmentStatus
from project.types import Json

RUNS = "runs"
"""Parameter of a work: judge id -> run id."""


def answer_key(task: str, part: str) -> str:
    """Return what an answer of a run goes by, `TASK` or `TASK/PART`, as truths of items do.

    Args:
        task: key of `benchmark/tasks/registry.py`.
        part: of the item, as it was asked about, with the judgment that it names or without.
    """
    return f"{task}/{plain_part(part)}" if part else task


def run_answers(parameters: Mapping[str, Json], judgments: Iterable[Judgment]) -> list[RunAnswer]:
    """Return the answers that judgments are in the runs of a work; what failed is asked again, and is none."""
    runs = cast(Mapping[str, str], parameters.get(RUNS, {}))
    return [
        RunAnswer(runs[one.judge_id], one.item_id, answer_key(one.task, one.part), one.id)
        for one in judgments
        if one.item_id and one.judge_id in runs and one.status is not JudgmentStatus.ERROR
    ]
