"""Computes the figures of a run from its responses: metrics over draws, breakdowns, F1 by label, confusions.

Metrics are written as sums over items where possible, for fast intervals.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import cast

import numpy as np

from annotate.agreement.figure_intervals import Floats
from benchmark.metrics.classification import confusion, f1_by_label, multilabel_f1_by_label
from benchmark.metrics.published_figures import (
    ACCURACY,
    CHAIN_CONSISTENCY,
    EXACT_MATCH,
    MACRO_F1,
    MAE,
    PARTIAL_MATCH,
    PEARSON_R,
    SUBCHAIN_CONSISTENCY,
    describe_metric,
    join_metric_key,
    split_metric_key,
)
from benchmark.metrics.resampling import (
    MetricContributions,
    accuracy_contributions,
    exact_match_contributions,
    intervals,
    macro_f1_contributions,
    macro_f1_multilabel_contributions,
    mae_contributions,
    mean_over_draws,
    mean_sd,
    partial_match_contributions,
    pearson_contributions,
    share_contributions,
)
from benchmark.results.item_results import Breakdown, Confusion, MetricRow, SubgroupResult
from benchmark.tasks.benchmark_task import BREAKDOWN_TRAITS, BenchmarkTask, ItemResponse, Metric, task_labels
from project.entities.study_records import Json
from project.store.column_values import to_json

CHAIN, SUBCHAINS = "chain", "subchains"
"""Traits of a question from a chain: its chain, and its subchains."""


def accuracy_by_part(
    entry: BenchmarkTask, said: Sequence[ItemResponse], right: Sequence[bool]
) -> dict[str, MetricContributions]:
    """Return `accuracy.PART` of a task -> accuracy of the items with this value of a trait."""
    found = {}
    for metric in entry.metrics:
        name, part = split_metric_key(metric.key)
        if name == ACCURACY and part:
            counts = [
                any(item_response.traits.get(trait) == part for trait in BREAKDOWN_TRAITS) for item_response in said
            ]
            found[metric.key] = share_contributions(right, counts)
    return found


def consistency_contributions(entry: BenchmarkTask, said: Sequence[ItemResponse]) -> dict[str, MetricContributions]:
    """Return the consistency over chains and subchains; a chain counts at its first item."""
    wanted = {metric.key for metric in entry.metrics} & {CHAIN_CONSISTENCY, SUBCHAIN_CONSISTENCY}
    if not wanted:
        return {}
    chains: dict[tuple[int, str], list[int]] = {}
    for place, item_response in enumerate(said):
        if chain := item_response.traits.get(CHAIN):
            chains.setdefault((item_response.draw, str(chain)), []).append(place)
    shares = {key: np.zeros(len(said)) for key in wanted}
    weights = {key: np.zeros(len(said)) for key in wanted}
    for places in chains.values():
        those = [said[place] for place in places]
        parts = {
            name
            for item_response in those
            for name in cast(Mapping[str, Json], item_response.traits.get(SUBCHAINS) or {})
        }
        score = entry.score(those)
        for key in wanted:
            value = score.get(key)
            if value is not None:
                weights[key][places[0]] = 1 if key == CHAIN_CONSISTENCY else len(parts)
                shares[key][places[0]] = value
    return {
        key: MetricContributions(
            np.stack([shares[key] * weights[key], weights[key]], axis=-1), _ratio, weights[key] > 0
        )
        for key in wanted
    }


def rating_contributions(said: Sequence[ItemResponse]) -> dict[str, MetricContributions]:
    """Return Pearson's r and error of each dimension of a rating, and their means over the dimensions."""
    asked = {(key, field) for item_response in said for key, truth in item_response.truth.items() for field in truth}
    if len(asked) < 2 or len({key for key, _ in asked}) != 1:
        return {}
    found: dict[str, MetricContributions] = {}
    for key, field in sorted(asked):
        pairs = [
            (_rating_value(item_response.truth, key, field), _rating_value(item_response.answers, key, field))
            for item_response in said
        ]
        if any(true is None for true, _ in pairs):
            return {}
        truth, given = [true or 0.0 for true, _ in pairs], [value for _, value in pairs]
        found[join_metric_key(PEARSON_R, field)] = pearson_contributions(truth, given)
        found[join_metric_key(MAE, field)] = mae_contributions(truth, given)
    for metric in (PEARSON_R, MAE):
        found[metric] = _mean_contributions(
            [contributions for key, contributions in found.items() if split_metric_key(key)[0] == metric]
        )
    return found


def _mean_contributions(parts: Sequence[MetricContributions]) -> MetricContributions:
    """Return the mean of several metrics of the same items, over those that have a value."""
    ends = np.cumsum([part.sums.shape[1] for part in parts])[:-1]

    def formula(sums: Floats) -> Floats:
        values = np.stack(
            [
                contributions.formula(some)
                for contributions, some in zip(parts, np.split(sums, ends, axis=-1), strict=True)
            ],
            axis=-1,
        )
        known = np.isfinite(values)
        number = known.sum(-1)
        found: Floats = np.divide(
            np.where(known, values, 0).sum(-1), number, out=np.full(number.shape, np.nan), where=number > 0
        )
        return found

    counts = np.any([part.counts for part in parts], axis=0)
    return MetricContributions(np.concatenate([part.sums for part in parts], axis=1), formula, counts)


def _ratio(sums: Floats) -> Floats:
    found: Floats = np.divide(sums[..., 0], sums[..., 1], out=np.full(sums.shape[:-1], np.nan), where=sums[..., 1] > 0)
    return found


def _rating_value(answers: Mapping[str, Mapping[str, Json]], key: str, field: str) -> float | None:
    value = answers.get(key, {}).get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def metric_contributions(
    said: Sequence[ItemResponse], entry: BenchmarkTask | None = None
) -> dict[str, MetricContributions]:
    """Return metric -> contributions of n items; {} for other kinds of answers.

    The kind of answer is inferred from the items, so callers compare the result with the task's own figure.

    Args:
        said: n responses.
        entry: the task, for its figures over parts and chains; None to leave these out.
    """
    asked = _single_question(said)
    if asked is None:
        return rating_contributions(said)
    truth, given = (
        [_answer_value(answers, *asked) for answers in side]
        for side in ([response.truth for response in said], [response.answers for response in said])
    )
    labels = task_labels(said)
    if all(isinstance(value, str) for value in truth):
        labelled = [value if isinstance(value, str) else None for value in given]
        found = {ACCURACY: accuracy_contributions(cast(list[str], truth), labelled)}
        if entry is not None:
            right = [true == label for true, label in zip(truth, labelled, strict=True)]
            found |= accuracy_by_part(entry, said, right) | consistency_contributions(entry, said)
        if labels:
            found[MACRO_F1] = macro_f1_contributions(cast(list[str], truth), labelled, labels)
        return found
    if all(isinstance(value, list) for value in truth) and labels:
        true, several = _label_sets(truth), [_label_set(value) for value in given]
        return {
            EXACT_MATCH: exact_match_contributions(true, several),
            PARTIAL_MATCH: partial_match_contributions(true, several),
            MACRO_F1: macro_f1_multilabel_contributions(true, several, labels),
        }
    return {}


def label_f1(said: Sequence[ItemResponse]) -> dict[str, float | None]:
    """Return label -> F1 of one draw; {} if answers are no labels."""
    asked, labels = _single_question(said), task_labels(said)
    if asked is None or not labels:
        return {}
    truth = [_answer_value(item_response.truth, *asked) for item_response in said]
    given = [_answer_value(item_response.answers, *asked) for item_response in said]
    if all(isinstance(entry, str) for entry in truth):
        found = f1_by_label(
            cast(list[str], truth), [entry if isinstance(entry, str) else None for entry in given], labels
        )
    elif all(isinstance(entry, list) for entry in truth):
        found = multilabel_f1_by_label(_label_sets(truth), [_label_set(entry) for entry in given], labels)
    else:
        return {}
    return {str(label): value for label, value in found.items()}


def label_pairs(said: Sequence[ItemResponse]) -> tuple[str, list[str], list[str | None]] | None:
    """Return the question, the true and the given labels; None if answers are not single labels."""
    asked = _single_question(said)
    if asked is None or not task_labels(said):
        return None
    truth = [_answer_value(item_response.truth, *asked) for item_response in said]
    if not all(isinstance(entry, str) for entry in truth):
        return None
    given = [_answer_value(item_response.answers, *asked) for item_response in said]
    return asked[0], cast(list[str], truth), [entry if isinstance(entry, str) else None for entry in given]


def _single_question(said: Sequence[ItemResponse]) -> tuple[str, str] | None:
    """Return the question and field of the right answers, if all items have the same one."""
    found = {(key, field) for item_response in said for key, truth in item_response.truth.items() for field in truth}
    whole = all(len(item_response.truth) == 1 for item_response in said)
    return found.pop() if len(found) == 1 and whole else None


def _answer_value(answers: Mapping[str, Mapping[str, Json]], key: str, field: str) -> Json:
    return answers.get(key, {}).get(field)


def _label_sets(values: Sequence[Json]) -> list[list[str]]:
    return [_label_set(value) or [] for value in values]


def _label_set(value: Json) -> list[str] | None:
    return [str(label) for label in value] if isinstance(value, list) else None


F1 = "f1"
"""Metric of one label, as in `f1.error`."""
BOOTSTRAP_SAMPLES = 200
_TOLERANCE = 1e-9
_NO_NAMES: Mapping[str, str] = MappingProxyType({})
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
    return _rows(entry.metrics, entry.score, said, ends, guessed, constant_figures(entry, said))


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
    scores = [entry.score([replace(each, answers=answers) for each in some]) for some in items_by_draw(said)]
    means = {metric.key: mean_sd([score.get(metric.key) for score in scores]).mean for metric in entry.metrics}
    return {key: mean for key, mean in means.items() if mean is not None}


def _most_frequent(values: Sequence[Json]) -> Json:
    counts = Counter(map(to_json, values))
    most = min(counts, key=lambda text: (-counts[text], text))
    return next(value for value in values if to_json(value) == most)


def label_rows(said: Sequence[ItemResponse]) -> tuple[MetricRow, ...]:
    """Return the F1 of each label, as `f1.LABEL`; () if answers are no labels."""

    def score(some: Sequence[ItemResponse]) -> dict[str, float | None]:
        return {join_metric_key(F1, label): value for label, value in label_f1(some).items()}

    named = tuple(Metric(join_metric_key(F1, label), f"F1 of “{label}”") for label in task_labels(said))
    return _rows(named, score, said, {}, {}) if said and score(said) else ()


def compute_breakdowns(
    entry: BenchmarkTask, said: Sequence[ItemResponse], names: Mapping[str, str] = _NO_NAMES
) -> tuple[Breakdown, ...]:
    """Return the figures by each trait with several values; an item with several values is in several parts.

    Args:
        entry: the task.
        said: responses that count, of all draws.
        names: names of values that are ids.
    """
    found = []
    for trait in BREAKDOWN_TRAITS:
        parts: dict[str, list[ItemResponse]] = {}
        for item_response in said:
            for value in trait_parts(trait, item_response.traits.get(trait)):
                parts.setdefault(names.get(value, value), []).append(item_response)
        if len(parts) > 1 or (parts and trait == "attributes"):
            found.append(
                Breakdown(
                    trait,
                    tuple(
                        SubgroupResult(
                            value, len(some), (*_rows(entry.metrics, entry.score, some, {}, {}), *label_rows(some))
                        )
                        for value, some in sorted(parts.items(), key=lambda pair: _value_sort_key(pair[0]))
                    ),
                )
            )
    return tuple(found)


def compute_confusions(said: Sequence[ItemResponse]) -> tuple[Confusion, ...]:
    """Return the confusion matrix, if answers are single labels."""
    found = label_pairs(said)
    if found is None:
        return ()
    key, truth, given = found
    labels = task_labels(said)
    counts = confusion(truth, given, labels)
    return (Confusion(key, tuple(labels), tuple(tuple(int(count) for count in row) for row in counts)),)


def items_by_draw(said: Sequence[ItemResponse]) -> list[list[ItemResponse]]:
    """Return the items of each draw, in order."""
    found: dict[int, list[ItemResponse]] = {}
    for item_response in said:
        found.setdefault(item_response.draw, []).append(item_response)
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
    score: ScoreFunction,
    said: Sequence[ItemResponse],
    ends: Mapping[str, tuple[float, float] | None],
    guessed: Mapping[str, float],
    constants: Mapping[str, float] = MappingProxyType({}),
) -> tuple[MetricRow, ...]:
    scores = [score(responses) for responses in items_by_draw(said)]
    found = []
    for metric in (*metrics, *_extra_metrics(metrics, scores)):
        values = tuple(draw_scores.get(metric.key) for draw_scores in scores)
        spread = mean_sd(values)
        low, high = ends.get(metric.key) or (None, None)
        found.append(
            MetricRow(
                *(metric.key, metric.name, metric.share, spread.mean, spread.sd, low, high, len(said), values),
                guessed.get(metric.key),
                constants.get(metric.key),
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


def _intervals(
    entry: BenchmarkTask, said: Sequence[ItemResponse], samples: int
) -> dict[str, tuple[float, float] | None]:
    """Return the interval of each figure: from sums over items if they give the same figure, else by rescoring."""
    draws, homes = (
        [item_response.draw for item_response in said],
        [item_response.recording_id for item_response in said],
    )
    found: dict[str, tuple[float, float] | None] = {}
    own = {
        key: mean_sd([scores.get(key) for scores in map(entry.score, items_by_draw(said))]).mean for key in _keys(entry)
    }
    for key, sums in metric_contributions(said, entry).items():
        figure = mean_over_draws(sums, draws, homes)
        mean = own.get(key)
        if (
            mean is not None
            and figure.value is not None
            and bool(np.isclose(mean, figure.value, rtol=0, atol=_TOLERANCE))
        ):
            found[key] = None if figure.low is None or figure.high is None else (figure.low, figure.high)
    left = [key for key in _keys(entry) if key not in found]
    if not left:
        return found

    def score(some: Sequence[ItemResponse]) -> dict[str, float | None]:
        figures = entry.score(some)
        return {key: figures.get(key) for key in left}

    return {**intervals(score, said, draws, homes, samples), **found}


def _keys(entry: BenchmarkTask) -> list[str]:
    return [metric.key for metric in entry.metrics]


_AGREED = {True: "agreed", False: "disagreed"}


def _value_sort_key(value: str) -> tuple[float, str]:
    return (float(value), "") if value.isdecimal() else (float("inf"), value)
