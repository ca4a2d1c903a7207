"""Asking judges of a study: what is answered is kept, and not asked again."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import pytest

from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.ask_job import AskPlan, monitor_of, prepare, renew, resume
from benchmark.judging.ask_run import AskRequest, RunOutcome
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_execution import MAX_CONSECUTIVE_ERRORS
from project.codec import dump
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import JudgeEntry, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.questions import question_from_json, question_to_json
from project.entities.study_records import Json, Utterance
from project.errors import UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.judgment_rows import all_judges, find_judgments, judge_labels, judgments_of
from project.queries.policy_rows import all_egress
from project.queries.transcript_rows import insert_utterances
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from tests.builders.item_sets import freeze, stretch
from tests.builders.marked_study import SECOND, WALK, mark
from tests.builders.misbehaving_server import Server, echoes_the_key, fails, misbehaving, refuses, says
from tests.builders.questions_said import question

RIGHT = says('{"label": "error"}')


@pytest.fixture
def server() -> Iterator[Server]:
    with misbehaving(RIGHT) as running:
        yield running


def model(session: Session, server: Server, name: str = "model", **settings: Any) -> JudgeEntry:
    usual = {"url": server.url, "sees": "text", "tries": 1}
    return add_judge(session, name, "openai", "fake-1", {**usual, **settings})[0]


def job_of(session: Session, judges: list[JudgeEntry], segments: list[str], **facts: Any) -> JobSpec:
    return prepare(session, AskRequest(judges, segments, "verdict", **facts)).job


def left_of(session: Session, work: JobSpec) -> JobSpec | None:
    """Return what is left of a run that was interrupted."""
    parameters = {field.name: getattr(work.parameters, field.name) for field in fields(work.parameters)}
    return resume(session, work.recording_id, **parameters)


def ask(session: Session, judges: list[JudgeEntry], segments: list[str], **facts: Any) -> tuple[AskPlan, RunOutcome]:
    asking = prepare(session, AskRequest(judges, segments, "verdict", **facts))
    return asking, run_inline(session, asking.job, Silent())[0] if asking.job else RunOutcome()


def segments_of(session: Session, count: int) -> list[str]:
    """Mark segments of different lengths; of equal ones, one is asked about."""
    return [mark(session, "Ada", 10 * at, 10 * at + 5 + at / 10) for at in range(1, count + 1)]


def test_an_answer_is_kept_with_all_that_it_came_of(session: Session, server: Server) -> None:
    segment = mark(session, "Ada", 10, 20)
    judge = model(session, server, price_in=10.0, price_out=20.0, temperature=0.5)
    ask(session, [judge], [segment], seed=3)
    (kept,) = judgments_of(session.study, segment)
    assert (kept.status, kept.answer) == (JudgmentStatus.OK, {"label": "error"})
    assert (kept.task, kept.variant, kept.condition, kept.seed) == ("verdict", "plain", "raw", 3)
    assert (kept.start_us, kept.end_us) == (10_000_000, 20_000_000)
    assert kept.prompt == "verdict@1"
    assert len(kept.prompt_sha256) == len(kept.request_key) == 64
    settings = dict(judge.settings)
    assert kept.judge == {"name": "model", "backend": "openai", "model": "fake-1", "settings": settings}
    assert kept.raw == '{"label": "error"}'
    assert kept.model_id.startswith("fake-1")
    assert (kept.tokens_in, kept.tokens_out, kept.calls) == (100, 20, 1)
    assert kept.cost == pytest.approx((100 * 10 + 20 * 20) / 1e6)
    asked: dict[str, Any] = server.asked[0].body
    assert [kept.sight["system"], kept.sight["text"]] == [message["content"] for message in asked["messages"]]
    assert (asked["seed"], asked["temperature"]) == (3, 0.5)
    (line,) = all_egress(session.study)
    assert (line.permission, line.request.judge_id, line.request.segment_id) == ("local", judge.id, segment)


def test_what_was_answered_is_not_asked_again_and_is_shown_as_cached(session: Session, server: Server) -> None:
    segments, judge = segments_of(session, 3), model(session, server)
    ask(session, [judge], segments[:2])
    asking, result = ask(session, [judge], segments)
    assert len(server.asked) == 3
    assert {judgment.segment_id for judgment in asking.cached} == {*segments[:2]}
    assert result.answered == 1
    assert job_of(session, [judge], segments) is None
    ask(session, [judge], segments, seed=1)
    assert len(server.asked) == 6
    ask(session, [judge], segments, fresh=True)
    assert len(server.asked) == 9
    assert len(judgments_of(session.study, segments[2])) == 3


def test_an_equal_request_about_anothers_segment_is_answered_from_the_study(session: Session, server: Server) -> None:
    own, theirs = mark(session, "Ada", 10, 20), mark(session, "Bo", 10, 20, "competence")
    judge = model(session, server, price_in=1.0)
    ask(session, [judge], [own])
    asking, _ = ask(session, [judge], [theirs])
    assert len(server.asked) == 1
    (first,), (second,) = (judgments_of(session.study, segment) for segment in (own, theirs))
    assert asking.cached == (second,)
    assert second.cached_from == first.id
    assert (second.answer, second.cost, second.calls, second.tokens_in) == (first.answer, 0.0, 0, 0)


def test_what_could_not_be_read_is_shown_and_asked_again_on_demand(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(says("I would rather not say.")) as server:
        judge = model(session, server)
        ask(session, [judge], [segment])
        before = len(server.asked)
        (kept,) = judgments_of(session.study, segment)
        assert kept.status is JudgmentStatus.UNPARSED
        asking, _ = ask(session, [judge], [segment])
        assert (len(server.asked), asking.cached) == (before, (kept,))
        ask(session, [judge], [segment], again=True)
        assert len(server.asked) > before


def test_an_error_is_kept_and_tried_again_by_the_next_run(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(fails(404, "no such model"), RIGHT) as server:
        judge = model(session, server)
        work = job_of(session, [judge], [segment])
        assert run_inline(session, work, Silent())[0].failed == 1
        assert len(left_of(session, work).parameters.items) == 1
        (kept,) = judgments_of(session.study, segment)
        assert (kept.status, kept.answer) == (JudgmentStatus.ERROR, {})
        assert kept.error
        assert ask(session, [judge], [segment])[1].answered == 1


def test_a_wrong_key_is_not_echoed_and_stops_no_other_judge(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_KEY_WRONG", "sk-very-secret-key")
    segments = segments_of(session, 12)
    with misbehaving(echoes_the_key) as bad, misbehaving(RIGHT) as good:
        monkeypatch.setenv("GREENROOM_KEY_WRONG_AT", bad.url)
        judges = [model(session, bad, "wrong", concurrency=1), model(session, good, "right")]
        assert "very-secret" not in json.dumps(dump(job_of(session, judges, segments).parameters))
        _, result = ask(session, judges, segments)
        assert bad.asked[0].headers["authorization"] == "Bearer sk-very-secret-key"
        assert "authorization" not in good.asked[0].headers
    assert (result.answered, result.failed) == (len(segments), MAX_CONSECUTIVE_ERRORS)
    assert "very-secret" not in json.dumps(dump(result))
    session.study.close()
    assert b"very-secret" not in session.study.path.read_bytes()


def test_what_the_policy_forbids_and_people_are_notes_for_those_judges_alone(session: Session, server: Server) -> None:
    segment = mark(session, "Ada", 10, 20)
    far, _ = add_judge(session, "far", "openai", "m", {"url": "https://judge.example.org/v1"})
    ada, _ = add_judge(session, "Ada", "person")
    asking, result = ask(session, [far, ada, model(session, server)], [segment])
    notes = {note.judge: note for note in asking.notes}
    assert (notes["far"].rule, notes["far"].about) == ("nothing-leaves", [segment])
    assert "in the window" in notes["Ada"].message
    assert result.answered == 1


def test_a_second_model_brings_into_form_what_could_not_be_read_and_each_request_is_in_the_log(
    session: Session,
) -> None:
    segment = mark(session, "Ada", 10, 20)
    formed = says('{"gives_an_answer": true, "answer": {"label": "competence"}}')
    with misbehaving(says("It did well, I think.")) as prose, misbehaving(formed) as other:
        second = model(session, other, "second")
        first = model(session, prose, "first", coerce="second")
        ask(session, [first], [segment])
    (kept,) = judgments_of(session.study, segment)
    assert (kept.status, kept.mended, kept.answer) == (JudgmentStatus.OK, "coerced", {"label": "competence"})
    lines = [line.request for line in all_egress(session.study)]
    assert [request.judge_id for request in lines] == [first.id, first.id, second.id]
    headers = [asked.headers for asked in (*prose.asked, *other.asked)]
    assert [request.size for request in lines] == [int(header["content-length"]) for header in headers]
    assert [request.port for request in lines] == [int(header["host"].partition(":")[2]) for header in headers]


def test_a_budget_in_money_needs_prices_of_what_is_elsewhere_in_one_currency(session: Session, server: Server) -> None:
    segments = segments_of(session, 3)
    far, _ = add_judge(session, "far", "openai", "m", {"url": "https://judge.example.org/v1"})
    asking = prepare(session, AskRequest([far], segments, "verdict", budget=Limits(money=1.0)))
    assert "prices" in asking.notes[0].message
    assert ask(session, [model(session, server, "free")], segments, budget=Limits(money=0.01))[1].answered == 3
    judges = [model(session, server, name, price_in=1.0, currency=name) for name in ("USD", "EUR")]
    with pytest.raises(UserError, match="EUR and USD"):
        job_of(session, judges, segments, budget=Limits(money=1.0))


def test_what_is_withdrawn_or_answered_before_a_job_begins_is_not_asked(session: Session, server: Server) -> None:
    segments, judge = segments_of(session, 3), model(session, server, concurrency=1)
    work = job_of(session, [judge], segments)
    ask(session, [judge], segments[:1])
    work = renew(session, work)
    monitor_of(work).cancel(judge.id, segments[2])
    result, _ = run_inline(session, work, Silent())
    assert (len(server.asked), result.answered, result.withdrawn) == (2, 1, 1)
    assert judgments_of(session.study, segments[2]) == []


def test_a_conversation_that_is_too_long_for_a_model_is_shortened_and_that_is_kept(session: Session) -> None:
    segment = mark(session, "Ada", 100, 160)
    spoken = [
        Utterance(new_id(), WALK, (60 + at) * SECOND, (61 + at) * SECOND, f"This is turn {at} " + "and so on " * 30)
        for at in range(100)
    ]
    with session.study.step("Somebody speaks", undoable=False):
        insert_utterances(session.study, spoken)

    def too_long(body: Mapping[str, Any]) -> str:
        tokens = len(body["messages"][1]["content"]) // 4
        message = "This model's maximum context length is 2000 tokens. However, your messages resulted in {} tokens."
        return message.format(tokens) if tokens > 2000 else ""

    with misbehaving(refuses(too_long, RIGHT)) as server:
        ask(session, [model(session, server)], [segment])
        sent = len(server.asked)
    (kept,) = judgments_of(session.study, segment)
    assert (kept.status, kept.calls) == (JudgmentStatus.OK, sent)
    assert 2 <= sent <= 3
    rules = {rule for rule, _, _ in kept.sight["shortened"]}
    assert rules
    assert rules <= {"before", "long", "middle"}
    assert "left out here" in kept.sight["text"]
    asking, _ = ask(session, all_judges(session.study), [segment])
    assert asking.cached == (kept,), "it is found under the request as it was planned"


def test_a_run_that_was_interrupted_goes_on_with_what_is_left_of_it_and_of_its_budget(
    session: Session, server: Server
) -> None:
    segments, judge = segments_of(session, 3), model(session, server)
    ask(session, [judge], segments)
    whole = job_of(session, [judge], segments, fresh=True, budget=Limits(tokens=90_000))
    part = whole.parameters.with_items(whole.parameters.items[:2])
    run_inline(session, replace(whole, parameters=part), Silent())
    known = replace(whole, parameters=replace(whole.parameters, fresh=False))
    assert left_of(session, known) is None, "the third was answered before, and nobody wants it anew"
    asked, left = len(server.asked), left_of(session, whole)
    assert len(left.parameters.items) == 1
    assert 0 < left.parameters.limits.tokens < 90_000
    with pytest.raises(UserError, match="budget"):
        left_of(session, replace(whole, parameters=replace(whole.parameters, limits=Limits(tokens=1))))
    run_inline(session, left, Silent())
    assert len(server.asked) == asked + 1
    assert left_of(session, whole) is None


ORACLE = JudgeEntry("j", "oracle", "oracle")


def oracle_answers(session: Session, item: FrozenItem, task: str) -> list[dict[str, Json]]:
    """Ask an oracle about a frozen item."""
    key = JudgmentTarget(JudgmentTargetKind.ITEM, item.id).key
    _, changes = run_inline(session, prepare(session, AskRequest([ORACLE], [key], task)).job, Silent())
    judgments = find_judgments(session.study, sorted(changes.ids("judgment")))
    assert {(judgment.status, judgment.state) for judgment in judgments} == {(JudgmentStatus.OK, "made")}
    return [dict(judgment.answer) for judgment in judgments]


def test_what_is_frozen_in_an_item_is_asked_whatever_became_of_its_segment(session: Session) -> None:
    segment = mark(session, "Ada", 2, 9, "error")
    nothing, relabelled = stretch("nothing", 2, 9), stretch("relabelled", 2, 9, segment, label="competence")
    answered = stretch("answered", 2, 9, label="error", truth={"verdict": {"label": "none"}})
    freeze(session, [nothing, relabelled, answered])
    assert oracle_answers(session, nothing, "error") == [{"error": "no"}]
    assert oracle_answers(session, relabelled, "verdict") == [{"label": "competence"}]
    assert oracle_answers(session, answered, "verdict") == [{"label": "none"}], "a frozen answer goes first"
    assert judgments_of(session.study, segment) == []
    assert judge_labels(session.study) == []


def test_a_question_is_asked_in_its_frozen_words_when_it_is_gone(session: Session) -> None:
    gone = question(3, text="Why does she leave?")
    assert question_from_json(question_to_json(gone)) == gone
    item = stretch("item", 2, 9, f"question/{gone.id}", question=question_to_json(gone))
    freeze(session, [item])
    plan = plan_input(session, JudgmentTarget(JudgmentTargetKind.ITEM, item.id).key, "answer")
    assert "Why does she leave?" in plan.text
    assert (plan.start_us, plan.end_us) == (2 * SECOND, 9 * SECOND)
    assert oracle_answers(session, item, "answer") == [{"answer": gone.correct_letter}]
