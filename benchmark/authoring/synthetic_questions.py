"""Adds verified questions to a synthetic study, so that every task can be tried.

They are made by rules, as ESI questions and as written ones.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmark.authoring.rule_questions import build_rule_questions
from benchmark.prompts.recording_prompts import DIMENSIONS, ESI_OPTION_COUNT
from benchmark.questions.question_edits import content_state
from benchmark.questions.question_validity import OPTION_COUNT
from project.entities.questions import (
    CHECKLIST_KEYS,
    DIFFICULTIES,
    Maker,
    Question,
    QuestionKind,
    Verification,
    VerificationDecision,
    WrongOption,
)
from project.entities.study_records import Annotator
from project.progress import Progress
from project.queries.annotator_rows import all_annotators, insert_annotator
from project.queries.chain_rows import all_chains
from project.queries.question_rows import insert_questions, set_verification
from project.session.session import Session
from project.synthetic.synthetic_phrases import InventedIds
from project.synthetic.synthetic_segments import REVIEW_TIME

WRITER_NAME = "Question writer"
"""Author of the written questions; authors do not count among the two verifiers that a question needs."""
_DROPPED, _DISPUTED = 0.02, 0.03
_MAX_PER_KIND = 200
"""Upper limit of ESI questions and of written ones; otherwise there is one of each per recording."""
_EXPLANATION = "It is what happens right after these words."
_QUESTION_TEMPLATES = {
    "IFA": "{who} says: “{said}” What is the agent's answer for?",
    "BRI": "Why does the agent answer {who}, who says “{said}”, in this way?",
    "EBR": "“{said}”, says {who}. How does the agent deal with the feeling behind it?",
    "EBA": "Which behaviour of the agent matters most to {who} after “{said}”?",
    "IDC": "Which way do things take between {who} and the agent after “{said}”?",
}


@dataclass(frozen=True, slots=True)
class _MarkedMoment:
    """A marked span with an utterance in it and the rationale of an annotator."""

    recording_id: str
    start_us: int
    end_us: int
    label: str
    speaker: str
    utterance: str
    rationale: str


def add_synthetic_questions(session: Session, seed: int, progress: Progress) -> int:
    """Add questions and their verifications, outside the history; returns how many questions.

    Raises:
        Cancelled: the user stopped it; no question is there.
    """
    rng = random.Random(f"{seed} questions")
    new_id = InventedIds(rng).new
    study = session.study
    people = [annotator.id for annotator in all_annotators(study)][:2]
    made = build_rule_questions(session, seed=seed, progress=progress)[0] if all_chains(study) else []
    writer = Annotator(new_id(), WRITER_NAME)
    moments = _read_moments(session)
    rng.shuffle(moments)
    written = _questions_about(moments, QuestionKind.ESI, people[0], rng) + _questions_about(
        moments, QuestionKind.WRITTEN, writer.id, rng
    )
    questions = [
        replace(question, id=new_id(), annotator_id=question.annotator_id or people[0], at=REVIEW_TIME)
        for question in made + written
    ]
    with study.without_history():
        insert_annotator(study, writer)
        insert_questions(study, questions)
        for question in questions:
            for verification in _verifications(question, people, writer.id, rng):
                set_verification(study, verification)
    return len(questions)


def _read_moments(session: Session) -> list[_MarkedMoment]:
    rows = session.study.rows(
        "SELECT s.recording_id, s.start_us, s.end_us, s.label, p.pseudonym, u.text, json_extract(v.value, '$') "
        "FROM segment s JOIN segment_value v ON v.segment_id = s.id AND v.field = 'rationale' "
        "JOIN utterance u ON u.recording_id = s.recording_id AND u.start_us >= s.start_us AND u.end_us <= s.end_us "
        "JOIN participant p ON p.id = u.participant_id AND p.role = 'user' ORDER BY s.id, u.start_us"
    )
    return [_MarkedMoment(*row) for row in rows]


def _questions_about(
    moments: Sequence[_MarkedMoment], kind: QuestionKind, author: str, rng: random.Random
) -> list[Question]:
    """Return questions of a kind, one for each of some moments; wrong options are rationales of others."""
    found: list[Question] = []
    count = ESI_OPTION_COUNT if kind is QuestionKind.ESI else OPTION_COUNT
    used_recordings: set[str] = set()
    for moment in moments:
        if moment.recording_id in used_recordings or len(found) == _MAX_PER_KIND:
            continue
        distractors = _distractors(moment, moments, count - 1, rng)
        if len(distractors) < count - 1:
            continue
        used_recordings.add(moment.recording_id)
        dimension = [*DIMENSIONS][len(found) % len(DIMENSIONS)]
        aspect = dimension if kind is QuestionKind.ESI else ""
        text = _QUESTION_TEMPLATES[dimension].format(who=moment.speaker, said=moment.utterance)
        found.append(
            Question(
                id="",
                recording_id=moment.recording_id,
                chain_id=None,
                kind=kind,
                aspect=aspect,
                covers=(),
                made_from="",
                start_us=moment.start_us,
                end_us=moment.end_us,
                text=text,
                answer=moment.rationale,
                wrong=tuple(map(WrongOption, distractors)),
                explanation=_EXPLANATION,
                seed=rng.randrange(1 << 30),
                place=rng.randrange(count),
                maker=Maker.PERSON,
                annotator_id=author,
                judgment_id="",
                at=REVIEW_TIME,
            )
        )
    return found


def _distractors(moment: _MarkedMoment, moments: Sequence[_MarkedMoment], count: int, rng: random.Random) -> list[str]:
    texts = {
        other.rationale for other in rng.sample(moments, min(len(moments), 8 * count)) if other.label == moment.label
    }
    return sorted(texts - {moment.rationale})[:count]


def _verifications(
    question: Question, people: Sequence[str], writer: str, rng: random.Random
) -> Iterator[Verification]:
    """Yield verifications of a question: most keep it, some drop it or disagree."""
    fate = rng.random()
    dropping = {*people} if fate < _DROPPED else {*people[1:]} if fate < _DROPPED + _DISPUTED else set()
    checklist = "esi" if question.kind is QuestionKind.ESI else "chain"
    label = rng.choice(DIFFICULTIES) if question.kind is QuestionKind.ESI else ""
    verifiers = [*people, writer] if question.kind is QuestionKind.WRITTEN else people
    keep, drop = VerificationDecision.KEEP, VerificationDecision.DROP
    checks = CHECKLIST_KEYS[checklist]
    for who in verifiers:
        decision, holding = (drop, checks[:2]) if who in dropping else (keep, checks)
        yield Verification(
            question.id, who, decision, checklist, holding, label, "", content_state(question), REVIEW_TIME
        )
