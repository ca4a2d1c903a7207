"""What was right and what was answered, as plain lists."""

from collections.abc import Mapping, Sequence

from benchmark.metrics.names import MEANINGS
from benchmark.suite.base import Metric, Said
from project.types import Json

LABELS = "labels"
"""Trait of an item: every label that an answer can be, whether a draw has it or not."""


def metrics(*keys: str) -> tuple[Metric, ...]:
    """Return metrics by their keys in `benchmark.metrics.names`."""
    return tuple(Metric(key, MEANINGS[key].name, MEANINGS[key].share) for key in keys)


def given_values(values: Mapping[str, float | None]) -> dict[str, float]:
    """Return the figures that are defined."""
    return {key: value for key, value in values.items() if value is not None}


def truths(said: Sequence[Said], task: str, field: str) -> list[Json]:
    """Return what is right in a field, item by item."""
    return [one.truth[task][field] for one in said]


def answers(said: Sequence[Said], task: str, field: str) -> list[Json]:
    """Return what was answered in a field, item by item; None where nothing could be read."""
    return [one.answers.get(task, {}).get(field) for one in said]


def label_truths(said: Sequence[Said], task: str, field: str) -> list[str]:
    """Return the true label of each item."""
    return [str(one) for one in truths(said, task, field)]


def label_answers(said: Sequence[Said], task: str, field: str) -> list[str | None]:
    """Return the label that was answered to each item; None where none could be read."""
    return [one if isinstance(one, str) else None for one in answers(said, task, field)]


def set_truths(said: Sequence[Said], task: str, field: str) -> list[list[str]]:
    """Return the true labels of each item."""
    return [_texts(one) or [] for one in truths(said, task, field)]


def set_answers(said: Sequence[Said], task: str, field: str) -> list[list[str] | None]:
    """Return the labels that were answered to each item; None where no answer could be read."""
    return [_texts(one) for one in answers(said, task, field)]


def labels_of(said: Sequence[Said]) -> list[str]:
    """Return every label of a task, in the order of its scheme."""
    found: dict[str, None] = {}
    for one in said:
        found |= dict.fromkeys(_texts(one.traits.get(LABELS)) or ())
    return [*found]


def _texts(value: Json) -> list[str] | None:
    return [str(one) for one in value] if isinstance(value, list) else None
