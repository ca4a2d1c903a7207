"""The main figures split by label, choice, recording, annotator and pair."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmark.agreement.bootstrap import ratio
from benchmark.agreement.cohen import ONE_CATEGORY, kappa
from benchmark.agreement.compared import Compared
from benchmark.agreement.figure import Figure, defined
from benchmark.agreement.material import Material, Options
from benchmark.agreement.pooled import mean_over_pairs
from benchmark.agreement.report import Row
from benchmark.agreement.segment_based import (
    NO_MATCH,
    elan_kappa,
    elan_ratio,
    iou_per_recording,
    matched_agreement,
    mean_iou,
)
from benchmark.agreement.shares import NO_ANNOTATIONS, NO_OVERLAP, Shares
from benchmark.agreement.time_based import cohen_kappa
from benchmark.agreement.types import Floats


def rows_of(
    material: Material,
    compared: Sequence[Compared],
    shares: Shares,
    instants: Floats,
    options: Options,
    weights: Floats,
) -> Mapping[str, tuple[Row, ...]]:
    """Return split -> rows.

    Args:
        material: what the figures are about.
        compared: each pair of annotators.
        shares: over all pairs.
        instants: (recordings, pairs, k, k) of the time grid.
        options: how to compare.
        weights: of the bootstrap.
    """
    by_label = tuple(
        Row(label.key, label.name, shares.figures(weights, material.label == code))
        for code, label in enumerate(material.labels)
    )
    by_choice = {
        field.key: tuple(
            Row(choice.key, choice.name, shares.figures(weights, field.chosen[:, place]))
            for place, choice in enumerate(field.choices)
        )
        for field in material.choosing
    }
    return {
        "label": by_label,
        **by_choice,
        "recording": _by_recording(material, compared, shares, instants),
        "pair": tuple(
            Row(
                " | ".join(material.annotators[one].key for one in (pair.first, pair.second)),
                " and ".join(material.annotators[one].name for one in (pair.first, pair.second)),
                _of_some([pair], instants[:, place : place + 1], options, weights),
            )
            for place, pair in enumerate(compared)
        ),
        "annotator": tuple(
            Row(who.key, who.name, _of_some(*_with(compared, instants, one), options, weights))
            for one, who in enumerate(material.annotators)
            if one != material.third
        ),
    }


def _with(compared: Sequence[Compared], instants: Floats, annotator: int) -> tuple[list[Compared], Floats]:
    places = [place for place, pair in enumerate(compared) if annotator in (pair.first, pair.second)]
    return [compared[place] for place in places], instants[:, places]


def _of_some(compared: list[Compared], instants: Floats, options: Options, weights: Floats) -> dict[str, Figure]:
    if not compared:
        return {}
    return {
        **Shares.of(compared[0].material, compared).figures(weights),
        "matched_agreement": matched_agreement(compared, weights),
        "mean_iou": mean_iou(compared, weights),
        "cohen_kappa": cohen_kappa(instants, options, weights),
        "elan_kappa": elan_kappa(compared, weights),
        "elan_ratio": elan_ratio(compared, weights),
    }


def _by_recording(
    material: Material, compared: Sequence[Compared], shares: Shares, instants: Floats
) -> tuple[Row, ...]:
    """Return the figures of each recording that two annotators worked on; one recording alone has no interval."""
    size = len(material.recordings)
    paired = np.zeros(size, bool)
    for one in compared:
        paired |= one.recordings
    columns = {
        **{key: _ratios(*parts) for key, parts in shares.per_recording().items()},
        "mean_iou": _ratios(*iou_per_recording(compared, size)),
        "cohen_kappa": (mean_over_pairs(kappa)(instants), instants.sum((1, 2, 3))),
    }
    reasons = {
        "overlap_share": NO_ANNOTATIONS,
        "verdict_agreement": NO_OVERLAP,
        "disagreement_share": NO_ANNOTATIONS if shares.from_reviews else NO_OVERLAP,
        "mean_iou": NO_MATCH,
        "cohen_kappa": ONE_CATEGORY,
    }
    return tuple(
        Row(
            material.recordings[place].key,
            material.recordings[place].name,
            {
                key: _single(float(values[place]), int(counts[place]), reasons[key])
                for key, (values, counts) in columns.items()
            },
        )
        for place in np.flatnonzero(paired).tolist()
    )


def _ratios(part: Floats, whole: Floats) -> tuple[Floats, Floats]:
    return ratio(np.stack([part, whole], axis=-1)), whole


def _single(value: float, n: int, reason: str) -> Figure:
    known = defined(value)
    return Figure(known, n, reason="" if known is not None else reason)
