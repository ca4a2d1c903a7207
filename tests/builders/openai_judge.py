"""Ask a judge behind a server, as the code that asks does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from models.connection.guard import Guard, RequestPurpose, for_purpose
from models.judges.judge_interface import (
    AnswerForm,
    Judge,
    JudgeFrame,
    JudgeRequest,
    JudgeResources,
    Message,
    OnLost,
    Reply,
    RequestLimiter,
    Role,
    SamplingParameters,
    send_again,
)
from models.judges.openai_compatible.server_judge import OpenAIJudge
from models.judges.openai_compatible.server_requests import OpenAIOptions
from project.entities.egress_policy import EgressRequest, Policy, Purpose, decide
from tests.builders.answer_forms import FORM
from tests.builders.misbehaving_server import MODEL

KEY = "sk-Live_51f3-AbCdEfGh/12+34"
Found = TypeVar("Found")


@dataclass
class Gate:
    """An authority that lets out what the default policy lets out, and notes it."""

    threadsafe: bool = True
    noted: list[EgressRequest] = field(default_factory=list)

    def permit(self, departure: EgressRequest) -> None:
        decide(Policy(), departure)
        self.noted.append(departure)


@dataclass
class Asking:
    """A judge, and what surrounds it.

    Attributes:
        waits: that it took between its tries, in seconds; none of them really passes.
    """

    judge: OpenAIJudge
    guard: Guard
    gate: Gate
    waits: list[float]

    def question(
        self,
        text: str = "what is it?",
        pictures: tuple[JudgeFrame, ...] = (),
        form: AnswerForm = FORM,
        on_lost: OnLost = send_again,
    ) -> JudgeRequest:
        messages = (Message(Role.SYSTEM, "be brief"), Message(Role.USER, text, pictures))
        for message in messages:
            self.guard.approved.add_text(message.text, "raw")
        for picture in pictures:
            self.guard.approved.add_media(picture.sha256, "raw")
            self.guard.approved.add_text(picture.time_label, "")
        return JudgeRequest(messages, form, SamplingParameters(seed=7, max_tokens=64), on_lost=on_lost)

    def ask(self, text: str = "what is it?", **given: Any) -> Reply:
        return self.run(lambda: self.judge.ask(self.question(text, **given)))

    def run(self, work: Callable[[], Awaitable[Found]], purpose: Purpose = Purpose.JUDGE) -> Found:
        async def inside() -> Found:
            try:
                condition = "" if purpose is Purpose.TEST else "raw"
                with for_purpose(RequestPurpose(purpose, "judge", "recording", "segment", condition)):
                    return await work()
            finally:
                await self.judge.close()

        return asyncio.run(inside())


def asking(
    url: str,
    key: str = KEY,
    guard: Guard | None = None,
    coerce: Judge | None = None,
    model: str = MODEL,
    turns: RequestLimiter | None = None,
    **options: Any,
) -> Asking:
    gate = Gate() if guard is None else cast(Gate, guard.authority)
    guard = guard or Guard(gate)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    judge = OpenAIJudge(model, OpenAIOptions(url=url, **options), JudgeResources(guard, key, coerce, turns), sleep)
    return Asking(judge, guard, gate, waits)
