"""Computes every figure of a report from the arrays of a study."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmark.agreement.bootstrap import resamples, share
from benchmark.agreement.compared import Compared
from benchmark.agreement.counting import per_group
from benchmark.agreement.fields import Matched, choice_figures, each_choice, mean_choices, rating_figures
from benchmark.agreement.figure import Figure, undefined
from benchmark.agreement.material import Material, Options
from benchmark.agreement.published import published_for
from benchmark.agreement.report import Beside, FieldReport, Report, Row
from benchmark.agreement.rows import rows_of
from benchmark.agreement.segment_based import (
    IOU_LEVELS,
    confusion,
    elan_kappa,
    elan_kappa_matched,
    elan_ratio,
    f1,
    matched_agreement,
    mean_iou,
)
from benchmark.agreement.shares import Shares
from benchmark.agreement.time_based import cohen_kappa, grid_of, pair_tables, time_weighted_alpha
from benchmark.agreement.types import Floats
from project.progress import Progress, Silent, Stages
from project.types import Json

NO_THIRD = "No third annotator was named, or they share no recording with the others."
NO_REVIEW = "Nobody has reviewed a segment of somebody else."
_TOLD = "Figures"
_STAGES = 16
"""Besides pairs, fields and levels of overlap."""
_SILENT = Silent()


def measure(
    material: Material,
    options: Options,
    settings: Mapping[str, Json],
    scheme: str = "",
    progress: Progress = _SILENT,
) -> Report:
    """Return all figures.

    Args:
        material: the segments of one track by those who are compared.
        options: how to compare them.
        settings: what else the report is to record.
        scheme: key of the scheme, for the published figures.
        progress: of it.

    Raises:
        Cancelled: the user stopped it.
    """
    pairs, several = material.pairs(), [field for field in material.choosing if field.several]
    fields = len(material.choosing) + len(material.rated)
    after = Stages(progress, len(pairs) + _STAGES + 2 * len(IOU_LEVELS) + len(several) + fields, _TOLD).after
    compared = [after(Compared.of(material, a, b, options.minimum_iou)) for a, b in pairs]
    shares = after(Shares.of(material, compared))
    weights = _weights(material, compared, options)
    grid = grid_of(material, options.step_us)
    instants = after(pair_tables(material, grid))
    matched = after(Matched.of(compared, material.recording))
    main = {
        **after(shares.figures(weights)),
        "matched_agreement": after(matched_agreement(compared, weights)),
        "mean_iou": after(mean_iou(compared, weights)),
        "cohen_kappa": after(cohen_kappa(instants, options, weights)),
        "elan_kappa": after(elan_kappa(compared, weights)),
        "elan_kappa_matched": after(elan_kappa_matched(compared, weights)),
        "elan_ratio": after(elan_ratio(compared, weights)),
        "alpha": after(time_weighted_alpha(material, grid, options, weights)),
        "reviewer_agreement": after(_reviewer_agreement(material, options)),
        "third_agreement": after(_third_agreement(material, options)),
    }
    means = {field.key: after(mean_choices(field, matched, weights)) for field in several}
    report = Report(
        settings=settings,
        main=main,
        f1_iou={str(level): after(f1(compared, weights, level)) for level in IOU_LEVELS},
        f1_iou_same_label={str(level): after(f1(compared, weights, level, same_label=True)) for level in IOU_LEVELS},
        label_share=after(_label_shares(material, options)),
        choices_where_agreed={key: agreed for key, (agreed, _) in means.items()},
        choices_where_differing={key: differing for key, (_, differing) in means.items()},
        labels=material.labels,
        confusion=after(confusion(compared, len(material.labels))),
        rows=after(rows_of(material, compared, shares, instants, options, weights)),
        fields=_fields(material, matched, options, weights, after),
    )
    return _with_published(report, scheme)


def _weights(material: Material, compared: Sequence[Compared], options: Options) -> Floats:
    """Return (samples, recordings), drawn among the recordings that two annotators worked on; 0 for the others."""
    size = len(material.recordings)
    paired = np.zeros(size, bool)
    for one in compared:
        paired |= one.recordings
    weights = np.zeros((options.samples, size))
    weights[:, paired] = resamples(int(paired.sum()), options.samples, options.seed) if paired.any() else 0
    return weights


def _reviewer_agreement(material: Material, options: Options) -> Figure:
    recording, size = material.recording[material.reviewed], len(material.recordings)
    return share(
        per_group(recording[material.agreed], size),
        per_group(recording, size),
        _among(np.unique(recording), size, options),
        NO_REVIEW,
    )


def _third_agreement(material: Material, options: Options) -> Figure:
    """Return in how many of the third annotator's overlaps with anybody the labels are the same."""
    compared = [Compared.of(material, a, b, options.minimum_iou) for a, b in material.pairs_with_third()]
    if not compared:
        return undefined(NO_THIRD)
    figures = Shares.of(material, compared).figures(_weights(material, compared, options))
    return figures["verdict_agreement"]


def _label_shares(material: Material, options: Options) -> dict[str, Figure]:
    """Return each label's share of the annotations by all but the third."""
    size, counted = len(material.recordings), material.annotator != material.third
    whole = per_group(material.recording[counted], size)
    weights = _among(np.flatnonzero(whole), size, options)
    return {
        label.key: share(
            per_group(material.recording[counted & (material.label == code)], size),
            whole,
            weights,
            "There are no annotations.",
        )
        for code, label in enumerate(material.labels)
    }


def _among(recordings: np.ndarray, size: int, options: Options) -> Floats:
    weights = np.zeros((options.samples, size))
    if len(recordings):
        weights[:, recordings] = resamples(len(recordings), options.samples, options.seed)
    return weights


def _fields(
    material: Material,
    matched: Matched,
    options: Options,
    weights: Floats,
    after: Callable[[FieldReport], FieldReport],
) -> tuple[FieldReport, ...]:
    choosing = [
        after(
            FieldReport(
                field.key,
                field.name,
                choice_figures(field, matched, weights),
                tuple(
                    Row(choice.key, choice.name, figures)
                    for choice, figures in zip(
                        field.choices, each_choice(field, matched, weights).values(), strict=True
                    )
                ),
            )
        )
        for field in material.choosing
    ]
    rated = [
        after(FieldReport(field.key, field.name, rating_figures(field, matched, weights, options)))
        for field in material.rated
    ]
    return (*choosing, *rated)


def _with_published(report: Report, scheme: str) -> Report:
    published = published_for(scheme) if scheme else None
    if published is None:
        return report
    own = {
        **report.main,
        **{
            f"{group}.{key}": figure
            for group in ("label_share", "choices_where_agreed", "choices_where_differing")
            for key, figure in getattr(report, group).items()
        },
    }
    if report.main["disagreement_share"].more.get("basis") != "reviews":
        # The paper's figure is what was left after review; pairs with different labels are something else.
        own["disagreement_share"] = undefined("Nobody has reviewed a segment of somebody else.")
    return replace(report, published=tuple(Beside(one, own.get(one.figure)) for one in published.figures))
