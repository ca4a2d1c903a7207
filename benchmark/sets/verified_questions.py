"""Candidates from verified questions: those from chains, hand-written ones, and those of ESI-Bench."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from graphlib import CycleError

from benchmark.disclosure.cast_names import find_named
from benchmark.items.candidates import CandidatePool, ItemCandidate
from benchmark.items.sampling import SamplingOptions
from benchmark.prompts.judge_prompt import PromptSubject
from benchmark.prompts.question_prompts import question_problem
from benchmark.questions.chain_consistency import chain_coverage
from benchmark.questions.question_edits import content_state
from benchmark.questions.question_validity import SINGLE_STEP
from benchmark.questions.verification import VerificationItem, VerificationState, read_items
from benchmark.sets.agreed_segments import TranscriptChecksums, checksum
from benchmark.tasks.question_task import SUBCHAINS
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import LETTERS, Question, QuestionKind, question_to_json
from project.entities.study_records import Json
from project.queries.question_rows import person_descriptions
from project.queries.recording_rows import all_recordings, present_participants
from project.session.session import PerState, Session

EXCLUSION_REASONS = {
    VerificationState.OPEN: "nobody verified it",
    VerificationState.ONCE: "one person alone verified it",
    VerificationState.DISPUTED: "those who verified it disagree",
    VerificationState.DROPPED: "dropped by those who verified it",
}
STALE = "its chain was edited since it was made"
MULTI_STEP = "over several steps, which no published figure counts"
UNGROUNDED = "ungrounded"
"""Trait of a question that names somebody whose looks the study does not describe."""
AMBIGUOUS_OPTIONS = "its options cannot be told apart"


def _read_pool(session: Session, _options: SamplingOptions, kinds: tuple[QuestionKind, ...]) -> CandidatePool:
    known = _POOLS.get(session)
    if kinds not in known:
        known[kinds] = _gather_pool(session, kinds)
    return known[kinds]


chain_pool = partial(_read_pool, kinds=(*SINGLE_STEP, QuestionKind.STEPS))
"""Returns the verified questions of chains, with the subchains that each belongs to."""
written_pool = partial(_read_pool, kinds=(QuestionKind.WRITTEN,))
"""Returns the verified questions that people wrote."""
esi_pool = partial(_read_pool, kinds=(QuestionKind.ESI,))
"""Returns the verified questions of the five dimensions."""
_POOLS: PerState[dict[tuple[QuestionKind, ...], CandidatePool]] = PerState(lambda _session: {})


def _gather_pool(session: Session, kinds: tuple[QuestionKind, ...]) -> CandidatePool:
    left_out: Counter[str] = Counter()
    chosen: list[VerificationItem] = []
    for item in read_items(session):
        if item.question.kind not in kinds:
            continue
        reason = _exclusion_reason(session, item)
        if reason:
            left_out[reason] += 1
        else:
            chosen.append(item)
    belongs = _question_subchains(chosen)
    states = TranscriptChecksums(session)
    homes = {recording.id: recording.collection_id for recording in all_recordings(session.study)}
    looks = {
        recording_id: _Looks(session, recording_id) for recording_id in {item.question.recording_id for item in chosen}
    }
    candidates = [
        _candidate(item, homes[item.question.recording_id], belongs, states, looks[item.question.recording_id])
        for item in chosen
    ]
    return CandidatePool(tuple(candidates), dict(left_out))


def _exclusion_reason(session: Session, verification_item: VerificationItem) -> str:
    if verification_item.question.kind is QuestionKind.STEPS:
        return MULTI_STEP
    if verification_item.state is not VerificationState.VERIFIED:
        return EXCLUSION_REASONS[verification_item.state]
    if verification_item.stale:
        return STALE
    item = PromptSubject(session.scheme, session.scheme.tracks[0].key, question=verification_item.question)
    return AMBIGUOUS_OPTIONS if question_problem(item) else ""


def _question_subchains(chosen: list[VerificationItem]) -> dict[str, dict[str, Json]]:
    """Return question id -> result of each of its subchains -> number of questions of that subchain."""
    found: dict[str, dict[str, Json]] = {}
    graphs = {item.graph.chain.id: item.graph for item in chosen if item.graph is not None}
    by_chain: dict[str, list[VerificationItem]] = {}
    for item in chosen:
        by_chain.setdefault(item.question.chain_id or "", []).append(item)
    for chain, graph in graphs.items():
        try:
            covered = chain_coverage(graph, (item.question for item in by_chain[chain]))
        except CycleError:
            continue
        for result, ids in sorted(covered.subchains.items()):
            for question_id in ids:
                found.setdefault(question_id, {})[result] = len(ids)
    return found


class _Looks:
    """What the study says of the looks of people in one recording."""

    def __init__(self, session: Session, recording_id: str) -> None:
        self._names = {person.id: person.pseudonym for person in present_participants(session.study, recording_id)}
        self._texts: dict[str, list[str]] = {}
        for person_description in person_descriptions(session.study, recording_id):
            self._texts.setdefault(person_description.participant_id, []).append(person_description.text)

    def describe_named(self, question: Question) -> dict[str, list[str]]:
        """Return the participants whom a question names, with what is said of their looks."""
        named = find_named(self._names, (question.text, *question.options))
        return {who: self._texts.get(who, []) for who in named}


def _candidate(
    item: VerificationItem,
    collection_id: str,
    belongs: Mapping[str, dict[str, Json]],
    states: TranscriptChecksums,
    looks: _Looks,
) -> ItemCandidate:
    question = item.question
    traits: dict[str, Json] = {
        "collection": collection_id,
        "kind": question.kind.value,
        "question": question.id,
        "labels": [*LETTERS[: len(question.options)]],
    }
    named = looks.describe_named(question)
    if not all(named.values()):
        traits[UNGROUNDED] = True
    if question.aspect:
        traits["aspect"] = question.aspect
    if question.id in belongs and item.graph is not None:
        traits |= {
            "chain": item.graph.chain.id,
            "steps": item.graph.longest_path_length,
            SUBCHAINS: belongs[question.id],
        }
    place = question.recording_id, question.start_us, question.end_us
    return ItemCandidate(
        JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key,
        question.recording_id,
        collection_id,
        question.start_us,
        question.end_us,
        f"{content_state(question)}.{states.checksum(*place)}.{checksum([named])[:8]}",
        {
            "question": question_to_json(question),
            "truth": {"answer": {"answer": question.correct_letter}},
            "traits": traits,
        },
    )
