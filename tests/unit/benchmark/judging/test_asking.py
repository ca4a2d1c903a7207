"""Asking judges of a study: what is answered is kept, and not asked again."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from benchmark.judging.ask_job import AskPlan, prepare, queue_of, renew, unanswered
from benchmark.judging.judge_registry import add_judge, change_judge
from benchmark.judging.judge_worker import MAX_CONSECUTIVE_ERRORS
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_config import AskRequest
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Json, Utterance
from project.errors import UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.judgment_rows import all_judges, judgments_of
from project.queries.policy_rows import all_egress
from project.queries.transcript_rows import insert_utterances
from project.session.jobs import run_inline
from project.session.session import Session
from project.timebase import utc_now
from tests.builders.marked_study import SECOND, WALK, mark
from tests.builders.misbehaving_server import Server, echoes_the_key, fails, misbehaving, refuses, says

RIGHT = says('{"label": "error"}')


def model(session: Session, server: Server, name: str = "model", **settings: Any) -> JudgeEntry:
    usual = {"url": server.url, "sees": "text", "tries": 1}
    return add_judge(session, name, "openai", "fake-1", {**usual, **settings})[0]


def ask(
    session: Session, judges: list[JudgeEntry], segments: list[str], **facts: Any
) -> tuple[AskPlan, dict[str, Any]]:
    asking = prepare(session, AskRequest(judges, segments, "verdict", **facts))
    result = run_inline(session, asking.job, Silent())[0] if asking.job else {}
    return asking, result


def said(session: Session, segment: str) -> list[Judgment]:
    return judgments_of(session.study, segment)


def test_an_answer_is_kept_with_all_that_it_came_of(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server, price_in=10.0, price_out=20.0, temperature=0.5)
        ask(session, [judge_entry], [segment], seed=3)
        asked: dict[str, Any] = server.asked[0].body
    (kept,) = said(session, segment)
    assert (kept.status, kept.answer) == (JudgmentStatus.OK, {"label": "error"})
    assert (kept.task, kept.variant, kept.condition, kept.seed) == ("verdict", "plain", "raw", 3)
    assert (kept.start_us, kept.end_us) == (10_000_000, 20_000_000)
    assert kept.prompt == "verdict@1"
    assert len(kept.prompt_sha256) == len(kept.request_key) == 64
    assert kept.judge == {
        "name": "model",
        "backend": "openai",
        "model": "fake-1",
        "settings": dict(judge_entry.settings),
    }
    assert kept.raw == '{"label": "error"}'
    assert kept.model_id.startswith("fake-1")
    assert (kept.tokens_in, kept.tokens_out, kept.calls) == (100, 20, 1)
    assert kept.cost == pytest.approx((100 * 10 + 20 * 20) / 1e6)
    assert [kept.sight["system"], kept.sight["text"]] == [one["content"] for one in asked["messages"]]
    assert asked["seed"] == 3
    assert asked["temperature"] == 0.5
    (line,) = all_egress(session.study)
    assert (line.permission, line.request.judge_id, line.request.segment_id) == ("local", judge_entry.id, segment)


def test_what_was_answered_is_not_asked_again_and_is_shown_as_cached(session: Session) -> None:
    segments = [mark(session, "Ada", at, at * 1.2) for at in (10, 20, 30)]
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server)
        ask(session, [judge_entry], segments[:2])
        asking, result = ask(session, [judge_entry], segments)
        assert len(server.asked) == 3
        assert {each.segment_id for each in asking.cached} == {*segments[:2]}
        assert result["answered"] == 1
        asking, _ = ask(session, [judge_entry], segments)
        assert asking.job is None
        ask(session, [judge_entry], segments, seed=1)
        assert len(server.asked) == 6
        ask(session, [judge_entry], segments, fresh=True)
        assert len(server.asked) == 9
    assert len(said(session, segments[2])) == 3


def test_an_equal_request_about_anothers_segment_is_answered_from_the_study(session: Session) -> None:
    own, theirs = mark(session, "Ada", 10, 20), mark(session, "Bo", 10, 20, "competence")
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server, price_in=1.0)
        ask(session, [judge_entry], [own])
        asking, _ = ask(session, [judge_entry], [theirs])
        assert len(server.asked) == 1
    (first,), (second,) = said(session, own), said(session, theirs)
    assert asking.cached == (second,)
    assert second.cached_from == first.id
    assert (second.answer, second.cost, second.calls, second.tokens_in) == (first.answer, 0.0, 0, 0)


def test_another_setting_that_changes_answers_is_another_request_and_the_pace_is_not(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server)
        ask(session, [judge_entry], [segment])
        change_judge(
            session,
            JudgeEntry(judge_entry.id, "renamed", "openai", "fake-1", {**judge_entry.settings, "concurrency": 2}),
        )
        again = JudgeEntry(judge_entry.id, "renamed", "openai", "fake-1", {**judge_entry.settings, "concurrency": 2})
        ask(session, [again], [segment])
        assert len(server.asked) == 1
        warmer = JudgeEntry(judge_entry.id, "renamed", "openai", "fake-1", {**judge_entry.settings, "temperature": 1.0})
        ask(session, [warmer], [segment])
        assert len(server.asked) == 2


@pytest.mark.parametrize(("text", "status"), [("I would rather not say.", "unparsed"), (None, "unparsed")])
def test_what_could_not_be_read_is_shown_and_asked_again_on_demand(
    session: Session, text: str | None, status: str
) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(says(text)) as server:
        judge_entry = model(session, server)
        ask(session, [judge_entry], [segment])
        before = len(server.asked)
        (kept,) = said(session, segment)
        assert kept.status.value == status
        asking, _ = ask(session, [judge_entry], [segment])
        assert (len(server.asked), asking.cached) == (before, (kept,))
        ask(session, [judge_entry], [segment], again=True)
        assert len(server.asked) > before


def test_an_error_is_kept_and_tried_again_by_the_next_run(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(fails(404, "no such model"), RIGHT) as server:
        judge_entry = model(session, server)
        _, result = ask(session, [judge_entry], [segment])
        assert result["failed"] == 1
        (kept,) = said(session, segment)
        assert (kept.status, kept.answer) == (JudgmentStatus.ERROR, {})
        assert kept.error
        _, result = ask(session, [judge_entry], [segment])
        assert result["answered"] == 1


def test_a_wrong_key_is_not_echoed_and_stops_no_other_judge(
    session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GREENROOM_KEY_WRONG", "sk-very-secret-key")
    segments = [mark(session, "Ada", at, at + 5) for at in range(10, 80, 6)]
    with misbehaving(echoes_the_key) as bad, misbehaving(RIGHT) as good:
        monkeypatch.setenv("GREENROOM_KEY_WRONG_AT", bad.url)
        wrong, right = model(session, bad, "wrong", concurrency=1), model(session, good, "right")
        _, result = ask(session, [wrong, right], segments)
        assert bad.asked[0].headers["authorization"] == "Bearer sk-very-secret-key"
        assert "authorization" not in good.asked[0].headers
    assert (result["answered"], result["failed"]) == (len(segments), MAX_CONSECUTIVE_ERRORS)
    assert "very-secret" not in json.dumps(result)
    session.study.close()
    assert b"very-secret" not in session.study.path.read_bytes()


def test_what_the_policy_forbids_is_a_note_for_that_judge_alone(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    far, _ = add_judge(session, "far", "openai", "m", {"url": "https://judge.example.org/v1"})
    with misbehaving(RIGHT) as server:
        asking, result = ask(session, [far, model(session, server)], [segment])
    (note,) = asking.notes
    assert (note.judge, note.rule, note.about) == ("far", "nothing-leaves", [segment])
    assert result["answered"] == 1


def test_a_person_is_not_asked_by_the_program(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    ada, _ = add_judge(session, "Ada", "person")
    asking = prepare(session, AskRequest([ada], [segment]))
    assert asking.job is None
    assert "form" in asking.notes[0].message


def test_a_second_model_brings_into_form_what_could_not_be_read(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    formed = says('{"gives_an_answer": true, "answer": {"label": "competence"}}')
    with misbehaving(says("It did well, I think.")) as prose, misbehaving(formed) as second:
        model(session, second, "helper")
        judge_entry = model(session, prose, coerce="helper")
        ask(session, [judge_entry], [segment])
        assert len(second.asked) == 1
    (kept,) = said(session, segment)
    assert (kept.status, kept.mended, kept.answer) == (JudgmentStatus.OK, "coerced", {"label": "competence"})
    assert len(all_egress(session.study)) == 3


def test_a_budget_in_tokens_is_never_passed(session: Session) -> None:
    segments = [mark(session, "Ada", at, at * 1.1) for at in range(10, 130)]
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server, max_tokens=16)
        _, result = ask(session, [judge_entry], segments, budget=Limits(tokens=12_000))
        assert 0 < len(server.asked) < len(segments)
    assert result["tokens_in"] + result["tokens_out"] <= 12_000
    assert result["over_budget"] == len(segments) - result["answered"]


def test_a_budget_in_money_needs_prices_of_what_is_not_on_this_machine(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    far, _ = add_judge(session, "far", "openai", "m", {"url": "https://judge.example.org/v1"})
    asking = prepare(session, AskRequest([far], [segment], "verdict", budget=Limits(money=1.0)))
    assert "prices" in asking.notes[0].message
    with misbehaving(RIGHT) as server:
        _, result = ask(session, [model(session, server)], [segment], budget=Limits(money=0.01))
    assert result["answered"] == 1


def test_two_currencies_do_not_add_up(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    with misbehaving() as server:
        judges = [model(session, server, name, price_in=1.0, currency=name) for name in ("USD", "EUR")]
        with pytest.raises(UserError, match="EUR and USD"):
            prepare(session, AskRequest(judges, [segment], budget=Limits(money=1.0)))


def test_a_job_that_waited_leaves_out_what_was_answered_meanwhile(session: Session) -> None:
    segments = [mark(session, "Ada", at, at * 1.2) for at in (10, 20)]
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server)
        waiting = prepare(session, AskRequest([judge_entry], segments, "verdict")).job
        assert waiting is not None
        ask(session, [judge_entry], segments[:1])
        run_inline(session, renew(session, waiting), Silent())
        assert len(server.asked) == 2


def test_what_is_withdrawn_before_it_begins_is_not_asked(session: Session) -> None:
    segments = [mark(session, "Ada", at, at * 1.2) for at in (10, 20, 30)]
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server, concurrency=1)
        work = prepare(session, AskRequest([judge_entry], segments, "verdict")).job
        assert work is not None
        queue_of(work).withdraw(judge_entry.id, segments[2])
        result, _ = run_inline(session, work, Silent())
        assert len(server.asked) == 2
    assert (result["answered"], result["withdrawn"]) == (2, 1)
    assert not said(session, segments[2])


def test_the_work_holds_no_key(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_KEY_MODEL", "sk-very-secret-key")
    segment = mark(session, "Ada", 10, 20)
    with misbehaving(RIGHT) as server:
        monkeypatch.setenv("GREENROOM_KEY_MODEL_AT", server.url)
        work = prepare(session, AskRequest([model(session, server)], [segment], "verdict")).job
    assert "very-secret" not in json.dumps(dict(work.parameters))


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
        said = "This model's maximum context length is 2000 tokens. However, your messages resulted in {} tokens."
        return said.format(tokens) if tokens > 2000 else ""

    with misbehaving(refuses(too_long, RIGHT)) as server:
        ask(session, [model(session, server)], [segment])
        sent = len(server.asked)
    (kept,) = said(session, segment)
    assert (kept.status, kept.calls) == (JudgmentStatus.OK, sent)
    assert 2 <= sent <= 3
    shortened = kept.sight["shortened"]
    assert isinstance(shortened, list)
    assert {rule for rule, _, _ in shortened} <= {"before", "long", "middle"}
    assert "left out here" in str(kept.sight["text"])
    asking, _ = ask(session, [model_of(session)], [segment])
    assert asking.cached == (kept,), "it is found under the request as it was planned"


def model_of(session: Session) -> JudgeEntry:
    (judge_entry,) = all_judges(session.study)
    return judge_entry


def test_each_request_stands_in_the_journal_as_it_came_under_the_name_of_who_was_asked(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    formed = says(json.dumps({"gives_an_answer": True, "answer": {"label": "error"}}))
    with misbehaving(says("It erred.")) as server, misbehaving(formed) as other:
        second = model(session, other, "second")
        first = model(session, server, "first", coerce="second")
        ask(session, [first], [segment])
    lines = all_egress(session.study)
    assert [line.request.judge_id for line in lines] == [first.id, first.id, second.id]
    came = [*server.asked, *other.asked]
    assert [line.request.size for line in lines] == [int(asked.headers["content-length"]) for asked in came]
    assert [line.request.port for line in lines] == [int(asked.headers["host"].partition(":")[2]) for asked in came]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_run_that_was_interrupted_goes_on_with_what_is_left_of_it_and_of_its_budget(
    session: Session, fresh: bool
) -> None:
    segments = [mark(session, "Ada", at, at * 1.2) for at in (10, 20, 30)]
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server)
        ask(session, [judge_entry], segments)
        whole = prepare(
            session, AskRequest([judge_entry], segments, "verdict", fresh=True, budget=Limits(tokens=90_000))
        ).job
        since = utc_now()
        part = {**whole.parameters, "requests": cast("list[Json]", whole.parameters["requests"])[:2]}
        run_inline(session, replace(whole, parameters=part), Silent())
        asked = len(server.asked)
        left = unanswered(session, replace(whole, parameters={**whole.parameters, "fresh": fresh}), since)
        if not fresh:
            assert left is None, "the third was answered before, and nobody wants it anew"
            return
        assert len(cast("list[Json]", left.parameters["requests"])) == 1
        assert 0 < cast(int, left.parameters["tokens"]) < 90_000
        run_inline(session, left, Silent())
        assert len(server.asked) == asked + 1
        assert unanswered(session, whole, since) is None


def test_a_run_whose_budget_is_spent_does_not_go_on(session: Session) -> None:
    segments = [mark(session, "Ada", at, at * 1.2) for at in (10, 20)]
    with misbehaving(RIGHT) as server:
        judge_entry = model(session, server)
        whole = prepare(session, AskRequest([judge_entry], segments, "verdict", budget=Limits(tokens=90_000))).job
        since = utc_now()
        ask(session, [judge_entry], segments[:1])
        with pytest.raises(UserError, match="budget"):
            unanswered(session, replace(whole, parameters={**whole.parameters, "tokens": 1}), since)
