"""The task SOTOPIA-EVAL: ratings of episodes by judges against the mean of people, and agreement among people."""

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import ClassVar

import numpy as np

from annotate.agreement.coefficients import assign_bins
from benchmark.items.candidates import CandidatePool, ItemCandidate, ItemDraw, ItemSamplingRule
from benchmark.items.sampling import collection_sizes
from benchmark.metrics.classification import mae_by_chance, pearson_by_chance
from benchmark.metrics.published_figures import (
    DIMENSIONS,
    MAE,
    PAIRWISE_AGREEMENT,
    PEARSON_R,
    RANDOLPH_KAPPA,
    join_metric_key,
    score_ranges,
)
from benchmark.metrics.ratings import RATING_BINS, mae, pairwise_agreement, pearson, randolph_kappa
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK
from benchmark.tasks.benchmark_task import ItemResponse, Metric, Round
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


class SotopiaEval:
    """Seven ratings with reasons of each participant of an episode, against the mean of people (SOTOPIA, section 5.2).

    An item is a participant of a recording that people rated as a whole, or in the same span. Pearson's r is undefined
    if either side never varies, and then left out of the mean over the dimensions. Kappa and agreement are among people
    only.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "SOTOPIA-EVAL"
    description: ClassVar[str] = "Seven ratings of a participant of an episode, each with a reason."
    paper: ClassVar[str] = "SOTOPIA"
    section: ClassVar[str] = "3 and 5, appendices C and D"
    source: ClassVar[str] = "ratings"
    rounds: ClassVar[tuple[Round, ...]] = (Round(EPISODE_RATINGS_TASK),)
    draws: ClassVar[int] = 1
    size: ClassVar[int] = 0
    answer: ClassVar[str] = "seven whole numbers, each with a reason"
    metrics: ClassVar[tuple[Metric, ...]] = _metrics()

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return all items, or a random sample of the size; with `stratify`, the same number from each collection."""
        drawn = [*pool.candidates]
        if rule.stratify:
            drawn = _sample_evenly(drawn, rule.size, chance)
        elif rule.size and rule.size < len(drawn):
            drawn = chance.sample(drawn, rule.size)
        return ItemDraw(tuple(drawn), pool.left_out)

    def score(self, said: Sequence[ItemResponse]) -> Mapping[str, float | None]:
        """Return Pearson's r and error by dimension and over all, and the agreement of people; None if undefined.

        Without answers, r and error are undefined.
        """
        found: dict[str, float | None] = {}
        for key in DIMENSIONS:
            truth, scores = _paired_scores(said, key)
            found[join_metric_key(PEARSON_R, key)] = pearson(truth, scores)
            found[join_metric_key(MAE, key)] = mae(truth, scores)
        for metric in (PEARSON_R, MAE):
            values = [found[join_metric_key(metric, key)] for key in DIMENSIONS]
            known = [value for value in values if value is not None]
            found[metric] = fmean(known) if known else None
        return {**found, **_human_agreement(said)}

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        """Return the expected r and error of random ratings."""
        guessed = pearson_by_chance(len(said))
        found = dict.fromkeys(_correlations(), guessed.value) if guessed is not None else {}
        distances = [
            (key, mae_by_chance(_paired_scores(said, key)[0], range(low, high + 1)))
            for key, (low, high) in score_ranges().items()
        ]
        known = {join_metric_key(MAE, key): distance.value for key, distance in distances if distance is not None}
        return {**found, **known, MAE: fmean(known.values())} if known else found


def _correlations() -> tuple[str, ...]:
    return (PEARSON_R, *(join_metric_key(PEARSON_R, key) for key in DIMENSIONS))


def _paired_scores(said: Sequence[ItemResponse], key: str) -> tuple[list[float], list[float | None]]:
    """Return the mean human scores and the answers of one dimension; None for unreadable ones."""
    pairs = [
        (_score_value(item_response.truth, key), _score_value(item_response.answers, key)) for item_response in said
    ]
    known = [(right, score) for right, score in pairs if right is not None]
    return [right for right, _ in known], [score for _, score in known]


def _human_agreement(said: Sequence[ItemResponse]) -> dict[str, float | None]:
    """Return kappa and agreement over all dimensions, each in bins of its own scale (SOTOPIA, appendix D.1)."""
    bins: list[list[float]] = []
    points: list[list[float]] = []
    for key, (low, high) in score_ranges().items():
        for item_response in said:
            numbers = _human_scores(item_response.traits, key)
            if len(numbers) > 1:
                points.append(numbers)
                bins.append(_binned(tuple(numbers), low, high))
    return {RANDOLPH_KAPPA: randolph_kappa(bins, 0, RATING_BINS), PAIRWISE_AGREEMENT: pairwise_agreement(points)}


@lru_cache(maxsize=4096)
def _binned(numbers: tuple[float, ...], low: float, high: float) -> list[float]:
    return [float(bin_number) for bin_number in assign_bins(np.array(numbers), low, high, RATING_BINS)]


def _human_scores(traits: Mapping[str, Json], key: str) -> list[float]:
    """Return the scores of people on one dimension."""
    given = traits.get(RATINGS_TRAIT)
    scores = given.get(key) if isinstance(given, dict) else None
    return [float(score) for score in scores if isinstance(score, int | float)] if isinstance(scores, list) else []


def _sample_evenly(candidates: Sequence[ItemCandidate], size: int, chance: random.Random) -> list[ItemCandidate]:
    """Return the same number of candidates from each collection, limited by the smallest one and the size."""
    homes: dict[str, list[ItemCandidate]] = {}
    for candidate in candidates:
        homes.setdefault(candidate.collection_id, []).append(candidate)
    sizes = collection_sizes(size, {home: len(those) for home, those in homes.items()})
    chosen = {
        id(item_candidate) for home, those in homes.items() for item_candidate in chance.sample(those, sizes[home])
    }
    return [candidate for candidate in candidates if id(candidate) in chosen]


def _score_value(found: Mapping[str, Mapping[str, Json]], key: str) -> float | None:
    value = found.get(EPISODE_RATINGS_TASK, {}).get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
