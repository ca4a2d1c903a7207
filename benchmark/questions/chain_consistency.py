"""Accuracy and consistency of judges over chains (R3-VQA, section 4.2), and the names of ESI-Bench's diagnostics.

All shares and means have intervals from resampled recordings.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from annotate.agreement.figure_intervals import Floats, StatisticResult, draw_resamples, share_statistic
from project.entities.causal_chains import ChainGraph
from project.entities.questions import Question, QuestionKind

Trait = TypeVar("Trait")
_CAUSAL_KINDS = (QuestionKind.WHY, QuestionKind.HOW)
_NODE_KINDS = (QuestionKind.EVENT, QuestionKind.STATE)


@dataclass(frozen=True, slots=True)
class CoveredQuestions:
    """The questions of one chain.

    Attributes:
        steps: of the chain: edges on its longest path.
        subchains: id of a result -> D(g_sub): ids of the causal questions of its subchain and of the questions of its
            nodes; only subchains that have any.
    """

    chain_id: str
    recording_id: str
    steps: int
    subchains: Mapping[str, frozenset[str]]

    @property
    def questions(self) -> frozenset[str]:
        """D(g): the questions of all of its subchains."""
        return frozenset().union(*self.subchains.values())


@dataclass(frozen=True, slots=True)
class Consistency:
    """Counts of chains or subchains that were answered consistently.

    Attributes:
        right: chains or subchains all of whose questions were answered right.
        counted: chains or subchains of which at least one question was answered.
        left_out: chains or subchains without any answered question.
        missing: unanswered questions of those that are counted; each makes its chain or subchain wrong.
    """

    right: int = 0
    counted: int = 0
    left_out: int = 0
    missing: int = 0

    def __add__(self, other: "Consistency") -> "Consistency":
        return Consistency(
            self.right + other.right,
            self.counted + other.counted,
            self.left_out + other.left_out,
            self.missing + other.missing,
        )


def chain_coverage(graph: ChainGraph, questions: Iterable[Question]) -> CoveredQuestions:
    """Return which questions belong to a chain and to each of its subchains.

    Multi-step, ESI and written questions belong to none, nor do those about a node that is in no subchain.

    Raises:
        graphlib.CycleError: the chain has a cycle.
    """
    causal: dict[str, set[str]] = {}
    of_node: dict[str, set[str]] = {}
    for question in questions:
        if question.chain_id == graph.chain.id and question.covers:
            if question.kind in _CAUSAL_KINDS:
                causal.setdefault(question.covers[0], set()).add(question.id)
            elif question.kind in _NODE_KINDS:
                of_node.setdefault(question.covers[0], set()).add(question.id)
    found = {
        sub.result_id: frozenset(causal.get(sub.result_id, set()).union(*(of_node.get(n, ()) for n in sub.node_ids)))
        for sub in graph.subchains
    }
    home = graph.chain.recording_id
    return CoveredQuestions(
        graph.chain.id, home, graph.longest_path_length, {result: ids for result, ids in found.items() if ids}
    )


def score_chain(covered: CoveredQuestions, right: Mapping[str, bool]) -> Consistency:
    """Return the consistency of a chain (equation 1).

    Args:
        covered: the chain.
        right: question id -> whether it was answered right; questions that were not answered are not in it.
    """
    return _score_sets([covered.questions] if covered.subchains else [], right)


def score_subchains(covered: CoveredQuestions, right: Mapping[str, bool]) -> Consistency:
    """Return the consistency of the subchains of a chain (equation 2); `right` is as for `score_chain`."""
    return _score_sets([*covered.subchains.values()], right)


def expected_consistency(sizes: Sequence[int], chance: float) -> float:
    """Return the expected consistency of a judge that answers each question right independently with a probability.

    It is the mean of `chance` to the power of each number of questions; NaN without any.
    """
    return sum(chance**size for size in sizes) / len(sizes) if sizes else float("nan")


def _score_sets(sets: Sequence[Collection[str]], right: Mapping[str, bool]) -> Consistency:
    found = Consistency()
    for ids in sets:
        answered = [right[question_id] for question_id in ids if question_id in right]
        if answered:
            whole = len(answered) == len(ids) and all(answered)
            found += Consistency(int(whole), 1, 0, len(ids) - len(answered))
        else:
            found += Consistency(left_out=1)
    return found


_cached_resamples = lru_cache(8)(draw_resamples)
NO_ANSWERS = "Nothing of this sort was answered."
NO_CHAIN_ANSWERS = "No question of a chain was answered."


@dataclass(frozen=True, slots=True)
class AnswerScorer:
    """The answers of one judge to questions in one setting.

    Attributes:
        questions: that count, answered or not.
        right: question id -> whether it was answered right; questions that were not asked are not in it.
        chains: their chains.
    """

    questions: Sequence[Question]
    right: Mapping[str, bool]
    chains: Sequence[CoveredQuestions]
    samples: int = 1000
    seed: int = 0

    def accuracy(self, chosen: Callable[[Question], bool] = lambda _: True) -> StatisticResult:
        counts = [
            (question.recording_id, float(self.right[question.id]), 1.0)
            for question in self.questions
            if question.id in self.right and chosen(question)
        ]
        return share_over_recordings(counts, NO_ANSWERS, self.samples, self.seed)

    def accuracy_by_kind(self) -> dict[str, StatisticResult]:
        return self._accuracy_by(lambda question: question.kind.value, [kind.value for kind in QuestionKind].index)

    def accuracy_by_state(self) -> dict[str, StatisticResult]:
        """Return the accuracy in MSE questions by mental state."""
        return self._accuracy_by(lambda question: question.aspect if question.kind is QuestionKind.STATE else None, str)

    def accuracy_by_steps(self) -> dict[int, StatisticResult]:
        """Return the accuracy by the number of steps of the chain that a question was made from."""
        steps = {chain.chain_id: chain.steps for chain in self.chains}
        return self._accuracy_by(lambda question: steps.get(question.chain_id or ""), int)

    def _accuracy_by(
        self, trait: Callable[[Question], Trait | None], place: Callable[[Trait], Any]
    ) -> dict[Trait, StatisticResult]:
        values = {value for question in self.questions if (value := trait(question)) is not None}

        def accuracy_of(value: Trait) -> StatisticResult:
            return self.accuracy(lambda question: trait(question) == value)

        return {value: accuracy_of(value) for value in sorted(values, key=place)}

    def chain_consistency(self, steps: int | None = None) -> StatisticResult:
        """Return the share of chains all of whose questions were answered right, of all or of one length."""
        return self._consistency(score_chain, steps)

    def subchain_consistency(self, steps: int | None = None) -> StatisticResult:
        return self._consistency(score_subchains, steps)

    def _consistency(
        self, of: Callable[[CoveredQuestions, Mapping[str, bool]], Consistency], steps: int | None
    ) -> StatisticResult:
        found = [(chain.recording_id, of(chain, self.right)) for chain in self.chains if steps in (None, chain.steps)]
        total = sum((consistency for _, consistency in found), Consistency())
        counts = [
            (home, float(consistency.right), float(consistency.counted))
            for home, consistency in found
            if consistency.counted
        ]
        more = {"left_out": total.left_out, "missing": total.missing}
        return replace(share_over_recordings(counts, NO_CHAIN_ANSWERS, self.samples, self.seed), more=more)


def share_over_recordings(
    counts: Iterable[tuple[str, float, float]], nothing: str, samples: int = 1000, seed: int = 0
) -> StatisticResult:
    """Return a share, or a mean of values whose wholes are 1, with its interval.

    Args:
        counts: (recording, part, whole); a recording can occur several times.
        nothing: the reason if nothing is counted.
        samples: of the bootstrap.
        seed: of the bootstrap.
    """
    sums: dict[str, Floats] = {}
    for home, part, whole in counts:
        sums[home] = sums.get(home, np.zeros(2)) + np.array((part, whole))
    parts, wholes = np.array([*sums.values()], float).reshape(len(sums), 2).T
    return share_statistic(parts, wholes, nothing).estimate(_cached_resamples(len(sums), samples, seed))


BIAS, ACCURACY = "inherent_bias", "accuracy"
SCORE_TASKS = {
    "relevance": "relevance",
    "separability": "separability",
    "difficulty": "difficulty",
    "correctness": "truth",
}
"""Figure -> the task of which it is the mean score."""
FIGURE_TASKS = {BIAS: "options_only", **SCORE_TASKS, ACCURACY: "answer"}
"""Figure -> its task, in the order of the paper."""
FIGURE_NAMES = {
    BIAS: "Inherent bias: right by the options alone",
    "relevance": "Relevance of question and answer, 1 to 3",
    "separability": "Separability of the options, 1 to 3",
    "difficulty": "Difficulty, 0 to 3",
    "correctness": "Correctness of the right option, 0 to 2",
    ACCURACY: "Accuracy",
}
