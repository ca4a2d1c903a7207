"""What papers report of judges and people in the tasks of the benchmark, to be shown beside a study's own rows."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmark.metrics.names import ACCURACY, CHAIN_CONSISTENCY, SUBCHAIN_CONSISTENCY, joined
from benchmark.questions.published import ESI_BENCH, R3_VQA, published_rows
from resources import resource

WORDS, PICTURES, BOTH = "L", "V", "L+V"
"""What was shown: words alone, pictures alone, both."""
_FILES = ("shrec-tasks", "sotopia-tasks", "socialnli-tasks")
_ABOUT_A_ROW = ("model", "modality", "setting")
_PERCENT = 100.0
_R3_METRICS = {
    "overall": ACCURACY,
    "emotion": joined(ACCURACY, "emotion"),
    "belief": joined(ACCURACY, "belief"),
    "intent": joined(ACCURACY, "intent"),
    "desire": joined(ACCURACY, "desire"),
    "mse": joined(ACCURACY, "MSE"),
    "eu": joined(ACCURACY, "EU"),
    "cw": joined(ACCURACY, "CW"),
    "chw": joined(ACCURACY, "CH/W"),
    "chain": CHAIN_CONSISTENCY,
    "subchain": SUBCHAIN_CONSISTENCY,
    "written": ACCURACY,
}
_SHOWN = {"base": PICTURES, "words only": WORDS, "chance": ""}


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One figure of a paper.

    Attributes:
        task: key of the task.
        name: who answered, as the paper names them.
        modality: what was shown, `L`, `V` or `L+V`; "" where nothing was.
        metric: key of `benchmark.metrics.names`, where it is about a part of the items with the name of the part.
        mean: shares from 0 to 1.
        sd: standard deviation over draws; None where the paper gives none.
        source: paper and place in it.
        setting: how they were asked, or under which condition; "" where there is one way alone.
    """

    task: str
    name: str
    modality: str
    metric: str
    mean: float
    sd: float | None
    source: str
    setting: str = ""


def rows_for(task: str) -> tuple[PublishedRow, ...]:
    """Return what was published of a task, in the order of the papers; () where nothing was."""
    return tuple(row for row in published() if row.task == task)


@cache
def published() -> tuple[PublishedRow, ...]:
    """Return every figure that was published."""
    return (*(row for name in _FILES for row in _of_file(name)), *_of_r3_vqa(), *_of_esi_bench())


def _of_file(name: str) -> Iterator[PublishedRow]:
    found = tomllib.loads(resource("published", f"{name}.toml").read_text("utf-8"))
    sources: dict[str, str] = found["sources"]
    for row in found["rows"]:
        for task in (key for key in row if key not in _ABOUT_A_ROW):
            for metric, value in row[task].items():
                place = sources.get(joined(task, metric), sources[task])
                mean, sd = _mean_and_sd(value)
                source = f"{found['name']}, {place}"
                yield PublishedRow(
                    task, row["model"], row["modality"], metric, mean, sd, source, row.get("setting", "")
                )


def _mean_and_sd(value: Any) -> tuple[float, float | None]:
    return (float(value[0]), float(value[1])) if isinstance(value, list) else (float(value), None)


def _of_r3_vqa() -> Iterator[PublishedRow]:
    """Read the tables of questions that were made from chains and of those that people wrote; they have no spread."""
    for row in published_rows(R3_VQA):
        for figure, value in row.figures.items():
            yield PublishedRow(
                "r3vqa_written" if figure == "written" else "r3vqa",
                row.model,
                _SHOWN.get(row.setting, BOTH),
                _R3_METRICS[figure],
                value / _PERCENT,
                None,
                f"{row.paper}, Table {row.table}",
                row.setting,
            )


def _of_esi_bench() -> Iterator[PublishedRow]:
    """Read what models reach; how hard and how biased the set of questions is stands on the page of questions."""
    for row in published_rows(ESI_BENCH):
        if row.setting != "data set":
            mean = row.figures[ACCURACY] / _PERCENT
            yield PublishedRow("esi", row.model, BOTH, ACCURACY, mean, None, f"{row.paper}, Table {row.table}")
