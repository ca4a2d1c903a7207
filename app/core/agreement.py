"""How far the annotators of a study agree: reads the study into arrays, and has the figures computed."""

import json
from dataclasses import dataclass, field

import numpy as np

from app.core.session import Session
from benchmark.agreement.material import ChosenField, Material, Named, Options, RatedField
from benchmark.agreement.report import Report
from benchmark.agreement.types import Bools, Ints
from project.errors import UserError
from project.queries import comparison
from project.queries.annotators import all_annotators
from project.queries.recordings import all_recordings
from project.schemes.scheme import CHOOSING, NUMBERS, Field, FieldKind, Scheme
from project.store import Row
from project.types import Annotator, Json, Recording

PERSON, ADJUDICATED = "person", "adjudicated"


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


def compute(reading: Reading) -> Report:
    """Return every figure of what was read. It looks at no study, so it may run in another thread."""
    from benchmark.agreement.measure import measure

    return measure(reading.material, reading.options, reading.settings, reading.scheme)


def read(session: Session, question: Question | None = None) -> Reading:
    """Read what is to be compared, in a few queries.

    Raises:
        UserError: the question names what the study does not have, or cannot be answered.
    """
    question = question or Question()
    _check(question.options)
    scheme = session.schemes.get(question.scheme or None)
    track = scheme.track(question.track) if question.track else scheme.tracks[0]
    people, third = _people(session, question)
    recordings = _recordings(session, question)
    fields = [one for one in scheme.fields_of(track.key) if one.kind in (*CHOOSING, *NUMBERS)]
    within = _within(scheme, track.key, question)
    asked = [*dict.fromkeys([one.key for one in fields] + within)]

    place = {recording.id: number for number, recording in enumerate(recordings)}
    lane = {who.id: number for number, who in enumerate(people)}
    training = comparison.in_training(session.study)
    rows = [
        row
        for row in comparison.segment_rows(session.study, scheme.key, track.key)
        if row[1] in place and row[2] in lane and (row[1], row[2]) not in training
    ]
    at = {row[0]: number for number, row in enumerate(rows)}
    values: dict[str, dict[int, Json]] = {key: {} for key in asked}
    for segment, key, text in comparison.value_rows(session.study, scheme.key, track.key, asked) if asked else ():
        if segment in at:
            values[key][at[segment]] = json.loads(text)

    recording = np.array([place[row[1]] for row in rows], np.int64)
    annotator = np.array([lane[row[2]] for row in rows], np.int64)
    labels = _labels(scheme, track.key, [row[3] for row in rows])
    code = {label.key: number for number, label in enumerate(labels)}
    worked = np.zeros((len(recordings), len(people)), bool)
    worked[recording, annotator] = True
    for recording_id, annotator_id in comparison.completed(session.study):
        if recording_id in place and annotator_id in lane and (recording_id, annotator_id) not in training:
            worked[place[recording_id], lane[annotator_id]] = True
    axis, axis_recording = _axes(recording, [values[key] for key in within], len(recordings))
    reviewed, agreed = _reviews(session, at, rows)
    material = Material(
        recordings=tuple(Named(one.id, f"{one.number} {one.name}") for one in recordings),
        annotators=tuple(Named(one.id, one.name) for one in people),
        labels=labels,
        length_us=np.array([one.duration_us for one in recordings], np.int64),
        worked=worked,
        recording=recording,
        annotator=annotator,
        label=np.array([code[row[3]] for row in rows], np.int64),
        axis=axis,
        axis_recording=axis_recording,
        start_us=np.array([row[4] for row in rows], np.int64),
        end_us=np.array([row[5] for row in rows], np.int64),
        choosing=tuple(_chosen(one, values[one.key], len(rows)) for one in fields if one.kind in CHOOSING),
        rated=tuple(_rated(one, values[one.key], len(rows)) for one in fields if one.kind in NUMBERS),
        reviewed=reviewed,
        agreed=agreed,
        third=third,
    )
    settings: dict[str, Json] = {
        "scheme": scheme.key,
        "scheme_version": scheme.version,
        "track": track.key,
        "annotators": [one.name for one in people],
        "third": people[third].name if third >= 0 else None,
        "recordings": len(recordings),
        "recordings_compared": int((worked.sum(1) > 1).sum()),
        "annotations": len(rows),
        "within": [*within],
        "minimum_iou": question.options.minimum_iou,
        "step_ms": question.options.step_us / 1000,
        "bins": question.options.bins,
        "bootstrap": {"samples": question.options.samples, "seed": question.options.seed, "by": "recording"},
    }
    return Reading(material, question.options, settings, scheme.key)


def _check(options: Options) -> None:
    if not 0 <= options.minimum_iou <= 1:
        raise UserError("The minimum IoU is a share.", "Give a number from 0 to 1.")
    if options.step_us < 1000:
        raise UserError("The step of the time grid is too small.", "Give 1 ms or more.")
    if options.bins < 2:
        raise UserError("Ratings need at least two bins.", "Give 2 or more.")


def _people(session: Session, question: Question) -> tuple[list[Annotator], int]:
    """Return who is compared, and the place of the third annotator among them, or -1."""
    everybody = all_annotators(session.study)
    if len(question.pair) not in (0, 2) or len({*question.pair, question.third}) != len(question.pair) + 1:
        raise UserError("A comparison needs different annotators.", "Name each one once.")
    chosen = [_called(everybody, name) for name in question.pair] or [one for one in everybody if one.kind == PERSON]
    if not question.third:
        return chosen, -1
    third = _called(everybody, question.third)
    rest = [one for one in chosen if one.id != third.id]
    return [*rest, third], len(rest)


def _called(everybody: list[Annotator], name: str) -> Annotator:
    found = next((one for one in everybody if one.name == name), None)
    if found is None:
        known = ", ".join(one.name for one in everybody if one.kind != ADJUDICATED) or "nobody yet"
        raise UserError(f"Nobody called “{name}” annotates this study.", f"Choose from: {known}.")
    if found.kind == ADJUDICATED:
        raise UserError(
            f"“{name}” was made from several people's work.", "Choose somebody who annotated by themselves."
        )
    return found


def _recordings(session: Session, question: Question) -> list[Recording]:
    wanted = set(question.recordings)
    return [one for one in all_recordings(session.study) if not wanted or one.id in wanted]


def _within(scheme: Scheme, track: str, question: Question) -> list[str]:
    if question.within is None:
        return [one.key for one in scheme.fields_of(track) if one.kind is FieldKind.PARTICIPANT]
    return [scheme.field(key).key for key in question.within]


def _labels(scheme: Scheme, track: str, used: list[str]) -> tuple[Named, ...]:
    """Return the labels of the track, then those that only older versions of the scheme had."""
    known = tuple(Named(label.key, label.name) for label in scheme.track(track).labels)
    keys = {label.key for label in known}
    return known + tuple(Named(label, label) for label in sorted({*used} - keys))


def _axes(recording: Ints, within: list[dict[int, Json]], recordings: int) -> tuple[Ints, Ints]:
    """Return the axis of each segment and the recording of each axis."""
    if not within:
        return recording, np.arange(recordings)
    kept = [(owner, *(str(column.get(at)) for column in within)) for at, owner in enumerate(recording.tolist())]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(kept))}
    return np.array([numbers[key] for key in kept], np.int64), np.array([key[0] for key in numbers], np.int64)


def _reviews(session: Session, at: dict[str, int], rows: list[Row]) -> tuple[Ints, Bools]:
    """Return which segments were reviewed by somebody else, and whether they agreed."""
    found = [
        (at[segment], decision == "agree")
        for segment, reviewer, decision in comparison.review_rows(session.study)
        if segment in at and rows[at[segment]][2] != reviewer
    ]
    return np.array([one for one, _ in found], np.int64), np.array([agreed for _, agreed in found], bool)


def _chosen(asked: Field, values: dict[int, Json], size: int) -> ChosenField:
    chosen = np.zeros((size, len(asked.choices)), bool)
    places = {choice.key: place for place, choice in enumerate(asked.choices)}
    for at, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            if one in places:
                chosen[at, places[str(one)]] = True
    choices = tuple(Named(choice.key, choice.name) for choice in asked.choices)
    return ChosenField(asked.key, asked.name, choices, chosen, asked.kind is FieldKind.CHOICES)


def _rated(asked: Field, values: dict[int, Json], size: int) -> RatedField:
    numbers = np.full(size, np.nan)
    for at, value in values.items():
        if isinstance(value, int | float) and asked.minimum <= value <= asked.maximum:
            numbers[at] = value
    return RatedField(asked.key, asked.name, numbers, asked.minimum, asked.maximum, asked.step)
