"""Krippendorff's alpha, for any number of annotators, missing values, and any distance.

Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability.
"""

from dataclasses import dataclass

import numpy as np

from benchmark.agreement.counting import per_group
from benchmark.agreement.types import Bools, Floats, Ints

_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Coincidences:
    """Every pair of values that two annotators gave to the same unit.

    Attributes:
        group: (p,) what is resampled: the recording of the unit.
        first: (p,) code of one value.
        second: (p,) code of the other.
        weight: (p,) units of that kind over the number of values each has less one.
        values: number of codes.
        groups: number of groups.
    """

    group: Ints
    first: Ints
    second: Ints
    weight: Floats
    values: int
    groups: int


def coincidences(codes: Ints, group: Ints, values: int, groups: int, units: Ints | None = None) -> Coincidences:
    """Pair up what annotators said.

    Args:
        codes: (annotators, u) value of each unit by each annotator; -1 is missing.
        group: (u,) recording of each unit.
        values: number of codes.
        groups: number of recordings.
        units: (u,) how many equal units each column stands for; one when not given.
    """
    given = codes >= 0
    count = given.sum(0)
    each = np.ones(codes.shape[1]) if units is None else units.astype(float)
    found: list[tuple[Ints, Ints, Ints, Floats]] = []
    for one in range(len(codes)):
        for other in range(one + 1, len(codes)):
            both = given[one] & given[other]
            found.append((group[both], codes[one][both], codes[other][both], each[both] / (count[both] - 1)))
    if not found:
        none = np.zeros(0, np.int64)
        return Coincidences(none, none, none, np.zeros(0), values, groups)
    groups_of, first, second, weight = (np.concatenate(column) for column in zip(*found, strict=True))
    return Coincidences(groups_of, first, second, weight, values, groups)


def nominal_alpha(found: Coincidences, resamples: Floats | None = None) -> Floats:
    """Return alpha where any two different values are equally far apart; (b,) of (b, groups) resampling weights."""
    counts, total, chosen = _counts(found, resamples)
    apart = _by_group(found, (found.first != found.second).astype(float))
    return _alpha(chosen @ apart, total**2 - (counts**2).sum(-1), total)


def metric_alpha(found: Coincidences, distance: Floats, resamples: Floats | None = None) -> Floats:
    """Return alpha under a (values, values) table of squared distances between values."""
    counts, total, chosen = _counts(found, resamples)
    apart = _by_group(found, distance[found.first, found.second])
    return _alpha(chosen @ apart, ((counts @ distance) * counts).sum(-1), total)


def interval_alpha(found: Coincidences, numbers: Floats, resamples: Floats | None = None) -> Floats:
    """Return alpha with squared differences; `numbers` is what each code stands for."""
    counts, total, chosen = _counts(found, resamples)
    centred = numbers - numbers.mean() if len(numbers) else numbers
    apart = _by_group(found, (centred[found.first] - centred[found.second]) ** 2)
    return _alpha(chosen @ apart, _spread(counts, centred), total)


def ordinal_alpha(found: Coincidences, resamples: Floats | None = None) -> Floats:
    """Return alpha on ranks; codes are in the order of the values.

    Krippendorff's ordinal distance of two values is the squared difference of their mean ranks.
    """
    counts, total, chosen = _counts(found, resamples)
    rank = np.cumsum(counts, -1) - counts / 2
    rank -= total[:, None] / 2
    apart = np.empty(len(chosen))
    chunk = max(1, _AT_ONCE // max(1, len(found.first)))
    for start in range(0, len(chosen), chunk):
        part = slice(start, start + chunk)
        difference = rank[part][:, found.first] - rank[part][:, found.second]
        apart[part] = 2 * (chosen[part][:, found.group] * found.weight * difference**2).sum(-1)
    return _alpha(apart, _spread(counts, rank), total)


def jaccard_distance(sets: Bools) -> Floats:
    """Return (n, n): of the choices that either of two sets holds, the share that only one does; empty sets agree.

    Args:
        sets: (n, choices) which choices each set holds.
    """
    chosen = sets.astype(float)
    both = chosen @ chosen.T
    either = chosen.sum(1)[:, None] + chosen.sum(1) - both
    alike: Floats = np.divide(both, either, out=np.ones_like(both), where=either > 0)
    return 1 - alike


def _counts(found: Coincidences, resamples: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return how often each value occurs (b, values), in all (b,), and the weights of the groups (b, groups)."""
    chosen = np.ones((1, found.groups)) if resamples is None else resamples
    size = found.groups * found.values
    counted = per_group(found.group * found.values + found.first, size, found.weight)
    counted += per_group(found.group * found.values + found.second, size, found.weight)
    counts = chosen @ counted.reshape(found.groups, found.values)
    return counts, counts.sum(-1), chosen


def _by_group(found: Coincidences, distance: Floats) -> Floats:
    return 2 * per_group(found.group, found.groups, found.weight * distance)


def _spread(counts: Floats, numbers: Floats) -> Floats:
    """Return the sum of squared differences over all ordered pairs of values."""
    mean = (counts * numbers).sum(-1) / np.maximum(counts.sum(-1), 1e-300)
    found: Floats = 2 * counts.sum(-1) * (counts * (numbers - mean[:, None]) ** 2).sum(-1)
    return found


def _alpha(observed: Floats, expected: Floats, total: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(expected > 1e-12 * total**2, 1 - (total - 1) * observed / expected, np.nan)
    return found
