"""Cohen's kappa and Krippendorff's alpha over the instants of a time grid. Nothing marked is a category too."""

import numpy as np

from benchmark.agreement.alpha import coincidences, nominal_alpha
from benchmark.agreement.bootstrap import estimate_from
from benchmark.agreement.cohen import ONE_CATEGORY, kappa, kappa_max, tables
from benchmark.agreement.figure import Figure
from benchmark.agreement.grid import Grid, time_grid
from benchmark.agreement.material import Material, Options
from benchmark.agreement.pooled import pooled
from benchmark.agreement.types import Floats, Ints
from project.types import Json

NO_TIME = "No recording was annotated by two of these annotators."
ONE_STATE = "Everybody used one and the same category throughout."


def grid_of(material: Material, step_us: int) -> Grid:
    """Return what each annotator but the third says at each instant."""
    spans = material.spans()
    people = [one for one in range(len(material.annotators)) if one != material.third]
    lanes = [spans.take(material.annotator == one) for one in people]
    worked = material.worked[material.axis_recording][:, people]
    return time_grid(lanes, material.axes_length_us(), step_us, worked)


def pair_tables(material: Material, grid: Grid) -> Floats:
    """Return (recordings, pairs, k, k) instants, the pairs as `Material.pairs` gives them."""
    recording, lane = material.axis_recording[grid.axis], _lanes(material)
    size, kinds = len(material.recordings), len(grid.names)
    found = [
        tables(grid.states[lane[a]], grid.states[lane[b]], grid.instants, recording, kinds, size)
        for a, b in material.pairs()
    ]
    return np.stack(found, axis=1) if found else np.zeros((size, 0, kinds, kinds))


def cohen_kappa(by_recording: Floats, options: Options, weights: Floats) -> Figure:
    """Return Cohen's kappa of (recordings, pairs, k, k) instants."""
    highest = pooled(kappa_max, by_recording, weights[:0], (NO_TIME, ONE_CATEGORY))
    more: dict[str, Json] = {"step_ms": options.step_us / 1000, "kappa_max": highest.value}
    return pooled(kappa, by_recording, weights, (NO_TIME, ONE_CATEGORY), more)


def time_weighted_alpha(material: Material, grid: Grid, options: Options, weights: Floats) -> Figure:
    """Return nominal alpha over the instants that two or more annotators worked on; n is their number."""
    recording = material.axis_recording[grid.axis]
    found = coincidences(grid.states, recording, len(grid.names), len(material.recordings), grid.instants)
    shared = (grid.states >= 0).sum(0) > 1
    return estimate_from(
        lambda drawn: nominal_alpha(found, drawn),
        weights,
        int(grid.instants[shared].sum()),
        len(np.unique(recording[shared])),
        (NO_TIME, ONE_STATE),
        {"step_ms": options.step_us / 1000},
    )


def _lanes(material: Material) -> Ints:
    """Return (annotators,) the row of each in the grid."""
    return np.cumsum(np.arange(len(material.annotators)) != material.third) - 1
