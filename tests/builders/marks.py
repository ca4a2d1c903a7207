"""Small materials to compare: marks of annotators in recordings, written as tuples, and strategies that draw them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from annotate.agreement.annotation_arrays import AgreementData, ChosenField, NamedKey, RatedField
from annotate.agreement.span_matching import SpanArray

SECOND = 1_000_000
LABELS = ("error", "competence", "none")
Mark = tuple[int, str, str, float, float]
"""Recording from 0, annotator, label, start and end in seconds."""


def material(marks: Sequence[Mark], people: str = "AB", recordings: int = 1) -> AgreementData:
    """Everybody worked on every recording, each of which lasts a minute."""
    recording = np.array([mark[0] for mark in marks], np.int64)
    return AgreementData(
        recordings=tuple(NamedKey(f"r{number}", f"{number + 1}") for number in range(recordings)),
        annotators=tuple(NamedKey(who, who) for who in people),
        labels=tuple(NamedKey(label, label) for label in LABELS),
        length_us=np.full(recordings, 60 * SECOND),
        worked=np.ones((recordings, len(people)), bool),
        recording=recording,
        annotator=np.array([people.index(mark[1]) for mark in marks], np.int64),
        label=np.array([LABELS.index(mark[2]) for mark in marks], np.int64),
        axis=recording,
        axis_recording=np.arange(recordings),
        start_us=np.array([round(mark[3] * SECOND) for mark in marks], np.int64),
        end_us=np.array([round(mark[4] * SECOND) for mark in marks], np.int64),
    )


def with_choices(found: AgreementData, key: str, choices: str, chosen: Iterable[str]) -> AgreementData:
    """Add a field of several choices, which are letters."""
    table = np.array([[choice in row for choice in choices] for row in chosen], bool).reshape(-1, len(choices))
    field = ChosenField(key, key, tuple(NamedKey(text, text) for text in choices), table, True)
    return replace(found, choice_fields=(*found.choice_fields, field))


def with_ratings(
    found: AgreementData, key: str, numbers: Sequence[float], minimum: float, maximum: float
) -> AgreementData:
    """Add a scale."""
    return replace(
        found, rating_fields=(*found.rating_fields, RatedField(key, key, np.array(numbers, float), minimum, maximum))
    )


def spans(rows: Sequence[tuple[int, int, int, int]]) -> SpanArray:
    """Make spans of (axis, start, end, label)."""
    columns = np.array(rows, np.int64).reshape(-1, 4)
    return SpanArray(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3])


@st.composite
def drawn_spans(draw: st.DrawFn) -> SpanArray:
    """Draw spans on three axes, many of which touch, coincide or lie in each other."""
    row = st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(1, 15), st.integers(0, 2))
    return spans(
        [(axis, start, start + length, label) for axis, start, length, label in draw(st.lists(row, max_size=12))]
    )


@st.composite
def drawn_marks(draw: st.DrawFn, people: str = "AB") -> list[Mark]:
    """Draw marks in three recordings, in whole and half seconds."""
    mark = st.tuples(
        st.integers(0, 2),
        st.sampled_from(people),
        st.sampled_from(LABELS),
        st.integers(0, 60),
        st.integers(1, 20),
    )
    return [(r, who, label, start / 2, (start + length) / 2) for r, who, label, start, length in draw(st.lists(mark))]
