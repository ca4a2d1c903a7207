"""Shares over questions and chains, each with an interval by resampling whole recordings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmark.agreement.bootstrap import estimate, ratio, resamples, share
from benchmark.agreement.figure import Figure
from benchmark.agreement.types import Floats
from benchmark.questions.consistency import Consistency, Covered, of_chain, of_subchains
from project.questions import Question, QuestionKind

_drawn = lru_cache(8)(resamples)
NOTHING = "Nothing of this sort was answered."
NO_CHAINS = "No question of a chain was answered."


@dataclass(frozen=True, slots=True)
class Answered:
    """What one judge said to questions in one setting.

    Attributes:
        questions: that count, answered or not.
        right: question id -> whether it was answered right; questions that were not asked are not in it.
        chains: their chains.
        samples: of the bootstrap.
        seed: of the bootstrap.
    """

    questions: Sequence[Question]
    right: Mapping[str, bool]
    chains: Sequence[Covered]
    samples: int = 1000
    seed: int = 0

    def accuracy(self, chosen: Callable[[Question], bool] = lambda _: True) -> Figure:
        """Return the share of the answered questions that was answered right; over those that are chosen."""
        counts = [
            (one.recording_id, float(self.right[one.id]), 1.0)
            for one in self.questions
            if one.id in self.right and chosen(one)
        ]
        return share_of(counts, NOTHING, self.samples, self.seed)

    def by_kind(self) -> dict[str, Figure]:
        """Return accuracy by kind of question, of those kinds that there are."""
        kinds = {one.kind for one in self.questions}
        return {kind.value: self._where(lambda one: one.kind, kind) for kind in QuestionKind if kind in kinds}

    def by_state(self) -> dict[str, Figure]:
        """Return accuracy in MSE questions by mental state."""
        states = sorted({one.aspect for one in self.questions if one.kind is QuestionKind.STATE})
        return {state: self._where(lambda one: (one.kind, one.aspect), (QuestionKind.STATE, state)) for state in states}

    def by_steps(self) -> dict[int, Figure]:
        """Return accuracy by the number of steps of the chain that a question was made from."""
        steps = {one.chain_id: one.steps for one in self.chains}
        return {
            number: self._where(lambda one: steps.get(one.chain_id or ""), number)
            for number in sorted({*steps.values()})
        }

    def _where(self, trait: Callable[[Question], object], value: object) -> Figure:
        return self.accuracy(lambda one: trait(one) == value)

    def chain_consistency(self, steps: int | None = None) -> Figure:
        """Return the share of chains all of whose questions were answered right; of one length where it is given."""
        return self._consistency(of_chain, steps)

    def subchain_consistency(self, steps: int | None = None) -> Figure:
        """Return the same over subchains."""
        return self._consistency(of_subchains, steps)

    def _consistency(self, of: Callable[[Covered, Mapping[str, bool]], Consistency], steps: int | None) -> Figure:
        found = [(one.recording_id, of(one, self.right)) for one in self.chains if steps in (None, one.steps)]
        total = sum((one for _, one in found), Consistency())
        counts = [(home, float(one.right), float(one.counted)) for home, one in found if one.counted]
        more = {"left_out": total.left_out, "missing": total.missing}
        figure = share_of(counts, NO_CHAINS, self.samples, self.seed)
        return Figure(figure.value, figure.n, figure.low, figure.high, figure.reason, more)


def share_of(counts: Iterable[tuple[str, float, float]], nothing: str, samples: int = 1000, seed: int = 0) -> Figure:
    """Return a share with its interval.

    Args:
        counts: recording, how many fit, out of how many; any number of times a recording.
        nothing: why there is no figure, where nothing is counted.
        samples: of the bootstrap.
        seed: of the bootstrap.
    """
    part, whole = _sums(counts)
    return share(part, whole, _drawn(len(part), samples, seed), nothing)


def mean_of(values: Iterable[tuple[str, float]], nothing: str, samples: int = 1000, seed: int = 0) -> Figure:
    """Return a mean over values, each with its recording; the rest as `share_of`."""
    total, number = _sums((home, value, 1.0) for home, value in values)
    sums = np.stack([total, number], axis=-1)
    return estimate(ratio, sums, _drawn(len(total), samples, seed), round(number.sum()), (nothing, nothing))


def _sums(counts: Iterable[tuple[str, float, float]]) -> tuple[Floats, Floats]:
    found: dict[str, list[float]] = {}
    for home, part, whole in counts:
        sums = found.setdefault(home, [0.0, 0.0])
        sums[0] += part
        sums[1] += whole
    both = np.array([*found.values()], float).reshape(len(found), 2)
    return both[:, 0], both[:, 1]
