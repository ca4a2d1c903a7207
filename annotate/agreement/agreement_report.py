"""Computes every figure of an agreement report from the arrays of a study.

The main figures are also split by label, choice, participant, recording, annotator and pair.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotate.agreement.annotation_arrays import (
    AgreementData,
    AgreementInput,
    AgreementSettings,
    AnnotatorPair,
    NamedKey,
    Options,
    SegmentMatches,
)
from annotate.agreement.field_agreement import choice_figures, figures_by_choice, mean_choices, rating_figures
from annotate.agreement.figure_intervals import (
    Floats,
    Ints,
    PublishedFigure,
    Statistic,
    StatisticResult,
    draw_resamples,
    load_published,
    mean_statistic,
)
from annotate.agreement.segment_agreement import (
    IOU_LEVELS,
    Shares,
    build_grid,
    confusion_table,
    f1,
    pair_tables,
    point_alpha,
    segment_statistics,
    time_weighted_alpha,
)
from annotate.agreement.span_matching import Grid
from project.progress import Progress, Silent, StageProgress


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """The figures of one label, choice, participant, recording, annotator or pair."""

    key: str
    name: str
    figures: Mapping[str, StatisticResult]


@dataclass(frozen=True, slots=True)
class FieldReport:
    """The figures of one field of the form over matched segments, and those of each choice."""

    key: str
    name: str
    figures: Mapping[str, StatisticResult]
    choices: tuple[AgreementRow, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """A published figure beside the study's own; `own` is None where this study has no such figure."""

    published: PublishedFigure
    own: StatisticResult | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """What `greenroom team agreement` prints and the page draws; `--json` prints these fields.

    Attributes:
        main: figure -> value, beside F1 at several levels of IoU, in the order they are shown. Points and samples have
            some of their own.
        f1_iou: IoU as text -> F1 of the boundaries; nothing of points and samples.
        f1_iou_same_label: the same where matched segments must have the same label.
        label_share: label -> its share of all annotations.
        choices_where_agreed: field -> choices a segment where both sides chose the same.
        choices_where_differing: the same where they did not.
        confusion: labels + 1 rows of matched pairs, the first annotator of each pair down; the last is unmatched.
        rows: what the figures are split by (`label`, a field's key, `participant`, `recording`, `pair`,
            `annotator`) -> its rows.
        published: beside the study's own.
    """

    settings: AgreementSettings
    main: Mapping[str, StatisticResult]
    f1_iou: Mapping[str, StatisticResult]
    f1_iou_same_label: Mapping[str, StatisticResult]
    label_share: Mapping[str, StatisticResult]
    choices_where_agreed: Mapping[str, StatisticResult]
    choices_where_differing: Mapping[str, StatisticResult]
    labels: tuple[NamedKey, ...]
    confusion: tuple[tuple[int, ...], ...]
    rows: Mapping[str, tuple[AgreementRow, ...]]
    fields: tuple[FieldReport, ...]
    published: tuple[PublishedComparison, ...] = ()


def build_rows(
    material: AgreementData,
    compared: Sequence[AnnotatorPair],
    shares: Shares,
    statistics: Mapping[str, Statistic],
    instants: Floats,
    options: Options,
    weights: Floats,
) -> Mapping[str, tuple[AgreementRow, ...]]:
    """Return split -> rows."""

    def row(named: NamedKey, found: Mapping[str, Statistic]) -> AgreementRow:
        figures = {key: statistic.estimate(weights) for key, statistic in found.items()}
        return AgreementRow(named.key, named.name, figures)

    def row_of_pairs(named: NamedKey, places: Sequence[int]) -> AgreementRow:
        pairs = [compared[place] for place in places]
        own = Shares.from_pairs(material, pairs)
        found = segment_statistics(material, pairs, own, instants[:, places], options) if pairs else {}
        return row(named, found)

    people = [(index, who) for index, who in enumerate(material.annotators) if index != material.third]
    pairs = [[material.annotators[index] for index in (pair.first, pair.second)] for pair in compared]
    recordings = {key: statistic.by_recording() for key, statistic in statistics.items()}
    return {
        "label": tuple(
            row(label, shares.statistics(material.label == code)) for code, label in enumerate(material.labels)
        ),
        **{
            field.key: tuple(
                row(choice, shares.statistics(field.chosen[:, place])) for place, choice in enumerate(field.choices)
            )
            for field in material.choice_fields
        },
        "participant": tuple(
            row(person, shares.statistics(material.participant == place))
            for place, person in enumerate(material.participants)
        ),
        "recording": tuple(
            AgreementRow(
                material.recordings[place].key,
                material.recordings[place].name,
                {key: figures[place] for key, figures in recordings.items()},
            )
            for place in _paired(material, compared).tolist()
        ),
        "pair": tuple(
            row_of_pairs(NamedKey(" | ".join(who.key for who in pair), " and ".join(who.name for who in pair)), [place])
            for place, pair in enumerate(pairs)
        ),
        "annotator": tuple(
            row_of_pairs(who, [at for at, pair in enumerate(compared) if index in (pair.first, pair.second)])
            for index, who in people
        ),
    }


NO_THIRD = "No third annotator was named, or they share no recording with the others."
NO_REVIEW = "Nobody has reviewed a segment of somebody else."
_PROGRESS_LABEL = "Figures"
_STAGE_COUNT = 16
"""Besides pairs, fields and levels of overlap."""
_SILENT = Silent()


def compute_report(reading: AgreementInput, progress: Progress = _SILENT) -> AgreementReport:
    """Return all figures. It looks at no study, so it may run in another thread."""
    material, options = reading.material, reading.settings.options
    pairs, several = material.pairs(), [field for field in material.choice_fields if field.multiple]
    fields = len(material.choice_fields) + len(material.rating_fields)
    after = StageProgress(
        progress, len(pairs) + _STAGE_COUNT + 2 * len(IOU_LEVELS) + len(several) + fields, _PROGRESS_LABEL
    ).finish_stage
    compared = [after(AnnotatorPair.from_pair(material, a, b, options)) for a, b in pairs]
    shares = after(Shares.from_pairs(material, compared))
    weights = _draw_weights_among(_paired(material, compared), material, options)
    grid = build_grid(material, options)
    levels = IOU_LEVELS if not material.points and material.sampling is None else ()
    instants = after(pair_tables(material, grid))
    matches = after([pair.matched for pair in compared])
    statistics = after(segment_statistics(material, compared, shares, instants, options))
    matched = SegmentMatches.collect(material, compared, matches)
    main = {
        **{key: after(statistic.estimate(weights)) for key, statistic in statistics.items()},
        **after(_alpha(material, compared, grid, options, weights)),
        "reviewer_agreement": _reviewer_agreement(material, options),
        "third_agreement": after(_third_agreement(material, options)),
    }
    means = {field.key: after(mean_choices(field, matched, weights)) for field in several}
    confusion = confusion_table(material, compared).astype(int).tolist()
    report = AgreementReport(
        settings=reading.settings,
        main=main,
        f1_iou={str(level): after(f1(material, compared, level).estimate(weights)) for level in levels},
        f1_iou_same_label={
            str(level): after(f1(material, compared, level, same_label=True).estimate(weights)) for level in levels
        },
        label_share=after(_label_shares(material, options)),
        choices_where_agreed={key: agreed for key, (agreed, _) in means.items()},
        choices_where_differing={key: differing for key, (_, differing) in means.items()},
        labels=material.labels,
        confusion=tuple(map(tuple, confusion)),
        rows=after(build_rows(material, compared, shares, statistics, instants, options, weights)),
        fields=_fields(material, matched, options, weights, after),
    )
    return _add_published(report)


def _alpha(
    material: AgreementData, compared: Sequence[AnnotatorPair], grid: Grid, options: Options, weights: Floats
) -> dict[str, StatisticResult]:
    """Return alpha under the key that says over what: points, samples, or time."""
    if material.points and material.sampling is None:
        return {"point_alpha": point_alpha(material, compared, options, weights)}
    key = "alpha" if material.sampling is None else "sample_alpha"
    return {key: time_weighted_alpha(material, grid, options, weights)}


def _paired(material: AgreementData, compared: Sequence[AnnotatorPair]) -> Ints:
    """Return the places of the recordings that two annotators worked on."""
    size = len(material.recordings)
    return np.flatnonzero(np.any([np.zeros(size, bool), *(pair.recordings for pair in compared)], axis=0))


def _reviewer_agreement(material: AgreementData, options: Options) -> StatisticResult:
    recording = material.recording[material.reviewed]
    agreed = mean_statistic(material.agreed, recording, len(material.recordings), NO_REVIEW)
    return agreed.estimate(_draw_weights_among(np.unique(recording), material, options))


def _third_agreement(material: AgreementData, options: Options) -> StatisticResult:
    """Return in how many of the third annotator's overlaps with anybody the labels are the same."""
    compared = [AnnotatorPair.from_pair(material, a, b, options) for a, b in material.pairs_with_third()]
    if not compared:
        return StatisticResult(None, 0, reason=NO_THIRD)
    weights = _draw_weights_among(_paired(material, compared), material, options)
    return Shares.from_pairs(material, compared).statistics()["verdict_agreement"].estimate(weights)


def _label_shares(material: AgreementData, options: Options) -> dict[str, StatisticResult]:
    """Return each label's share of the annotations by all but the third."""
    counted = material.annotator != material.third
    label, recording = material.label[counted], material.recording[counted]
    weights = _draw_weights_among(np.unique(recording), material, options)
    nothing, size = "There are no annotations.", len(material.recordings)
    return {
        named.key: mean_statistic(label == code, recording, size, nothing).estimate(weights)
        for code, named in enumerate(material.labels)
    }


def _draw_weights_among(recordings: Ints, material: AgreementData, options: Options) -> Floats:
    """Return (samples, recordings), drawn among some recordings; 0 for the others."""
    weights = np.zeros((options.samples, len(material.recordings)))
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


def _add_published(report: AgreementReport) -> AgreementReport:
    published = load_published(report.settings.scheme) if report.settings.scheme else None
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
        own["disagreement_share"] = StatisticResult(None, 0, reason=NO_REVIEW)
    return replace(
        report,
        published=tuple(
            PublishedComparison(published_figure, own.get(published_figure.figure))
            for published_figure in published.figures
        ),
    )
