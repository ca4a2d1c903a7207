"""Tasks of SocialNLI: the plausibility of statements against that of people, and the accuracy of explanations."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from benchmark.items.candidates import (
    CandidatePool,
    ItemCandidate,
    ItemDraw,
    ItemSamplingRule,
    no_items_error,
    sort_candidates,
)
from benchmark.metrics.item_sums import MetricValue, share_of_items
from benchmark.metrics.published_figures import CALIBRATION_ERROR, FACTUALITY, MAE, PEARSON_R, join_metric_key
from benchmark.metrics.ratings import as_number, calibration, mae, pearson, posterior
from benchmark.prompts.statement_prompts import (
    ACCURATE_KEY,
    MAX_SCORE,
    NLI_FACT_TASK,
    NLI_HYPOTHESIS_TASK,
    NLI_LIKELIHOOD_TASK,
    NLI_PLAUSIBILITY_TASK,
    PLAUSIBILITY,
    SCORE_KEY,
    YES,
)
from benchmark.tasks.benchmark_task import BenchmarkTask, ItemResponse, Metric, Round, make_metrics

SUPPORT, OPPOSE = "nli_support", "nli_oppose"
UNDECIDED = "undecided"
C8 = "c8"
"""Part of the key of a figure: the opposing reason as the prompt of appendix C.8 asks about it."""
_READINGS = {"": NLI_LIKELIHOOD_TASK, C8: NLI_HYPOTHESIS_TASK}
AUTHOR, PEOPLE = "author", "people"
"""Trait of an explanation: the judge that wrote it, or `PEOPLE`."""
_SCALE = 100


class SocialNliTask(BenchmarkTask):
    """How plausible a statement is: by reasons for and against it and how much each is worth (SocialNLI, section 4.1).

    Each judge weighs its own two reasons; people rate the plausibility directly (section 3.4). The truth is the mean of
    people, to one decimal (appendix B.2). Pearson's r is undefined if either side never varies.

    The likelihood of the opposing reason is asked in both of the paper's readings: of the negated statement, as in
    section 4.1, and of the statement itself, as in the prompt of appendix C.8 (figures with `c8`).
    """

    key = "socialnli"
    name = "SocialNLI"
    description = "How plausible a statement about a dialogue is, by reasons for and against it."
    paper = "SocialNLI"
    section = "4.1 and 4.2"
    source = "statements"
    rounds = (
        Round(SUPPORT),
        Round(OPPOSE),
        Round(NLI_LIKELIHOOD_TASK, (SUPPORT, OPPOSE), is_followup=True),
        Round(NLI_HYPOTHESIS_TASK, (OPPOSE,), is_followup=True),
    )
    people = (Round(NLI_PLAUSIBILITY_TASK),)
    answer = "a plausibility from 0 to 1"
    metrics = (
        *make_metrics(PEARSON_R, MAE, CALIBRATION_ERROR),
        Metric(UNDECIDED, "Undecided: reasons for and against cancel out"),
        *(
            Metric(join_metric_key(metric.key, C8), f"{metric.name}, as asked in appendix C.8", metric.share)
            for metric in make_metrics(PEARSON_R, MAE, CALIBRATION_ERROR)
        ),
        Metric(join_metric_key(UNDECIDED, C8), "Undecided, as asked in appendix C.8"),
    )

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return all statements, or a random sample of the size; with `stratify`, from each collection in turn."""
        if not pool.candidates:
            raise no_items_error("no statement that people rated", pool)
        group = _collection_of if rule.stratify else _single_group
        return ItemDraw(_draw_in_turn(pool.candidates, rule.size, group, chance), pool.left_out)

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        """Return Pearson's r, error, calibration and the share of undefined posteriors in both readings.

        Items with refused or unreadable answers are left out.
        """
        return {
            join_metric_key(metric, part): value
            for part, task in _READINGS.items()
            for metric, value in self._measure_reading(said, task).items()
        }

    def _measure_reading(self, said: Sequence[ItemResponse], opposing_task: str) -> dict[str, MetricValue]:
        ratings = [human_plausibility(response) for response in said]
        posteriors = [
            None if rating is None else judge_plausibility(response, opposing_task)
            for rating, response in zip(ratings, said, strict=True)
        ]
        truths = [rating or 0.0 for rating in ratings]
        numbers = [None if posterior is None else posterior[0] for posterior in posteriors]
        undecided = [posterior is not None and not posterior[1] for posterior in posteriors]
        return {
            PEARSON_R: pearson(truths, numbers),
            MAE: mae(truths, numbers),
            CALIBRATION_ERROR: calibration(truths, numbers).error,
            UNDECIDED: share_of_items(undecided, [posterior is not None for posterior in posteriors]),
        }

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        return {join_metric_key(PEARSON_R, part): 0.0 for part in _READINGS} if len(said) > 1 else {}


class FactCheckTask(BenchmarkTask):
    """Whether explanations are accurate, as people check them (SocialNLI, section 4.3).

    Items are explanations that judges gave in runs of `socialnli`, and those of the people who rated the statements.
    There are no right answers: the figure is the share that people find accurate, overall and by author.
    """

    key = "socialnli_facts"
    name = "SocialNLI, fact-check"
    description = "Whether explanations of statements, by judges and by people, are accurate."
    paper = "SocialNLI"
    section = "4.3"
    source = "explanations"
    rounds = (Round(NLI_FACT_TASK),)
    answer = "accurate or not"
    metrics = (Metric(FACTUALITY, "Share of accurate explanations"),)

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return all explanations, or a random sample of the size from each author in turn."""
        if not pool.candidates:
            raise no_items_error("no explanation of a statement", pool)
        return ItemDraw(_draw_in_turn(pool.candidates, rule.size, _author, chance), pool.left_out)

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        """Return the share of accurate explanations, over all, and by author as `factuality.AUTHOR`."""
        answers = [response.answers.get(NLI_FACT_TASK, {}).get(ACCURATE_KEY) for response in said]
        accurate, checked = [answer == YES for answer in answers], [isinstance(answer, str) for answer in answers]
        authors = [str(response.traits.get(AUTHOR, PEOPLE)) for response in said]
        return {
            FACTUALITY: share_of_items(accurate, checked),
            **{
                join_metric_key(FACTUALITY, name): share_of_items(
                    accurate, [known and author == name for known, author in zip(checked, authors, strict=True)]
                )
                for name in sorted({author for author, known in zip(authors, checked, strict=True) if known})
            },
        }

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:  # noqa: ARG002
        return {FACTUALITY: 0.5}


def human_plausibility(said: ItemResponse) -> float | None:
    """Return the plausibility of a statement for people, 0 to 1; None without ratings."""
    value = as_number(said.truth.get(NLI_PLAUSIBILITY_TASK, {}).get(PLAUSIBILITY))
    return None if value is None else value / _SCALE


def judge_plausibility(said: ItemResponse, opposing_task: str = NLI_LIKELIHOOD_TASK) -> tuple[float, bool] | None:
    """Return the plausibility of a statement for a judge, 0 to 1, and whether it is defined; None without an answer.

    A direct rating, as by people, is the plausibility itself.

    Args:
        said: the response.
        opposing_task: the task whose score is the likelihood of the opposing reason.
    """
    outright = as_number(said.answers.get(NLI_PLAUSIBILITY_TASK, {}).get(PLAUSIBILITY))
    if outright is not None:
        return outright / _SCALE, True
    plus, minus = (
        as_number(said.answers.get(key, {}).get(SCORE_KEY))
        for key in (f"{NLI_LIKELIHOOD_TASK}/{SUPPORT}", f"{opposing_task}/{OPPOSE}")
    )
    return None if plus is None or minus is None else posterior(plus / MAX_SCORE, minus / MAX_SCORE)


def _author(candidate: ItemCandidate) -> str:
    traits = candidate.content.get("traits")
    return str(traits.get(AUTHOR, PEOPLE)) if isinstance(traits, dict) else PEOPLE


def _collection_of(candidate: ItemCandidate) -> str:
    return candidate.collection_id


def _single_group(candidate: ItemCandidate) -> str:  # noqa: ARG001
    return ""


def _draw_in_turn(
    candidates: Sequence[ItemCandidate], size: int, group: Callable[[ItemCandidate], str], chance: random.Random
) -> tuple[ItemCandidate, ...]:
    """Return `size` candidates in a shuffled order, from each group in turn; all for a size of 0."""
    groups: dict[str, list[ItemCandidate]] = {}
    for candidate in sort_candidates(candidates):
        groups.setdefault(group(candidate), []).append(candidate)
    for found in groups.values():
        chance.shuffle(found)
    drawn = [candidate for turn in zip_longest(*groups.values()) for candidate in turn if candidate is not None]
    drawn = drawn[: size or len(drawn)]
    chance.shuffle(drawn)
    return tuple(drawn)
