"""All judges are asked at once; each answer is handed over as it arrives, and no judge stops another."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from benchmark.judge_input.input_plan import InputPlan
from benchmark.judging.ask_run import RunOutcome
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_execution import MAX_CONSECUTIVE_ERRORS
from models.judges.judge_interface import JudgeRequest, Message, ModelOptions, Reply, TooLong
from project.codec import dump, load
from project.entities.egress_policy import Forbidden
from project.entities.judgments import Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.errors import Cancelled, UserError
from tests.builders.asked import Keeper, at_once, lane, reply, run, show


@pytest.mark.parametrize("threadsafe", [False, True])
def test_everything_is_asked_once_and_handed_over(threadsafe: bool) -> None:
    keeper = Keeper(threadsafe)
    workers = [lane("a", at_once, 30), lane("b", at_once, 30, number=1)]
    outcome = asyncio.run(run(workers, keeper).run())
    judgments = [load(Judgment, judgment, "judgment") for judgment in keeper.judgments()]
    assert sorted(judgment.request_key for judgment in judgments) == sorted(
        f"{j}/{at}" for j in "ab" for at in range(30)
    )
    assert len({judgment.id for judgment in judgments}) == 60
    assert (outcome.answered, outcome.tokens_in, outcome.tokens_out) == (60, 6000, 600)
    assert outcome.money == pytest.approx({"USD": 0.06})
    assert keeper.said[-1][:2] == (60, 60)
    assert "6,600 tokens, 0.0600 USD" in keeper.said[-1][2]
    judgment = judgments[0]
    assert (judgment.task, judgment.variant, judgment.condition, judgment.seed) == ("verdict", "plain", "raw", 7)
    assert (judgment.prompt, judgment.status, judgment.answer) == ("verdict@1", JudgmentStatus.OK, {"label": "error"})
    assert judgment.judge["name"] in "ab"
    assert judgment.sight["text"] == f"What of {judgment.segment_id[1:]}?"


def test_a_judge_is_asked_as_often_at_once_as_it_may_be() -> None:
    now, most = 0, 0

    async def counted(question: JudgeRequest) -> Reply:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return reply()

    asyncio.run(run([lane("a", counted, 20, ModelOptions(concurrency=3))], Keeper()).run())
    assert most == 3


def test_a_judge_that_only_fails_is_given_up_and_stops_no_other() -> None:
    async def down(question: JudgeRequest) -> Reply:
        return reply(JudgmentStatus.ERROR, error="The server is down.", raw="", cost=None)

    keeper = Keeper()
    broken = lane("broken", down, 50, ModelOptions(concurrency=1))
    outcome = asyncio.run(run([broken, lane("well", at_once, 50)], keeper).run())
    assert outcome.answered == 50
    assert outcome.failed == MAX_CONSECUTIVE_ERRORS
    (note,) = outcome.notes
    assert (note.judge, len(note.about)) == ("broken", 50 - MAX_CONSECUTIVE_ERRORS)
    assert "The server is down." in note.message
    assert {judgment["status"] for judgment in keeper.judgments() if judgment["judge"]["name"] == "broken"} == {"error"}


def test_what_the_policy_forbids_for_all_is_asked_no_more_and_noted_with_its_rule() -> None:
    async def forbidden(question: JudgeRequest) -> Reply:
        raise Forbidden("hosts", "The policy does not name this machine.", "Have it added.")

    gone: Any = lane("gone", forbidden, 20, ModelOptions(concurrency=2))
    keeper = Keeper()
    outcome = asyncio.run(run([gone, lane("well", at_once, 20)], keeper).run())
    assert len(gone.judge.asked) <= 2
    assert outcome.answered == 20
    (note,) = outcome.notes
    assert (note.rule, len(note.about)) == ("hosts", 20)
    assert {judgment["judge"]["name"] for judgment in keeper.judgments()} == {"well"}


def test_what_is_forbidden_for_one_segment_leaves_the_others() -> None:
    async def some(question: JudgeRequest) -> Reply:
        if "of 3?" in question.messages[0].text:
            raise Forbidden("reviewed", "Not reviewed.")
        return reply()

    outcome = asyncio.run(run([lane("a", some, 10)], Keeper()).run())
    assert outcome.answered == 9
    assert [(note.rule, note.about) for note in outcome.notes] == [("reviewed", ["s3"])]


def test_a_stopped_run_hands_over_what_was_answered() -> None:
    keeper = Keeper()

    async def until_stopped(question: JudgeRequest) -> Reply:
        if "of 5?" in question.messages[0].text:
            keeper.stopped = True
        if keeper.stopped:
            await asyncio.Event().wait()
        return reply()

    with pytest.raises(Cancelled):
        asyncio.run(run([lane("a", until_stopped, 20, ModelOptions(concurrency=1))], keeper).run())
    assert [judgment["segment_id"] for judgment in keeper.judgments()] == ["s0", "s1", "s2", "s3", "s4"]


def test_one_request_or_one_judge_can_be_withdrawn() -> None:
    keeper = Keeper()
    keeper.withdrawn = [["judge slow", "s0"], ["judge gone", ""]]

    async def waiting(question: JudgeRequest) -> Reply:
        if "of 0?" in question.messages[0].text:
            await asyncio.Event().wait()
        return reply()

    async def never(question: JudgeRequest) -> Reply:
        await asyncio.Event().wait()
        return reply()

    workers = [lane("slow", waiting, 3), lane("gone", never, 5)]
    outcome = asyncio.run(run(workers, keeper).run())
    assert (outcome.answered, outcome.withdrawn) == (2, 6)
    assert {judgment["segment_id"] for judgment in keeper.judgments()} == {"s1", "s2"}


def test_a_budget_stops_before_it_is_passed() -> None:
    options = ModelOptions(concurrency=4, price_in=10.0, price_out=10.0, max_tokens=100)
    outcome = asyncio.run(run([lane("a", at_once, 200, options)], Keeper(), limits=Limits(tokens=5000)).run())
    assert outcome.tokens_in + outcome.tokens_out <= 5000
    assert outcome.answered >= 30
    assert outcome.answered + outcome.over_budget == 200


def test_what_a_judge_counts_more_for_than_expected_is_set_aside_for_the_next() -> None:
    async def greedy(question: JudgeRequest) -> Reply:
        await asyncio.sleep(0)
        return reply(tokens_in=3000)

    options = ModelOptions(concurrency=1, max_tokens=100)
    outcome = asyncio.run(run([lane("a", greedy, 20, options)], Keeper(), limits=Limits(tokens=20_000)).run())
    assert outcome.tokens_in + outcome.tokens_out <= 20_000
    assert outcome.answered >= 3


def test_what_a_server_does_not_count_or_was_cancelled_while_it_ran_is_charged_at_the_worst_case() -> None:
    async def uncounted(question: JudgeRequest) -> Reply:
        return reply(tokens_in=0, tokens_out=0)

    async def hanging(question: JudgeRequest) -> Reply:
        if "of 0?" in question.messages[0].text:
            keeper.withdrawn = [["judge a", "s0"]]
            await asyncio.Event().wait()
        return reply()

    options = ModelOptions(concurrency=1, max_tokens=100)
    outcome = asyncio.run(run([lane("a", uncounted, 40, options)], Keeper(), limits=Limits(tokens=4000)).run())
    assert (outcome.answered, outcome.over_budget) == (3, 37)
    keeper = Keeper()
    outcome = asyncio.run(run([lane("a", hanging, 2, options)], keeper, limits=Limits(tokens=2000)).run())
    assert (outcome.withdrawn, outcome.over_budget) == (1, 1)


def test_a_question_that_is_too_long_is_shortened_at_most_twice_and_keeps_its_key() -> None:
    async def picky(question: JudgeRequest) -> Reply:
        if len(question.messages[0].text) > 1000:
            return reply(JudgmentStatus.ERROR, error="Too long.", raw="", too_long=TooLong(20, 6), cost=None)
        return reply()

    text = "x" * 4000
    keeper = Keeper()
    keeper.shorten = lambda plan: replace(plan, text=plan.text[: len(plan.text) // 2])
    asyncio.run(run([lane("a", picky, 1)], keeper, text=text).run())
    (kept,) = keeper.judgments()
    assert (kept["status"], kept["calls"], kept["sight"]["text"]) == ("ok", 3, "x" * 1000)
    assert kept["request_key"] == "a/0"
    keeper = Keeper()
    asyncio.run(run([lane("a", picky, 1)], keeper, text=text).run())
    (kept,) = keeper.judgments()
    assert (kept["status"], kept["error"], kept["calls"]) == ("error", "Too long.", 3)


def test_a_key_that_a_server_repeats_is_not_kept() -> None:
    async def telling(question: JudgeRequest) -> Reply:
        return replace(
            reply(error="Wrong key sk-secret"),
            raw="You sent sk-secret \ud800",
            answer={"rationale": ["sk-secret"], "label": "error"},
        )

    keeper = Keeper()
    asyncio.run(run([lane("a", telling, 1)], keeper).run())
    (kept,) = keeper.judgments()
    assert "sk-secret" not in str(kept)
    assert kept["answer"] == {"rationale": ["[key]"], "label": "error"}
    assert kept["raw"] == "You sent [key] ?"


def test_what_cannot_be_built_is_noted_for_every_judge_and_the_rest_is_asked() -> None:
    def build(plan: InputPlan) -> tuple[Message, ...]:
        if "of 1?" in plan.text:
            raise UserError("The file is missing.", "Put it back.")
        return show(plan)

    workers = [lane("a", at_once, 3), lane("b", at_once, 3)]
    outcome = asyncio.run(run(workers, Keeper(), build=build).run())
    assert outcome.answered == 4
    assert [(note.judge, note.message, note.about) for note in outcome.notes] == [
        ("a", "The file is missing.", ["s1"]),
        ("b", "The file is missing.", ["s1"]),
    ]


def test_a_study_that_takes_no_more_ends_the_run() -> None:
    keeper = Keeper()
    keeper.broken = UserError("The disk is full.", "Make room.")
    with pytest.raises(UserError, match="disk is full"):
        asyncio.run(run([lane("a", at_once, 5)], keeper).run())


def test_a_run_of_nothing_ends() -> None:
    assert asyncio.run(run([lane("a", at_once, 0)], Keeper()).run()).completed == 0


def test_a_note_names_the_first_things_and_counts_the_others() -> None:
    outcome = RunOutcome()
    keys = [JudgmentTarget(JudgmentTargetKind.ITEM, f"item {number}").key for number in range(2000)]
    for key in (*keys, ""):
        outcome.add_note(None, key, UserError("It has no rendering.", "Export one."))
    short: Any = outcome.as_short_json()
    (told,) = short["notes"]
    assert (told["count"], told["about"]) == (len(keys), keys[:20])
    assert outcome.notes[0].as_text() == "It has no rendering. (2000 items) Export one."
    assert load(RunOutcome, dump(outcome), "outcome") == outcome, "what is counted on goes over whole"
