"""The filter of questions over a whole study, and one of its steps run by itself."""

from collections.abc import Collection, Sequence

from benchmark.authoring.question_requests import plan_step_requests
from benchmark.judging.ask_job import AskPlan, prepare
from benchmark.judging.judge_registry import get_judge
from benchmark.questions.filter_funnel import Funnel, build_funnel
from benchmark.questions.filter_outcomes import read_funnel_input
from benchmark.questions.verification import VerificationState, read_items
from project.entities.judgments import JudgeEntry
from project.entities.questions import QuestionKind
from project.progress import Silent
from project.session.session import Session


def read_funnel(session: Session, question_ids: Collection[str] = (), steps: Sequence[str] = ()) -> Funnel:
    return build_funnel(read_funnel_input(session), question_ids, steps)


def prepare_step(
    session: Session, step: str, judges: Sequence[JudgeEntry | str], question_ids: Collection[str] = ()
) -> list[AskPlan]:
    reading = read_funnel_input(session)
    entries = [get_judge(session, judge) if isinstance(judge, str) else judge for judge in judges]
    needed = plan_step_requests(reading, step, entries, {*question_ids} or {*reading.questions})
    return [prepare(session, request, Silent()) for request in needed.requests]


def verified_written_ids(session: Session) -> set[str]:
    """Return the written questions that count: judges failed at them, and two others approve of them."""
    return {
        item.question.id
        for item in read_items(session)
        if item.question.kind is QuestionKind.WRITTEN and item.ready and item.state is VerificationState.VERIFIED
    }
