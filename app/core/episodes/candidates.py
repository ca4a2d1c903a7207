"""What people rated, as candidates for items of the benchmark: a participant of a recording, or of a part of one."""

import hashlib
import json
from collections import Counter
from statistics import fmean

from app.core.session import Session
from benchmark.dimensions import DIMENSIONS, SCHEME
from benchmark.items.base import Candidate, Pool
from benchmark.suite.sotopia_eval import RATINGS
from benchmark.tasks.episode_ratings import KEY
from project.judging import About, Subject
from project.queries.episodes import all_episodes
from project.queries.participants import participants_there
from project.queries.recordings import all_recordings
from project.queries.segments import segments_under, values_of
from project.queries.utterances import utterances_between
from project.types import Json, Recording, Segment

NOBODY = "nobody is said to be rated"
GONE = "who is rated takes no part in the recording"
PARTIAL = "a dimension is missing"
_WHO = "participant"
_Given = tuple[Segment, dict[str, float]]


def rating_candidates(session: Session) -> Pool:
    """Return a candidate for each participant and stretch that people rated on all seven dimensions.

    Ratings of the same stretch are of one candidate; the truth is the mean of them, by dimension.
    """
    study = session.study
    recordings = {one.id: one for one in all_recordings(study)}
    there = {key: {one.id for one in participants_there(study, key)} for key in recordings}
    sources = {one.recording_id: one.source.value for one in all_episodes(study)}
    left_out: Counter[str] = Counter()
    given: dict[tuple[str, int, int, str], list[_Given]] = {}
    for one in sorted(segments_under(study, SCHEME), key=lambda each: each.id):
        values = {key: value.value for key, value in values_of(study, one.id, SCHEME).items()}
        who, scores = values.get(_WHO), _scores(values)
        if not isinstance(who, str) or not who:
            left_out[NOBODY] += 1
        elif who not in there[one.recording_id]:
            left_out[GONE] += 1
        elif len(scores) < len(DIMENSIONS):
            left_out[PARTIAL] += 1
        else:
            given.setdefault((one.recording_id, one.start_us, one.end_us, who), []).append((one, scores))
    numbers = {key: one.number for key, one in recordings.items()}
    ordered = sorted(given.items(), key=lambda each: (numbers[each[0][0]], each[0][1:]))
    found = [
        _candidate(session, recordings[place], (start_us, end_us), who, ratings, sources.get(place, "recording"))
        for (place, start_us, end_us, who), ratings in ordered
    ]
    return Pool(tuple(found), dict(left_out))


def _candidate(
    session: Session, home: Recording, span: tuple[int, int], who: str, ratings: list[_Given], source: str
) -> Candidate:
    scores: dict[str, Json] = {key: [one[key] for _, one in ratings] for key in DIMENSIONS}
    mean: dict[str, Json] = {key: fmean(one[key] for _, one in ratings) for key in DIMENSIONS}
    words = [one.text for one in utterances_between(session.study, home.id, *span)]
    made_from: list[Json] = [home.id, *span, who, scores, [*words]]
    return Candidate(
        About(Subject.RECORDING, home.id, who).key,
        home.id,
        home.collection_id,
        *span,
        hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:16],
        {
            "person": who,
            "truth": {KEY: mean},
            "traits": {RATINGS: scores, "raters": len(ratings), "kind": source, "collection": home.collection_id},
        },
    )


def _scores(values: dict[str, Json]) -> dict[str, float]:
    found: dict[str, float] = {}
    for key in DIMENSIONS:
        value = values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = value
    return found
