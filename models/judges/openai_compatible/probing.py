"""Try a server with nothing of a study: what it is, whether it has the model, and what it takes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.connection.cleared import Cleared
from models.judges.base import Message, Picture, Role, Sampling
from models.judges.ladder import Shape, Unanswered
from models.judges.openai_compatible.dialect import Rung
from models.judges.openai_compatible.failures import Cause, Failure
from project.types import Json

if TYPE_CHECKING:
    from models.judges.openai_compatible.asking import Asker

_SIDE = 64
_STAMP = "0.0 s"
_QUESTION = "Which colour does a ripe tomato have? Answer in the form that is asked for."
_PICTURE_QUESTION = "Which colour has the picture? Answer in the form that is asked for."
_SHAPE = Shape(
    "colour",
    {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}},
        "required": ["colour"],
        "additionalProperties": False,
    },
)
_SAMPLING = Sampling(max_tokens=256)
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
_HELD = {
    Rung.SCHEMA: "It takes a JSON schema for its answers.",
    Rung.LEAN: "It takes a JSON schema for its answers, without limits on lengths and numbers.",
    Rung.OBJECT: "It takes no json_schema, but a JSON object with a schema.",
    Rung.PROMPT: "It cannot be held to a form; the form is said in the prompt, and answers are read and mended.",
}


@dataclass(frozen=True, slots=True)
class Probe:
    """What a server said when it was tried.

    Attributes:
        ok: it can be asked.
        lines: what was found, one plain sentence each, in order; no key is in them.
        server: what it is, as far as it says so; "" where it does not.
        models: that it says it has.
        has_model: whether the one that was asked for is among them; None where it does not tell.
        pictures: whether it takes pictures; None where that was not tried.
        form: how its answers are held to a form: `schema`, `lean`, `object` or `prompt`; "" where nothing was answered.
        model_id: what it says that it runs.
    """

    ok: bool
    lines: tuple[str, ...]
    server: str = ""
    models: tuple[str, ...] = ()
    has_model: bool | None = None
    pictures: bool | None = None
    form: str = ""
    model_id: str = ""


async def probe(asker: "Asker", cleared: Cleared, sees: str) -> Probe:
    """Try a server: list its models, ask something, and show it a red square.

    Args:
        asker: that knows the server.
        cleared: gets the words and the picture, which are the program's own.
        sees: what the judge is to see; only with `frames` a picture is tried.

    Raises:
        project.policy.Forbidden: the policy does not let the request leave this machine.
    """
    square = _square()
    for text in (_QUESTION, _PICTURE_QUESTION, _STAMP):
        cleared.add_text(text, "")
    cleared.add_media(square.sha256, "")
    listed, problem = await _models(asker)
    if problem:
        return Probe(False, (problem,))
    names = tuple(str(each.get("id", "")) for each in listed)
    has_model = asker.model in names if names else None
    server = next((_MAKERS[owner] for each in listed if (owner := str(each.get("owned_by"))) in _MAKERS), "")
    lines = [f"{asker.host} answers{f'; it is {server}' if server else ''}.", _about_model(asker.model, names)]
    try:
        answer = await asker.complete([Message(Role.USER, _QUESTION)], _SHAPE, _SAMPLING)
    except Unanswered as failure:
        return Probe(False, (*lines, failure.line), server, names, has_model)
    rung = asker.rung
    lines.append(f"It answers as {answer.model_id}." if answer.model_id else "It does not say which model answers.")
    lines.append(_HELD[rung])
    pictures = None
    if sees == "frames":
        pictures, line = await _sees(asker, square)
        lines.append(line)
    if server == "Ollama":
        lines.append("Ollama cuts what is too long without a word: give it room with OLLAMA_CONTEXT_LENGTH.")
    if not asker.encrypted:
        lines.append("The address begins with http://, so whoever is on the way to another machine can read along.")
    return Probe(
        pictures is not False, tuple(lines), server, names, has_model, pictures, rung.name.lower(), answer.model_id
    )


async def _models(asker: "Asker") -> tuple[list[Mapping[str, Json]], str]:
    """Return what a server lists, and why it does not answer at all, if so; many do not list anything."""
    body = await asker.listing()
    if isinstance(body, Failure):
        return [], asker.line(body) if body.cause in (Cause.KEY, Cause.BUSY, Cause.QUOTA) or not body.status else ""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return [], ""
    data = found.get("data") if isinstance(found, dict) else None
    return [each for each in data if isinstance(each, dict)] if isinstance(data, list) else [], ""


async def _sees(asker: "Asker", square: Picture) -> tuple[bool, str]:
    try:
        answer = await asker.complete([Message(Role.USER, _PICTURE_QUESTION, (square,))], _SHAPE, _SAMPLING)
    except Unanswered as failure:
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


def _square() -> Picture:
    import numpy as np

    from media.stills import jpeg

    red = np.zeros((_SIDE, _SIDE, 3), np.uint8)
    red[..., 0] = 230
    return Picture(0, _STAMP, jpeg(red), _SIDE, _SIDE)
