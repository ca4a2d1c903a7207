"""Computes the figures of a run from its responses: metrics over draws, breakdowns, F1 by label, confusions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import cast

from annotate.agreement.figure_intervals import Interval
from benchmark.metrics.classification import confusion, f1_by_label, multilabel_f1_by_label
from benchmark.metrics.item_sums import MetricContributions
from benchmark.metrics.published_figures import describe_metric, join_metric_key, split_metric_key
from benchmark.metrics.resampling import intervals, mean_over_draws, mean_sd
from benchmark.results.item_results import Breakdown, Confusion, MetricRow, SubgroupResult
from benchmark.tasks.benchmark_task import (
    BREAKDOWN_TRAITS,
    BenchmarkTask,
    ItemResponse,
    Metric,
    score,
    task_labels,
)
from project.entities.study_records import Json
from project.store.column_values import to_json

F1 = "f1"
"""Metric of one label, as in `f1.error`."""
BOOTSTRAP_SAMPLES = 200
_NO_NAMES: Mapping[str, str] = MappingProxyType({})
_AGREED = {True: "agreed", False: "disagreed"}
ScoreFunction = Callable[[Sequence[ItemResponse]], Mapping[str, float | None]]


def metric_rows(
    entry: BenchmarkTask, said: Sequence[ItemResponse], samples: int = BOOTSTRAP_SAMPLES
) -> tuple[MetricRow, ...]:
    """Return the figures of a task over all items that count, with intervals over recordings.

    Args:
        entry: the task.
        said: responses that count, of all draws.
        samples: of the bootstrap for figures that are no functions of sums; the others have `DRAW_SAMPLES`. 0 for no
            intervals.
    """
    ends = _intervals(entry, said, samples) if samples and said else {}
    guessed = entry.chance(said) if said else {}
    return _rows(entry.metrics, partial(score, entry), said, ends, guessed, constant_figures(entry, said))


def constant_figures(entry: BenchmarkTask, said: Sequence[ItemResponse]) -> dict[str, float]:
    """Return the figures of giving the most frequent right answer to all items; {} where answers are no labels."""
    given: dict[str, dict[str, list[Json]]] = {}
    for item_response in said:
        for key, truth in item_response.truth.items():
            for field, value in truth.items():
                given.setdefault(key, {}).setdefault(field, []).append(value)
    values = [value for fields in given.values() for those in fields.values() for value in those]
    if not values or not all(isinstance(value, str | list) for value in values):
        return {}
    answers = {key: {field: _most_frequent(those) for field, those in fields.items()} for key, fields in given.items()}
    scores = [score(entry, [replace(response, answers=answers) for response in draw]) for draw in items_by_draw(said)]
    means = {metric.key: mean_sd([score.get(metric.key) for score in scores]).mean for metric in entry.metrics}
    return {key: mean for key, mean in means.items() if mean is not None}


def _most_frequent(values: Sequence[Json]) -> Json:
    counts = Counter(map(to_json, values))
    most = min(counts, key=lambda text: (-counts[text], text))
    return next(value for value in values if to_json(value) == most)


def label_rows(said: Sequence[ItemResponse]) -> tuple[MetricRow, ...]:
    """Return the F1 of each label, as `f1.LABEL`; () if answers are no labels."""
    named = tuple(Metric(join_metric_key(F1, label), f"F1 of “{label}”") for label in task_labels(said))
    return _rows(named, _label_f1, said, {}, {}) if said and _label_f1(said) else ()


def _label_f1(said: Sequence[ItemResponse]) -> dict[str, float | None]:
    """Return `f1.LABEL` -> F1 of one draw; {} if answers are no labels."""
    labels, answers = task_labels(said), _single_field(said)
    if answers is None or not labels:
        return {}
    _, truth, given = answers
    if all(isinstance(value, str) for value in truth):
        found = f1_by_label(cast(list[str], truth), _only_texts(given), labels)
    elif all(isinstance(value, list) for value in truth):
        sets = [
            [list(map(str, value)) if isinstance(value, list) else None for value in side] for side in (truth, given)
        ]
        found = multilabel_f1_by_label([labels_of_item or [] for labels_of_item in sets[0]], sets[1], labels)
    else:
        return {}
    return {join_metric_key(F1, str(label)): value for label, value in found.items()}


def _single_field(said: Sequence[ItemResponse]) -> tuple[str, list[Json], list[Json]] | None:
    """Return the question, the right and the given values, if all items have the same question of a single field."""
    asked = {(key, field) for response in said for key, truth in response.truth.items() for field in truth}
    if len(asked) != 1 or any(len(response.truth) != 1 for response in said):
        return None
    ((key, field),) = asked
    truth = [response.truth.get(key, {}).get(field) for response in said]
    return key, truth, [response.answers.get(key, {}).get(field) for response in said]


def _only_texts(values: Sequence[Json]) -> list[str | None]:
    return [value if isinstance(value, str) else None for value in values]


def compute_breakdowns(
    entry: BenchmarkTask, said: Sequence[ItemResponse], names: Mapping[str, str] = _NO_NAMES
) -> tuple[Breakdown, ...]:
    """Return the figures by each trait with several values; an item with several values is in several parts."""
    found = []
    for trait in BREAKDOWN_TRAITS:
        parts: dict[str, list[ItemResponse]] = {}
        for response in said:
            for value in trait_parts(trait, response.traits.get(trait)):
                parts.setdefault(names.get(value, value), []).append(response)
        if len(parts) > 1 or (parts and trait == "attributes"):
            found.append(
                Breakdown(
                    trait,
                    tuple(
                        SubgroupResult(
                            value,
                            len(some),
                            (*_rows(entry.metrics, partial(score, entry), some, {}, {}), *label_rows(some)),
                        )
                        for value, some in sorted(parts.items(), key=lambda pair: _value_sort_key(pair[0]))
                    ),
                )
            )
    return tuple(found)


def compute_confusions(said: Sequence[ItemResponse]) -> tuple[Confusion, ...]:
    """Return the confusion matrix, if answers are single labels."""
    labels, answers = task_labels(said), _single_field(said)
    if answers is None or not labels or not all(isinstance(value, str) for value in answers[1]):
        return ()
    key, truth, given = answers
    counts = confusion(cast(list[str], truth), _only_texts(given), labels)
    return (Confusion(key, tuple(labels), tuple(tuple(int(count) for count in row) for row in counts)),)


def items_by_draw(said: Sequence[ItemResponse]) -> list[list[ItemResponse]]:
    """Return the items of each draw, in order."""
    found: dict[int, list[ItemResponse]] = {}
    for response in said:
        found.setdefault(response.draw, []).append(response)
    return [found[number] for number in sorted(found)]


def trait_parts(trait: str, value: Json) -> list[str]:
    """Return the parts that an item with this value of a trait belongs to, as text."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [str(entry) for entry in value]
    if isinstance(value, bool):
        return [{True: trait, False: f"not {trait}"}[value] if trait != "agreed" else _AGREED[value]]
    return [str(value)]


def _rows(
    metrics: Sequence[Metric],
    score_draw: ScoreFunction,
    said: Sequence[ItemResponse],
    ends: Mapping[str, Interval],
    guessed: Mapping[str, float],
    constants: Mapping[str, float] = MappingProxyType({}),
) -> tuple[MetricRow, ...]:
    scores = [score_draw(responses) for responses in items_by_draw(said)]
    found = []
    for metric in (*metrics, *_extra_metrics(metrics, scores)):
        values = tuple(draw_scores.get(metric.key) for draw_scores in scores)
        spread, (low, high) = mean_sd(values), ends.get(metric.key, (None, None))
        found.append(
            MetricRow(
                *(metric.key, metric.name, metric.share, spread.mean, spread.sd, low, high),
                *(len(said), values, guessed.get(metric.key), constants.get(metric.key)),
            )
        )
    return tuple(found)


def _extra_metrics(metrics: Sequence[Metric], scores_by_draw: Sequence[Mapping[str, float | None]]) -> list[Metric]:
    """Return the metrics of scores beside those of the task, such as `factuality.AUTHOR`."""
    known = {metric.key for metric in metrics}
    found = []
    for key in dict.fromkeys(key for entry in scores_by_draw for key in entry if key not in known):
        meaning, part = describe_metric(key), split_metric_key(key)[1]
        name = meaning.name if meaning else split_metric_key(key)[0]
        found.append(Metric(key, f"{name}, {part}" if part else name, meaning.share if meaning else True))
    return found


def _intervals(entry: BenchmarkTask, said: Sequence[ItemResponse], samples: int) -> dict[str, Interval]:
    """Return the interval of each figure: from sums over items where it has them, else by scoring each sample."""
    draws, homes = [response.draw for response in said], [response.recording_id for response in said]
    figures = {
        key: mean_over_draws(metric, draws, homes)
        for key, metric in entry.measure(said).items()
        if isinstance(metric, MetricContributions)
    }
    left = [metric.key for metric in entry.metrics if metric.key not in figures]

    def score_left(some: Sequence[ItemResponse]) -> dict[str, float | None]:
        scores = score(entry, some)
        return {key: scores.get(key) for key in left}

    return {
        **(intervals(score_left, said, draws, homes, samples) if left else {}),
        **{key: cast(Interval, (figure.low, figure.high)) for key, figure in figures.items()},
    }


def _value_sort_key(value: str) -> tuple[float, str]:
    return (float(value), "") if value.isdecimal() else (float("inf"), value)
