"""Scene changes, unexpected events and sound that was laid over: segments of the scheme `scenes`."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.cues.prelabels import decided, nobodys
from app.core.session import Session
from project.queries.participants import all_participants
from project.queries.segments import segments_of, values_in
from project.timebase import SECOND
from project.types import Segment, Utterance

SCHEME = "scenes"
CHANGE, EVENT, SOUND = "change", "event", "sound"
"""Its tracks."""
CUT, VOICE_OVER = "cut", "voice_over"
SHOWN_US = SECOND // 2
"""How long a suggested scene change is marked: segments are no points."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something of the scheme `scenes`.

    Attributes:
        name: of its label.
        who: pseudonym of whom it is about; "" for nobody.
        prelabel: a model suggests it, and nobody decided on it yet.
    """

    segment: Segment
    name: str
    description: str
    who: str
    prelabel: bool


def happenings(session: Session, recording_id: str) -> list[Happening]:
    """Return everything of the scheme `scenes` in a recording, by start, without pre-labels that were decided on."""
    found = segments_of(session.study, recording_id, scheme=SCHEME)
    if not found:
        return []
    suggested = nobodys(session.study)
    done = decided(session, recording_id)
    values = values_in(session.study, recording_id)
    names = {one.id: one.pseudonym for one in all_participants(session.study)}
    scheme = session.schemes.known(SCHEME)
    made = []
    for one in sorted(found, key=lambda each: (each.start_us, each.end_us, each.id)):
        if one.id in done:
            continue
        given = {key: value.value for key, value in values.get(one.id, {}).items()}
        label = None if scheme is None else scheme.lane(one.track).label(one.label)
        made.append(
            Happening(
                one,
                one.label if label is None else label.name,
                str(given.get("description") or "").strip(),
                names.get(str(given.get("participant") or ""), ""),
                one.annotator_id in suggested,
            )
        )
    return made


def marked_once(found: Sequence[Happening]) -> list[Happening]:
    """Return what people marked, by start; of the same label over shared time, as several people mark it, the first."""
    kept: list[Happening] = []
    for one in found:
        place = one.segment.track, one.segment.label
        known = (each.segment for each in kept if (each.segment.track, each.segment.label) == place)
        if not one.prelabel and not any(one.segment.start_us < each.end_us for each in known):
            kept.append(one)
    return kept


def voice_overs(session: Session, recording_id: str) -> list[Segment]:
    """Return where somebody marked a voice that belongs to nobody in the scene, by start."""
    suggested = nobodys(session.study)
    found = segments_of(session.study, recording_id, scheme=SCHEME)
    marked = [
        one for one in found if (one.track, one.label) == (SOUND, VOICE_OVER) and one.annotator_id not in suggested
    ]
    return sorted(marked, key=lambda one: (one.start_us, one.end_us, one.id))


def is_laid_over(said: Utterance, over: Sequence[Segment]) -> bool:
    """Tell whether more than half of an utterance lies in voice-over."""
    covered, reached = 0, said.start_us
    for one in over:
        start, end = max(one.start_us, reached), min(one.end_us, said.end_us)
        if end > start:
            covered += end - start
            reached = end
    return 2 * covered > said.end_us - said.start_us
