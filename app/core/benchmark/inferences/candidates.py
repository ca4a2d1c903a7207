"""What of a study can become an item about a statement: what people rated, and what explanations there are."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from app.core.benchmark.sets.words import Words
from app.core.session import Session
from benchmark.items.base import Candidate, Pool
from benchmark.questions.validity import gist
from benchmark.suite.socialnli import AUTHOR, OPPOSE, PEOPLE, SUPPORT, SocialNli
from benchmark.tasks.nli import EXPLANATION, PLAUSIBILITY, SCHEME, STATEMENT
from benchmark.tasks.nli_fact import STANCE
from benchmark.tasks.nli_likelihood import KEY as LIKELIHOOD
from benchmark.tasks.nli_likelihood import MOST, SCORE
from benchmark.tasks.nli_plausibility import KEY as DIRECT
from project.item_sets import FrozenItem
from project.judging import Judgment, JudgmentStatus
from project.queries.annotators import all_annotators
from project.queries.item_sets import all_sets, answers_of, benchmark_runs, items_of
from project.queries.judgments import judgments_called
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.queries.segments import segments_under, values_of
from project.types import Json, Segment

UNRATED = "nobody has rated it"
UNSAID = "it has no statement"
UNEXPLAINED = "nobody explained the rating"
FOR, AGAINST = "The statement is true.", "The statement is false."
"""What an explanation is for, as it is told."""
_EVEN = 5
"""Score of a reason that says nothing: with it, the posterior is the other score."""


@dataclass(frozen=True, slots=True)
class _Rated:
    """What one person says about a statement."""

    segment: Segment
    statement: str
    plausibility: float | None
    explanation: str


class _Homes:
    """The recordings: which collection they are of, and what is said in them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._roles = {one.id: one.role for one in all_participants(session.study)}
        self._words: dict[str, Words] = {}
        self.collection = {one.id: one.collection_id for one in all_recordings(session.study)}

    def state(self, one: Segment) -> str:
        """Return a checksum of what is said in a segment."""
        if one.recording_id not in self._words:
            self._words[one.recording_id] = Words(self._session, one.recording_id, self._roles)
        return self._words[one.recording_id].state(one.start_us, one.end_us)


def statement_candidates(session: Session) -> Pool:
    """Return a candidate for each statement that people rated; its truth is their mean, to one decimal.

    The same statement about the same recording is one, whoever rated it (SocialNLI, appendix B.2).
    """
    left_out: Counter[str] = Counter()
    found = []
    homes = _Homes(session)
    for group in _statements(session, left_out):
        rated = [one for one in group if one.plausibility is not None]
        if not rated:
            left_out[UNRATED] += 1
            continue
        plausible = round(fmean(one.plausibility or 0.0 for one in rated) / 100, 1)
        because = next((one.explanation for one in rated if one.explanation), FOR)
        score: Json = round(MOST * plausible)
        truth: dict[str, Json] = {
            DIRECT: {PLAUSIBILITY: round(100 * plausible)},
            SUPPORT: {EXPLANATION: because},
            OPPOSE: {EXPLANATION: because},
            f"{LIKELIHOOD}/{SUPPORT}": {SCORE: score},
            f"{LIKELIHOOD}/{OPPOSE}": {SCORE: _EVEN},
        }
        traits: dict[str, Json] = {"kind": group[0].segment.label, "raters": len(rated)}
        found.append(_candidate(group, homes, {STATEMENT: group[0].statement}, traits, truth))
    return Pool(tuple(found), dict(left_out))


def explanation_candidates(session: Session) -> Pool:
    """Return a candidate for each explanation, of people who rated a statement and of judges in runs of `socialnli`."""
    left_out: Counter[str] = Counter()
    homes = _Homes(session)
    found = []
    for group in _statements(session, left_out):
        for one in group:
            if one.plausibility is None or not one.explanation:
                left_out[UNEXPLAINED] += 1
                continue
            stance = FOR if one.plausibility >= 50 else AGAINST
            facts: dict[str, Json] = {STATEMENT: one.statement, EXPLANATION: one.explanation, STANCE: stance}
            found.append(_candidate([one], homes, facts, {AUTHOR: PEOPLE, "kind": one.segment.label}, {}))
    found += _of_judges(session, homes)
    return Pool(tuple(found), dict(left_out))


def _of_judges(session: Session, homes: _Homes) -> Iterator[Candidate]:
    """Yield what judges said for and against the statements of frozen sets, each answer once."""
    seen: set[tuple[str, str, str, str]] = set()
    for item_set in all_sets(session.study):
        if item_set.task != SocialNli.key:
            continue
        items = {one.id: one for one in items_of(session.study, item_set.id)}
        for run in benchmark_runs(session.study, item_set.id):
            if run.annotator_id is not None:
                continue
            author = str(run.judge.get("name", run.judge_id))
            asked = [one for one in answers_of(session.study, run.id) if one.part in (SUPPORT, OPPOSE)]
            said = {one.id: one for one in judgments_called(session.study, [one.judgment_id for one in asked])}
            for one in asked:
                item, text = items.get(one.item_id), _explained(said.get(one.judgment_id))
                if item is None or item.recording_id not in homes.collection:
                    # A recording that was deleted is still in the set.
                    continue
                key = (author, item.about, one.part, text)
                if text and key not in seen:
                    seen.add(key)
                    yield _by_judge(item, author, one.part, text, homes.collection[item.recording_id])


def _by_judge(item: FrozenItem, author: str, task: str, text: str, home: str) -> Candidate:
    before = item.content.get("facts")
    statement = before.get(STATEMENT, "") if isinstance(before, dict) else ""
    stance = FOR if task == SUPPORT else AGAINST
    facts: dict[str, Json] = {STATEMENT: statement, EXPLANATION: text, STANCE: stance}
    traits: dict[str, Json] = {AUTHOR: author, "kind": item.content.get("label", ""), "collection": home}
    content = {key: item.content[key] for key in ("scheme", "track", "label") if key in item.content}
    content |= {"facts": facts, "truth": {}, "traits": traits}
    made_from = _checksum([item.made_from, facts])
    return Candidate(item.about, item.recording_id, home, item.start_us, item.end_us, made_from, content)


def _explained(said: Judgment | None) -> str:
    text = said.answer.get(EXPLANATION) if said is not None and said.status is JudgmentStatus.OK else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def _statements(session: Session, left_out: Counter[str]) -> Iterator[list[_Rated]]:
    """Yield what people say about each statement, by recording; counts what cannot be used."""
    study = session.study
    people = {one.id for one in all_annotators(study) if one.kind != "model"}
    groups: dict[tuple[str, str], list[_Rated]] = {}
    for one in sorted(segments_under(study, SCHEME), key=lambda each: each.id):
        values = {key: value.value for key, value in values_of(study, one.id, SCHEME).items()}
        statement = _text(values.get(STATEMENT))
        if one.annotator_id not in people:
            continue
        if not statement:
            left_out[UNSAID] += 1
            continue
        rating = values.get(PLAUSIBILITY)
        number = float(rating) if isinstance(rating, int | float) and not isinstance(rating, bool) else None
        rated = _Rated(one, statement, number, _text(values.get(EXPLANATION)))
        groups.setdefault((one.recording_id, gist(statement)), []).append(rated)
    yield from groups.values()


def _candidate(
    group: list[_Rated],
    homes: _Homes,
    facts: dict[str, Json],
    traits: dict[str, Json],
    truth: dict[str, Json],
) -> Candidate:
    one = group[0].segment
    home = homes.collection[one.recording_id]
    content: dict[str, Json] = {
        **{"scheme": one.scheme, "track": one.track, "label": one.label, "facts": facts, "truth": truth},
        "traits": {**traits, "collection": home},
    }
    said: list[Json] = [[each.segment.id, each.plausibility, each.explanation] for each in group]
    span = one.start_us, one.end_us
    return Candidate(one.id, one.recording_id, home, *span, _checksum([facts, said, *span, homes.state(one)]), content)


def _text(said: Json | None) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


def _checksum(of: Json) -> str:
    return hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:16]
