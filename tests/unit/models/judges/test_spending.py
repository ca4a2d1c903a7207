"""What requests really take never passes the budget, whatever gets lost, is mended, or is not counted."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from benchmark.judging.run_budget import Limits
from benchmark.judging.run_execution import JudgeWorker
from models.judges.judge_interface import JudgeRequest, ModelOptions, RepairLevel, Reply
from project.entities.judgments import JudgmentStatus
from tests.builders.asked import Keeper, lane, reply, run

IN, OUT = 60, 40


@dataclass
class Server:
    """Takes tokens for each request that it gets, also where its answer gets lost."""

    options: ModelOptions
    scripts: list[tuple[int, bool, bool, bool]]
    tokens: int = 0
    money: float = 0.0
    asked: int = 0
    _left: list[tuple[int, bool, bool, bool]] = field(default_factory=list)

    async def answer(self, question: JudgeRequest) -> Reply:
        tries, mended, counts, fails = self.scripts[self.asked % len(self.scripts)]
        self.asked += 1
        requests = 0
        for part in range(2 if mended else 1):
            for index in range(tries + 1):
                self._take()
                requests += 1
                await asyncio.sleep(0)
                gone = index < tries or (fails and part == int(mended))
                if gone and (not question.on_lost() or index == tries):
                    return self._said(requests, JudgmentStatus.ERROR, part, counts)
                if not gone:
                    break
        return self._said(requests, JudgmentStatus.OK, 2 if mended else 1, counts)

    def _take(self) -> None:
        self.tokens += IN + OUT
        self.money += self.options.cost(IN, OUT) or 0.0

    def _said(self, requests: int, status: JudgmentStatus, whole: int, counts: bool) -> Reply:
        if not whole:
            none = {"tokens_in": None, "tokens_out": None, "cost": None, "raw": ""}
            return reply(JudgmentStatus.ERROR, calls=requests, error="gone", **none)
        told = (whole * IN, whole * OUT) if counts else (0, 0)
        return reply(
            JudgmentStatus.OK if status is JudgmentStatus.OK else JudgmentStatus.UNPARSED,
            calls=requests,
            tokens_in=told[0],
            tokens_out=told[1],
            cost=self.options.cost(*told),
            mended=RepairLevel.REPAIRED if whole > 1 else RepairLevel.NOTHING,
        )


scripts = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=6)
prices = st.tuples(st.floats(0, 100), st.floats(0, 100))


@given(scripts, prices, st.integers(1, 5), st.integers(0, 8_000), st.booleans())
def test_no_budget_is_passed(
    script: list[tuple[int, bool, bool, bool]],
    price: tuple[float, float],
    at_once: int,
    tokens: int,
    in_money: bool,
) -> None:
    options = ModelOptions(price_in=price[0], price_out=price[1], concurrency=at_once, max_tokens=OUT)
    server = Server(options, script)
    lanes: list[JudgeWorker] = [lane("a", server.answer, 12, options)]
    limits = Limits(money=(options.cost(tokens, 0) or 0.0)) if in_money else Limits(tokens=tokens)
    asyncio.run(run(lanes, Keeper(), limits=limits).run())
    assert limits.tokens is None or server.tokens <= limits.tokens
    assert limits.money is None or not options.has_prices or server.money <= limits.money + 1e-12
