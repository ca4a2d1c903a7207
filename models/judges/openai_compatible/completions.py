"""Requests completions from one server: adapts to its capabilities, and retries within limits."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from models.connection.addresses import is_loopback
from models.connection.guard import Guard, current_purpose
from models.judges.judge_interface import Message, RequestLimiter, Role, SamplingParameters, report_lost_request
from models.judges.openai_compatible.server_capabilities import (
    ConstraintMode,
    ServerCapabilities,
    to_wire_messages,
)
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Cause, Failure, describe_failure
from models.judges.openai_compatible.server_options import OpenAIOptions, host_and_port, host_name
from models.judges.openai_compatible.server_requests import (
    RetryLimits,
    create_client,
    fetch,
    jitter,
    request_completion,
)
from models.judges.structured_output.answer_parsing import to_compact_json
from models.judges.structured_output.completion import Completion, CompletionError, ResponseSchema
from models.judges.structured_output.repair_prompts import approve_text, with_schema
from project.entities.egress_policy import parse_ip_address
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json

Sleep = Callable[[float], Awaitable[None]]
CAPABILITIES: dict[str, ServerCapabilities] = {}
"""What this process has learned about servers, by address and model, whichever judge asked them."""
_MAX_ATTEMPTS = len(ConstraintMode) + 2


class ServerCompleter:
    """A model at a server, as structured output asks it.

    Args:
        base: of the server's addresses.
        model: its name there.
        key: "" for none.
        options: of the judge.
        guard: the way out.
        sleep: waits so many seconds.
        turns: how fast it may be asked; None for as fast as it can.
    """

    def __init__(
        self,
        base: str,
        model: str,
        key: str,
        options: OpenAIOptions,
        guard: Guard,
        sleep: Sleep = asyncio.sleep,
        turns: RequestLimiter | None = None,
    ) -> None:
        self.model = model
        self.base = base
        self.host = host_and_port(base)
        self.server = f"{base} {model}"
        self.client = create_client(base, key, guard)
        self.scrubber = ApiKeyRedactor(key)
        self._keyed = bool(key)
        self._options, self._guard, self._sleep, self._turns = options, guard, sleep, turns
        self._patience = RetryLimits(options.tries, max(options.patience_s, options.timeout_s))
        self._rest_until = 0.0

    async def close(self) -> None:
        """Close the connections."""
        await self.client.aclose()

    async def complete(
        self, messages: Sequence[Message], shape: ResponseSchema, sampling: SamplingParameters
    ) -> Completion:
        """Ask for a completion, more plainly where the server cannot do what it is asked.

        Raises:
            Unanswered: there is none; the line holds no key.
            project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
        """
        calls = 0
        for _ in range(_MAX_ATTEMPTS):
            capabilities = self._capabilities
            body = self._body(messages, shape, sampling, capabilities)
            outcome, made = await self._send_with_retries(body)
            calls += made
            if isinstance(outcome, Completion):
                held = "" if capabilities.rung is ConstraintMode.PROMPT else capabilities.rung.name.lower()
                return replace(outcome, calls=calls, held=held)
            failure = outcome
            if not self._learn(failure, capabilities):
                break
        raise self._unanswered(failure, calls)

    async def fetch_models(self) -> bytes | Failure:
        """Return what the server answers when it is asked for its models."""
        return await fetch(self.client, "/models", self._options.timeout_s)

    @property
    def _capabilities(self) -> ServerCapabilities:
        return CAPABILITIES.get(self.server, ServerCapabilities())

    @property
    def constraint_mode(self) -> ConstraintMode:
        """How its answers are held to a shape, as far as is known."""
        return self._capabilities.rung

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody on the way can read along, because there is no way or it is encrypted."""
        name = host_name(self.base)
        return self.base.startswith("https://") or name == "localhost" or is_loopback(parse_ip_address(name))

    def describe_failure(self, failure: Failure, calls: int = 1) -> str:
        """Return what to say about a request that was not answered; no key is in it."""
        line = describe_failure(failure, self.host, self.model, self._keyed, calls)
        return self.scrubber.redact_error(line if line.endswith("?") else f"{line}.")

    def weaken_constraint(self, held: str) -> None:
        """Weaken the constraint: the server accepted a shape, and did not hold its answer to it."""
        CAPABILITIES[self.server] = self._capabilities.weakened(_weaker_mode(ConstraintMode[held.upper()]))

    def approve_text(self, text: str) -> None:
        """Approve a text of a repair or coercion, under the condition of the question that it is about."""
        approve_text(self._guard, text)

    def _body(
        self,
        messages: Sequence[Message],
        shape: ResponseSchema,
        sampling: SamplingParameters,
        capabilities: ServerCapabilities,
    ) -> dict[str, Json]:
        told = self._with_schema(messages, shape) if capabilities.puts_schema_in_prompt else messages
        body: dict[str, Json] = {
            "model": self.model,
            "messages": to_wire_messages(told, self._options.sees),
            "temperature": sampling.temperature,
            capabilities.limit: sampling.max_tokens,
        }
        if capabilities.seed:
            body["seed"] = sampling.seed
        form = capabilities.response_format(shape)
        return body if form is None else {**body, "response_format": form}

    def _with_schema(self, messages: Sequence[Message], shape: ResponseSchema) -> list[Message]:
        """Say the schema in the last message of the user. What is made of a cleared text is cleared."""
        told = [*messages]
        last = max((at for at, message in enumerate(told) if message.role is Role.USER), default=None)
        if last is None:
            return told
        before = told[last].text
        if to_compact_json(dict(shape.schema)) in before:
            return told
        told[last] = replace(told[last], text=with_schema(before, shape))
        request_purpose = current_purpose()
        if request_purpose is not None:
            cleared = self._guard.approved
            for condition in {request_purpose.condition, ""}:
                if cleared.has_text(before, condition):
                    cleared.add_text(told[last].text, condition)
        return told

    async def _send_with_retries(self, body: dict[str, Json]) -> tuple[Completion | Failure, int]:
        """Send a request as often as patience lasts; return what became of it last, and how many were made."""
        ends, calls = time.monotonic() + self._patience.total_s, 0
        while True:
            # Where the server asked another request of this judge to wait, this one waits too.
            rest = self._rest_until - time.monotonic()
            if rest >= ends - time.monotonic():
                return Failure(Cause.BUSY, 0, "", hint_s=rest), calls
            if rest > 0:
                await self._sleep(rest)
            waits = time.monotonic()
            async with self._turns.turn() if self._turns is not None else nullcontext():
                # Whoever waits for its turn has not lost patience with the server.
                ends += time.monotonic() - waits
                left = max(ends - time.monotonic(), 0.001)
                outcome = await request_completion(self.client, body, min(self._options.timeout_s, left), self.scrubber)
            calls += 1
            if isinstance(outcome, Completion):
                return outcome, calls
            if outcome.lost and not report_lost_request():
                return outcome, calls
            if outcome.cause is not Cause.BUSY:
                return outcome, calls
            if outcome.hint_s:
                self._rest_until = max(self._rest_until, time.monotonic() + outcome.hint_s)
            wait = self._patience.next_wait(calls, ends - time.monotonic(), outcome.hint_s, jitter)
            if wait is None:
                return outcome, calls
            await self._sleep(wait)

    def _learn(self, failure: Failure, capabilities: ServerCapabilities) -> bool:
        """Remember what a refusal says about the server's capabilities; return whether it says anything new."""
        now = self._capabilities
        if failure.cause is Cause.LIMIT_NAME and capabilities.limit == "max_tokens":
            learned = replace(now, limit="max_completion_tokens")
        elif failure.cause is Cause.SEED and capabilities.seed:
            learned = replace(now, seed=False)
        elif failure.cause is Cause.SHAPE and capabilities.rung < ConstraintMode.PROMPT:
            lean = capabilities.rung is ConstraintMode.SCHEMA and failure.limits_refused
            learned = now.weakened(ConstraintMode.LEAN if lean else _weaker_mode(capabilities.rung))
        else:
            return now != capabilities
        CAPABILITIES[self.server] = learned
        return True

    def _unanswered(self, failure: Failure, calls: int) -> CompletionError:
        refused = failure.cause is Cause.FILTERED
        return CompletionError(
            self.describe_failure(failure, calls),
            status=JudgmentStatus.REFUSED if refused else JudgmentStatus.ERROR,
            raw=self.scrubber.redact_error(failure.server_message) if refused else "",
            calls=calls,
            too_long=failure.too_long,
        )


def _weaker_mode(mode: ConstraintMode) -> ConstraintMode:
    return ConstraintMode.OBJECT if mode < ConstraintMode.OBJECT else ConstraintMode.PROMPT
