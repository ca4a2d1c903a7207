"""A judge behind an OpenAI-compatible server.

It adapts to the server's capabilities, which are learned from refusals and remembered by address and model, retries
within limits, and tries a server without any study content.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from models.connection.addresses import is_loopback
from models.connection.guard import Guard, current_purpose
from models.judges.judge_interface import (
    TRIAL_QUESTION,
    Completion,
    CompletionError,
    JudgeFrame,
    JudgeRequest,
    JudgeResources,
    JudgeTrial,
    Message,
    OnLost,
    Reply,
    Role,
    trial_request,
)
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Cause, Failure, describe_failure
from models.judges.openai_compatible.server_requests import (
    OpenAIOptions,
    RetryLimits,
    cap_lengths,
    create_client,
    fetch,
    jitter,
    normalize_base_url,
    request_completion,
    strip_limits,
    to_wire_messages,
)
from models.judges.structured_output.answer_parsing import response_schema, to_compact_json
from models.judges.structured_output.repair import ask_with_repair, with_schema
from project.entities.egress_policy import parse_ip_address
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError

if TYPE_CHECKING:
    import httpx2


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

    def response_format(self, name: str, schema: Mapping[str, Json]) -> Json:
        """Return what the server is told about the shape of the answer; None for nothing."""
        if self.rung is ConstraintMode.PROMPT:
            return None
        if self.rung is ConstraintMode.OBJECT:
            return {"type": "json_object", "schema": cap_lengths(schema)}
        held = dict(schema) if self.rung is ConstraintMode.SCHEMA else strip_limits(schema)
        return {"type": "json_schema", "json_schema": {"name": name, "schema": held, "strict": True}}


Sleep = Callable[[float], Awaitable[None]]
CAPABILITIES: dict[str, ServerCapabilities] = {}
"""What this process has learned about servers, by address and model, whichever judge asked them."""
_MAX_ATTEMPTS = len(ConstraintMode) + 2
_SIDE = 64
_STAMP = "0.0 s"
_PICTURE_QUESTION = "Which colour has the picture? Answer in the form that is asked for."
_MAKERS = {
    "vllm": "vLLM",
    "llamacpp": "llama.cpp's server",
    "library": "Ollama",
    "organization_owner": "LM Studio",
    "me": "llama-cpp-python's server",
    "openai": "OpenAI",
    "system": "OpenAI",
}
"""What servers call the owner of their models."""
_CONSTRAINT_TEXTS = {
    ConstraintMode.SCHEMA: "It takes a JSON schema for its answers.",
    ConstraintMode.LEAN: "It takes a JSON schema for its answers, without limits on lengths and numbers.",
    ConstraintMode.OBJECT: "It takes no json_schema, but a JSON object with a schema.",
    ConstraintMode.PROMPT: "It cannot be held to a form; the form is said in the prompt, "
    "and answers are read and mended.",
}


class OpenAIJudge:
    """Asks a server for chat completions.

    Every request is made inside of `models.connection.guard.for_purpose`, which the caller opens, and goes through the
    guard.
    """

    key: ClassVar[str] = "openai"
    name: ClassVar[str] = "OpenAI-compatible server"
    description: ClassVar[str] = (
        "Any server that speaks OpenAI's language: hosted models, vLLM, llama.cpp's own server, Ollama, LM Studio."
    )
    options_type: ClassVar[type[OpenAIOptions]] = OpenAIOptions
    needs_model: ClassVar[bool] = True
    leaves: ClassVar[bool] = True

    def __init__(self, model: str, options: OpenAIOptions, means: JudgeResources, sleep: Sleep = asyncio.sleep) -> None:
        key = means.key.strip()
        if not (key.isascii() and key.isprintable()):
            raise UserError("This judge's API key contains characters that are not allowed.", "Set the key again.")
        self._base = normalize_base_url(options.url)
        self._host = urlsplit(self._base).netloc
        self._model, self._options, self._means, self._sleep = model, options, replace(means, key=key), sleep
        self._redactor = ApiKeyRedactor(key)
        self._patience = RetryLimits(options.tries, max(options.patience_s, options.timeout_s))
        self._rest_until = 0.0
        self._client: httpx2.AsyncClient | None = None

    @property
    def _guard(self) -> Guard:
        if self._means.guard is None:
            raise UserError("A judge on a server needs a policy that permits the connection.", "Ask it within a study.")
        return self._means.guard

    @property
    def fingerprint(self) -> str:
        """Address and model."""
        return f"{self._base} {self._model}"

    async def ask(self, question: JudgeRequest) -> Reply:
        """Answer a question; see `Judge.ask`."""
        return await ask_with_repair(question, self, self._means, self._options.cost)

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _open_client(self) -> "httpx2.AsyncClient":
        if self._client is None:
            self._client = create_client(self._base, self._means.key, self._guard)
        return self._client

    async def complete(self, question: JudgeRequest) -> Completion:
        """Ask for a completion, more plainly where the server cannot do what it is asked.

        Raises:
            CompletionError: there is none; the line holds no key.
            project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
        """
        calls = 0
        for _ in range(_MAX_ATTEMPTS):
            capabilities = self._capabilities
            outcome, made = await self._send_with_retries(self._body(question, capabilities), question.on_lost)
            calls += made
            if isinstance(outcome, Completion):
                held = "" if capabilities.rung is ConstraintMode.PROMPT else capabilities.rung.name.lower()
                return replace(outcome, calls=calls, held=held)
            failure = outcome
            if not self._learn(failure, capabilities):
                break
        raise self._unanswered(failure, calls)

    @property
    def _capabilities(self) -> ServerCapabilities:
        return CAPABILITIES.get(self.fingerprint, ServerCapabilities())

    def _describe_failure(self, failure: Failure, calls: int = 1) -> str:
        """Return what to say about a request that was not answered; no key is in it."""
        line = describe_failure(failure, self._host, self._model, bool(self._means.key), calls)
        return self._redactor.redact_error(line if line.endswith("?") else f"{line}.")

    def weaken_constraint(self, held: str) -> None:
        """Weaken the constraint: the server accepted a shape, and did not hold its answer to it."""
        CAPABILITIES[self.fingerprint] = self._capabilities.weakened(_weaker_mode(ConstraintMode[held.upper()]))

    def _body(self, question: JudgeRequest, capabilities: ServerCapabilities) -> dict[str, Json]:
        schema, sampling = response_schema(question.form), question.sampling
        messages: Sequence[Message] = question.messages
        if capabilities.puts_schema_in_prompt:
            messages = self._with_schema(messages, schema)
        body: dict[str, Json] = {
            "model": self._model,
            "messages": to_wire_messages(messages, self._options.sees),
            "temperature": sampling.temperature,
            capabilities.limit: sampling.max_tokens,
        }
        if capabilities.seed:
            body["seed"] = sampling.seed
        form = capabilities.response_format(question.form.name, schema)
        return body if form is None else {**body, "response_format": form}

    def _with_schema(self, messages: Sequence[Message], schema: Mapping[str, Json]) -> list[Message]:
        """Say the schema in the last message of the user. What is made of an approved text is approved."""
        told = [*messages]
        last = max((at for at, message in enumerate(told) if message.role is Role.USER), default=None)
        if last is None:
            return told
        before = told[last].text
        if to_compact_json(dict(schema)) in before:
            return told
        told[last] = replace(told[last], text=with_schema(before, schema))
        request_purpose = current_purpose()
        if request_purpose is not None:
            approved = self._guard.approved
            for condition in {request_purpose.condition, ""}:
                if approved.has_text(before, condition):
                    approved.add_text(told[last].text, condition)
        return told

    async def _send_with_retries(self, body: dict[str, Json], on_lost: OnLost) -> tuple[Completion | Failure, int]:
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
            async with self._means.turn():
                # Whoever waits for its turn has not lost patience with the server.
                ends += time.monotonic() - waits
                left = max(ends - time.monotonic(), 0.001)
                outcome = await request_completion(
                    self._open_client(), body, min(self._options.timeout_s, left), self._redactor
                )
            calls += 1
            if isinstance(outcome, Completion):
                return outcome, calls
            if outcome.lost and not on_lost():
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
        CAPABILITIES[self.fingerprint] = learned
        return True

    def _unanswered(self, failure: Failure, calls: int) -> CompletionError:
        refused = failure.cause is Cause.FILTERED
        return CompletionError(
            self._describe_failure(failure, calls),
            status=JudgmentStatus.REFUSED if refused else JudgmentStatus.ERROR,
            raw=self._redactor.redact_error(failure.server_message) if refused else "",
            calls=calls,
            too_long=failure.too_long,
        )

    async def probe(self) -> JudgeTrial:
        """Try a server: list its models, ask something, and show it a red square.

        Only where the judge sees frames a picture is tried.
        """
        square = _red_square()
        for text in (TRIAL_QUESTION, _PICTURE_QUESTION, _STAMP):
            self._guard.approved.add_text(text, "")
        self._guard.approved.add_media(square.sha256, "")
        listed, problem = await self._fetch_models()
        if problem:
            return JudgeTrial(False, (problem,))
        names = tuple(str(model.get("id", "")) for model in listed)
        server = next((_MAKERS[owner] for model in listed if (owner := str(model.get("owned_by"))) in _MAKERS), "")
        lines = [f"{self._host} answers{f'; it is {server}' if server else ''}.", _about_model(self._model, names)]
        try:
            answer = await self.complete(trial_request(Message(Role.USER, TRIAL_QUESTION)))
        except CompletionError as failure:
            return JudgeTrial(False, (*lines, failure.line))
        lines.append(f"It answers as {answer.model_id}." if answer.model_id else "It does not say which model answers.")
        lines.append(_CONSTRAINT_TEXTS[self._capabilities.rung])
        ok = True
        if self._options.sees == "frames":
            ok, line = await self._try_picture(square)
            lines.append(line)
        if server == "Ollama":
            lines.append("Ollama cuts what is too long without a word: give it room with OLLAMA_CONTEXT_LENGTH.")
        if not self._is_private:
            lines.append("The address begins with http://, so whoever is on the way to another machine can read along.")
        return JudgeTrial(ok, tuple(lines), answer.model_id)

    async def _fetch_models(self) -> tuple[list[Mapping[str, Json]], str]:
        """Return what a server lists, and why it does not answer at all, if so; many do not list anything."""
        body = await fetch(self._open_client(), "/models", self._options.timeout_s)
        if isinstance(body, Failure):
            return [], self._describe_failure(body) if body.cause in (
                Cause.KEY,
                Cause.BUSY,
                Cause.QUOTA,
            ) or not body.status else ""
        try:
            found: Any = json.loads(body)
        except (ValueError, RecursionError):
            return [], ""
        data = found.get("data") if isinstance(found, dict) else None
        return [model for model in data if isinstance(model, dict)] if isinstance(data, list) else [], ""

    async def _try_picture(self, square: JudgeFrame) -> tuple[bool, str]:
        try:
            answer = await self.complete(trial_request(Message(Role.USER, _PICTURE_QUESTION, (square,))))
        except CompletionError as failure:
            return False, f"It takes no pictures, so let the judge see text alone: {failure.line}"
        if "red" in answer.text.lower():
            return True, "It takes pictures, and knows a red square when it sees one."
        return True, "It takes pictures, but did not call a red square red."

    @property
    def _is_private(self) -> bool:
        """Whether nobody on the way can read along, because there is no way or it is encrypted."""
        name = urlsplit(self._base).hostname or ""
        return self._base.startswith("https://") or name == "localhost" or is_loopback(parse_ip_address(name))


def _weaker_mode(mode: ConstraintMode) -> ConstraintMode:
    return ConstraintMode.OBJECT if mode < ConstraintMode.OBJECT else ConstraintMode.PROMPT


def _about_model(model: str, names: tuple[str, ...]) -> str:
    if not names:
        return "It does not list its models."
    if model in names:
        return f"It has {model}."
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"It does not list {model}; it lists {shown}."


def _red_square() -> JudgeFrame:
    import numpy as np

    from media.excerpts import encode_jpeg

    red = np.zeros((_SIDE, _SIDE, 3), np.uint8)
    red[..., 0] = 230
    return JudgeFrame(0, _STAMP, encode_jpeg(red), _SIDE, _SIDE)
