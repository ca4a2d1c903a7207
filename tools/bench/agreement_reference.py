"""The figures of a study of two annotators once more, by the libraries that others trust and in the plain way."""

from collections.abc import Iterator

import krippendorff
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import pearsonr
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.annotation_arrays import AgreementData, AnnotatorPair, Options, RatedField, SegmentMatches
from annotate.agreement.field_agreement import rating_figures
from annotate.agreement.figure_intervals import Floats, Ints, StatisticResult


def differences(material: AgreementData, options: Options, report: AgreementReport) -> Iterator[tuple[str, float]]:
    """Yield figure -> how far ours is from the reference."""
    compared = AnnotatorPair.from_pair(material, 0, 1, options)
    for key, theirs in {**_of_time(material, options.step_us), **_of_segments(material, compared)}.items():
        yield key, _apart(report.main[key], theirs)
    for level, figure in report.f1_iou.items():
        yield f"f1_iou {level}", _apart(figure, _f1(compared, float(level)))
    matched = SegmentMatches.collect(material, [compared], [compared.matched])
    for field in material.choice_fields:
        filled = matched.where_filled(field.filled)
        if not len(filled.first):
            continue
        choices = next(field_report for field_report in report.fields if field_report.key == field.key).choices
        for place, row in enumerate(choices):
            theirs = cohen_kappa_score(field.chosen[filled.first, place], field.chosen[filled.second, place])
            yield f"{field.key} {row.key}", _apart(row.figures["cohen_kappa"], theirs)
    yield from _ratings(material, matched, options)


def _apart(ours: StatisticResult, theirs: float) -> float:
    assert ours.value is not None
    return abs(ours.value - theirs)


def _of_time(material: AgreementData, step_us: int) -> dict[str, float]:
    lanes = np.stack([_instants(material, who, step_us) for who in (0, 1)])
    alpha = krippendorff.alpha(reliability_data=lanes.astype(float), level_of_measurement="nominal")
    return {"cohen_kappa": cohen_kappa_score(*lanes), "alpha": float(alpha)}


def _instants(material: AgreementData, who: int, step_us: int) -> Ints:
    """Return what one annotator says at every instant of every recording, as a number with a bit for each label."""
    laid_out = []
    for recording, length in enumerate(material.axes_length_us().tolist()):
        instants = np.arange(0, length, step_us)
        said = np.zeros(len(instants), np.int64)
        for signedinteger in np.flatnonzero((material.recording == recording) & (material.annotator == who)):
            said[(material.start_us[signedinteger] <= instants) & (instants < material.end_us[signedinteger])] |= (
                1 << material.label[signedinteger]
            )
        laid_out.append(said)
    return np.concatenate(laid_out)


def _of_segments(material: AgreementData, compared: AnnotatorPair) -> dict[str, float]:
    label, (array, other) = material.label, compared.segment_indices(compared.linked)
    overlapping = _plainly_overlapping(material)
    return {
        "elan_kappa_matched": cohen_kappa_score(label[array], label[other]),
        "elan_kappa": _fitted_kappa(material, compared),
        "verdict_agreement": float(np.mean([label[a] == label[b] for a, b in overlapping])),
        "overlap_share": len({number for pair in overlapping for number in pair}) / len(material),
    }


def _plainly_overlapping(material: AgreementData) -> list[tuple[int, int]]:
    found = []
    for recording in range(len(material.recordings)):
        here = np.flatnonzero(material.recording == recording)
        for a in here[material.annotator[here] == 0].tolist():
            for b in here[material.annotator[here] == 1].tolist():
                if material.start_us[a] < material.end_us[b] and material.start_us[b] < material.end_us[a]:
                    found.append((a, b))
    return found


def _fitted_kappa(material: AgreementData, compared: AnnotatorPair) -> float:
    """Return the modified kappa with chance fitted round by round."""
    labels = len(material.labels)
    table = np.zeros((labels + 1, labels + 1))
    for a, b in zip(*compared.segment_indices(compared.linked), strict=True):
        table[material.label[a], material.label[b]] += 2
    first, second = compared.unmatched_indices(compared.linked)
    for a in first:
        table[material.label[a], labels] += 1
    for b in second:
        table[labels, material.label[b]] += 1
    fit = np.ones_like(table)
    fit[labels, labels] = 0
    for _ in range(1000):
        for axis in (0, 1):
            fit *= table.sum(axis, keepdims=True) / fit.sum(axis, keepdims=True)
    chance = np.trace(fit) / table.sum()
    return float((np.trace(table) / table.sum() - chance) / (1 - chance))


def _f1(compared: AnnotatorPair, level: float) -> float:
    """Return F1 with one dense assignment a recording."""
    found = compared.intersecting
    recording = compared.material.recording[compared.first_indices[found.first]]
    pairs = 0
    for one in np.unique(recording):
        here = found.take(recording == one)
        first, second = (np.unique(side, return_inverse=True) for side in (here.first, here.second))
        fits = np.zeros((len(first[0]), len(second[0])))
        fits[first[1], second[1]] = here.iou >= level
        pairs += fits[linear_sum_assignment(fits, maximize=True)].sum()
    return 2 * pairs / (len(compared.first_indices) + len(compared.second_indices))


def _ratings(material: AgreementData, matched: SegmentMatches, options: Options) -> Iterator[tuple[str, float]]:
    """Compare the figures of ratings from 0 to 10 that are drawn for the segments of the study."""
    numbers = np.random.default_rng(0).integers(0, 11, len(material)).astype(float)
    numbers[matched.second] = np.clip(numbers[matched.first] + numbers[matched.second] // 3 - 1, 0, 10)
    weights = np.zeros((0, len(material.recordings)))
    ours = rating_figures(RatedField("rating", "Rating", numbers, 0, 10), matched, weights, options)
    first, second = numbers[matched.first], numbers[matched.second]
    for key, theirs in _rating_references(first, second, options.bins).items():
        yield key, _apart(ours[key], theirs)


def _rating_references(first: Floats, second: Floats, bins: int) -> dict[str, float]:
    both = np.stack([first, second])
    binned = np.minimum(both // (10 / bins), bins - 1).astype(int)
    return {
        "alpha_ordinal": float(krippendorff.alpha(reliability_data=both, level_of_measurement="ordinal")),
        "alpha_interval": float(krippendorff.alpha(reliability_data=both, level_of_measurement="interval")),
        "randolph_kappa": float(fleiss_kappa(aggregate_raters(binned.T, n_cat=bins)[0], method="randolph")),
        "pearson_r": float(pearsonr(first, second).statistic),
    }
