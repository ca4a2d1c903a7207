"""How far the annotators of a study agree: reads the study into arrays, and has the figures computed."""

from dataclasses import dataclass, field

import numpy as np

from app.core.agreement.columns import axes, chosen, columns, labels_of, rated
from app.core.agreement.compared_people import compared_people
from app.core.session import Session
from benchmark.agreement.material import Material, Named, Options
from benchmark.agreement.report import Report
from benchmark.agreement.types import Bools, Ints
from project.errors import UserError
from project.progress import Progress, Silent
from project.queries import comparison
from project.queries.recordings import all_recordings
from project.schemes.scheme import CHOOSING, NUMBERS, FieldKind, Scheme
from project.store import Row
from project.types import Decision, Json, Recording

_SILENT = Silent()


@dataclass(frozen=True, slots=True)
class Question:
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


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What `read` found: all that the figures need, without the study."""

    material: Material
    options: Options
    settings: dict[str, Json]
    scheme: str


def agreement(session: Session, question: Question | None = None) -> Report:
    """Return every figure.

    Raises:
        UserError: the question names what the study does not have, or cannot be answered.
    """
    return compute(read(session, question))


def compute(reading: Reading, progress: Progress = _SILENT) -> Report:
    """Return every figure of what was read. It looks at no study, so it may run in another thread.

    Raises:
        Cancelled: the user stopped it.
    """
    from benchmark.agreement.measure import measure

    return measure(reading.material, reading.options, reading.settings, reading.scheme, progress)


def read(session: Session, question: Question | None = None) -> Reading:
    """Read what is to be compared, in a few queries.

    What was given for training, and adjudicated lanes, are left out.

    Raises:
        UserError: the question names what the study does not have, or cannot be answered.
    """
    question = question or Question()
    _check(question.options)
    scheme = session.schemes.get(question.scheme or None)
    track = scheme.track(question.track) if question.track else scheme.tracks[0]
    within = _within(scheme, track.key, question)
    material = _material(session, question, scheme, track.key, within)
    settings: dict[str, Json] = {
        "scheme": scheme.key,
        "scheme_version": scheme.version,
        "track": track.key,
        "annotators": [one.name for at, one in enumerate(material.annotators) if material.worked[:, at].any()],
        "third": question.third or None,
        "recordings": len(material.recordings),
        "recordings_compared": int((material.worked.sum(1) > 1).sum()),
        "annotations": len(material),
        "within": [*within],
        "minimum_iou": question.options.minimum_iou,
        "step_ms": question.options.step_us / 1000,
        "bins": question.options.bins,
        "bootstrap": {"samples": question.options.samples, "seed": question.options.seed, "by": "recording"},
    }
    return Reading(material, question.options, settings, scheme.key)


def _material(session: Session, question: Question, scheme: Scheme, track: str, within: list[str]) -> Material:
    study = session.study
    people, third = compared_people(session, question.pair, question.third)
    recordings = _recordings(session, question)
    place = {recording.id: number for number, recording in enumerate(recordings)}
    lane = {who.id: number for number, who in enumerate(people)}
    training = comparison.in_training(study)

    def counts(recording_id: str, annotator_id: str) -> bool:
        return recording_id in place and annotator_id in lane and (recording_id, annotator_id) not in training

    rows = [row for row in comparison.segment_rows(study, scheme.key, track) if counts(row[1], row[2])]
    places = {row[0]: number for number, row in enumerate(rows)}
    fields = [one for one in scheme.fields_of(track) if one.kind in (*CHOOSING, *NUMBERS)]
    filled = columns(study, scheme.key, track, [*dict.fromkeys([*(one.key for one in fields), *within])], places)
    recording, annotator = (_ints([index[row[at]] for row in rows]) for at, index in ((1, place), (2, lane)))
    worked = np.zeros((len(recordings), len(people)), bool)
    worked[recording, annotator] = True
    for recording_id, annotator_id in comparison.completed(study):
        if counts(recording_id, annotator_id):
            worked[place[recording_id], lane[annotator_id]] = True
    labels = labels_of(scheme, track, [row[3] for row in rows])
    code = {label.key: number for number, label in enumerate(labels)}
    axis, axis_recording = axes(recording, [filled[key] for key in within], len(recordings))
    reviewed, agreed = _reviews(session, places, rows)
    return Material(
        recordings=tuple(Named(one.id, f"{one.number} {one.name}") for one in recordings),
        annotators=tuple(Named(one.id, one.name) for one in people),
        labels=labels,
        length_us=_ints([one.duration_us for one in recordings]),
        worked=worked,
        recording=recording,
        annotator=annotator,
        label=_ints([code[row[3]] for row in rows]),
        axis=axis,
        axis_recording=axis_recording,
        start_us=_ints([row[4] for row in rows]),
        end_us=_ints([row[5] for row in rows]),
        choosing=tuple(chosen(one, filled[one.key], len(rows)) for one in fields if one.kind in CHOOSING),
        rated=tuple(rated(one, filled[one.key], len(rows)) for one in fields if one.kind in NUMBERS),
        reviewed=reviewed,
        agreed=agreed,
        third=third,
    )


def _check(options: Options) -> None:
    if not 0 <= options.minimum_iou <= 1:
        raise UserError("The minimum IoU is a share.", "Give a number from 0 to 1.")
    if options.step_us < 1000:
        raise UserError("The step of the time grid is too small.", "Give 1 ms or more.")
    if options.bins < 2:
        raise UserError("Ratings need at least two bins.", "Give 2 or more.")


def _recordings(session: Session, question: Question) -> list[Recording]:
    wanted = set(question.recordings)
    return [one for one in all_recordings(session.study) if not wanted or one.id in wanted]


def _within(scheme: Scheme, track: str, question: Question) -> list[str]:
    if question.within is None:
        return [one.key for one in scheme.fields_of(track) if one.kind is FieldKind.PARTICIPANT]
    return [scheme.field(key).key for key in question.within]


def _reviews(session: Session, places: dict[str, int], rows: list[Row]) -> tuple[Ints, Bools]:
    """Return which segments were reviewed by somebody else, and whether they agreed."""
    found = [
        (places[segment], decision == Decision.AGREE)
        for segment, reviewer, decision in comparison.review_rows(session.study)
        if segment in places and rows[places[segment]][2] != reviewer
    ]
    return _ints([one for one, _ in found]), np.array([agreed for _, agreed in found], bool)


def _ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)
