"""Published results of judges and data sets, and the keys and descriptions of metrics.

The results are shown beside a study's own.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from project.entities.study_records import Json
from project.schemes.scheme_file import load_scheme
from resources import resource

SCHEME = "sotopia-eval"
DIMENSIONS = ("believability", "relationship", "knowledge", "secret", "social_rules", "financial", "goal")
"""Dimensions of SOTOPIA-EVAL in the order of the paper (appendix C); keys of fields of the scheme."""
REASON_SUFFIX = "_reason"
"""Suffix of the key of a dimension's reason."""


def score_ranges() -> dict[str, tuple[int, int]]:
    """Return dimension -> lowest and highest score."""
    scheme = load_scheme(SCHEME)
    fields = {key: scheme.field(key) for key in DIMENSIONS}
    return {key: (int(field.minimum), int(field.maximum)) for key, field in fields.items()}


def overall_score(scores: Mapping[str, Json]) -> float | None:
    """Return the mean of the seven scores (SOTOPIA, section 6); None if one is missing."""
    found = [value for key in DIMENSIONS if isinstance(value := scores.get(key), int | float)]
    return sum(found) / len(found) if len(found) == len(DIMENSIONS) else None


ACCURACY, MACRO_F1 = "accuracy", "macro_f1"
EXACT_MATCH, PARTIAL_MATCH = "exact_match", "partial_match"
CHAIN_CONSISTENCY, SUBCHAIN_CONSISTENCY = "chain_consistency", "subchain_consistency"
PEARSON_R, MAE, CALIBRATION_ERROR = "pearson_r", "mae", "calibration_error"
RANDOLPH_KAPPA, PAIRWISE_AGREEMENT = "randolph_kappa", "pairwise_agreement"
FACTUALITY = "factuality"
SEPARATOR = "."
"""Between a metric and a part of the items: `accuracy.mse`, `pearson_r.goal`."""


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """The description of a metric, for tables and hints.

    Attributes:
        share: its value is a share, shown in percent or as 0 to 1.
        high_is_good: a higher value is better.
    """

    name: str
    description: str
    share: bool = True
    high_is_good: bool = True


METRIC_DESCRIPTIONS = {
    ACCURACY: MetricDescription("Accuracy", "Share of the items that were answered right."),
    MACRO_F1: MetricDescription("Macro-F1", "Mean of the F1 of each label of the task, whether a draw has it or not."),
    EXACT_MATCH: MetricDescription("Exact match", "Share of the items for which just the true labels were given."),
    PARTIAL_MATCH: MetricDescription(
        "Partial match", "Share of the items for which at least one true label was given."
    ),
    CHAIN_CONSISTENCY: MetricDescription(
        "Chain consistency", "Share of the chains all of whose questions were answered right."
    ),
    SUBCHAIN_CONSISTENCY: MetricDescription(
        "Subchain consistency", "Share of the subchains all of whose questions were answered right."
    ),
    PEARSON_R: MetricDescription("Pearson's r", "Correlation with what people said.", share=False),
    MAE: MetricDescription(
        "Mean absolute error", "How far from what people said, in the mean.", share=False, high_is_good=False
    ),
    CALIBRATION_ERROR: MetricDescription(
        "Calibration error",
        "How far the mean answer of each bin is from what people said there, in the mean.",
        share=False,
        high_is_good=False,
    ),
    RANDOLPH_KAPPA: MetricDescription(
        "Randolph's kappa", "Agreement over chance among five bins of the scale.", share=False
    ),
    PAIRWISE_AGREEMENT: MetricDescription("Pairwise agreement", "Share of pairs of ratings at most two points apart."),
    FACTUALITY: MetricDescription("Factuality", "Share of the explanations that people found to be right."),
}
"""Metric -> its description."""


def split_metric_key(key: str) -> tuple[str, str]:
    """Return the metric and the part of a key such as `accuracy.mse`; the part is "" for all items."""
    metric, _, part = key.partition(SEPARATOR)
    return metric, part


def join_metric_key(metric: str, part: str) -> str:
    """Return the key of a metric over a part of the items."""
    return f"{metric}{SEPARATOR}{part}" if part else metric


def describe_metric(key: str) -> MetricDescription | None:
    """Return the description of the metric of a key, with or without a part; None for an unknown metric."""
    return METRIC_DESCRIPTIONS.get(split_metric_key(key)[0])


R3_VQA, ESI_BENCH = "r3vqa-answers", "esi-bench-answers"


@dataclass(frozen=True, slots=True)
class PublishedTableRow:
    """One row of a table in a paper.

    Attributes:
        table: its number there.
        model: who answered, or the name of the data set.
        setting: what was shown: `base`, `+sub`, `+sub+tom`, ...
        figures: key -> value; shares in percent, scores as they are.
    """

    paper: str
    table: int
    model: str
    setting: str
    figures: Mapping[str, float]


@cache
def published_rows(paper: str) -> tuple[PublishedTableRow, ...]:
    """Return the rows of a paper's tables, `R3_VQA` or `ESI_BENCH`, as they are printed."""
    found = tomllib.loads(resource("published", f"{paper}.toml").read_text("utf-8"))
    told = ("table", "model", "setting")
    return tuple(
        PublishedTableRow(
            found["name"],
            row["table"],
            row["model"],
            row["setting"],
            {name: float(value) for name, value in row.items() if name not in told},
        )
        for row in found["rows"]
    )


WORDS, PICTURES, BOTH = "L", "V", "L+V"
"""Modalities: words alone, pictures alone, both."""
SCORE_FILES = ("shrec-tasks", "sotopia-tasks", "socialnli-tasks")
"""Files of results by task."""
_ROW_KEYS = ("model", "modality", "setting")
_PERCENT = 100.0
_R3_METRICS = {
    "overall": ACCURACY,
    "emotion": join_metric_key(ACCURACY, "emotion"),
    "belief": join_metric_key(ACCURACY, "belief"),
    "intent": join_metric_key(ACCURACY, "intent"),
    "desire": join_metric_key(ACCURACY, "desire"),
    "mse": join_metric_key(ACCURACY, "MSE"),
    "eu": join_metric_key(ACCURACY, "EU"),
    "cw": join_metric_key(ACCURACY, "CW"),
    "chw": join_metric_key(ACCURACY, "CH/W"),
    "chain": CHAIN_CONSISTENCY,
    "subchain": SUBCHAIN_CONSISTENCY,
    "written": ACCURACY,
}
_MODALITIES = {"base": PICTURES, "words only": WORDS, "chance": ""}


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published result.

    Attributes:
        name: who answered, as the paper names them.
        modality: what was shown, `L`, `V` or `L+V`; "" for nothing.
        metric: key of a metric, with the name of the part if it is about a part of the items.
        mean: shares from 0 to 1.
        sd: standard deviation over draws; None if the paper gives none.
        source: paper and table or section.
        setting: how they were asked, or in which condition; "" if there is only one.
    """

    task: str
    name: str
    modality: str
    metric: str
    mean: float
    sd: float | None
    source: str
    setting: str = ""


def published_scores_for(task: str) -> tuple[PublishedScore, ...]:
    """Return the published results of a task, in the order of the papers."""
    return tuple(row for row in published_scores() if row.task == task)


@cache
def published_scores() -> tuple[PublishedScore, ...]:
    """Return all published results."""
    return (*(row for name in SCORE_FILES for row in _read_file(name)), *_read_r3_vqa(), *_read_esi_bench())


def _read_file(name: str) -> Iterator[PublishedScore]:
    found = tomllib.loads(resource("published", f"{name}.toml").read_text("utf-8"))
    sources: dict[str, str] = found["sources"]
    for row in found["rows"]:
        for task in (key for key in row if key not in _ROW_KEYS):
            for metric, value in row[task].items():
                place = sources.get(join_metric_key(task, metric), sources[task])
                mean, sd = _mean_and_sd(value)
                source = f"{found['name']}, {place}"
                yield PublishedScore(
                    task, row["model"], row["modality"], metric, mean, sd, source, row.get("setting", "")
                )


def _mean_and_sd(value: Any) -> tuple[float, float | None]:
    return (float(value[0]), float(value[1])) if isinstance(value, list) else (float(value), None)


def _read_r3_vqa() -> Iterator[PublishedScore]:
    """Read the tables of questions made from chains and of those that people wrote; they have no standard deviation."""
    for row in published_rows(R3_VQA):
        for figure, value in row.figures.items():
            yield PublishedScore(
                "r3vqa_written" if figure == "written" else "r3vqa",
                row.model,
                _MODALITIES.get(row.setting, BOTH),
                _R3_METRICS[figure],
                value / _PERCENT,
                None,
                f"{row.paper}, Table {row.table}",
                row.setting,
            )


def _read_esi_bench() -> Iterator[PublishedScore]:
    """Read the results of models, without the rows about the data set itself."""
    for row in published_rows(ESI_BENCH):
        if row.setting != "data set":
            mean = row.figures[ACCURACY] / _PERCENT
            yield PublishedScore("esi", row.model, BOTH, ACCURACY, mean, None, f"{row.paper}, Table {row.table}")
