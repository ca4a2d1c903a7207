"""What people and judges gave the participants of an episode, on seven dimensions."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from app.core.session import Session
from benchmark.dimensions import DIMENSIONS, SCHEME, overall
from benchmark.tasks.episode_ratings import KEY
from project.judging import Judgment, JudgmentStatus
from project.queries.judgments import judgments_about
from project.queries.segments import segments_of, values_in
from project.types import Json

_WHO = "participant"


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person gave one participant, in a segment.

    Attributes:
        scores: dimension -> score; without those that are not filled in.
    """

    segment_id: str
    annotator_id: str
    participant_id: str
    scores: Mapping[str, int]

    @property
    def whole(self) -> bool:
        """Whether all seven are filled in."""
        return len(self.scores) == len(DIMENSIONS)

    @property
    def overall(self) -> float | None:
        """The mean of the seven; None where one is missing."""
        return overall({**self.scores})


def ratings_of(session: Session, recording_id: str) -> list[Rating]:
    """Return what people gave in a recording, by time and annotator; segments that rate nobody are left out."""
    values = values_in(session.study, recording_id)
    found = []
    for one in segments_of(session.study, recording_id, scheme=SCHEME):
        told = values.get(one.id, {})
        who = told.get(_WHO)
        if who is None or not isinstance(who.value, str):
            continue
        scores = {key: told[key].value for key in DIMENSIONS if key in told}
        found.append(Rating(one.id, one.annotator_id, who.value, _whole_numbers(scores)))
    return found


def mean_scores(ratings: list[Rating], participant_id: str) -> dict[str, float]:
    """Return the mean human score of a participant by dimension (SOTOPIA, section 5.1); without what nobody gave."""
    given = [one.scores for one in ratings if one.participant_id == participant_id]
    found = {key: [float(one[key]) for one in given if key in one] for key in DIMENSIONS}
    return {key: fmean(scores) for key, scores in found.items() if scores}


def judged(session: Session, recording_id: str) -> dict[tuple[str, str], Judgment]:
    """Return (participant id, judge id) -> the newest ratings of an episode by that judge."""
    found: dict[tuple[str, str], Judgment] = {}
    for one in judgments_about(session.study, recording_id, {KEY}):
        if one.status is JudgmentStatus.OK:
            found.setdefault((one.part, one.judge_id), one)
    return found


def _whole_numbers(found: Mapping[str, Json]) -> dict[str, int]:
    return {key: value for key, value in found.items() if isinstance(value, int) and not isinstance(value, bool)}
