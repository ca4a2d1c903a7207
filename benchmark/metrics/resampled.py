"""Intervals for figures of any kind, by computing them anew for each sample of recordings."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from benchmark.agreement.bootstrap import interval, resamples
from benchmark.metrics.counted import Counted
from benchmark.metrics.over_draws import over_draws
from benchmark.metrics.spread import mean_sd

Item = TypeVar("Item")
SAMPLES = 200


def intervals(
    score: Callable[[Sequence[Item]], Mapping[str, float | None]],
    items: Sequence[Item],
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int = SAMPLES,
    seed: int = 0,
    counted: Mapping[str, Counted] | None = None,
) -> dict[str, tuple[float, float] | None]:
    """Return figure -> its 95 % interval over recordings, of its mean over draws; None where there is none.

    Args:
        score: the figures of one draw; an item may stand in it several times.
        items: n items.
        draws: n, the draw of each.
        recordings: n, the recording of each.
        samples: of the bootstrap.
        seed: of the bootstrap.
        counted: the figures that can be added up over the items. They have the same interval without being scored for
            each sample; where all are among them, that takes milliseconds instead of seconds.
    """
    added = {} if counted is None else counted
    found = {key: over_draws(one, draws, recordings, samples, seed) for key, one in added.items()}
    ends = {key: None if one.low is None or one.high is None else (one.low, one.high) for key, one in found.items()}
    keys = [*score(items)]
    if all(key in ends for key in keys):
        return {key: ends[key] for key in keys}
    return {**_scored_anew(score, items, draws, recordings, samples, seed), **ends}


def _scored_anew(
    score: Callable[[Sequence[Item]], Mapping[str, float | None]],
    items: Sequence[Item],
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int,
    seed: int,
) -> dict[str, tuple[float, float] | None]:
    homes = {home: place for place, home in enumerate(dict.fromkeys(recordings))}
    by_draw: dict[Hashable, list[tuple[int, Item]]] = {}
    for item, draw, home in zip(items, draws, recordings, strict=True):
        by_draw.setdefault(draw, []).append((homes[home], item))
    found: dict[str, list[float]] = {key: [] for key in score(items)}
    for often in resamples(len(homes), samples if len(homes) > 1 else 0, seed).astype(int).tolist():
        drawn = [[item for home, item in one for _ in range(often[home])] for one in by_draw.values()]
        scores = [score(one) for one in drawn if one]
        for key, values in found.items():
            mean = mean_sd([one[key] for one in scores]).mean
            values.append(np.nan if mean is None else mean)
    return {key: _ends(values, len(homes)) for key, values in found.items()}


def _ends(values: Sequence[float], recordings: int) -> tuple[float, float] | None:
    low, high = interval(np.array(values, float), recordings)
    return None if low is None or high is None else (low, high)
