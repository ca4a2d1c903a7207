"""What people say about a moment: the selected segment and those of others that overlap it most."""

from dataclasses import dataclass

from app.core.judging.annotators.said import Said, said_in
from app.core.session import Session
from project.queries.annotators import all_annotators
from project.queries.segments import segments_of, values_of
from project.types import Segment
from resources.translation import tr


@dataclass(frozen=True, slots=True)
class PersonSays:
    """One annotator's segment.

    Attributes:
        overlap: of both spans, intersection over union, 0 to 1; 1 for the selected segment.
    """

    name: str
    segment: Segment
    said: Said
    overlap: float


def people_about(session: Session, about: Segment) -> list[PersonSays]:
    """Return what each annotator says on the segment's track, who made it first, then the others by name."""
    names = {one.id: one.name for one in all_annotators(session.study)}
    best: dict[str, tuple[float, Segment]] = {about.annotator_id: (1.0, about)}
    for one in segments_of(session.study, about.recording_id, scheme=about.scheme):
        share = _overlap(one, about)
        if one.track != about.track or one.annotator_id == about.annotator_id or share <= 0:
            continue
        if share > best.get(one.annotator_id, (0.0, one))[0]:
            best[one.annotator_id] = (share, one)
    found = [
        PersonSays(names.get(who, tr("Somebody")), one, _said(session, one), share)
        for who, (share, one) in best.items()
    ]
    return sorted(found, key=lambda one: (one.segment.id != about.id, one.name.casefold()))


def _said(session: Session, one: Segment) -> Said:
    scheme = session.schemes.known(one.scheme)
    values = {key: value.value for key, value in values_of(session.study, one.id).items()}
    return said_in(one.label, values if scheme is None else scheme.placed(one.track, values))


def _overlap(one: Segment, other: Segment) -> float:
    both = min(one.end_us, other.end_us) - max(one.start_us, other.start_us)
    return both / (max(one.end_us, other.end_us) - min(one.start_us, other.start_us)) if both > 0 else 0.0
