"""Words that were scrubbed by what was decided before do not leave after something else was."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from anonymize.egress.permit_protocol import permit_question
from anonymize.egress.policy_edits import set_policy
from anonymize.pii_review.pii_decisions import decide_places
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.release_edits import confirm_texts
from benchmark.judging.ask_job import answer, prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_config import AskRequest
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.study_records import Recording
from project.queries.pii_rows import PiiVerdict, PrivateWord, put_private_word
from project.queries.policy_rows import all_egress
from project.queries.segment_rows import all_segments
from project.session.jobs import JobSpec
from project.session.session import Session
from tests.builders.egress_requests import abroad, at_home
from tests.builders.release_study import settle
from tests.builders.subjects import a_question


@pytest.fixture
def work(session: Session, recording: Recording, rendering: str) -> JobSpec:
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    settings = {"url": "https://api.example.org/v1", "sees": "text"}
    far, _ = add_judge(session, "far", "openai", "m", settings)
    found = prepare(session, AskRequest([far], [segment_of(session, recording)], "verdict", condition=rendering)).job
    assert found is not None
    return found


def segment_of(session: Session, recording: Recording) -> str:
    return next(segment.id for segment in all_segments(session.study) if segment.recording_id == recording.id)


def another_private_word(session: Session) -> None:
    with session.step("Private"):
        put_private_word(session.study, PrivateWord("Zephyrine", "[X]"))
    settle(session)
    confirm_texts(session)


def ask(session: Session, work: JobSpec, request: EgressRequest) -> None:
    answer(session, work, permit_question(request, 0))


def test_what_was_planned_leaves_as_long_as_it_stands(
    session: Session, recording: Recording, rendering: str, work: JobSpec
) -> None:
    request = replace(abroad(recording.id, rendering), segment_id=segment_of(session, recording), frames=())
    ask(session, work, request)
    another_private_word(session)
    with pytest.raises(Forbidden, match="after this question was made") as refused:
        ask(session, work, request)
    assert refused.value.rule == "reviewed"
    assert [egress.rule for egress in all_egress(session.study)] == ["", "reviewed"]


@pytest.mark.parametrize("other", [at_home, lambda recording, _: abroad(recording, "")])
def test_what_stays_or_holds_no_words_is_let_through(
    session: Session, recording: Recording, rendering: str, work: JobSpec, other: Callable[[str, str], EgressRequest]
) -> None:
    another_private_word(session)
    request = replace(other(recording.id, rendering), segment_id=segment_of(session, recording), frames=())
    ask(session, work, request if request.local else replace(request, texts=0))
    (let_through,) = all_egress(session.study)
    assert let_through.permission


def test_what_was_kept_in_a_question_does_not_leave_once_it_is_hidden(
    session: Session, recording: Recording, rendering: str
) -> None:
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    far, _ = add_judge(session, "far", "openai", "m", {"url": "https://api.example.org/v1", "sees": "text"})
    question = a_question(session, recording.id, "Mr. Poole")
    confirm_texts(session)
    places = [hit for hit in find_hits(session) if hit.place.row == question.id]
    decide_places(session, places, PiiVerdict.KEEP)
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key
    work = prepare(session, AskRequest([far], [about], "answer", condition=rendering)).job
    assert work is not None
    request = replace(abroad(recording.id, rendering), segment_id=about, frames=())
    ask(session, work, request)
    decide_places(session, places, PiiVerdict.HIDE)
    with pytest.raises(Forbidden, match="after this question was made"):
        ask(session, work, request)
