"""Tasks of multiple-choice questions: R3-VQA with consistency over chains, hand-written questions, and ESI-Bench."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import cast

from benchmark.items.candidates import (
    CandidatePool,
    ItemCandidate,
    ItemDraw,
    ItemSamplingRule,
    no_items_error,
    sort_candidates,
)
from benchmark.items.sampling import strata_sizes
from benchmark.metrics.item_sums import MetricValue, share_of_items
from benchmark.metrics.published_figures import (
    ACCURACY,
    CHAIN_CONSISTENCY,
    METRIC_DESCRIPTIONS,
    SUBCHAIN_CONSISTENCY,
    join_metric_key,
)
from benchmark.prompts.recording_prompts import DIMENSIONS
from benchmark.questions.chain_consistency import (
    Consistency,
    CoveredQuestions,
    expected_consistency,
    score_chain,
    score_subchains,
)
from benchmark.tasks.benchmark_task import (
    LABELS_TRAIT,
    BenchmarkTask,
    ItemResponse,
    Metric,
    Round,
    make_metrics,
)
from project.entities.causal_chains import NodeKind
from project.entities.questions import QuestionKind
from project.entities.study_records import Json

_KINDS = (QuestionKind.STATE, QuestionKind.EVENT, QuestionKind.WHY, QuestionKind.HOW)
_STATES = (NodeKind.EMOTION, NodeKind.BELIEF, NodeKind.INTENT, NodeKind.DESIRE)
SUBCHAINS = "subchains"
"""Trait of a question from a chain: result of each of its subchains -> number of questions of that subchain."""


class _QuestionTask(BenchmarkTask):
    """All verified questions of a kind, in one draw."""

    rounds = (Round("answer"),)
    metrics = make_metrics(ACCURACY)

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return all questions, or at most `size`; of each chain all or none."""
        if not pool.candidates:
            begin = "Make some, and let two people verify them: greenroom question --help"
            raise no_items_error("no verified question of this sort", pool, begin=begin)
        strata = strata_sizes(sort_candidates(pool.candidates), rule)
        return ItemDraw(tuple(item for those, size in strata for item in _sample_whole_chains(those, size, chance)))

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        return {ACCURACY: share_of_items(_right(said))}

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        return {ACCURACY: _guess_accuracy(said)} if said else {}


class ChainQuestionTask(_QuestionTask):
    """Questions of causal chains: accuracy by kind, and consistency over chains and subchains (R3-VQA, section 4).

    The settings of the paper are pictures alone (base), words and pictures (+sub), and both with the prompt `tom`
    (+sub+tom).
    """

    key = "r3vqa"
    name = "R3-VQA"
    description = "Verified questions of causal chains, with the consistency over whole chains."
    paper = "R3-VQA"
    section = "4.1 to 4.3"
    source = "chain questions"
    answer = "one of five options"
    metrics = (
        Metric(ACCURACY, "Accuracy"),
        Metric(CHAIN_CONSISTENCY, METRIC_DESCRIPTIONS[CHAIN_CONSISTENCY].name),
        Metric(SUBCHAIN_CONSISTENCY, METRIC_DESCRIPTIONS[SUBCHAIN_CONSISTENCY].name),
        *(Metric(join_metric_key(ACCURACY, kind.value), f"Accuracy, {kind.value}") for kind in (*_KINDS, *_STATES)),
    )

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        """Return accuracy, overall and by kind and mental state, and both consistencies; a chain counts at an item."""
        chains = _chain_coverage(said)
        return {
            **super().measure(said),
            CHAIN_CONSISTENCY: _consistency(chains, said, score_chain),
            SUBCHAIN_CONSISTENCY: _consistency(chains, said, score_subchains),
            **_accuracy_by("kind", _KINDS, said),
            **_accuracy_by("aspect", _STATES, said),
        }

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        """Return the mean of 1 / options, and for a chain of n questions its n-th power."""
        if not said:
            return {}
        guess = _guess_accuracy(said)
        chains = _chain_coverage(said).values()
        whole = [len(chain.questions) for chain in chains if chain.subchains]
        parts = [len(ids) for chain in chains for ids in chain.subchains.values()]
        found = {ACCURACY: guess}
        if whole:
            found |= {
                CHAIN_CONSISTENCY: expected_consistency(whole, guess),
                SUBCHAIN_CONSISTENCY: expected_consistency(parts, guess),
            }
        return found | _guess_accuracy_by("kind", _KINDS, said) | _guess_accuracy_by("aspect", _STATES, said)


class WrittenQuestionTask(_QuestionTask):
    """Questions that people wrote because judges fail at them (R3-VQA, section 4.4)."""

    key = "r3vqa_written"
    name = "R3-VQA, written by people"
    description = "Verified questions that people wrote."
    paper = "R3-VQA"
    section = "3.2 and 4"
    source = "written questions"
    answer = "one of the options"


class EsiTask(_QuestionTask):
    """Questions of five dimensions of social intelligence (ESI-Bench, section 4)."""

    key = "esi"
    name = "ESI-Bench"
    description = "Verified questions of the five dimensions, with four options."
    paper = "ESI-Bench"
    section = "4"
    source = "esi questions"
    answer = "one of four options"
    metrics = (
        Metric(ACCURACY, "Accuracy"),
        *(
            Metric(join_metric_key(ACCURACY, dimension.key), f"Accuracy, {dimension.name.lower()}")
            for dimension in DIMENSIONS.values()
        ),
    )

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        return {**super().measure(said), **_accuracy_by("aspect", DIMENSIONS, said)}

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        return {**super().chance(said), **_guess_accuracy_by("aspect", DIMENSIONS, said)}


def _sample_whole_chains(those: Sequence[ItemCandidate], size: int, chance: random.Random) -> list[ItemCandidate]:
    """Return at most `size` questions of randomly chosen whole chains."""
    chains: dict[str, list[ItemCandidate]] = {}
    for candidate in those:
        traits = cast(Mapping[str, Json], candidate.content["traits"])
        chains.setdefault(str(traits.get("chain") or candidate.about), []).append(candidate)
    if len(those) <= size:
        return [*those]
    found: list[ItemCandidate] = []
    for chain in chance.sample([*chains], len(chains)):
        if len(found) + len(chains[chain]) <= size:
            found += chains[chain]
    return sort_candidates(found)


def _right(said: Sequence[ItemResponse]) -> list[bool]:
    return [response.answers.get("answer", {}).get("answer") == response.truth["answer"]["answer"] for response in said]


def _guess_accuracy(said: Sequence[ItemResponse]) -> float:
    return fmean(1 / len(cast(list[str], response.traits[LABELS_TRAIT])) for response in said)


def _accuracy_by(trait: str, values: Iterable[str], said: Sequence[ItemResponse]) -> dict[str, MetricValue]:
    """Return key of accuracy over the items with a value of a trait -> accuracy."""
    right = _right(said)
    return {
        join_metric_key(ACCURACY, str(value)): share_of_items(
            right, [response.traits.get(trait) == value for response in said]
        )
        for value in values
    }


def _guess_accuracy_by(trait: str, values: Iterable[str], said: Sequence[ItemResponse]) -> dict[str, float]:
    parts = {value: [response for response in said if response.traits.get(trait) == value] for value in values}
    return {join_metric_key(ACCURACY, str(value)): _guess_accuracy(part) for value, part in parts.items() if part}


def _consistency(
    chains: Mapping[int, CoveredQuestions],
    said: Sequence[ItemResponse],
    score: Callable[[CoveredQuestions, Mapping[str, bool]], Consistency],
) -> MetricValue:
    right: dict[int, dict[str, bool]] = {}
    for response, is_right in zip(said, _right(said), strict=True):
        right.setdefault(response.draw, {})[_trait_text(response, "question")] = is_right
    shares, weights = [0.0] * len(said), [0.0] * len(said)
    for place, chain in chains.items():
        counts = score(chain, right[said[place].draw])
        weights[place] = counts.counted
        shares[place] = counts.right / counts.counted if counts.counted else 0.0
    return share_of_items(shares, [weight > 0 for weight in weights], weights)


def _chain_coverage(said: Sequence[ItemResponse]) -> dict[int, CoveredQuestions]:
    """Return place of the first item of each chain in a draw -> the chain with the questions of its subchains.

    Questions that were not asked are included, so that their subchains count as wrong.
    """
    places: dict[tuple[int, str], list[int]] = {}
    for place, response in enumerate(said):
        if chain := _trait_text(response, "chain"):
            places.setdefault((response.draw, chain), []).append(place)
    covered = {}
    for (_, chain), those in places.items():
        subchains: dict[str, set[str]] = {}
        sizes: dict[str, int] = {}
        for place in those:
            belongs = cast(Mapping[str, int], said[place].traits.get(SUBCHAINS) or {})
            sizes |= belongs
            for result in belongs:
                subchains.setdefault(result, set()).add(_trait_text(said[place], "question"))
        first = said[those[0]]
        steps = cast(int, first.traits.get("steps") or 0)
        whole = {result: _pad_subchain(result, ids, sizes[result]) for result, ids in subchains.items()}
        covered[those[0]] = CoveredQuestions(chain, first.recording_id, steps, whole)
    return covered


def _pad_subchain(result: str, ids: set[str], size: int) -> frozenset[str]:
    """Return the questions of a subchain, padded with an unanswered one for each that is missing."""
    return frozenset(ids) | {f"{result} {number}" for number in range(len(ids), size)}


def _trait_text(response: ItemResponse, trait: str) -> str:
    return str(response.traits.get(trait) or "")
