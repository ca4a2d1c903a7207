"""Transitions: which label follows which within one sequence, and no further."""

from annotate.agreement.annotation_arrays import NamedKey
from annotate.statistics.observations import CodedObservation
from annotate.statistics.statistics_tables import transition_rows
from annotate.statistics.transitions import count_transitions

LABELS = (NamedKey("a", "A"), NamedKey("b", "B"), NamedKey("c", "C"))
KEYS = (NamedKey("annotator", "Annotator"),)
ADA = CodedObservation(("Ada",), ((0, 100),), (("a", 0, 10), ("b", 0, 20), ("a", 5, 5), ("a", 30, 40), ("c", 50, 60)))


def test_counts_and_proportions_by_start() -> None:
    table = count_transitions(KEYS, LABELS, [ADA, ADA, CodedObservation(("Ben",), ((0, 9),), (("c", 0, 1),))])
    ada, ben = table.matrices
    assert (ada.group, ben.group, ada.total, ben.total) == (("Ada",), ("Ben",), 8, 0)
    assert ada.counts == ((2, 2, 2), (2, 0, 0), (0, 0, 0))
    assert ada.proportions == ((1 / 3, 1 / 3, 1 / 3), (1, 0, 0), (None, None, None))
    head, rows = transition_rows(table)
    assert head == ["annotator", "first", "second", "count", "proportion"]
    assert rows[:2] == [["Ada", "a", "a", 2, 1 / 3], ["Ada", "a", "b", 2, 1 / 3]]


def test_repeats_can_count_once() -> None:
    table = count_transitions(KEYS, LABELS, [ADA], ignores_repeats=True)
    assert table.matrices[0].counts == ((0, 1, 1), (1, 0, 0), (0, 0, 0))


def test_nothing_follows_across_time_that_was_not_observed() -> None:
    apart = CodedObservation(("Ada",), ((0, 10), (45, 100)), ADA.marks)
    assert count_transitions(KEYS, LABELS, [apart]).matrices[0].counts == ((0, 1, 0), (1, 0, 0), (0, 0, 0))
