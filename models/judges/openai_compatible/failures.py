"""What a server's refusal means, in its own words and codes, and what is to be done about it."""

import json
import re
from dataclasses import dataclass
from enum import Enum, auto

from models.judges.base import TooLong
from project.types import Json


class Cause(Enum):
    """Why a request was not answered."""

    BUSY = auto()
    """For now: the same request may work in a while."""
    SHAPE = auto()
    """The server cannot hold an answer to a shape in this way."""
    LIMIT_NAME = auto()
    """It calls the longest answer something else."""
    SEED = auto()
    """It takes no seed."""
    CONTEXT = auto()
    """The question does not fit into the model."""
    FILTERED = auto()
    """Somebody does not want it answered."""
    KEY = auto()
    """The key is not accepted."""
    QUOTA = auto()
    """There is no money left in the account."""
    MISSING = auto()
    """There is no such model or address."""
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that was not answered.

    Attributes:
        status: of HTTP; 0 where there was no answer.
        said: the server's own words, in one line; the key may be in them.
        too_long: where the question does not fit.
        hint_s: after how many seconds the server wants to be asked again; None where it does not say so.
        limits_refused: it is a limit in a schema that the server cannot hold an answer to, not the schema as such.
        lost: the request was sent and no whole answer came, so the server may have written one all the same.
    """

    cause: Cause
    status: int
    said: str
    too_long: TooLong | None = None
    hint_s: float | None = None
    limits_refused: bool = False
    lost: bool = False


_LONGEST_READ = 4000
_LONGEST_SAID = 300
_AGAIN = {408, 409, 425, 429}
_SHAPE = re.compile(r"response_?format|json_?schema|json_?object|grammar|guided|structured|invalid schema", re.I)
_LIMITS = re.compile(
    r"invalid schema|not permitted|parse grammar|(?:min|max)(?:Length|Items|imum)|multipleOf|pattern|repetition", re.I
)
_LIMIT = re.compile(r"max_completion_tokens", re.I)
_SEED = re.compile(
    r"""(?:unsupported|unrecogni[sz]ed|unknown|unexpected|extra|not (?:supported|permitted|allowed))[^{}]*\bseed\b|"""
    r"""\bseed\b[^{}]{0,80}(?:unsupported|extra|not (?:supported|permitted|allowed))|"param": ?"seed\"""",
    re.I,
)
_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|insufficient (?:funds|balance|credit)", re.I
)
_FILTER = re.compile(r"content_filter|content management policy|content_policy|data_inspection_failed", re.I)
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window)|maximum (?:context|model) len|n_ctx|"
    r"context the overflows|too many tokens|prompt is too long|input is too long|max_tokens must be at least 1, got -|"
    r"(?:could not|cannot) broadcast input array",
    re.I,
)
_ROOM = (
    re.compile(r'"n_ctx"\s*:\s*(\d+)'),
    re.compile(r"exceeds n_ctx: \d+ > (\d+)"),
    re.compile(r"context (?:length|size|window)[^\d]{0,40}(\d+)", re.I),
    re.compile(r"max(?:imum)? model len(?:gth)?[^\d]{0,20}(\d+)", re.I),
)
_ASKED = (
    re.compile(r'"n_prompt_tokens"\s*:\s*(\d+)'),
    re.compile(r"exceeds n_ctx: (\d+)"),
    re.compile(r"(?:resulted in|requested|requested tokens \(|request has|\(length|keep the first) *(\d+)", re.I),
)


def failure_of(status: int, body: str, hint_s: float | None = None) -> Failure:
    """Say what an answer means that is no completion.

    Known are the words of OpenAI, Azure, vLLM, llama.cpp, llama-cpp-python, Ollama and LM Studio.

    Args:
        status: of HTTP, or the code that a server gives inside of an answer 200.
        body: of the answer, as text.
        hint_s: after how many seconds the server wants to be asked again.
    """
    words, facts = _words(body)
    said = words if len(words) <= _LONGEST_SAID else f"{words[:_LONGEST_SAID]}…"
    if status in (400, 413, 422, 500, 501) and _CONTEXT.search(facts):
        return Failure(Cause.CONTEXT, status, said, TooLong(_first(_ASKED, facts), _first(_ROOM, facts)))
    cause = _cause(status, facts)
    return Failure(cause, status, said, hint_s=hint_s, limits_refused=bool(_LIMITS.search(facts)))


def _cause(status: int, facts: str) -> Cause:
    if status in (401, 403):
        return Cause.KEY
    if status == 402 or (status == 429 and _QUOTA.search(facts)):
        return Cause.QUOTA
    if status == 404:
        return Cause.MISSING
    if status in (400, 422) and _FILTER.search(facts):
        return Cause.FILTERED
    if status in (400, 422) and _LIMIT.search(facts):
        return Cause.LIMIT_NAME
    if status in (400, 415, 422, 500, 501) and _SHAPE.search(facts):
        return Cause.SHAPE
    if status in (400, 422) and _SEED.search(facts):
        return Cause.SEED
    return Cause.BUSY if status in _AGAIN or status >= 500 else Cause.OTHER


def _words(body: str) -> tuple[str, str]:
    """Return what a server says is wrong, and with it all that it says about that; never what it was sent."""
    try:
        found: Json = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        line = _line(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", body[:_LONGEST_READ], flags=re.S | re.I))
        return line, line
    places = [found.get(key) for key in ("error", "detail", "message")] if isinstance(found, dict) else []
    about = next((place for place in places if place), found)
    if isinstance(about, list):
        about = [{key: one[key] for key in one if key != "input"} if isinstance(one, dict) else one for one in about]
    facts = _line(about if isinstance(about, str) else json.dumps(about))
    message = about.get("message") or about.get("detail") if isinstance(about, dict) else about
    return _line(message) if isinstance(message, str) else facts, facts


def _line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text[:_LONGEST_READ]).split())


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    found = next((match for pattern in patterns if (match := pattern.search(text))), None)
    return int(found[1][:12]) if found else None
