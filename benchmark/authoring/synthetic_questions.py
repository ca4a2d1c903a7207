"""Questions of an invented study, verified by its annotators: by rules from its chains, ESI ones, and written ones.

They fill a study that `project.synthetic.synthetic_study.fill_whole` made, so that there is something to try every task on.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmark.authoring.rule_questions import build_rule_questions
from benchmark.prompts.recording_prompts import DIMENSIONS
from benchmark.prompts.recording_prompts import ESI_OPTION_COUNT as ESI_OPTIONS
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
"""Who wrote the written questions; their word does not count among the two that a question needs."""
_DROPPED, _DISPUTED = 0.02, 0.03
_MAX_PER_KIND = 200
"""ESI questions at most, and written ones: as many of each as there are recordings below that."""
_EXPLANATION = "It is what happens right after these words."
_QUESTION_TEMPLATES = {
    "IFA": "{who} says: “{said}” What is the agent's answer for?",
    "BRI": "Why does the agent answer {who}, who says “{said}”, in this way?",
    "EBR": "“{said}”, says {who}. How does the agent deal with the feeling behind it?",
    "EBA": "Which behaviour of the agent matters most to {who} after “{said}”?",
    "IDC": "Which way do things take between {who} and the agent after “{said}”?",
}


@dataclass(frozen=True, slots=True)
class _Told:
    """One marked moment: where it is, who says what in it, and what an annotator says about it."""

    recording_id: str
    start_us: int
    end_us: int
    label: str
    speaker: str
    utterance: str
    rationale: str


@dataclass(frozen=True, slots=True)
class _Words:
    """How a question is put."""

    text: str
    answer: str
    wrong: tuple[WrongOption, ...]
    seed: int
    place: int


def add_synthetic_questions(session: Session, seed: int, progress: Progress) -> int:
    """Make questions and what people say about them, outside the history; returns how many.

    Raises:
        Cancelled: the user stopped it; no question is there.
    """
    chance = random.Random(f"{seed} questions")
    new_id = InventedIds(chance).new
    study = session.study
    people = [annotator.id for annotator in all_annotators(study)][:2]
    made = build_rule_questions(session, seed=seed, progress=progress)[0] if all_chains(study) else []
    writer = Annotator(new_id(), WRITER_NAME)
    told = _read_moments(session)
    chance.shuffle(told)
    written = _questions_about(told, QuestionKind.ESI, people[0], chance) + _questions_about(
        told, QuestionKind.WRITTEN, writer.id, chance
    )
    questions = [
        replace(question, id=new_id(), annotator_id=question.annotator_id or people[0], at=REVIEW_TIME)
        for question in made + written
    ]
    with study.without_history():
        insert_annotator(study, writer)
        insert_questions(study, questions)
        for question in questions:
            for word in _verifications(question, people, writer.id, chance):
                set_verification(study, word)
    return len(questions)


def _read_moments(session: Session) -> list[_Told]:
    rows = session.study.rows(
        "SELECT s.recording_id, s.start_us, s.end_us, s.label, p.pseudonym, u.text, json_extract(v.value, '$') "
        "FROM segment s JOIN segment_value v ON v.segment_id = s.id AND v.field = 'rationale' "
        "JOIN utterance u ON u.recording_id = s.recording_id AND u.start_us >= s.start_us AND u.end_us <= s.end_us "
        "JOIN participant p ON p.id = u.participant_id AND p.role = 'user' ORDER BY s.id, u.start_us"
    )
    return [_Told(*row) for row in rows]


def _questions_about(told: Sequence[_Told], kind: QuestionKind, author: str, chance: random.Random) -> list[Question]:
    """Return questions of a kind, one for each of some moments; wrong options are rationales of others."""
    found: list[Question] = []
    count = ESI_OPTIONS if kind is QuestionKind.ESI else OPTION_COUNT
    homes: set[str] = set()
    for each_told in told:
        if each_told.recording_id in homes or len(found) == _MAX_PER_KIND:
            continue
        others = _distractors(each_told, told, count - 1, chance)
        if len(others) < count - 1:
            continue
        homes.add(each_told.recording_id)
        dimension = [*DIMENSIONS][len(found) % len(DIMENSIONS)]
        aspect = dimension if kind is QuestionKind.ESI else ""
        text = _QUESTION_TEMPLATES[dimension].format(who=each_told.speaker, said=each_told.utterance)
        wrong = tuple(WrongOption(text) for text in others)
        seed, place = chance.randrange(1 << 30), chance.randrange(count)
        words = _Words(text, each_told.rationale, wrong, seed, place)
        found.append(_build_question(kind, aspect, each_told, words, author))
    return found


def _build_question(kind: QuestionKind, aspect: str, told: _Told, words: _Words, author: str) -> Question:
    return Question(
        id="",
        recording_id=told.recording_id,
        chain_id=None,
        kind=kind,
        aspect=aspect,
        covers=(),
        made_from="",
        start_us=told.start_us,
        end_us=told.end_us,
        text=words.text,
        answer=words.answer,
        wrong=words.wrong,
        explanation=_EXPLANATION,
        seed=words.seed,
        place=words.place,
        maker=Maker.PERSON,
        annotator_id=author,
        judgment_id="",
        at=REVIEW_TIME,
    )


def _distractors(each_told: _Told, told: Sequence[_Told], count: int, chance: random.Random) -> list[str]:
    texts = {
        other.rationale for other in chance.sample(told, min(len(told), 8 * count)) if other.label == each_told.label
    }
    return sorted(texts - {each_told.rationale})[:count]


def _verifications(
    question: Question, people: Sequence[str], writer: str, chance: random.Random
) -> Iterator[Verification]:
    """Yield what is said about a question: mostly that it is kept, at times not by both."""
    fate = chance.random()
    dropping = {*people} if fate < _DROPPED else {*people[1:]} if fate < _DROPPED + _DISPUTED else set()
    checklist = "esi" if question.kind is QuestionKind.ESI else "chain"
    label = chance.choice(DIFFICULTIES) if question.kind is QuestionKind.ESI else ""
    said = [*people, writer] if question.kind is QuestionKind.WRITTEN else people
    keep, drop = VerificationDecision.KEEP, VerificationDecision.DROP
    checks = CHECKLIST_KEYS[checklist]
    for who in said:
        decision, holding = (drop, checks[:2]) if who in dropping else (keep, checks)
        yield Verification(
            question.id, who, decision, checklist, holding, label, "", content_state(question), REVIEW_TIME
        )
