"""Questions of a study without chains, and what judges said about them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from benchmark.questions.question_edits import add_questions
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus, Modality
from project.entities.questions import Maker, Question, QuestionKind, WrongOption
from project.entities.study_records import Json
from project.queries.judgment_rows import insert_judgments
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK

_numbers = count(1)
GPT = JudgeEntry("judge-gpt", "gpt", "constant")
GEMINI = JudgeEntry("judge-gemini", "gemini", "constant")
TOPICS = (
    *("the coffee is cold", "the train was late", "nobody called back", "his brother won", "she lost the keys"),
    *("the lights went out", "a letter arrived", "the dog ran off", "they met again", "the exam was hard"),
)


def question(number: int, **other: object) -> Question:
    """Return a question about the recording of `open_study`; no two numbers up to 9 make near-duplicates."""
    topic = TOPICS[number % len(TOPICS)]
    made = Question(
        id=f"question-{number:05d}",
        recording_id=WALK,
        chain_id=None,
        kind=QuestionKind.ESI,
        aspect="",
        covers=(),
        made_from="",
        start_us=0,
        end_us=60 * SECOND,
        text=f"What follows when {topic}?",
        answer=f"Ana sighs, because {topic}.",
        wrong=tuple(WrongOption(f"Ben {doing}.") for doing in ("laughs", "leaves", "sleeps", "sings")),
        explanation="",
        seed=0,
        place=number % 5,
        maker=Maker.RULES,
        annotator_id="",
        judgment_id="",
        at=f"2026-01-01T00:00:{number % 60:02d}.{number:06d}Z",
    )
    return replace(made, **other)


def ask_about(session: Session, number: int) -> list[Question]:
    """Put so many questions into a study."""
    made = [question(at) for at in range(number)]
    add_questions(session, made)
    return made


def said(
    session: Session,
    about: Question,
    judge: JudgeEntry,
    task: str,
    answer: Mapping[str, Json],
    *,
    seed: int = 0,
    status: JudgmentStatus = JudgmentStatus.OK,
    settings: Mapping[str, Json] | None = None,
    **other: object,
) -> Judgment:
    """Store what a judge says about a question as it is now."""
    number = next(_numbers)
    made = Judgment(
        id=f"said-{number:06d}",
        judge_id=judge.id,
        judge={
            "name": judge.name,
            "backend": judge.backend,
            "model": judge.model,
            "settings": dict(judge.settings if settings is None else settings),
        },
        annotator_id=None,
        recording_id=about.recording_id,
        segment_id="",
        start_us=about.start_us,
        end_us=about.end_us,
        task=task,
        variant="plain",
        condition=RAW_CONDITION,
        seed=seed,
        prompt=f"{task}@1",
        prompt_sha256="ab" * 32,
        request_key=f"{number:064d}",
        sight={},
        status=status,
        answer=dict(answer),
        raw="",
        thinking="",
        mended="nothing",
        model_id="",
        tokens_in=None,
        tokens_out=None,
        cost=None,
        ms=1,
        calls=1,
        error="",
        cached_from=None,
        at=f"2026-02-01T00:00:00.{number:06d}Z",
        program_version="1",
        question_id=about.id,
        state=about.checksum,
        modality=Modality.NOTHING if task == "options_only" else Modality.BOTH,
    )
    made = replace(made, **other)
    with session.study.run_transaction():
        insert_judgments(session.study, [made])
    return made


HARDER: dict[str, Json] = {
    **{f"wrong_{at}": text for at, text in enumerate(("Ana yawns.", "Ana nods.", "Ana waves.", "Ana frowns."), 1)},
    **{f"plausibility_{at}": likely for at, likely in enumerate((40, 90, 0, 70), 1)},
}
"""A proposal of harder wrong options, with how plausible each is."""
GOOD: Mapping[str, int] = {"review_score": 5, "difficulty": 3, "truth": 2, "separability": 3, "relevance": 3}
"""Task -> a score that every default keeps."""


def pass_all(
    session: Session, questions: Sequence[Question], judge: JudgeEntry = GPT, scores: Mapping[str, int] | None = None
) -> None:
    """Let a judge answer every step so that questions are kept; `scores` are other ones, by task."""
    for question in questions:
        for task, score in {**GOOD, **(scores or {})}.items():
            said(session, question, judge, task, {"score": score})
        wrong = next(letter for letter in "ABCDE" if letter != question.correct_letter)
        said(session, question, judge, "options_only", {"answer": wrong})
        for seed in (0, 1):
            said(session, question, judge, "answer", {"answer": question.correct_letter}, seed=seed)
