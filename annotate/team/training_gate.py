"""The training gate: compares an annotator with a reference, and opens the real work once the minimum is reached."""

from collections.abc import Mapping
from dataclasses import dataclass

from project.codec import load
from project.entities.study_records import Annotator, Json, Segment, WorkPurpose
from project.errors import UserError
from project.queries.annotator_rows import all_annotators, all_assignments, completions
from project.queries.segment_rows import segments_of, values_in
from project.schemes.scheme import FieldKind
from project.session.session import Session
from project.text_format import pluralize

TRAINING = "training"
"""The property that holds the gate."""

FIGURES = ("boundaries", "labels", "attributes")


@dataclass(frozen=True, slots=True)
class Gate:
    """What has to be reached before the real work begins.

    Attributes:
        recordings: ids of the recordings to train on.
        reference: id of the annotator to compare with.
        minimum: figure -> what it must reach, 0 to 1; `boundaries` is the mean IoU of matched segments, in which
            segments without a partner count 0; `labels` the share of matched segments with the same label;
            `attributes` the mean Jaccard index of what was chosen in them.
    """

    recordings: tuple[str, ...]
    reference: str
    minimum: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How one annotator did.

    Attributes:
        given: number of recordings to train on.
        done: how many of them they marked as done; only these are compared.
        figures: figure -> 0 to 1; None where there is nothing to compare.
        short: the figures that do not reach the minimum.
        passed: whether all recordings are done and all figures reach the minimum.
    """

    annotator: Annotator
    given: int
    done: int
    pairs: int
    figures: Mapping[str, float | None]
    short: tuple[str, ...]
    passed: bool


def read_gate(session: Session) -> Gate | None:
    """Return the study's gate, or None where it has none."""
    found = session.study.get_property(TRAINING)
    return None if found is None else load(Gate, found, "The training round")


def list_trainees(session: Session) -> list[Annotator]:
    """Return the annotators who were given a recording to train on."""
    who = {
        assignment.annotator_id
        for assignment in all_assignments(session.study)
        if assignment.purpose is WorkPurpose.TRAINING
    }
    return [annotator for annotator in all_annotators(session.study) if annotator.id in who]


def evaluate_training(session: Session, annotator: Annotator, gate: Gate) -> TrainingResult:
    """Compare what an annotator is done with to the reference."""
    given = [
        assignment.recording_id
        for assignment in all_assignments(session.study)
        if assignment.annotator_id == annotator.id
        and assignment.purpose is WorkPurpose.TRAINING
        and assignment.recording_id in gate.recordings
    ]
    finished = completions(session.study)
    done = [place for place in given if (place, annotator.id) in finished]
    pairs, segments, figures = _compare(session, done, annotator.id, gate.reference)
    short = tuple(
        figure
        for figure, least in gate.minimum.items()
        if not _reaches_minimum(figure, figures.get(figure), least, pairs, segments)
    )
    passed = bool(given) and done == given and not short
    return TrainingResult(annotator, len(given), len(done), pairs, figures, short, passed)


def require_training(session: Session, recording_id: str) -> None:
    """Return quietly where the annotator of this session may annotate a recording.

    The gate holds for those who were given recordings to train on; everybody else, such as the study's owner, passes.
    """
    gate = read_gate(session)
    if gate is None or recording_id in gate.recordings:
        return
    who = session.annotator()
    if who is None or all(trainee.id != who.id for trainee in list_trainees(session)):
        return
    found = evaluate_training(session, who, gate)
    if found.passed:
        return
    if found.done < found.given:
        raise UserError(
            f"You have not finished the training yet: {found.done} of {pluralize(found.given, 'recording')} done.",
            "Annotate the training recordings and mark each as done.",
        )
    short = [
        f"{figure} {'-' if (value := found.figures[figure]) is None else f'{value:.2f}'}, needed {least:.2f}"
        for figure, least in gate.minimum.items()
        if figure in found.short
    ]
    raise UserError(f"You have not passed the training yet: {'; '.join(short)}.", "Revise the training recordings.")


def _reaches_minimum(figure: str, value: float | None, least: float, pairs: int, segments: int) -> bool:
    if value is None:
        # Nobody marked anything, or nobody chose anything: there is nothing to be wrong about.
        return segments == 0 or (figure == "attributes" and pairs > 0) or least == 0
    return value >= least


def _compare(
    session: Session, recordings: list[str], annotator: str, reference: str
) -> tuple[int, int, dict[str, float | None]]:
    """Return the numbers of matched and of all segments, and the figures."""
    iou: list[float] = []
    labels: list[float] = []
    chosen: list[float] = []
    segments = alone = 0
    for place in recordings:
        marked = segments_of(session.study, place, unseen=True)
        values = values_in(session.study, place, unseen=True)
        mine = [segment for segment in marked if segment.annotator_id == annotator]
        theirs = [segment for segment in marked if segment.annotator_id == reference]
        pairs = _pairs(mine, theirs)
        segments += len(mine) + len(theirs)
        alone += len(mine) + len(theirs) - 2 * len(pairs)
        for segment, other, share in pairs:
            iou.append(share)
            labels.append(float(segment.label == other.label))
            chosen += _jaccards(session, segment, values.get(segment.id, {}), values.get(other.id, {}))
    figures = {
        "boundaries": sum(iou) / (len(iou) + alone) if segments else None,
        "labels": sum(labels) / len(labels) if labels else None,
        "attributes": sum(chosen) / len(chosen) if chosen else None,
    }
    return len(iou), segments, figures


def _pairs(mine: list[Segment], theirs: list[Segment]) -> list[tuple[Segment, Segment, float]]:
    """Match the segments one to one with the highest sum of IoU; lanes of different tracks never match."""
    if not mine or not theirs:
        return []
    import numpy as np

    from annotate.agreement.span_matching import SpanArray, compared_spans, find_overlaps, match_best_pairs

    lanes = sorted({(segment.scheme, segment.track) for segment in (*mine, *theirs)})
    labels = sorted({segment.label for segment in (*mine, *theirs)})
    sides = [
        SpanArray(
            np.array([lanes.index((segment.scheme, segment.track)) for segment in side], np.int64),
            *compared_spans(side),
            np.array([labels.index(segment.label) for segment in side], np.int64),
        )
        for side in (mine, theirs)
    ]
    found = match_best_pairs(find_overlaps(*sides), *sides)
    return [
        (mine[a], theirs[b], share)
        for a, b, share in zip(found.first.tolist(), found.second.tolist(), found.iou.tolist(), strict=True)
    ]


def _jaccards(session: Session, segment: Segment, mine: Mapping[str, Json], theirs: Mapping[str, Json]) -> list[float]:
    """Return the Jaccard index of every field of several choices that one of the two filled in."""
    found = []
    for field in session.schemes.get(segment.scheme).fields:
        if field.kind is not FieldKind.CHOICES:
            continue
        first, second = (_choice_set(values.get(field.key)) for values in (mine, theirs))
        if first or second:
            found.append(len(first & second) / len(first | second))
    return found


def _choice_set(value: Json) -> set[str]:
    return set(map(str, value)) if isinstance(value, list) else set()
