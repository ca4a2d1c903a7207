"""Ratings of the participants of episodes on seven dimensions, by people and judges, and how well they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from annotate.blinding.reveals import is_blind_first
from benchmark.metrics.published_figures import DIMENSIONS, SCHEME, overall_score, score_ranges
from benchmark.metrics.ratings import agreement_over_scales, mae, pairwise_agreement, pearson, randolph_kappa
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK
from project.entities.judgments import Judgment, JudgmentStatus
from project.entities.study_records import Json
from project.queries.episode_rows import all_episodes, episode_agents
from project.queries.judgment_rows import all_judges, asked_judges, judgments_about
from project.queries.segment_rows import segments_of, values_in
from project.session.session import Session

_PARTICIPANT_FIELD = "participant"


@dataclass(frozen=True, slots=True)
class ParticipantRating:
    """The scores that one person gave one participant, in a segment.

    Attributes:
        scores: dimension -> score; dimensions that are not filled in are missing.
    """

    segment_id: str
    annotator_id: str
    participant_id: str
    scores: Mapping[str, int]

    @property
    def is_complete(self) -> bool:
        return len(self.scores) == len(DIMENSIONS)

    @property
    def overall(self) -> float | None:
        """The mean of the seven; None where one is missing."""
        return overall_score({**self.scores})


def read_ratings(session: Session, recording_id: str) -> list[ParticipantRating]:
    """Return the ratings of people in a recording, by time and annotator; segments that rate nobody are left out."""
    segments = segments_of(session.study, recording_id, scheme=SCHEME)
    values = values_in(session.study, recording_id) if segments else {}
    found = []
    for segment in segments:
        told = values.get(segment.id, {})
        who = told.get(_PARTICIPANT_FIELD)
        if not isinstance(who, str):
            continue
        scores = {key: told[key] for key in DIMENSIONS if key in told}
        found.append(ParticipantRating(segment.id, segment.annotator_id, who, _integer_scores(scores)))
    return found


def blind_rater_reason(session: Session, recording_id: str) -> str:
    """Return why the annotator of this session is not told who played an episode and how others rate it.

    Raters know neither (SOTOPIA, section 5.1). It is "" once they rated everybody in it, or where the study is not
    blind.
    """
    if not is_blind_first(session):
        return ""
    who = session.annotator()
    rated = {
        rating.participant_id
        for rating in (read_ratings(session, recording_id) if who is not None else ())
        if who is not None and rating.annotator_id == who.id and rating.is_complete
    }
    agents = episode_agents(session.study, recording_id)
    there = {agent.participant_id for agent in agents if agent.participant_id is not None}
    return "" if there <= rated else "Who played and how others rate is hidden until you have rated everybody in it."


def mean_scores(ratings: list[ParticipantRating], participant_id: str) -> dict[str, float]:
    """Return dimension -> mean human score of a participant (SOTOPIA, section 5.1), without unrated dimensions."""
    given = [rating.scores for rating in ratings if rating.participant_id == participant_id]
    found = {key: [float(entry[key]) for entry in given if key in entry] for key in DIMENSIONS}
    return {key: fmean(scores) for key, scores in found.items() if scores}


def read_judge_ratings(session: Session, recording_id: str) -> dict[tuple[str, str], Judgment]:
    """Return (participant id, judge id) -> the newest ratings of an episode by that judge."""
    found: dict[tuple[str, str], Judgment] = {}
    for judgment in judgments_about(session.study, recording_id, {EPISODE_RATINGS_TASK}):
        if judgment.status is JudgmentStatus.OK:
            found.setdefault((judgment.part, judgment.judge_id), judgment)
    return found


def _integer_scores(found: Mapping[str, Json]) -> dict[str, int]:
    return {key: value for key, value in found.items() if isinstance(value, int) and not isinstance(value, bool)}


ALL_DIMENSIONS = "all"


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How people agree on one dimension, or on `ALL_DIMENSIONS`; None if undefined.

    Attributes:
        rated: participants of episodes whom two people rated, or more.
        kappa: Randolph's, on five bins (SOTOPIA, appendix D.1).
        agreement: share of pairs at most two points apart.
        pearson: Pearson's r of the first two raters of each participant.
    """

    dimension: str
    rated: int
    kappa: float | None
    agreement: float | None
    pearson: float | None


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How a judge does against the mean human score of one dimension (SOTOPIA, section 5.2); None where undefined.

    Attributes:
        rated: participants whom people and the judge rated.
        pearson: Pearson's r; undefined where either side never varies.
        mae: mean distance, in points.
    """

    judge: str
    dimension: str
    rated: int
    pearson: float | None
    mae: float | None


@dataclass(frozen=True, slots=True)
class EpisodeAgreement:
    """The agreement of all ratings of episodes."""

    people: tuple[RaterAgreement, ...]
    judges: tuple[JudgeAgreement, ...]


@dataclass(frozen=True, slots=True)
class _RatedParticipant:
    """One participant of one episode, with the scores of people and of judges."""

    people: tuple[ParticipantRating, ...]
    mean: Mapping[str, float]
    judges: Mapping[str, Mapping[str, Json]]


def compute_agreement(session: Session) -> EpisodeAgreement:
    """Return how people agree on the study's episodes, and judges with them."""
    rated = _rated_participants(session)
    return EpisodeAgreement(tuple(_agreement_between_people(rated)), tuple(_agreement_with_judges(rated)))


def _rated_participants(session: Session) -> list[_RatedParticipant]:
    names = asked_judges(session.study) | {entry.id: entry.name for entry in all_judges(session.study)}
    found = []
    for episode in all_episodes(session.study):
        people = read_ratings(session, episode.recording_id)
        answers = read_judge_ratings(session, episode.recording_id)
        for who in dict.fromkeys(person.participant_id for person in people):
            given = tuple(person for person in people if person.participant_id == who)
            said = {
                names.get(judge, judge): judgment.answer for (about, judge), judgment in answers.items() if about == who
            }
            found.append(_RatedParticipant(given, mean_scores(people, who), said))
    return found


def _agreement_between_people(rated: Sequence[_RatedParticipant]) -> list[RaterAgreement]:
    found: list[RaterAgreement] = []
    everything: list[tuple[list[float], float, float]] = []
    for key, (low, high) in score_ranges().items():
        given = [
            [float(rating.scores[key]) for rating in participant.people if key in rating.scores]
            for participant in rated
        ]
        several = [scores for scores in given if len(scores) > 1]
        pairs = [(scores[0], scores[1]) for scores in several]
        found.append(
            RaterAgreement(
                key,
                len(several),
                randolph_kappa(several, low, high),
                pairwise_agreement(several),
                pearson([first for first, _ in pairs], [second for _, second in pairs]).value,
            )
        )
        everything += [(scores, low, high) for scores in several]
    most_rated = max((among.rated for among in found), default=0)
    return [*found, RaterAgreement(ALL_DIMENSIONS, most_rated, *agreement_over_scales(everything), None)]


def _agreement_with_judges(rated: Sequence[_RatedParticipant]) -> list[JudgeAgreement]:
    found = []
    for name in dict.fromkeys(judge for participant in rated for judge in participant.judges):
        for key in DIMENSIONS:
            both = [
                (participant.mean[key], float(score))
                for participant in rated
                if key in participant.mean
                and isinstance(score := participant.judges.get(name, {}).get(key), int | float)
            ]
            human, judged = [mean for mean, _ in both], [score for _, score in both]
            found.append(JudgeAgreement(name, key, len(both), pearson(human, judged).value, mae(human, judged).value))
    return found
