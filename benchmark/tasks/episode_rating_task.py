"""The task SOTOPIA-EVAL: ratings of episodes by judges against the mean of people, and agreement among people."""

import random
from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmark.items.candidates import CandidatePool, ItemDraw, ItemSamplingRule
from benchmark.items.sampling import strata_sizes
from benchmark.metrics.classification import mae_by_chance
from benchmark.metrics.item_sums import MetricValue, mean_of_metrics
from benchmark.metrics.published_figures import (
    DIMENSIONS,
    MAE,
    PAIRWISE_AGREEMENT,
    PEARSON_R,
    RANDOLPH_KAPPA,
    join_metric_key,
    score_ranges,
)
from benchmark.metrics.ratings import agreement_over_scales, as_number, mae, pearson
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK
from benchmark.tasks.benchmark_task import BenchmarkTask, ItemResponse, Metric, Round
from project.entities.study_records import Json
from project.schemes.scheme_file import load_scheme

KEY = "sotopia_eval"
RATINGS_TRAIT = "ratings"
"""Trait of an item: dimension -> scores of people, in the order of the raters."""


def _metrics() -> tuple[Metric, ...]:
    scheme = load_scheme("sotopia-eval")
    names = {key: scheme.field(key).name for key in DIMENSIONS}
    return (
        Metric(PEARSON_R, "Pearson's r, mean of the dimensions", share=False),
        *(
            Metric(join_metric_key(PEARSON_R, key), f"Pearson's r, {names[key].lower()}", share=False)
            for key in DIMENSIONS
        ),
        Metric(MAE, "Mean absolute error, mean of the dimensions", share=False),
        *(
            Metric(join_metric_key(MAE, key), f"Mean absolute error, {names[key].lower()}", share=False)
            for key in DIMENSIONS
        ),
        Metric(RANDOLPH_KAPPA, "Randolph's kappa among people", share=False),
        Metric(PAIRWISE_AGREEMENT, "Pairwise agreement among people"),
    )


class EpisodeRatingTask(BenchmarkTask):
    """Seven ratings with reasons of each participant of an episode, against the mean of people (SOTOPIA, section 5.2).

    An item is a participant of a recording that people rated as a whole, or in the same span. Pearson's r is undefined
    if either side never varies, and then left out of the mean over the dimensions. Kappa and agreement are among people
    only.
    """

    key = KEY
    name = "SOTOPIA-EVAL"
    description = "Seven ratings of a participant of an episode, each with a reason."
    paper = "SOTOPIA"
    section = "3 and 5, appendices C and D"
    source = "ratings"
    rounds = (Round(EPISODE_RATINGS_TASK),)
    answer = "seven whole numbers, each with a reason"
    metrics = _metrics()

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return all items, or a random sample of the size; with `stratify`, the same number from each collection."""
        drawn = {
            id(candidate)
            for those, number in strata_sizes(pool.candidates, rule)
            for candidate in (chance.sample(those, number) if number < len(those) else those)
        }
        return ItemDraw(tuple(candidate for candidate in pool.candidates if id(candidate) in drawn), pool.left_out)

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        """Return Pearson's r and error by dimension and over all, and the agreement of people.

        Without answers, r and error are undefined.
        """
        pairs = {key: _paired_scores(said, key) for key in DIMENSIONS}
        correlations = {join_metric_key(PEARSON_R, key): pearson(*scores) for key, scores in pairs.items()}
        errors = {join_metric_key(MAE, key): mae(*scores) for key, scores in pairs.items()}
        return {
            **correlations,
            **errors,
            PEARSON_R: mean_of_metrics([*correlations.values()]),
            MAE: mean_of_metrics([*errors.values()]),
            **_human_agreement(said),
        }

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        metrics = (PEARSON_R, *(join_metric_key(PEARSON_R, key) for key in DIMENSIONS))
        correlations = dict.fromkeys(metrics, 0.0) if len(said) > 1 else {}
        errors = {}
        for key, (low, high) in score_ranges().items():
            scores = [score for response in said if (score := _score_value(response.truth, key)) is not None]
            error = mae_by_chance(scores, range(low, high + 1))
            if error is not None:
                errors[join_metric_key(MAE, key)] = error
        return {**correlations, **errors, **({MAE: fmean(errors.values())} if errors else {})}


def _paired_scores(said: Sequence[ItemResponse], key: str) -> tuple[list[float], list[float | None]]:
    """Return the mean human scores and the answers of one dimension; None for unreadable ones and without a score."""
    truths = [_score_value(response.truth, key) for response in said]
    answers = [_score_value(response.answers, key) for response in said]
    known = [None if truth is None else answer for truth, answer in zip(truths, answers, strict=True)]
    return [truth or 0.0 for truth in truths], known


def _human_agreement(said: Sequence[ItemResponse]) -> dict[str, MetricValue]:
    """Return kappa and agreement over all dimensions, each in bins of its own scale (SOTOPIA, appendix D.1)."""
    ratings = [
        (_human_scores(response.traits, key), low, high)
        for key, (low, high) in score_ranges().items()
        for response in said
    ]
    kappa, agreement = agreement_over_scales(ratings)
    return {RANDOLPH_KAPPA: kappa, PAIRWISE_AGREEMENT: agreement}


def _human_scores(traits: Mapping[str, Json], key: str) -> list[float]:
    """Return the scores of people on one dimension."""
    given = traits.get(RATINGS_TRAIT)
    scores = given.get(key) if isinstance(given, dict) else None
    return [float(score) for score in scores if isinstance(score, int | float)] if isinstance(scores, list) else []


def _score_value(found: Mapping[str, Mapping[str, Json]], key: str) -> float | None:
    return as_number(found.get(EPISODE_RATINGS_TASK, {}).get(key))
