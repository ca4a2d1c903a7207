"""Requests completions from one server: adapts to its capabilities, and retries within limits.

Capabilities are learned from refusals and remembered by address and model.
"""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import IntEnum

from models.connection.addresses import is_loopback
from models.connection.guard import Guard, current_purpose
from models.judges.judge_interface import Message, RequestLimiter, Role, SamplingParameters, report_lost_request
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Cause, Failure, describe_failure
from models.judges.openai_compatible.server_requests import (
    OpenAIOptions,
    RetryLimits,
    create_client,
    fetch,
    host_and_port,
    host_name,
    jitter,
    request_completion,
)
from models.judges.structured_output.answer_parsing import to_compact_json
from models.judges.structured_output.completion import Completion, CompletionError, ResponseSchema
from models.judges.structured_output.repair import approve_text, with_schema
from project.entities.egress_policy import parse_ip_address
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json

Change = Callable[[Mapping[str, Json]], Mapping[str, Json]]

_LIMIT_KEYS = {
    *("maxLength", "minLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "examples"),
}
"""Limits that not every server can hold an answer to; `AnswerForm.parse` holds it to them all the same."""
_LONGEST = 600
"""Characters of a text that llama-cpp-python can count: from some 1,000 on, its server dies of the grammar."""
_OF_NAMES = {"properties", "$defs"}


class ConstraintMode(IntEnum):
    """How an answer is held to its shape, the surest way first."""

    SCHEMA = 0
    """`response_format` of type `json_schema`."""
    LEAN = 1
    """The same without limits on lengths and numbers, which OpenAI's own servers refuse."""
    OBJECT = 2
    """`response_format` of type `json_object` with the schema, as llama-cpp-python wants it, and in the prompt too."""
    PROMPT = 3
    """The schema in the prompt alone."""


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """The request options that a server supports.

    Attributes:
        rung: how an answer is held to its shape.
        limit: what the server calls the number of tokens that an answer may have.
        seed: whether it takes one.
    """

    rung: ConstraintMode = ConstraintMode.SCHEMA
    limit: str = "max_tokens"
    seed: bool = True

    @property
    def puts_schema_in_prompt(self) -> bool:
        """Whether the schema is said in the prompt."""
        return self.rung >= ConstraintMode.OBJECT

    def weakened(self, mode: ConstraintMode) -> "ServerCapabilities":
        """Return those of a server that holds an answer to its shape no more surely than a mode does."""
        return replace(self, rung=max(self.rung, mode))

    def response_format(self, shape: ResponseSchema) -> Json:
        """Return what the server is told about the shape of the answer; None for nothing."""
        schema = dict(shape.schema)
        if self.rung is ConstraintMode.PROMPT:
            return None
        if self.rung is ConstraintMode.OBJECT:
            return {"type": "json_object", "schema": cap_lengths(schema)}
        held = schema if self.rung is ConstraintMode.SCHEMA else strip_limits(schema)
        return {"type": "json_schema", "json_schema": {"name": shape.name, "schema": held, "strict": True}}


def strip_limits(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema without limits; names of properties are kept, whatever they are called."""
    return _map_schema(schema, lambda found: {key: value for key, value in found.items() if key not in _LIMIT_KEYS})


def cap_lengths(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema in which no text is longer than llama-cpp-python can count."""

    def cap(found: Mapping[str, Json]) -> Mapping[str, Json]:
        longest = found.get("maxLength")
        return {**found, "maxLength": min(longest, _LONGEST)} if isinstance(longest, int) else found

    return _map_schema(schema, cap)


def _map_schema(schema: Mapping[str, Json], change: Change) -> dict[str, Json]:
    """Return a schema in which it and every schema in it is changed; tables of names are no schemas."""
    found: dict[str, Json] = {}
    for key, value in change(schema).items():
        if key in _OF_NAMES and isinstance(value, dict):
            found[key] = {name: _map_value(member, change) for name, member in value.items()}
        else:
            found[key] = _map_value(value, change)
    return found


def _map_value(value: Json, change: Change) -> Json:
    if isinstance(value, dict):
        return _map_schema(value, change)
    return [_map_value(item, change) for item in value] if isinstance(value, list) else value


def to_wire_messages(messages: Sequence[Message], sees: str) -> list[Json]:
    """Return messages as a server takes them.

    A message without pictures is one text, which every server takes; one with pictures is a list of parts: each picture
    after its time, a clip, then the text.

    What a judge does not see is not sent to it.
    """
    return [_message(message, sees) for message in messages]


def _message(message: Message, sees: str) -> Json:
    parts: list[Json] = []
    if sees == "frames":
        for picture in message.pictures:
            if picture.time_label:
                parts.append({"type": "text", "text": picture.time_label})
            parts.append({"type": "image_url", "image_url": {"url": _data_url("image/jpeg", picture.jpeg)}})
    if sees == "clip" and message.clip is not None:
        parts.append({"type": "video_url", "video_url": {"url": _data_url("video/mp4", message.clip.mp4)}})
    if not parts:
        return {"role": message.role.value, "content": message.text}
    return {"role": message.role.value, "content": [*parts, {"type": "text", "text": message.text}]}


def _data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


Sleep = Callable[[float], Awaitable[None]]
CAPABILITIES: dict[str, ServerCapabilities] = {}
"""What this process has learned about servers, by address and model, whichever judge asked them."""
_MAX_ATTEMPTS = len(ConstraintMode) + 2


class ServerCompleter:
    """A model at a server, as structured output asks it."""

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
            CompletionError: there is none; the line holds no key.
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
