"""All judges are asked at once; no judge stops another, no budget is passed, no limit of requests exceeded."""

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.judge_input.input_plan import InputPlan
from benchmark.judging.ask_run import RunOutcome
from benchmark.judging.run_budget import MINUTE_S, SLOT_GRACE_S, BudgetTracker, Cost, Limits, RateLimiter
from benchmark.judging.run_execution import MAX_CONSECUTIVE_ERRORS
from models.judges.judge_interface import JudgeRequest, Message, ModelOptions, Reply, TooLong
from project.codec import dump, load
from project.entities.egress_policy import Forbidden
from project.entities.judgments import Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.errors import Cancelled, UserError
from tests.builders.asked import Keeper, at_once, lane, reply, run, show
from tests.builders.waiting import HANG_S


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


def test_what_the_policy_forbids_is_noted_with_its_rule_and_asked_no_more_where_it_is_for_all() -> None:
    async def forbidden(question: JudgeRequest) -> Reply:
        raise Forbidden("hosts", "The policy does not name this machine.", "Have it added.")

    async def some(question: JudgeRequest) -> Reply:
        if "of 3?" in question.messages[0].text:
            raise Forbidden("reviewed", "Not reviewed.")
        return reply()

    gone: Any = lane("gone", forbidden, 20, ModelOptions(concurrency=2))
    keeper = Keeper()
    outcome = asyncio.run(run([gone, lane("some", some, 20)], keeper).run())
    assert len(gone.judge.asked) <= 2
    assert outcome.answered == 19
    notes = {note.rule: note.about for note in outcome.notes}
    assert (len(notes["hosts"]), notes["reviewed"]) == (20, ["s3"])
    assert {judgment["judge"]["name"] for judgment in keeper.judgments()} == {"some"}


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
    outcome = asyncio.run(run([lane("a", at_once, 100, options)], Keeper(), limits=Limits(tokens=5000)).run())
    assert outcome.tokens_in + outcome.tokens_out <= 5000
    assert outcome.answered >= 30
    assert outcome.answered + outcome.over_budget == 100


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


requests = st.lists(
    st.tuples(st.integers(0, 400), st.floats(0, 1), st.integers(1, 4)).map(
        lambda row: (Cost(row[0], row[0] / 1e6), row[1], row[2])
    ),
    max_size=20,
)


def is_kept(budget: BudgetTracker) -> bool:
    money, tokens = budget.limits.money, budget.limits.tokens
    spent = budget.spent + budget.reserved
    return (money is None or spent.money <= money) and (tokens is None or spent.tokens <= tokens)


async def spend(budget: BudgetTracker, asked: list[tuple[Cost, float, int]]) -> list[bool]:
    """Ask at once; each request has its worst case, the share of it that it takes, and how long it lasts."""

    async def ask(most: Cost, share: float, rounds: int) -> bool:
        async with budget.reserve(lambda: most) as reservation:
            assert is_kept(budget)
            if reservation is None:
                return False
            for _ in range(rounds):
                await asyncio.sleep(0)
            reservation.took = Cost(int(most.tokens * share), most.money * share)
        assert is_kept(budget)
        return True

    return list(await asyncio.gather(*(ask(*request) for request in asked)))


@given(requests, st.none() | st.integers(0, 2000), st.none() | st.floats(0, 0.002))
def test_a_budget_is_never_passed(
    asked: list[tuple[Cost, float, int]], tokens: int | None, money: float | None
) -> None:
    budget = BudgetTracker(Limits(money, tokens))
    sent = asyncio.run(spend(budget, asked))
    assert budget.reserved == Cost()
    if tokens is None and money is None:
        assert all(sent)
    for (most, _, _), was_sent in zip(asked, sent, strict=True):
        # One that was not sent would not have fitted beside what was spent by the end.
        assert was_sent or not budget.limits.allows(budget.spent + most) or not budget.limits.allows(most)


def test_a_request_waits_for_what_others_leave_and_one_that_never_fits_does_not() -> None:
    budget = BudgetTracker(Limits(tokens=100))
    assert asyncio.run(spend(budget, [(Cost(60), 0.1, 3), (Cost(60), 0.5, 1)])) == [True, True]
    assert budget.spent.tokens == 36
    for limits, most, exact in (
        (Limits(tokens=100), Cost(101), Cost(100)),
        (Limits(money=1.0), Cost(0, 1.01), Cost(0, 1.0)),
    ):
        assert asyncio.run(spend(BudgetTracker(limits), [(most, 1, 1), (exact, 1, 1)])) == [False, True]


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class Asked:
    """When requests began, and how many were under way at most."""

    clock: Clock
    began: list[float] = field(default_factory=list)
    now: int = 0
    most: int = 0

    async def request(self, pace: RateLimiter, duration: float) -> None:
        async with pace.turn():
            self.began.append(self.clock.now)
            self.now += 1
            self.most = max(self.most, self.now)
            await self.clock.sleep(duration)
            self.now -= 1


async def ask(pace: RateLimiter, asked: Asked, duration: float, requests: int, of_another: bool) -> None:
    """Ask a question that takes so many requests; in the course of another judge's question, outside of a slot."""
    if of_another:
        for _ in range(requests):
            await asked.request(pace, duration)
        return
    async with pace.slot():
        for _ in range(requests):
            await asked.request(pace, duration)


async def gather(questions: Iterable[Awaitable[None]]) -> None:
    async with asyncio.timeout(HANG_S):
        await asyncio.gather(*questions)


@given(
    st.lists(st.tuples(st.floats(0, 20), st.integers(1, 3), st.booleans()), max_size=20),
    st.integers(1, 5),
    st.integers(1, 7),
)
def test_in_no_minute_and_at_no_time_are_more_requests_made_than_allowed(
    questions: list[tuple[float, int, bool]], at_once: int, per_minute: int
) -> None:
    clock = Clock()
    asked = Asked(clock)
    pace = RateLimiter(at_once, per_minute, clock, clock.sleep)
    asyncio.run(gather(ask(pace, asked, *question) for question in questions))
    assert len(asked.began) == sum(requests for _, requests, _ in questions)
    assert asked.most <= at_once
    for at in asked.began:
        assert sum(at - MINUTE_S + SLOT_GRACE_S < other <= at for other in asked.began) <= per_minute


def test_judges_that_bring_each_others_answers_into_form_do_not_wait_for_each_other_for_ever() -> None:
    clock = Clock()
    asked = Asked(clock)

    async def ask_both(own: RateLimiter, second: RateLimiter) -> None:
        async with own.slot():
            await asked.request(own, 1.0)
            await asked.request(second, 1.0)

    first, second = RateLimiter(1), RateLimiter(1)
    asyncio.run(gather((ask_both(first, second), ask_both(second, first))))
    assert len(asked.began) == 4
