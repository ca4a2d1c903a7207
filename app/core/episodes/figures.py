"""How well people agree on episodes, and judges with them: kappa, pairwise agreement, Pearson's r, distance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.core.episodes.ratings import Rating, judged, mean_scores, ratings_of
from app.core.session import Session
from benchmark.agreement.randolph import binned
from benchmark.dimensions import DIMENSIONS, ranges
from benchmark.metrics.ratings import BINS, mae, pairwise_agreement, pearson, randolph_kappa
from project.queries.episodes import all_episodes
from project.queries.judges import all_judges
from project.queries.judgments import asked_judges
from project.types import Json


@dataclass(frozen=True, slots=True)
class Among:
    """How people agree on one dimension, or on all (`dimension` ""); None where it is undefined.

    Attributes:
        rated: participants of episodes whom two people rated, or more.
        kappa: Randolph's, on five bins (SOTOPIA, appendix D.1).
        agreement: share of pairs at most two points apart.
        correlation: Pearson's r of the first two raters of each, in the order of their names' first use.
    """

    dimension: str
    rated: int
    kappa: float | None
    agreement: float | None
    correlation: float | None


@dataclass(frozen=True, slots=True)
class Against:
    """How a judge does against the mean human score of one dimension (SOTOPIA, section 5.2); None where undefined.

    Attributes:
        rated: participants whom people and the judge rated.
        correlation: Pearson's r; undefined where either side never varies.
        distance: mean distance, in points.
    """

    judge: str
    dimension: str
    rated: int
    correlation: float | None
    distance: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that ratings of episodes say."""

    among: tuple[Among, ...]
    against: tuple[Against, ...]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        people: list[Json] = [
            {
                "dimension": one.dimension or "all",
                "rated": one.rated,
                "kappa": one.kappa,
                "agreement": one.agreement,
                "pearson": one.correlation,
            }
            for one in self.among
        ]
        judges: list[Json] = [
            {
                "judge": one.judge,
                "dimension": one.dimension,
                "rated": one.rated,
                "pearson": one.correlation,
                "mae": one.distance,
            }
            for one in self.against
        ]
        return {"people": people, "judges": judges}


@dataclass(frozen=True, slots=True)
class _Rated:
    """One participant of one episode: what people gave, and what judges did."""

    people: tuple[Rating, ...]
    mean: Mapping[str, float]
    judges: Mapping[str, Mapping[str, Json]]


def figures(session: Session) -> Figures:
    """Return how people agree on the study's episodes, and judges with them."""
    rated = _gathered(session)
    return Figures(tuple(_among(rated)), tuple(_against(rated)))


def _gathered(session: Session) -> list[_Rated]:
    names = asked_judges(session.study) | {one.id: one.name for one in all_judges(session.study)}
    found = []
    for episode in all_episodes(session.study):
        people = ratings_of(session, episode.recording_id)
        answers = judged(session, episode.recording_id)
        for who in dict.fromkeys(one.participant_id for one in people):
            given = tuple(one for one in people if one.participant_id == who)
            said = {names.get(judge, judge): one.answer for (about, judge), one in answers.items() if about == who}
            found.append(_Rated(given, mean_scores(people, who), said))
    return found


def _among(rated: Sequence[_Rated]) -> list[Among]:
    found: list[Among] = []
    every: list[list[float]] = []
    all_pairs: list[list[float]] = []
    for key, (low, high) in ranges().items():
        given = [[float(one.scores[key]) for one in each.people if key in one.scores] for each in rated]
        several = [one for one in given if len(one) > 1]
        pairs = [(one[0], one[1]) for one in several]
        found.append(
            Among(
                key,
                len(several),
                randolph_kappa(several, low, high),
                pairwise_agreement(several),
                pearson([one for one, _ in pairs], [two for _, two in pairs]),
            )
        )
        # In bins, which are the same for all dimensions, while their scales differ.
        every += [binned(np.array(each), low, high, BINS).astype(float).tolist() for each in several]
        all_pairs += several
    kappa, agreement = randolph_kappa(every, 0, BINS), pairwise_agreement(all_pairs)
    return [*found, Among("", max((one.rated for one in found), default=0), kappa, agreement, None)]


def _against(rated: Sequence[_Rated]) -> list[Against]:
    found = []
    for name in dict.fromkeys(judge for one in rated for judge in one.judges):
        for key in DIMENSIONS:
            both = [
                (one.mean[key], float(score))
                for one in rated
                if key in one.mean and isinstance(score := one.judges.get(name, {}).get(key), int | float)
            ]
            truth, said = [one for one, _ in both], [two for _, two in both]
            found.append(Against(name, key, len(both), pearson(truth, said), mae(truth, said)))
    return found
