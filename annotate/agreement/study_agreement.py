"""Computes the agreement report of a study and formats it as tables.

By default it compares people; annotators named explicitly replace them. Adjudicated lanes are never compared.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from annotate.agreement.agreement_report import AgreementReport, compute_report
from annotate.agreement.annotation_arrays import (
    AgreementData,
    AgreementInput,
    AgreementSettings,
    MarkKind,
    NamedKey,
    Options,
    assign_axes,
    assign_participants,
    build_choice_field,
    build_rating_field,
    list_labels,
    read_value_columns,
)
from annotate.agreement.figure_intervals import Bools, Ints, StatisticResult
from annotate.study.people import require_annotator
from project.entities.study_records import Annotator, Recording, ReviewDecision
from project.errors import UserError
from project.queries import segment_rows
from project.queries.annotator_rows import all_annotators, completions
from project.queries.recording_rows import all_recordings, pseudonyms
from project.schemes.scheme import CHOICE_KINDS, NUMERIC_KINDS, FieldKind, Scheme
from project.session.session import Session
from project.store.study import Row
from project.text_format import Cell

PERSON, ADJUDICATED = "person", "adjudicated"
MAX_TOLERANCE_US = 60_000_000


def select_annotators(session: Session, pair: tuple[str, ...], third: str) -> tuple[list[Annotator], int]:
    """Return who is compared, and the place of the third annotator among them, or -1.

    Args:
        session: where they annotate.
        pair: two names, or none for everybody who is a person.
        third: name of the one who is compared with the others; "" for none.
    """
    named = [*pair, *([third] if third else [])]
    if len(pair) not in (0, 2) or len({*named}) != len(named):
        raise UserError("An annotator is named twice.", "Name each annotator once.")
    chosen = [_find_annotator(session, name) for name in pair] or [
        annotator for annotator in all_annotators(session.study) if annotator.kind == PERSON
    ]
    if not third:
        return chosen, -1
    last = _find_annotator(session, third)
    rest = [annotator for annotator in chosen if annotator.id != last.id]
    return [*rest, last], len(rest)


def _find_annotator(session: Session, name: str) -> Annotator:
    found = require_annotator(session, name)
    if found.kind == ADJUDICATED:
        raise UserError(f"“{name}” is an adjudicated lane.", "Choose an annotator who worked alone.")
    return found


@dataclass(frozen=True, slots=True)
class FigureDescription:
    """What a figure is called, and what it means in one line."""

    name: str
    meaning: str


_DESCRIPTIONS: dict[str, tuple[str, str]] = {
    "overlap_share": ("Annotations that overlap another annotator's", "Share that has a counterpart; n: annotations."),
    "verdict_agreement": ("Same label among overlapping ones", "Share of overlapping pairs; n: pairs."),
    "disagreement_share": (
        "In disagreement",
        "Reviewed annotations disagreed with; without reviews, pairs that differ.",
    ),
    "matched_agreement": ("Same label among matched segments", "Each segment counts once; n: matched pairs."),
    "mean_iou": ("IoU of matched segments", "Time that both cover over the time that either covers; 1 is identical."),
    "cohen_kappa": (
        "Cohen's kappa on the time grid",
        "Agreement above chance, weighted by time; 0 is chance; n: instants.",
    ),
    "elan_kappa": (
        "Modified kappa (Holle and Rein)",
        "Above chance, on whole segments; counts those without a partner.",
    ),
    "elan_kappa_matched": ("Modified kappa of linked segments alone", "Labels only, where both marked a segment."),
    "elan_ratio": ("ELAN's overlap ratio", "Mean IoU in which a segment without a partner counts as 0."),
    "alpha": (
        "Krippendorff's alpha, time-weighted",
        "As kappa, for any number of annotators; n: instants of two or more.",
    ),
    "point_kappa": (
        "Kappa of points",
        "Above chance, on matched points and those without a partner; 0 is chance; n: events.",
    ),
    "point_kappa_matched": ("Kappa of matched points alone", "Labels only, where both marked a point; n: pairs."),
    "point_alpha": ("Krippendorff's alpha of points", "As kappa, for any number of annotators; n: events."),
    "point_f1": ("F1 within the tolerance", "Share of points that find a partner within the tolerance; n: points."),
    "point_f1_same_label": ("F1 with the same label", "The same where only a partner of the same label counts."),
    "point_distance": ("Distance of matched points (s)", "Mean distance; n: pairs."),
    "sample_agreement": ("Same label in samples", "Share of samples in which both gave the same; n: samples."),
    "sample_kappa": (
        "Cohen's kappa over samples",
        "Agreement above chance; samples that one of them did not take do not count; n: samples.",
    ),
    "sample_alpha": ("Krippendorff's alpha over samples", "As kappa, for any number of annotators; n: samples."),
    "reviewer_agreement": ("Reviews that agree", "Share of reviews by somebody else than the author; n: reviews."),
    "third_agreement": (
        "Third annotator against the others",
        "Same label where the third overlaps one of the others; n: pairs.",
    ),
    "same": ("Filled in the same", "Share of matched pairs with exactly the same choice or set; n: pairs."),
    "jaccard": ("Choices in common", "Choices that both made over choices that either made, on average."),
    "chosen_by_both": ("Chosen by both", "Of the pairs in which either made the choice; n: those pairs."),
    "icc_agreement": (
        "ICC(2,1), absolute agreement",
        "Share of the variance of ratings that is between segments; a stricter annotator disagrees.",
    ),
    "icc_consistency": (
        "ICC(3,1), consistency",
        "As ICC(2,1); an annotator who is stricter throughout agrees all the same.",
    ),
    "alpha_ordinal": ("Krippendorff's alpha, ordinal", "Agreement above chance on the order of ratings."),
    "alpha_interval": ("Krippendorff's alpha, interval", "Agreement above chance by squared differences."),
    "randolph_kappa": ("Randolph's kappa", "Agreement above blind choice among bins of equal width."),
    "weighted_kappa": ("Weighted kappa", "Cohen's kappa with quadratic weights."),
    "pearson_r": ("Pearson's r", "Whether both rise and fall together; blind to one being stricter."),
    "mean_difference": ("Mean absolute difference", "In units of the scale; 0 where both give the same; n: pairs."),
}
_MARK_DESCRIPTIONS: dict[MarkKind, dict[str, tuple[str, str]]] = {
    MarkKind.SPANS: {},
    MarkKind.POINTS: {
        "overlap_share": ("Points with a partner", "Share with another annotator's point in the tolerance; n: points."),
        "verdict_agreement": ("Same label among matched points", "Share of matched pairs; n: pairs."),
        "third_agreement": (
            "Third annotator against the others",
            "Same label where a point of the third matches that of another; n: pairs.",
        ),
    },
    MarkKind.SAMPLES: {
        "overlap_share": ("Samples that another annotator took too", "Share of the samples taken; n: samples."),
        "verdict_agreement": ("Same label in samples of both", "Share of samples that both took; n: pairs."),
        "third_agreement": (
            "Third annotator against the others",
            "Same label in samples that the third and another took; n: pairs.",
        ),
    },
}
"""Words that differ for points and samples."""
_FIELD_DESCRIPTIONS = {
    "cohen_kappa": ("Cohen's kappa", "Agreement above chance over matched pairs; 0 is chance; n: pairs."),
    "alpha": ("Krippendorff's alpha", "Agreement above chance, for any number of annotators; n: pairs."),
}


def describe_figure(key: str, marks: MarkKind = MarkKind.SPANS, *, field: bool = False) -> FigureDescription:
    """Return the words for a figure of the whole track, or for one of a field of the form."""
    known = _DESCRIPTIONS | (_FIELD_DESCRIPTIONS if field else _MARK_DESCRIPTIONS[marks])
    return FigureDescription(*known.get(key, (key.replace("_", " ").capitalize(), "")))


@dataclass(frozen=True, slots=True)
class AgreementQuery:
    """What is compared.

    Attributes:
        pair: names of two annotators; everybody who is a person when it is empty.
        third: name of one who is compared with the others, and counts in no other figure; "" for none.
        scheme: key of a scheme in use; the study's default one when it is "".
        track: key of its track; the first one when it is "".
        recordings: ids; all when it is empty.
        within: fields of the form: only segments with the same values there are compared. The participants' fields of
            the track when it is None.
        options: how the figures are computed.
    """

    pair: tuple[str, ...] = ()
    third: str = ""
    scheme: str = ""
    track: str = ""
    recordings: tuple[str, ...] = ()
    within: tuple[str, ...] | None = None
    options: Options = field(default_factory=Options)


def report_agreement(session: Session, question: AgreementQuery | None = None) -> AgreementReport:
    """Return every figure."""
    return compute_report(read_agreement_input(session, question))


def read_agreement_input(session: Session, question: AgreementQuery | None = None) -> AgreementInput:
    """Read what is to be compared, in a few queries.

    What was given for training, and adjudicated lanes, are left out.
    """
    question = question or AgreementQuery()
    _check(question.options)
    scheme = session.schemes.get(question.scheme or None)
    track = scheme.track(question.track) if question.track else scheme.tracks[0]
    within = _context_fields(scheme, track.key, question)
    material = _material(session, question, scheme, track.key, within)
    settings = AgreementSettings(
        scheme=scheme.key,
        scheme_version=scheme.version,
        track=track.key,
        marks=material.marks,
        annotators=tuple(who.name for at, who in enumerate(material.annotators) if material.worked[:, at].any()),
        third=question.third,
        recordings=len(material.recordings),
        recordings_compared=int((material.worked.sum(1) > 1).sum()),
        annotations=len(material),
        within=tuple(within),
        options=question.options,
    )
    return AgreementInput(material, settings)


def _material(
    session: Session, question: AgreementQuery, scheme: Scheme, track: str, within: list[str]
) -> AgreementData:
    study = session.study
    people, third = select_annotators(session, question.pair, question.third)
    recordings = _recordings(session, question)
    place = {recording.id: index for index, recording in enumerate(recordings)}
    lane = {who.id: index for index, who in enumerate(people)}
    training = segment_rows.training_work(study)

    def counts(recording_id: str, annotator_id: str) -> bool:
        return recording_id in place and annotator_id in lane and (recording_id, annotator_id) not in training

    rows = [row for row in segment_rows.segment_rows(study, scheme.key, track) if counts(row[1], row[2])]
    places = {row[0]: index for index, row in enumerate(rows)}
    fields = [field for field in scheme.fields_of(track) if field.kind in (*CHOICE_KINDS, *NUMERIC_KINDS)]
    about = scheme.participant_field(track)
    wanted = [*(field.key for field in fields), *within, *([about.key] if about else [])]
    filled = read_value_columns(study, scheme.key, track, [*dict.fromkeys(wanted)], places)
    participants, participant = assign_participants(filled[about.key] if about else {}, pseudonyms(study), len(rows))
    recording, annotator = (_ints([index[row[at]] for row in rows]) for at, index in ((1, place), (2, lane)))
    worked = np.zeros((len(recordings), len(people)), bool)
    worked[recording, annotator] = True
    for recording_id, annotator_id in completions(study):
        if counts(recording_id, annotator_id):
            worked[place[recording_id], lane[annotator_id]] = True
    labels = list_labels(scheme, track, [row[3] for row in rows])
    code = {label.key: index for index, label in enumerate(labels)}
    axis, axis_recording = assign_axes(recording, [filled[key] for key in within], len(recordings))
    reviewed, agreed = _reviews(session, places, rows)
    return AgreementData(
        recordings=tuple(
            NamedKey(each_recording.id, f"{each_recording.number} {each_recording.name}")
            for each_recording in recordings
        ),
        annotators=tuple(NamedKey(person.id, person.name) for person in people),
        labels=labels,
        length_us=_ints([each_recording.duration_us for each_recording in recordings]),
        worked=worked,
        recording=recording,
        annotator=annotator,
        label=_ints([code[row[3]] for row in rows]),
        axis=axis,
        axis_recording=axis_recording,
        start_us=_ints([row[4] for row in rows]),
        end_us=_ints([row[5] for row in rows]),
        choice_fields=tuple(
            build_choice_field(field, filled[field.key], len(rows)) for field in fields if field.kind in CHOICE_KINDS
        ),
        rating_fields=tuple(
            build_rating_field(field, filled[field.key], len(rows)) for field in fields if field.kind in NUMERIC_KINDS
        ),
        reviewed=reviewed,
        agreed=agreed,
        participants=participants,
        participant=participant,
        third=third,
        points=scheme.track(track).holds_points,
        sampling=scheme.track(track).sampling,
    )


def _check(options: Options) -> None:
    if not 0 <= options.minimum_iou <= 1:
        raise UserError("The minimum IoU must be a share.", "Give a number from 0 to 1.")
    if options.step_us < 1000:
        raise UserError("The step of the time grid is too small.", "Give at least 1 ms.")
    if not 0 <= options.tolerance_us <= MAX_TOLERANCE_US:
        raise UserError("The tolerance is out of range.", f"Give a time from 0 to {MAX_TOLERANCE_US / 1e6:g} s.")
    if options.bins < 2:
        raise UserError("Ratings need at least two bins.", "Give at least 2.")


def _recordings(session: Session, question: AgreementQuery) -> list[Recording]:
    wanted = set(question.recordings)
    return [recording for recording in all_recordings(session.study) if not wanted or recording.id in wanted]


def _context_fields(scheme: Scheme, track: str, question: AgreementQuery) -> list[str]:
    if question.within is None:
        return [field.key for field in scheme.fields_of(track) if field.kind is FieldKind.PARTICIPANT]
    return [scheme.field(key).key for key in question.within]


def _reviews(session: Session, places: dict[str, int], rows: list[Row]) -> tuple[Ints, Bools]:
    """Return which segments were reviewed by somebody else, and whether they agreed."""
    found = [
        (places[segment], decision == ReviewDecision.AGREE)
        for segment, reviewer, decision in segment_rows.review_rows(session.study)
        if segment in places and rows[places[segment]][2] != reviewer
    ]
    return _ints([index for index, _ in found]), np.array([agreed for _, agreed in found], bool)


def _ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)


_FIGURE_COLUMNS = ("value", "low", "high", "n", "reason")


def build_report_tables(report: AgreementReport) -> dict[str, tuple[tuple[str, ...], list[tuple[Cell, ...]]]]:
    """Return file name without ending -> (head, rows)."""
    found: dict[str, tuple[tuple[str, ...], list[tuple[Cell, ...]]]] = {
        "figures": (("figure", "name", *_FIGURE_COLUMNS), list(_figures(report))),
        "form": (("field", "choice", "figure", *_FIGURE_COLUMNS), list(_field_rows(report))),
    }
    names = [*(label.name for label in report.labels), "unmatched"]
    found["confusion"] = (("", *names), [(name, *row) for name, row in zip(names, report.confusion, strict=True)])
    if report.published:
        found["published"] = (
            ("figure", "name", "published", "source", "own", "n"),
            [
                (
                    *(beside.published.figure, beside.published.name, beside.published.value, beside.published.source),
                    *((None, None) if beside.own is None else (beside.own.value, beside.own.n)),
                )
                for beside in report.published
            ],
        )
    for split, rows in report.rows.items():
        keys = list(dict.fromkeys(key for row in rows for key in row.figures))
        head = ("key", "name", *(f"{key}.{part}" for key in keys for part in _FIGURE_COLUMNS[:4]))
        found[f"by_{split}"] = (
            head,
            [(row.key, row.name, *(cell for key in keys for cell in _cells(row.figures.get(key))[:4])) for row in rows],
        )
    return found


def _figures(report: AgreementReport) -> Iterator[tuple[Cell, ...]]:
    for key, figure in report.main.items():
        yield (key, describe_figure(key, report.settings.marks).name, *_cells(figure))
    groups: dict[str, tuple[str, Mapping[str, StatisticResult]]] = {
        "f1_iou": ("F1 at IoU", report.f1_iou),
        "f1_iou_same_label": ("F1 with the same label at IoU", report.f1_iou_same_label),
        "label_share": ("Share of annotations with label", report.label_share),
        "choices_where_agreed": ("Choices where agreed", report.choices_where_agreed),
        "choices_where_differing": ("Choices where differing", report.choices_where_differing),
    }
    for group, (name, figures) in groups.items():
        for key, figure in figures.items():
            yield (f"{group}.{key}", f"{name} {key}", *_cells(figure))


def _field_rows(report: AgreementReport) -> Iterator[tuple[Cell, ...]]:
    for report_field in report.fields:
        for key, figure in report_field.figures.items():
            yield (report_field.key, "", key, *_cells(figure))
        for choice in report_field.choices:
            for key, figure in choice.figures.items():
                yield (report_field.key, choice.key, key, *_cells(figure))


def _cells(figure: StatisticResult | None) -> tuple[Cell, ...]:
    if figure is None:
        return (None,) * len(_FIGURE_COLUMNS)
    return (figure.value, figure.low, figure.high, figure.n, figure.reason)
