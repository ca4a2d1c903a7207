"""Figures of segments that stand for each other: ELAN's kappa and ratio, IoU, F1, and the table of labels."""

from collections.abc import Sequence

import numpy as np

from benchmark.agreement.bootstrap import share
from benchmark.agreement.cohen import ONE_CATEGORY, kappa, tables
from benchmark.agreement.compared import Compared
from benchmark.agreement.counting import per_group
from benchmark.agreement.elan import modified_kappa, modified_kappa_max
from benchmark.agreement.figure import Figure
from benchmark.agreement.matching import HOLLE_REIN_SHARE
from benchmark.agreement.overlap import Overlaps
from benchmark.agreement.pooled import pooled
from benchmark.agreement.shares import NO_ANNOTATIONS
from benchmark.agreement.types import Floats

NO_MATCH = "No two segments of different annotators could be matched."
NO_LINK = "No two segments share enough of the longer one."
IOU_LEVELS = (0.3, 0.5, 0.7)


def elan_kappa(compared: Sequence[Compared], weights: Floats) -> Figure:
    """Return Holle and Rein's kappa; n is the annotations of both."""
    found = _linked(compared)
    reasons = (NO_ANNOTATIONS, ONE_CATEGORY)
    highest = pooled(modified_kappa_max, found, weights[:0], reasons)
    return pooled(modified_kappa, found, weights, reasons, {"share": HOLLE_REIN_SHARE, "kappa_max": highest.value})


def elan_kappa_matched(compared: Sequence[Compared], weights: Floats) -> Figure:
    """Return Cohen's kappa of the labels of Holle and Rein's pairs, without what is unmatched; n is those pairs."""
    found = _linked(compared)[..., :-1, :-1] / 2
    return pooled(kappa, found, weights, (NO_LINK, ONE_CATEGORY), {"share": HOLLE_REIN_SHARE})


def elan_ratio(compared: Sequence[Compared], weights: Floats) -> Figure:
    """Return the mean IoU in which every unmatched segment counts as 0; n is pairs and unmatched segments."""
    total, matched = _iou_by_recording(compared)
    return share(total, matched + _alone(compared), weights, NO_ANNOTATIONS)


def mean_iou(compared: Sequence[Compared], weights: Floats) -> Figure:
    """Return the mean IoU of matched segments; n is the pairs."""
    return share(*_iou_by_recording(compared), weights, NO_MATCH)


def matched_agreement(compared: Sequence[Compared], weights: Floats) -> Figure:
    """Return in how many of the matched segments the labels are the same; n is the pairs."""
    same = [one.matched.take(one.alike(one.matched)) for one in compared]
    return share(_number(compared, same), _number(compared, _matched(compared)), weights, NO_MATCH)


def f1(compared: Sequence[Compared], weights: Floats, level: float, *, same_label: bool = False) -> Figure:
    """Return twice the pairs over all segments; n is the segments. `same_label` wants the same label in a pair."""
    pairs = [one.matched_at(level, same_label=same_label) for one in compared]
    return share(2 * _number(compared, pairs), _segments(compared), weights, NO_ANNOTATIONS)


def iou_per_recording(compared: Sequence[Compared], size: int) -> tuple[Floats, Floats]:
    """Return the sums of IoU of matched segments and their number, each (recordings,)."""
    return _iou_by_recording(compared) if compared else (np.zeros(size), np.zeros(size))


def confusion(compared: Sequence[Compared], labels: int) -> Floats:
    """Return (labels + 1, labels + 1) matched pairs by label, the first annotator's down; the last are unmatched."""
    found = [_linked_tables(one, one.matched, 1).sum(0) for one in compared]
    return sum(found, np.zeros((labels + 1, labels + 1)))


def _linked(compared: Sequence[Compared]) -> Floats:
    """Return (recordings, pairs, k + 1, k + 1) as ELAN's kappa takes them."""
    found = [_linked_tables(one, one.linked, 2) for one in compared]
    return np.stack(found, axis=1) if found else np.zeros((1, 0, 1, 1))


def _linked_tables(one: Compared, pairs: Overlaps, weight: int) -> Floats:
    """Return (recordings, k + 1, k + 1): `weight` for each pair, 1 in the last row and column for what none holds."""
    material = one.material
    kinds = len(material.labels) + 1
    first, second = one.segments(pairs)
    alone_first, alone_second = one.alone(pairs)
    rest = np.full(len(material), kinds - 1)
    where, label = np.concatenate([first, alone_first, alone_second]), material.label
    return tables(
        np.concatenate([label[first], label[alone_first], rest[alone_second]]),
        np.concatenate([label[second], rest[alone_first], label[alone_second]]),
        np.concatenate([np.full(len(first), weight), np.ones(len(alone_first) + len(alone_second), np.int64)]),
        material.recording[where],
        kinds,
        len(material.recordings),
    )


def _matched(compared: Sequence[Compared]) -> list[Overlaps]:
    return [one.matched for one in compared]


def _iou_by_recording(compared: Sequence[Compared]) -> tuple[Floats, Floats]:
    pairs = _matched(compared)
    return _sum(compared, pairs, [found.iou for found in pairs]), _number(compared, pairs)


def _alone(compared: Sequence[Compared]) -> Floats:
    return _segments(compared) - 2 * _number(compared, _matched(compared))


def _segments(compared: Sequence[Compared]) -> Floats:
    def count(one: Compared) -> Floats:
        both = np.concatenate([one.of_first, one.of_second])
        return per_group(one.material.recording[both], len(one.material.recordings))

    return sum((count(one) for one in compared), np.zeros(1))


def _number(compared: Sequence[Compared], pairs: Sequence[Overlaps]) -> Floats:
    return _sum(compared, pairs, [np.ones(len(found)) for found in pairs])


def _sum(compared: Sequence[Compared], pairs: Sequence[Overlaps], values: Sequence[Floats]) -> Floats:
    """Return (recordings,) sums of one value for each pair of segments."""

    def count(one: Compared, found: Overlaps, each: Floats) -> Floats:
        first, _ = one.segments(found)
        return per_group(one.material.recording[first], len(one.material.recordings), each)

    return sum((count(*three) for three in zip(compared, pairs, values, strict=True)), np.zeros(1))
