"""Candidates from ratings: statements and explanations of SocialNLI, and participants rated as in SOTOPIA."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from benchmark.items.candidates import CandidatePool, ItemCandidate
from benchmark.items.sampling import SamplingOptions
from benchmark.metrics.published_figures import DIMENSIONS
from benchmark.metrics.published_figures import SCHEME as DIMENSIONS_SCHEME
from benchmark.metrics.ratings import as_number
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK
from benchmark.prompts.statement_prompts import (
    EXPLANATION,
    MAX_SCORE,
    NLI_HYPOTHESIS_TASK,
    NLI_LIKELIHOOD_TASK,
    NLI_PLAUSIBILITY_TASK,
    PLAUSIBILITY,
    SCHEME,
    SCORE_KEY,
    STANCE_KEY,
    STATEMENT,
)
from benchmark.questions.question_validity import gist
from benchmark.sets.agreed_segments import TranscriptChecksums, checksum
from benchmark.tasks.episode_rating_task import RATINGS_TRAIT
from benchmark.tasks.statement_task import AUTHOR, OPPOSE, PEOPLE, SUPPORT, SocialNliTask
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.study_records import Json, Recording, Segment
from project.queries.annotator_rows import all_annotators
from project.queries.episode_rows import all_episodes
from project.queries.item_set_rows import all_sets, answers_of, benchmark_runs, items_of
from project.queries.judgment_rows import find_judgments
from project.queries.recording_rows import all_recordings, present_participants
from project.queries.segment_rows import valued_segments
from project.queries.transcript_rows import utterances_between
from project.session.session import Session

UNRATED = "nobody has rated it"
NO_STATEMENT = "it has no statement"
NO_EXPLANATION = "nobody explained the rating"
FOR, AGAINST = "The statement is true.", "The statement is false."
"""The claim of an explanation, as it is shown."""
_NEUTRAL_SCORE = 5
"""Score of a neutral reason: with it, the posterior equals the other score."""


_NO_OPTIONS = SamplingOptions()


@dataclass(frozen=True, slots=True)
class _StatementRating:
    """The rating of a statement by one person."""

    segment: Segment
    statement: str
    plausibility: float | None
    explanation: str


def statement_pool(session: Session, _options: SamplingOptions = _NO_OPTIONS) -> CandidatePool:
    """Return a candidate for each statement that people rated; its truth is their mean, to one decimal.

    Ratings of the same statement about the same recording are combined (SocialNLI, appendix B.2).
    """
    left_out: Counter[str] = Counter()
    found = []
    homes, checksums = _collections(session), TranscriptChecksums(session)
    for group in _group_statements(session, left_out):
        rated = [rating for rating in group if rating.plausibility is not None]
        if not rated:
            left_out[UNRATED] += 1
            continue
        plausible = round(fmean(rating.plausibility or 0.0 for rating in rated) / 100, 1)
        because = next((rating.explanation for rating in rated if rating.explanation), FOR)
        score: Json = round(MAX_SCORE * plausible)
        truth: dict[str, Json] = {
            NLI_PLAUSIBILITY_TASK: {PLAUSIBILITY: round(100 * plausible)},
            SUPPORT: {EXPLANATION: because},
            OPPOSE: {EXPLANATION: because},
            f"{NLI_LIKELIHOOD_TASK}/{SUPPORT}": {SCORE_KEY: score},
            f"{NLI_LIKELIHOOD_TASK}/{OPPOSE}": {SCORE_KEY: _NEUTRAL_SCORE},
            f"{NLI_HYPOTHESIS_TASK}/{OPPOSE}": {SCORE_KEY: _NEUTRAL_SCORE},
        }
        traits: dict[str, Json] = {"kind": group[0].segment.label, "raters": len(rated)}
        found.append(_statement_candidate(group, homes, checksums, {STATEMENT: group[0].statement}, traits, truth))
    return CandidatePool(tuple(found), dict(left_out))


def explanation_pool(session: Session, _options: SamplingOptions = _NO_OPTIONS) -> CandidatePool:
    """Return a candidate for each explanation, of people who rated a statement and of judges in runs of `socialnli`."""
    left_out: Counter[str] = Counter()
    homes, checksums = _collections(session), TranscriptChecksums(session)
    found = []
    for group in _group_statements(session, left_out):
        for rating in group:
            if rating.plausibility is None or not rating.explanation:
                left_out[NO_EXPLANATION] += 1
                continue
            stance = FOR if rating.plausibility >= 50 else AGAINST
            facts: dict[str, Json] = {
                STATEMENT: rating.statement,
                EXPLANATION: rating.explanation,
                STANCE_KEY: stance,
            }
            traits: dict[str, Json] = {AUTHOR: PEOPLE, "kind": rating.segment.label}
            found.append(_statement_candidate([rating], homes, checksums, facts, traits, {}))
    found += _judge_explanations(session, homes)
    return CandidatePool(tuple(found), dict(left_out))


def _collections(session: Session) -> dict[str, str]:
    """Return recording -> its collection."""
    return {recording.id: recording.collection_id for recording in all_recordings(session.study)}


def _judge_explanations(session: Session, homes: Mapping[str, str]) -> Iterator[ItemCandidate]:
    """Yield the reasons of judges for and against the statements of frozen sets, without duplicates."""
    seen: set[tuple[str, str, str, str]] = set()
    for item_set in all_sets(session.study):
        if item_set.task != SocialNliTask.key:
            continue
        items = {item.id: item for item in items_of(session.study, item_set.id)}
        for run in benchmark_runs(session.study, item_set.id):
            if run.annotator_id is not None:
                continue
            author = str(run.judge.get("name", run.judge_id))
            asked = [answer for answer in answers_of(session.study, run.id) if answer.part in (SUPPORT, OPPOSE)]
            judgments = find_judgments(session.study, [answer.judgment_id for answer in asked])
            said = {judgment.id: judgment for judgment in judgments}
            for answer in asked:
                item, text = items.get(answer.item_id), _explanation_text(said.get(answer.judgment_id))
                if item is None or item.recording_id not in homes:
                    # The set still has items of deleted recordings.
                    continue
                key = (author, item.about, answer.part, text)
                if text and key not in seen:
                    seen.add(key)
                    yield _judge_candidate(item, author, answer.part, text, homes[item.recording_id])


def _judge_candidate(item: FrozenItem, author: str, task: str, text: str, home: str) -> ItemCandidate:
    before = item.content.get("facts")
    statement = before.get(STATEMENT, "") if isinstance(before, dict) else ""
    stance = FOR if task == SUPPORT else AGAINST
    facts: dict[str, Json] = {STATEMENT: statement, EXPLANATION: text, STANCE_KEY: stance}
    traits: dict[str, Json] = {AUTHOR: author, "kind": item.content.get("label", ""), "collection": home}
    content = {key: item.content[key] for key in ("scheme", "track", "label") if key in item.content}
    content |= {"facts": facts, "truth": {}, "traits": traits}
    made_from = checksum([item.made_from, facts])
    return ItemCandidate(item.about, item.recording_id, home, item.start_us, item.end_us, made_from, content)


def _explanation_text(said: Judgment | None) -> str:
    return _clean_text(said.answer.get(EXPLANATION)) if said is not None and said.status is JudgmentStatus.OK else ""


def _group_statements(session: Session, left_out: Counter[str]) -> Iterator[list[_StatementRating]]:
    """Yield the ratings of each statement, by recording; counts what cannot be used."""
    study = session.study
    people = {annotator.id for annotator in all_annotators(study) if annotator.kind != "model"}
    groups: dict[tuple[str, str], list[_StatementRating]] = {}
    for segment, values in sorted(valued_segments(study, SCHEME), key=lambda row: row[0].id):
        statement = _clean_text(values.get(STATEMENT))
        if segment.annotator_id not in people:
            continue
        if not statement:
            left_out[NO_STATEMENT] += 1
            continue
        number = as_number(values.get(PLAUSIBILITY))
        rated = _StatementRating(segment, statement, number, _clean_text(values.get(EXPLANATION)))
        groups.setdefault((segment.recording_id, gist(statement)), []).append(rated)
    yield from groups.values()


def _statement_candidate(
    group: list[_StatementRating],
    homes: Mapping[str, str],
    checksums: TranscriptChecksums,
    facts: dict[str, Json],
    traits: dict[str, Json],
    truth: dict[str, Json],
) -> ItemCandidate:
    segment = group[0].segment
    home = homes[segment.recording_id]
    content: dict[str, Json] = {
        **{"scheme": segment.scheme, "track": segment.track, "label": segment.label, "facts": facts, "truth": truth},
        "traits": {**traits, "collection": home},
    }
    said: list[Json] = [[rating.segment.id, rating.plausibility, rating.explanation] for rating in group]
    span = segment.start_us, segment.end_us
    return ItemCandidate(
        *(segment.id, segment.recording_id, home, *span),
        checksum([facts, said, *span, checksums.checksum(segment.recording_id, *span)]),
        content,
    )


def _clean_text(said: Json | None) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


NO_PARTICIPANT = "nobody is said to be rated"
NOT_A_PARTICIPANT = "who is rated takes no part in the recording"
INCOMPLETE = "a dimension is missing"
_PARTICIPANT_FIELD = "participant"
_ScoredSegment = tuple[Segment, dict[str, float]]


def rating_pool(session: Session, _options: SamplingOptions = _NO_OPTIONS) -> CandidatePool:
    """Return a candidate for each participant and span that people rated on all seven dimensions.

    Ratings of the same span are combined; the truth is their mean, by dimension.
    """
    study = session.study
    recordings = {recording.id: recording for recording in all_recordings(study)}
    participants = {key: {participant.id for participant in present_participants(study, key)} for key in recordings}
    sources = {episode.recording_id: episode.source.value for episode in all_episodes(study)}
    left_out: Counter[str] = Counter()
    given: dict[tuple[str, int, int, str], list[_ScoredSegment]] = {}
    for segment, values in sorted(valued_segments(study, DIMENSIONS_SCHEME), key=lambda row: row[0].id):
        who = values.get(_PARTICIPANT_FIELD)
        scores = {key: score for key in DIMENSIONS if (score := as_number(values.get(key))) is not None}
        if not isinstance(who, str) or not who:
            left_out[NO_PARTICIPANT] += 1
        elif who not in participants[segment.recording_id]:
            left_out[NOT_A_PARTICIPANT] += 1
        elif len(scores) < len(DIMENSIONS):
            left_out[INCOMPLETE] += 1
        else:
            given.setdefault((segment.recording_id, segment.start_us, segment.end_us, who), []).append(
                (segment, scores)
            )
    numbers = {key: recording.number for key, recording in recordings.items()}
    ordered = sorted(given.items(), key=lambda entry: (numbers[entry[0][0]], entry[0][1:]))
    found = [
        _rating_candidate(session, recordings[place], (start_us, end_us), who, ratings, sources.get(place, "recording"))
        for (place, start_us, end_us, who), ratings in ordered
    ]
    return CandidatePool(tuple(found), dict(left_out))


def _rating_candidate(
    session: Session, home: Recording, span: tuple[int, int], who: str, ratings: list[_ScoredSegment], source: str
) -> ItemCandidate:
    scores: dict[str, Json] = {key: [entry[key] for _, entry in ratings] for key in DIMENSIONS}
    mean: dict[str, Json] = {key: fmean(entry[key] for _, entry in ratings) for key in DIMENSIONS}
    words = [utterance.text for utterance in utterances_between(session.study, home.id, *span)]
    made_from: list[Json] = [home.id, *span, who, scores, [*words]]
    return ItemCandidate(
        JudgmentTarget(JudgmentTargetKind.RECORDING, home.id, who).key,
        home.id,
        home.collection_id,
        *span,
        checksum(made_from),
        {
            "person": who,
            "truth": {EPISODE_RATINGS_TASK: mean},
            "traits": {RATINGS_TRAIT: scores, "raters": len(ratings), "kind": source, "collection": home.collection_id},
        },
    )
