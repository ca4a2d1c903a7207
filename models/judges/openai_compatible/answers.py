"""What a server that answers 200 has said: a completion, or something else in its place."""

import json
from collections.abc import Mapping

from models.judges.ladder import Completion
from models.judges.ladder.reading import kept
from models.judges.openai_compatible.failures import Cause, Failure, failure_of
from models.judges.openai_compatible.scrubbing import Scrubber
from project.types import Json


def completion_of(body: bytes, scrubber: Scrubber) -> Completion | Failure:
    """Read the body of an answer 200.

    Args:
        body: whatever came.
        scrubber: keeps the key out of what is kept.
    """
    text = body.decode("utf-8", "replace")
    try:
        found: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _no_json(text)
    if not isinstance(found, dict):
        return Failure(Cause.OTHER, 200, "it does not answer as a model server does")
    if found.get("error"):
        return failure_of(_code(found), text)
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return Failure(Cause.OTHER, 200, "there is no message in its answer; is the address that of a model server?")
    finish = first.get("finish_reason")
    refusal = _text(message.get("refusal"))
    if finish == "content_filter" and not refusal:
        refusal = "its server's filter cut the answer off"
    usage = found.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Completion(
        text=scrubber.answer(_text(message.get("content"))),
        thinking=scrubber.answer(_text(message.get("reasoning_content")) or _text(message.get("reasoning"))),
        cut=finish == "length",
        refusal=scrubber.error(refusal),
        model_id=scrubber.error(_identity(found)),
        tokens_in=_count(counts, "prompt_tokens"),
        tokens_out=_count(counts, "completion_tokens"),
    )


def _no_json(text: str) -> Failure:
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml", "<")):
        return Failure(Cause.OTHER, 200, "a web page came back, no answer; check the address, it mostly ends in /v1")
    if start.startswith(("data:", "event:", ":")):
        return Failure(Cause.OTHER, 200, "a stream of events came back, which nobody asked for")
    if start.startswith("{") or not start:
        said = "the answer ended in the middle" if start else "an empty answer came back"
        return Failure(Cause.BUSY, 200, said, lost=True)
    return Failure(Cause.OTHER, 200, "what came back is no answer of a model server")


def _code(found: Mapping[str, Json]) -> int:
    """Return the status that a server gives inside of an answer 200, as llama.cpp and OpenRouter do; 400 for none."""
    error = found.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code <= 599 else 400


def _text(value: Json) -> str:
    """Return a text that may come in parts; "" for what is none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))


def _identity(found: Mapping[str, Json]) -> str:
    names = (_text(found.get(key)) for key in ("model", "system_fingerprint"))
    return kept(" ".join(name for name in names if name))[:300]


def _count(usage: Mapping[str, Json], key: str) -> int | None:
    value = usage.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**12 else None
