"""Computes every figure of an agreement report from the arrays of a study.

The main figures are also split by label, choice, recording, annotator and pair.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotate.agreement.annotation_arrays import AgreementData, AnnotatorPair, NamedKey, Options
from annotate.agreement.coefficients import ONE_CATEGORY, kappa, mean_over_pairs
from annotate.agreement.field_agreement import (
    SegmentMatches,
    choice_figures,
    figures_by_choice,
    mean_choices,
    rating_figures,
)
from annotate.agreement.figure_intervals import (
    Floats,
    Ints,
    PublishedFigure,
    StatisticResult,
    draw_resamples,
    estimate_share,
    finite_or_none,
    load_published,
    ratio,
    sum_by_group,
    undefined_figure,
)
from annotate.agreement.segment_agreement import (
    IOU_LEVELS,
    NO_ANNOTATIONS,
    NO_MATCH,
    NO_OVERLAP,
    Shares,
    build_grid,
    cohen_kappa,
    confusion_table,
    elan_kappa,
    elan_kappa_matched,
    elan_ratio,
    f1,
    iou_per_recording,
    matched_agreement,
    mean_iou,
    pair_tables,
    time_weighted_alpha,
)
from project.entities.study_records import Json
from project.progress import Progress, Silent, StageProgress


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """The figures of one label, choice, recording, annotator or pair."""

    key: str
    name: str
    figures: Mapping[str, StatisticResult]

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        return {"key": self.key, "name": self.name, **figures_to_json(self.figures)}


@dataclass(frozen=True, slots=True)
class FieldReport:
    """The figures of one field of the form over matched segments, and those of each choice."""

    key: str
    name: str
    figures: Mapping[str, StatisticResult]
    choices: tuple[AgreementRow, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        own: dict[str, Json] = {"name": self.name, **figures_to_json(self.figures)}
        return own | ({"choices": [row.to_json() for row in self.choices]} if self.choices else {})


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """A published figure beside the study's own; `own` is None where this study has no such figure."""

    published: PublishedFigure
    own: StatisticResult | None

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        there = self.published
        return {
            "figure": there.figure,
            "name": there.name,
            "published": there.value,
            "source": there.source,
            "own": None if self.own is None else self.own.to_json(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class AgreementReport:
    """What `greenroom agreement` prints and the page draws.

    Attributes:
        settings: what was asked for, and who and what was counted.
        main: figure -> value, beside F1 at several levels of IoU, in the order they are shown.
        f1_iou: IoU as text -> F1 of the boundaries.
        f1_iou_same_label: the same where matched segments must have the same label.
        label_share: label -> its share of all annotations.
        choices_where_agreed: field -> choices a segment where both sides chose the same.
        choices_where_differing: the same where they did not.
        labels: the labels, in the order of `confusion`.
        confusion: (labels + 1, labels + 1) matched pairs, the first annotator of each pair down; the last is unmatched.
        rows: what the figures are split by (`label`, a field's key, `recording`, `pair`, `annotator`) -> its rows.
        fields: the form.
        published: beside the study's own.
    """

    settings: Mapping[str, Json]
    main: Mapping[str, StatisticResult]
    f1_iou: Mapping[str, StatisticResult]
    f1_iou_same_label: Mapping[str, StatisticResult]
    label_share: Mapping[str, StatisticResult]
    choices_where_agreed: Mapping[str, StatisticResult]
    choices_where_differing: Mapping[str, StatisticResult]
    labels: tuple[NamedKey, ...]
    confusion: Floats
    rows: Mapping[str, tuple[AgreementRow, ...]]
    fields: tuple[FieldReport, ...]
    published: tuple[PublishedComparison, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return it as one JSON object; figures that are undefined are null with a reason."""
        names: list[Json] = [*(label.key for label in self.labels), "unmatched"]
        found: dict[str, Json] = figures_to_json(self.main)
        found |= {
            "f1_iou": figures_to_json(self.f1_iou),
            "f1_iou_same_label": figures_to_json(self.f1_iou_same_label),
            "label_share": figures_to_json(self.label_share),
            "choices_where_agreed": figures_to_json(self.choices_where_agreed),
            "choices_where_differing": figures_to_json(self.choices_where_differing),
            "confusion": {"labels": names, "pairs": self.confusion.astype(int).tolist()},
            "fields": {field.key: field.to_json() for field in self.fields},
            "by": {split: [row.to_json() for row in rows] for split, rows in self.rows.items()},
            "published": [beside.to_json() for beside in self.published],
            "settings": dict(self.settings),
        }
        return found


def figures_to_json(figures: Mapping[str, StatisticResult]) -> dict[str, Json]:
    """Return each figure as JSON holds it."""
    return {key: figure.to_json() for key, figure in figures.items()}


def build_rows(
    material: AgreementData,
    compared: Sequence[AnnotatorPair],
    shares: Shares,
    instants: Floats,
    options: Options,
    weights: Floats,
) -> Mapping[str, tuple[AgreementRow, ...]]:
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
        AgreementRow(label.key, label.name, shares.figures(weights, material.label == code))
        for code, label in enumerate(material.labels)
    )
    by_choice = {
        field.key: tuple(
            AgreementRow(choice.key, choice.name, shares.figures(weights, field.chosen[:, place]))
            for place, choice in enumerate(field.choices)
        )
        for field in material.choice_fields
    }
    return {
        "label": by_label,
        **by_choice,
        "recording": _rows_by_recording(material, compared, shares, instants),
        "pair": tuple(
            AgreementRow(
                " | ".join(material.annotators[index].key for index in (pair.first, pair.second)),
                " and ".join(material.annotators[index].name for index in (pair.first, pair.second)),
                _subset_figures([pair], instants[:, place : place + 1], options, weights),
            )
            for place, pair in enumerate(compared)
        ),
        "annotator": tuple(
            AgreementRow(
                who.key, who.name, _subset_figures(*_pairs_with_annotator(compared, instants, index), options, weights)
            )
            for index, who in enumerate(material.annotators)
            if index != material.third
        ),
    }


def _pairs_with_annotator(
    compared: Sequence[AnnotatorPair], instants: Floats, annotator: int
) -> tuple[list[AnnotatorPair], Floats]:
    places = [place for place, pair in enumerate(compared) if annotator in (pair.first, pair.second)]
    return [compared[place] for place in places], instants[:, places]


def _subset_figures(
    compared: list[AnnotatorPair], instants: Floats, options: Options, weights: Floats
) -> dict[str, StatisticResult]:
    if not compared:
        return {}
    return {
        **Shares.from_pairs(compared[0].material, compared).figures(weights),
        "matched_agreement": matched_agreement(compared, weights),
        "mean_iou": mean_iou(compared, weights),
        "cohen_kappa": cohen_kappa(instants, options, weights),
        "elan_kappa": elan_kappa(compared, weights),
        "elan_ratio": elan_ratio(compared, weights),
    }


def _rows_by_recording(
    material: AgreementData, compared: Sequence[AnnotatorPair], shares: Shares, instants: Floats
) -> tuple[AgreementRow, ...]:
    """Return the figures of each recording that two annotators worked on; one recording alone has no interval."""
    size = len(material.recordings)
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
        AgreementRow(
            material.recordings[place].key,
            material.recordings[place].name,
            {
                key: _single(float(values[place]), int(counts[place]), reasons[key])
                for key, (values, counts) in columns.items()
            },
        )
        for place in _paired(compared, size).tolist()
    )


def _ratios(part: Floats, whole: Floats) -> tuple[Floats, Floats]:
    return ratio(np.stack([part, whole], axis=-1)), whole


def _single(value: float, n: int, reason: str) -> StatisticResult:
    known = finite_or_none(value)
    return StatisticResult(known, n, reason="" if known is not None else reason)


NO_THIRD = "No third annotator was named, or they share no recording with the others."
NO_REVIEW = "Nobody has reviewed a segment of somebody else."
_PROGRESS_LABEL = "Figures"
_STAGE_COUNT = 16
"""Besides pairs, fields and levels of overlap."""
_SILENT = Silent()


def compute_report(
    material: AgreementData,
    options: Options,
    settings: Mapping[str, Json],
    scheme: str = "",
    progress: Progress = _SILENT,
) -> AgreementReport:
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
    pairs, several = material.pairs(), [field for field in material.choice_fields if field.multiple]
    fields = len(material.choice_fields) + len(material.rating_fields)
    after = StageProgress(
        progress, len(pairs) + _STAGE_COUNT + 2 * len(IOU_LEVELS) + len(several) + fields, _PROGRESS_LABEL
    ).finish_stage
    compared = [after(AnnotatorPair.from_pair(material, a, b, options.minimum_iou)) for a, b in pairs]
    shares = after(Shares.from_pairs(material, compared))
    weights = _weights(material, compared, options)
    grid = build_grid(material, options.step_us)
    instants = after(pair_tables(material, grid))
    matched = after(SegmentMatches.from_pairs(compared, material.recording))
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
    report = AgreementReport(
        settings=settings,
        main=main,
        f1_iou={str(level): after(f1(compared, weights, level)) for level in IOU_LEVELS},
        f1_iou_same_label={str(level): after(f1(compared, weights, level, same_label=True)) for level in IOU_LEVELS},
        label_share=after(_label_shares(material, options)),
        choices_where_agreed={key: agreed for key, (agreed, _) in means.items()},
        choices_where_differing={key: differing for key, (_, differing) in means.items()},
        labels=material.labels,
        confusion=after(confusion_table(compared, len(material.labels))),
        rows=after(build_rows(material, compared, shares, instants, options, weights)),
        fields=_fields(material, matched, options, weights, after),
    )
    return _add_published(report, scheme)


def _weights(material: AgreementData, compared: Sequence[AnnotatorPair], options: Options) -> Floats:
    """Return (samples, recordings), drawn among the recordings that two annotators worked on; 0 for the others."""
    size = len(material.recordings)
    return _draw_weights_among(_paired(compared, size), size, options)


def _paired(compared: Sequence[AnnotatorPair], size: int) -> Ints:
    """Return the places of the recordings that two annotators worked on."""
    return np.flatnonzero(np.any([np.zeros(size, bool), *(pair.recordings for pair in compared)], axis=0))


def _reviewer_agreement(material: AgreementData, options: Options) -> StatisticResult:
    recording, size = material.recording[material.reviewed], len(material.recordings)
    return estimate_share(
        sum_by_group(recording[material.agreed], size),
        sum_by_group(recording, size),
        _draw_weights_among(np.unique(recording), size, options),
        NO_REVIEW,
    )


def _third_agreement(material: AgreementData, options: Options) -> StatisticResult:
    """Return in how many of the third annotator's overlaps with anybody the labels are the same."""
    compared = [AnnotatorPair.from_pair(material, a, b, options.minimum_iou) for a, b in material.pairs_with_third()]
    if not compared:
        return undefined_figure(NO_THIRD)
    figures = Shares.from_pairs(material, compared).figures(_weights(material, compared, options))
    return figures["verdict_agreement"]


def _label_shares(material: AgreementData, options: Options) -> dict[str, StatisticResult]:
    """Return each label's share of the annotations by all but the third."""
    size, counted = len(material.recordings), material.annotator != material.third
    whole = sum_by_group(material.recording[counted], size)
    weights = _draw_weights_among(np.flatnonzero(whole), size, options)
    return {
        label.key: estimate_share(
            sum_by_group(material.recording[counted & (material.label == code)], size),
            whole,
            weights,
            "There are no annotations.",
        )
        for code, label in enumerate(material.labels)
    }


def _draw_weights_among(recordings: Ints, size: int, options: Options) -> Floats:
    weights = np.zeros((options.samples, size))
    if len(recordings):
        weights[:, recordings] = draw_resamples(len(recordings), options.samples, options.seed)
    return weights


def _fields(
    material: AgreementData,
    matched: SegmentMatches,
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
                    AgreementRow(choice.key, choice.name, figures)
                    for choice, figures in zip(
                        field.choices, figures_by_choice(field, matched, weights).values(), strict=True
                    )
                ),
            )
        )
        for field in material.choice_fields
    ]
    rated = [
        after(FieldReport(field.key, field.name, rating_figures(field, matched, weights, options)))
        for field in material.rating_fields
    ]
    return (*choosing, *rated)


def _add_published(report: AgreementReport, scheme: str) -> AgreementReport:
    published = load_published(scheme) if scheme else None
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
        own["disagreement_share"] = undefined_figure(NO_REVIEW)
    return replace(
        report,
        published=tuple(
            PublishedComparison(published_figure, own.get(published_figure.figure))
            for published_figure in published.figures
        ),
    )
