"""Transitions of labels: which follows which, as counts and as proportions of what precedes.

Source: Bakeman and Gottman (1997), Observing Interaction, chapter 7.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from annotate.agreement.annotation_arrays import NamedKey
from annotate.statistics.observations import CodedObservation, cut_marks, group_observations


@dataclass(frozen=True, slots=True)
class TransitionMatrix:
    """The transitions in one group of observations.

    Attributes:
        group: value for each key of the table.
        counts: (labels, labels) how often the label of the column follows that of the row.
    """

    group: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> int:
        """How many transitions there are."""
        return sum(map(sum, self.counts))

    @property
    def proportions(self) -> tuple[tuple[float | None, ...], ...]:
        """Return (labels, labels) shares of what follows the label of a row; None where nothing follows it."""
        return tuple(tuple(count / sum(row) if sum(row) else None for count in row) for row in self.counts)


@dataclass(frozen=True, slots=True)
class TransitionTable:
    """A matrix for each group.

    Attributes:
        keys: by which observations are grouped.
        labels: of the rows and columns of each matrix.
        ignores_repeats: whether a label that follows itself is left out, with its place in the sequence.
    """

    keys: tuple[NamedKey, ...]
    labels: tuple[NamedKey, ...]
    matrices: tuple[TransitionMatrix, ...]
    ignores_repeats: bool = False


def count_transitions(
    keys: Sequence[NamedKey],
    labels: Sequence[NamedKey],
    observations: Sequence[CodedObservation],
    *,
    ignores_repeats: bool = False,
) -> TransitionTable:
    """Return how often each label follows each other one within an observation, ordered by start, then by end.

    With `ignores_repeats`, a label that comes several times in a row counts once.
    """
    places = {label.key: place for place, label in enumerate(labels)}
    matrices = []
    for group, inside in group_observations(observations).items():
        counts = [[0] * len(labels) for _ in labels]
        for sequence in (sequence for observation in inside for sequence in label_sequences(observation)):
            steps = [label for label, _ in groupby(sequence)] if ignores_repeats else sequence
            for first, second in pairwise(steps):
                counts[places[first]][places[second]] += 1
        matrices.append(TransitionMatrix(group, tuple(map(tuple, counts))))
    return TransitionTable(tuple(keys), tuple(labels), tuple(matrices), ignores_repeats)


def label_sequences(observation: CodedObservation) -> Iterator[list[str]]:
    """Yield the labels of each observed span in their order; what is cut off at its start begins there."""
    placed = sorted((place, start, end, label) for place, (label, start, end) in cut_marks(observation))
    for _, marks in groupby(placed, itemgetter(0)):
        yield [label for _, _, _, label in marks]
