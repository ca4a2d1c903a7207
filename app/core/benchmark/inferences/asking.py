"""What judges are asked to get statements about a recording: a question, then ten inferences for it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.jobs import run_here
from app.core.judging.runs.asking import prepare
from app.core.judging.runs.outcome import Note, outcome_from, refusal
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from project.after import part_after
from project.errors import UserError
from project.judging import RAW, About, JudgeEntry, Judgment, JudgmentStatus, Subject
from project.progress import Progress
from project.queries.judgments import judgments_called

QUESTION, INFERENCES = "nli_question", "nli_inferences"
STRENGTHS = ("cot", "plain")
"""Variants in which five inferences each are asked for: with thoughts first and without (SocialNLI, section 3.2)."""
MOST_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class Heard:
    """What judges answered, known or new, and why others were not asked."""

    answers: tuple[Judgment, ...] = ()
    notes: tuple[Note, ...] = ()


def ask(session: Session, requests: Iterable[AskRequest], progress: Progress) -> Heard:
    """Ask, here and now; what was answered before is not asked again.

    Raises:
        UserError: nothing at all could be asked; `Forbidden` where the policy of the study is why.
    """
    ids: list[str] = []
    notes: list[Note] = []
    for request in requests:
        asking = prepare(session, request, progress)
        ids += [one.id for one in asking.cached]
        notes += asking.notes
        if asking.work is not None:
            result, changes = run_here(session, asking.work, progress)
            ids += sorted(changes.ids("judgment"))
            notes += outcome_from(result).notes
    if not ids and notes:
        raise refusal(notes)
    return Heard(tuple(judgments_called(session.study, ids)), tuple(notes))


def question_request(
    session: Session,
    recording_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    questions: int = 1,
    condition: str = RAW,
    seed: int = 0,
) -> AskRequest:
    """Return what is asked first: questions about what is meant but not said, so many about each recording.

    Raises:
        UserError: there is no such recording, or the number makes no sense.
    """
    if not 1 <= questions <= MOST_QUESTIONS:
        raise UserError(f"There are 1 to {MOST_QUESTIONS} questions about a recording.", "Choose a number from 1.")
    about = [
        About(Subject.RECORDING, session.recording(one).id, str(number)).key
        for one in dict.fromkeys(recording_ids)
        for number in range(1, questions + 1)
    ]
    return AskRequest(judges, about, QUESTION, condition=condition, seed=seed)


def inference_requests(
    judges: Sequence[JudgeEntry], questions: Iterable[Judgment], condition: str = RAW, seed: int = 0
) -> list[AskRequest]:
    """Return what is asked then: of each judge, inferences for its own questions, at both strengths."""
    asked = [one for one in questions if one.task == QUESTION and one.status is JudgmentStatus.OK]
    found = []
    for judge in judges:
        about = [
            About(Subject.RECORDING, one.recording_id, part_after(QUESTION, one.id)).key
            for one in asked
            if one.judge_id == judge.id
        ]
        if about:
            found += [
                AskRequest([judge], about, INFERENCES, variant, condition=condition, seed=seed) for variant in STRENGTHS
            ]
    return found
