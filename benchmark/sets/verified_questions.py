"""Verified questions as candidates for items: those of chains, those that people wrote, and those of ESI-Bench."""

from collections import Counter
from collections.abc import Mapping
from graphlib import CycleError

from benchmark.items.candidates import CandidatePool, ItemCandidate
from benchmark.items.sampling import SamplingOptions
from benchmark.prompts.judge_prompt import PromptSubject
from benchmark.prompts.question_prompts import question_problem
from benchmark.questions.chain_consistency import chain_coverage
from benchmark.questions.question_edits import content_state
from benchmark.questions.question_validity import SINGLE_STEP
from benchmark.questions.verification import VerificationItem, VerificationState, read_items
from benchmark.sets.agreed_segments import RecordingTranscript
from benchmark.tasks.question_task import SUBCHAINS
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import LETTERS, QuestionKind, question_to_json
from project.entities.study_records import Json
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import PerState, Session

EXCLUSION_REASONS = {
    VerificationState.OPEN: "nobody verified it",
    VerificationState.ONCE: "one person alone verified it",
    VerificationState.DISPUTED: "those who verified it disagree",
    VerificationState.DROPPED: "dropped by those who verified it",
}
STALE = "its chain was edited since it was made"
MULTI_STEP = "over several steps, which no published figure counts"
AMBIGUOUS_OPTIONS = "its options cannot be told apart"


def chain_pool(session: Session, wishes: SamplingOptions) -> CandidatePool:  # noqa: ARG001
    """Return the verified questions of chains, with the subchains that each belongs to."""
    return _read_pool(session, (*SINGLE_STEP, QuestionKind.STEPS))


def written_pool(session: Session, wishes: SamplingOptions) -> CandidatePool:  # noqa: ARG001
    """Return the verified questions that people wrote."""
    return _read_pool(session, (QuestionKind.WRITTEN,))


def esi_pool(session: Session, wishes: SamplingOptions) -> CandidatePool:  # noqa: ARG001
    """Return the verified questions of the five dimensions."""
    return _read_pool(session, (QuestionKind.ESI,))


def _read_pool(session: Session, kinds: tuple[QuestionKind, ...]) -> CandidatePool:
    known = _POOLS.of(session)
    if kinds not in known:
        known[kinds] = _gather_pool(session, kinds)
    return known[kinds]


_POOLS: PerState[dict[tuple[QuestionKind, ...], CandidatePool]] = PerState(lambda _session: {})


def _gather_pool(session: Session, kinds: tuple[QuestionKind, ...]) -> CandidatePool:
    left_out: Counter[str] = Counter()
    chosen: list[VerificationItem] = []
    for one in read_items(session):
        if one.question.kind not in kinds:
            continue
        reason = _exclusion_reason(session, one)
        if reason:
            left_out[reason] += 1
        else:
            chosen.append(one)
    belongs = _question_subchains(chosen)
    states = _States(session)
    homes = {one.id: one.collection_id for one in all_recordings(session.study)}
    candidates = [_candidate(one, homes[one.question.recording_id], belongs, states) for one in chosen]
    return CandidatePool(tuple(candidates), dict(left_out))


def _exclusion_reason(session: Session, one: VerificationItem) -> str:
    if one.question.kind is QuestionKind.STEPS:
        return MULTI_STEP
    if one.standing is not VerificationState.VERIFIED:
        return EXCLUSION_REASONS[one.standing]
    if one.stale:
        return STALE
    item = PromptSubject(session.scheme, session.scheme.tracks[0].key, question=one.question)
    return AMBIGUOUS_OPTIONS if question_problem(item) else ""


def _question_subchains(chosen: list[VerificationItem]) -> dict[str, dict[str, Json]]:
    """Return question id -> the result of each subchain that it belongs to -> questions of that subchain."""
    found: dict[str, dict[str, Json]] = {}
    graphs = {one.graph.chain.id: one.graph for one in chosen if one.graph is not None}
    by_chain: dict[str, list[VerificationItem]] = {}
    for one in chosen:
        by_chain.setdefault(one.question.chain_id or "", []).append(one)
    for chain, graph in graphs.items():
        try:
            covered = chain_coverage(graph, (one.question for one in by_chain[chain]))
        except CycleError:
            continue
        for result, ids in sorted(covered.subchains.items()):
            for each in ids:
                found.setdefault(each, {})[result] = len(ids)
    return found


class _States:
    """Checksums of what is told with questions; many are about the same stretch."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._roles = {one.id: one.role for one in all_participants(session.study)}
        self._words: dict[str, RecordingTranscript] = {}
        self._known: dict[tuple[str, int, int], str] = {}

    def of(self, place: tuple[str, int, int]) -> str:
        """Return the checksum of the words of a stretch: recording, start, end."""
        if place not in self._known:
            home, start, end = place
            if home not in self._words:
                self._words[home] = RecordingTranscript(self._session, home, self._roles)
            self._known[place] = self._words[home].state(start, end)
        return self._known[place]


def _candidate(
    one: VerificationItem, collection_id: str, belongs: Mapping[str, dict[str, Json]], states: _States
) -> ItemCandidate:
    question = one.question
    traits: dict[str, Json] = {
        "collection": collection_id,
        "kind": question.kind.value,
        "question": question.id,
        "labels": [*LETTERS[: len(question.options)]],
    }
    if question.aspect:
        traits["aspect"] = question.aspect
    if question.id in belongs and one.graph is not None:
        traits |= {"chain": one.graph.chain.id, "steps": one.graph.steps, SUBCHAINS: belongs[question.id]}
    place = question.recording_id, question.start_us, question.end_us
    return ItemCandidate(
        JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key,
        question.recording_id,
        collection_id,
        question.start_us,
        question.end_us,
        f"{content_state(question)}.{states.of(place)}",
        {
            "question": question_to_json(question),
            "truth": {"answer": {"answer": question.letter}},
            "traits": traits,
        },
    )
