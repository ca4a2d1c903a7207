"""A judge behind an OpenAI-compatible server, and a probe that tries a server without any study content."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from models.connection.guard import ApprovedContent
from models.judges.judge_interface import (
    TRIAL_QUESTION,
    TRIAL_SAMPLING,
    TRIAL_SCHEMA,
    JudgeFrame,
    JudgeRequest,
    JudgeResources,
    JudgeTrial,
    Message,
    Reply,
    Role,
)
from models.judges.openai_compatible.completions import ConstraintMode, ServerCompleter, Sleep
from models.judges.openai_compatible.server_failures import Cause, Failure
from models.judges.openai_compatible.server_requests import OpenAIOptions, normalize_base_url
from models.judges.structured_output.completion import CompletionError, ResponseSchema
from models.judges.structured_output.repair import ask_with_repair
from project.entities.study_records import Json
from project.errors import UserError

_SIDE = 64
_STAMP = "0.0 s"
_PICTURE_QUESTION = "Which colour has the picture? Answer in the form that is asked for."
_SHAPE = ResponseSchema("colour", TRIAL_SCHEMA)
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


async def probe(asker: "ServerCompleter", cleared: ApprovedContent, sees: str) -> JudgeTrial:
    """Try a server: list its models, ask something, and show it a red square.

    Only where the judge sees frames a picture is tried.
    """
    square = _red_square()
    for text in (TRIAL_QUESTION, _PICTURE_QUESTION, _STAMP):
        cleared.add_text(text, "")
    cleared.add_media(square.sha256, "")
    listed, problem = await _fetch_models(asker)
    if problem:
        return JudgeTrial(False, (problem,))
    names = tuple(str(model.get("id", "")) for model in listed)
    server = next((_MAKERS[owner] for model in listed if (owner := str(model.get("owned_by"))) in _MAKERS), "")
    lines = [f"{asker.host} answers{f'; it is {server}' if server else ''}.", _about_model(asker.model, names)]
    try:
        answer = await asker.complete([Message(Role.USER, TRIAL_QUESTION)], _SHAPE, TRIAL_SAMPLING)
    except CompletionError as failure:
        return JudgeTrial(False, (*lines, failure.line))
    lines.append(f"It answers as {answer.model_id}." if answer.model_id else "It does not say which model answers.")
    lines.append(_CONSTRAINT_TEXTS[asker.constraint_mode])
    ok = True
    if sees == "frames":
        ok, line = await _try_picture(asker, square)
        lines.append(line)
    if server == "Ollama":
        lines.append("Ollama cuts what is too long without a word: give it room with OLLAMA_CONTEXT_LENGTH.")
    if not asker.is_encrypted:
        lines.append("The address begins with http://, so whoever is on the way to another machine can read along.")
    return JudgeTrial(ok, tuple(lines), answer.model_id)


async def _fetch_models(asker: "ServerCompleter") -> tuple[list[Mapping[str, Json]], str]:
    """Return what a server lists, and why it does not answer at all, if so; many do not list anything."""
    body = await asker.fetch_models()
    if isinstance(body, Failure):
        return [], asker.describe_failure(body) if body.cause in (
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


async def _try_picture(asker: "ServerCompleter", square: JudgeFrame) -> tuple[bool, str]:
    try:
        answer = await asker.complete([Message(Role.USER, _PICTURE_QUESTION, (square,))], _SHAPE, TRIAL_SAMPLING)
    except CompletionError as failure:
        return False, f"It takes no pictures, so let the judge see text alone: {failure.line}"
    if "red" in answer.text.lower():
        return True, "It takes pictures, and knows a red square when it sees one."
    return True, "It takes pictures, but did not call a red square red."


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
        if means.guard is None:
            raise UserError("A judge at a server needs a way out.", "Ask it through a study.")
        key = means.key.strip()
        if not (key.isascii() and key.isprintable()):
            raise UserError("The key of this judge is none: there are signs in it that no key has.", "Set it again.")
        self._base = normalize_base_url(options.url)
        self._model, self._options, self._means, self._sleep = model, options, replace(means, key=key), sleep
        self._guard = means.guard
        self._asker: ServerCompleter | None = None

    @property
    def fingerprint(self) -> str:
        """Address and model."""
        return f"{self._base} {self._model}"

    async def ask(self, question: JudgeRequest) -> Reply:
        """Answer a question; see `Judge.ask`."""
        return await ask_with_repair(question, self._open_asker(), self._means.coerce, self._options.cost)

    async def probe(self) -> JudgeTrial:
        """Say what the server is and can do, with nothing of a study."""
        return await probe(self._open_asker(), self._guard.approved, self._options.sees)

    async def close(self) -> None:
        """Close the connections."""
        asker, self._asker = self._asker, None
        if asker is not None:
            await asker.close()

    def _open_asker(self) -> ServerCompleter:
        if self._asker is None:
            means = self._means
            self._asker = ServerCompleter(
                self._base, self._model, means.key, self._options, self._guard, self._sleep, means.limiter
            )
        return self._asker
