"""From what was said about items to figures: over draws, by trait, by label, and who was taken for whom."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from benchmark.metrics.classification import confusion
from benchmark.metrics.names import joined, meaning_of, split
from benchmark.metrics.over_draws import over_draws
from benchmark.metrics.resampled import intervals
from benchmark.metrics.spread import mean_sd
from benchmark.results.base import Breakdown, Confusion, FigureRow, Part
from benchmark.results.quick import counted, f1_of_labels, labelled
from benchmark.suite.base import BROKEN_DOWN_BY, Entry, Metric, Said
from benchmark.suite.said import labels_of
from project.types import Json

F1 = "f1"
"""Of one label: `f1.error`."""
SAMPLES = 200
_EQUAL = 1e-9
_NO_NAMES: Mapping[str, str] = MappingProxyType({})
Score = Callable[[Sequence[Said]], Mapping[str, float | None]]


def rows_of(entry: Entry, said: Sequence[Said], samples: int = SAMPLES) -> tuple[FigureRow, ...]:
    """Return the figures of a task over all items that count, with intervals over recordings.

    Args:
        entry: the task.
        said: items that count, of all draws.
        samples: of the bootstrap, for figures that are no sums over items, which have a thousand; 0 for no intervals.
    """
    ends = _intervals(entry, said, samples) if samples and said else {}
    guessed = entry.chance(said) if said else {}
    return _rows(entry.metrics, entry.score, said, ends, guessed)


def label_rows(said: Sequence[Said]) -> tuple[FigureRow, ...]:
    """Return the F1 of each label, as `f1.LABEL`; () where answers are no labels."""

    def score(some: Sequence[Said]) -> dict[str, float | None]:
        return {joined(F1, label): value for label, value in f1_of_labels(some).items()}

    named = tuple(Metric(joined(F1, label), f"F1 of “{label}”") for label in labels_of(said))
    return _rows(named, score, said, {}, {}) if said and score(said) else ()


def breakdowns_of(entry: Entry, said: Sequence[Said], names: Mapping[str, str] = _NO_NAMES) -> tuple[Breakdown, ...]:
    """Return the figures by each trait that tells items apart, an item with several values being in several parts.

    Args:
        entry: the task.
        said: items that count, of all draws.
        names: what values that are ids are called.
    """
    found = []
    for trait in BROKEN_DOWN_BY:
        parts: dict[str, list[Said]] = {}
        for one in said:
            for value in parts_by(trait, one.traits.get(trait)):
                parts.setdefault(names.get(value, value), []).append(one)
        if len(parts) > 1 or (parts and trait == "attributes"):
            found.append(
                Breakdown(
                    trait,
                    tuple(
                        Part(value, len(some), (*_rows(entry.metrics, entry.score, some, {}, {}), *label_rows(some)))
                        for value, some in sorted(parts.items(), key=lambda one: _order(one[0]))
                    ),
                )
            )
    return tuple(found)


def confusions_of(said: Sequence[Said]) -> tuple[Confusion, ...]:
    """Return who was taken for whom, where answers are one of several labels."""
    found = labelled(said)
    if found is None:
        return ()
    key, truth, given = found
    labels = labels_of(said)
    counts = confusion(truth, given, labels)
    return (Confusion(key, tuple(labels), tuple(tuple(int(one) for one in row) for row in counts)),)


def draws_of(said: Sequence[Said]) -> list[list[Said]]:
    """Return the items of each draw, in order."""
    found: dict[int, list[Said]] = {}
    for one in said:
        found.setdefault(one.draw, []).append(one)
    return [found[number] for number in sorted(found)]


def parts_by(trait: str, value: Json) -> list[str]:
    """Return the parts that an item with this value of a trait belongs to, as text."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [str(one) for one in value]
    if isinstance(value, bool):
        return [{True: trait, False: f"not {trait}"}[value] if trait != "agreed" else _AGREED[value]]
    return [str(value)]


def _rows(
    metrics: Sequence[Metric],
    score: Score,
    said: Sequence[Said],
    ends: Mapping[str, tuple[float, float] | None],
    guessed: Mapping[str, float],
) -> tuple[FigureRow, ...]:
    each = [score(one) for one in draws_of(said)]
    found = []
    for metric in (*metrics, *_more(metrics, each)):
        values = tuple(one.get(metric.key) for one in each)
        spread = mean_sd(values)
        low, high = ends.get(metric.key) or (None, None)
        chance = guessed.get(metric.key)
        found.append(
            FigureRow(
                *(metric.key, metric.name, metric.share, spread.mean, spread.sd, low, high, len(said), values, chance)
            )
        )
    return tuple(found)


def _more(metrics: Sequence[Metric], each: Sequence[Mapping[str, float | None]]) -> list[Metric]:
    """Return the metrics that a score has beside those of its task, such as `factuality.AUTHOR`."""
    known = {one.key for one in metrics}
    found = []
    for key in dict.fromkeys(key for one in each for key in one if key not in known):
        meaning, part = meaning_of(key), split(key)[1]
        name = meaning.name if meaning else split(key)[0]
        found.append(Metric(key, f"{name}, {part}" if part else name, meaning.share if meaning else True))
    return found


def _intervals(entry: Entry, said: Sequence[Said], samples: int) -> dict[str, tuple[float, float] | None]:
    """Return the interval of each figure: by sums over items where these give the same figure, else by scoring anew."""
    draws, homes = [one.draw for one in said], [one.recording_id for one in said]
    found: dict[str, tuple[float, float] | None] = {}
    own = {key: mean_sd([one.get(key) for one in map(entry.score, draws_of(said))]).mean for key in _keys(entry)}
    for key, sums in counted(said, entry).items():
        figure = over_draws(sums, draws, homes)
        mean = own.get(key)
        if mean is not None and figure.value is not None and bool(np.isclose(mean, figure.value, rtol=0, atol=_EQUAL)):
            found[key] = None if figure.low is None or figure.high is None else (figure.low, figure.high)
    left = [key for key in _keys(entry) if key not in found]
    if not left:
        return found

    def score(some: Sequence[Said]) -> dict[str, float | None]:
        figures = entry.score(some)
        return {key: figures.get(key) for key in left}

    return {**intervals(score, said, draws, homes, samples), **found}


def _keys(entry: Entry) -> list[str]:
    return [one.key for one in entry.metrics]


_AGREED = {True: "agreed", False: "disagreed"}


def _order(value: str) -> tuple[float, str]:
    return (float(value), "") if value.isdecimal() else (float("inf"), value)
