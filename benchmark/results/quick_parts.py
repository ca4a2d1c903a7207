"""More metrics as sums over items: accuracy over parts, consistency over chains, ratings by dimension."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from benchmark.agreement.types import Floats
from benchmark.metrics.counted import Counted, mae_counted, pearson_counted, share_counted
from benchmark.metrics.names import ACCURACY, CHAIN_CONSISTENCY, MAE, PEARSON_R, SUBCHAIN_CONSISTENCY, joined, split
from benchmark.suite.base import BROKEN_DOWN_BY, Entry, Said
from project.types import Json

CHAIN, SUBCHAINS = "chain", "subchains"
"""Traits of a question of a chain: which chain, and the subchains that it belongs to."""


def accuracy_of_parts(entry: Entry, said: Sequence[Said], right: Sequence[bool]) -> dict[str, Counted]:
    """Return `accuracy.PART` of a task -> the share of the items with this value of a trait that are right."""
    found = {}
    for metric in entry.metrics:
        name, part = split(metric.key)
        if name == ACCURACY and part:
            counts = [any(one.traits.get(trait) == part for trait in BROKEN_DOWN_BY) for one in said]
            found[metric.key] = share_counted(right, counts)
    return found


def consistency(entry: Entry, said: Sequence[Said]) -> dict[str, Counted]:
    """Return the consistency over chains and subchains; a chain lies in one recording and counts at its first item."""
    wanted = {one.key for one in entry.metrics} & {CHAIN_CONSISTENCY, SUBCHAIN_CONSISTENCY}
    if not wanted:
        return {}
    chains: dict[tuple[int, str], list[int]] = {}
    for place, one in enumerate(said):
        if chain := one.traits.get(CHAIN):
            chains.setdefault((one.draw, str(chain)), []).append(place)
    shares = {key: np.zeros(len(said)) for key in wanted}
    weights = {key: np.zeros(len(said)) for key in wanted}
    for places in chains.values():
        those = [said[place] for place in places]
        parts = {name for one in those for name in cast(Mapping[str, Json], one.traits.get(SUBCHAINS) or {})}
        score = entry.score(those)
        for key in wanted:
            value = score.get(key)
            if value is not None:
                weights[key][places[0]] = 1 if key == CHAIN_CONSISTENCY else len(parts)
                shares[key][places[0]] = value
    return {
        key: Counted(np.stack([shares[key] * weights[key], weights[key]], axis=-1), _ratio, weights[key] > 0)
        for key in wanted
    }


def ratings(said: Sequence[Said]) -> dict[str, Counted]:
    """Return r and distance of each dimension of a rating, and their means over the dimensions."""
    asked = {(key, field) for one in said for key, truth in one.truth.items() for field in truth}
    if len(asked) < 2 or len({key for key, _ in asked}) != 1:
        return {}
    found: dict[str, Counted] = {}
    for key, field in sorted(asked):
        pairs = [(_number(one.truth, key, field), _number(one.answers, key, field)) for one in said]
        if any(true is None for true, _ in pairs):
            return {}
        truth, given = [true or 0.0 for true, _ in pairs], [one for _, one in pairs]
        found[joined(PEARSON_R, field)] = pearson_counted(truth, given)
        found[joined(MAE, field)] = mae_counted(truth, given)
    for metric in (PEARSON_R, MAE):
        found[metric] = _mean([one for key, one in found.items() if split(key)[0] == metric])
    return found


def _mean(parts: Sequence[Counted]) -> Counted:
    """Return the mean of several metrics of the same items, over those that have a value."""
    ends = np.cumsum([one.sums.shape[1] for one in parts])[:-1]

    def formula(sums: Floats) -> Floats:
        values = np.stack(
            [one.formula(some) for one, some in zip(parts, np.split(sums, ends, axis=-1), strict=True)], axis=-1
        )
        known = np.isfinite(values)
        number = known.sum(-1)
        found: Floats = np.divide(
            np.where(known, values, 0).sum(-1), number, out=np.full(number.shape, np.nan), where=number > 0
        )
        return found

    counts = np.any([one.counts for one in parts], axis=0)
    return Counted(np.concatenate([one.sums for one in parts], axis=1), formula, counts)


def _ratio(sums: Floats) -> Floats:
    found: Floats = np.divide(sums[..., 0], sums[..., 1], out=np.full(sums.shape[:-1], np.nan), where=sums[..., 1] > 0)
    return found


def _number(answers: Mapping[str, Mapping[str, Json]], key: str, field: str) -> float | None:
    value = answers.get(key, {}).get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
