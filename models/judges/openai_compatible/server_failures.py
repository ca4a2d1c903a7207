"""Classifies a server's errors, describes them to people, and redacts the API key from everything shown or stored.

Servers echo a key, also in part and in other forms.
"""

import base64
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from urllib.parse import quote

from models.judges.judge_interface import TooLong
from project.entities.study_records import Json


class Cause(Enum):
    """Why a request was not answered."""

    BUSY = auto()
    """For now: the same request may work in a while."""
    LATE = auto()
    """No whole answer came in the time that one may take."""
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
        server_message: the server's own words, in one line; the key may be in them.
        too_long: where the question does not fit.
        hint_s: after how many seconds the server wants to be asked again; None where it does not say so.
        limits_refused: it is a limit in a schema that the server cannot hold an answer to, not the schema as such.
        lost: the request was sent and no whole answer came, so the server may have written one all the same.
    """

    cause: Cause
    status: int
    server_message: str
    too_long: TooLong | None = None
    hint_s: float | None = None
    limits_refused: bool = False
    lost: bool = False


_LONGEST_READ = 4000
_LONGEST_SAID = 300
_RETRY_STATUSES = {408, 409, 425, 429}
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


def classify_failure(status: int, body: str, hint_s: float | None = None) -> Failure:
    """Say what an answer means that is no completion.

    Known are the words of OpenAI, Azure, vLLM, llama.cpp, llama-cpp-python, Ollama and LM Studio.

    The status is that of HTTP, or the code that a server gives inside of an answer 200.
    """
    words, facts = _error_texts(body)
    said = words if len(words) <= _LONGEST_SAID else f"{words[:_LONGEST_SAID]}…"
    if status in (400, 413, 422, 500, 501) and _CONTEXT.search(facts):
        return Failure(Cause.CONTEXT, status, said, TooLong(_first_number(_ASKED, facts), _first_number(_ROOM, facts)))
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
    return Cause.BUSY if status in _RETRY_STATUSES or status >= 500 else Cause.OTHER


def _error_texts(body: str) -> tuple[str, str]:
    """Return what a server says is wrong, and with it all that it says about that; never what it was sent."""
    try:
        found: Json = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        line = _one_line(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", body[:_LONGEST_READ], flags=re.S | re.I))
        return line, line
    places = [found.get(key) for key in ("error", "detail", "message")] if isinstance(found, dict) else []
    about = next((place for place in places if place), found)
    if isinstance(about, list):
        about = [
            {key: detail[key] for key in detail if key != "input"} if isinstance(detail, dict) else detail
            for detail in about
        ]
    facts = _one_line(about if isinstance(about, str) else json.dumps(about))
    message = about.get("message") or about.get("detail") if isinstance(about, dict) else about
    return _one_line(message) if isinstance(message, str) else facts, facts


def _one_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text[:_LONGEST_READ]).split())


def _first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    found = next((match for pattern in patterns if (match := pattern.search(text))), None)
    return int(found[1][:12]) if found else None


def describe_failure(failure: Failure, host: str, model: str, keyed: bool, calls: int) -> str:
    """Return the line; the server's words in it may still hold a key."""
    said = f": {failure.server_message.rstrip('.')}" if failure.server_message else ""
    code = f" (HTTP {failure.status})" if failure.status else ""
    match failure.cause:
        case Cause.KEY if failure.status == 401:
            what = "does not accept the key" if keyed else "wants a key"
            return f"{host} {what}{code}; set it with: greenroom judge key"
        case Cause.KEY:
            return f"{host} does not let this key ask {model}{code}{said}"
        case Cause.QUOTA:
            return f"The account at {host} has no money left{code}{said}"
        case Cause.MISSING:
            return f"{host} has no model {model}, or nothing at this address{code}{said}; try: greenroom judge test"
        case Cause.FILTERED:
            return f"{host} refuses to answer this{code}{said}"
        case Cause.CONTEXT:
            return _too_long(failure, model)
        case Cause.BUSY:
            return f"{host} could not be asked{code}{said}{_retry_text(failure, calls)}"
        case _ if failure.status == 200:
            return f"{host} gives no answer{said}"
        case _ if not failure.status:
            return f"{host} could not be asked{said}"
        case _:
            return f"{host} refuses the request{code}{said}"


def _too_long(failure: Failure, model: str) -> str:
    found = failure.too_long
    asked = f"{found.requested_tokens:,} tokens" if found and found.requested_tokens else "more tokens"
    room = f"{found.context_tokens:,}" if found and found.context_tokens else "fewer"
    than = "" if found and found.requested_tokens else " than that"
    return (
        f"The question does not fit: it has {asked}{than}, {model} holds {room}. Send fewer frames or fewer turns "
        "before the segment, allow a shorter answer, or start the server with a larger context"
    )


def _retry_text(failure: Failure, calls: int) -> str:
    tried = f", tried {calls} times" if calls > 1 else ""
    if failure.hint_s is None:
        return tried
    when = datetime.now().astimezone() + timedelta(seconds=failure.hint_s)
    seconds = f"{failure.hint_s:,.0f} s" if failure.hint_s < 120 else f"{failure.hint_s / 60:,.0f} minutes"
    return f"{tried}; it wants to be asked again in {seconds}, at {when:%H:%M} on {when:%Y-%m-%d}"


KEY_PLACEHOLDER = "[key]"
_SHORTEST = 3
_SECRET = 8
"""Shorter keys of letters alone are placeholders such as `none`, which local servers want to see."""
_PIECE = 8
"""So many characters of a key in a row are taken for a part of it."""
_MASKED = re.compile(r"[^\s\"'<>`,;:()\[\]{}]*(?:\*{2,}|•{2,}|…|\.{3,}|[xX]{4,})[^\s\"'<>`,;:()\[\]{}]*")
_MASK_ENDS = 3


class ApiKeyRedactor:
    """Replaces a key in texts.

    An error never holds it, however short it is. An answer never holds it either, unless it is a placeholder: an
    answer `none` must not be mistaken for a key `none`.
    """

    def __init__(self, key: str) -> None:
        self._key = key.strip()
        self._secret = len(self._key) >= _SECRET or not self._key.isalpha()
        self._forms = _pattern(self._key, self._secret)
        self._pieces = {self._key[at : at + _PIECE] for at in range(len(self._key) - _PIECE + 1)}

    def __repr__(self) -> str:
        return "ApiKeyRedactor()"

    def redact_error(self, text: str) -> str:
        """Return a text for people without any form of the key, whole, in part or masked."""
        if self._forms is None:
            return text
        return _MASKED.sub(self._unmasked, self._without_pieces(self._forms.sub(KEY_PLACEHOLDER, text)))

    def redact_answer(self, text: str) -> str:
        """Return what a model wrote without any form of the key."""
        if self._forms is None or not self._secret:
            return text
        return self._without_pieces(self._forms.sub(KEY_PLACEHOLDER, text))

    def _without_pieces(self, text: str) -> str:
        if not any(piece in text for piece in self._pieces):
            return text
        kept: list[str] = []
        at = 0
        while at < len(text):
            if text[at : at + _PIECE] not in self._pieces:
                kept.append(text[at])
                at += 1
                continue
            end = at + _PIECE
            while text[end - _PIECE + 1 : end + 1] in self._pieces and end < len(text):
                end += 1
            kept.append(KEY_PLACEHOLDER)
            at = end
        return "".join(kept)

    def _unmasked(self, found: re.Match[str]) -> str:
        word = found[0].rstrip(".")
        ends = self._key[:_MASK_ENDS], self._key[-_MASK_ENDS:]
        return KEY_PLACEHOLDER if word.startswith(ends[0]) or word.endswith(ends[1]) else found[0]


def _pattern(key: str, secret: bool) -> re.Pattern[str] | None:
    if len(key) < _SHORTEST:
        return None
    if not secret:
        return re.compile(rf"\b{key}\b")
    forms = sorted({form for form in _forms(key) if form}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)


def _forms(key: str) -> Iterator[str]:
    yield key
    yield key[::-1]
    yield quote(key, safe="")
    yield html.escape(key)
    yield json.dumps(key)[1:-1]
    yield "".join(f"\\u{ord(sign):04x}" for sign in key)
    yield "".join(f"%{byte:02x}" for byte in key.encode())
    yield key.encode().hex()
    yield from _base64_of(key.encode())


def _base64_of(key: bytes) -> Iterator[str]:
    """Yield what a key looks like inside of any text in base64, at each of the three places that it can start at."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + key).decode().rstrip("=")
        sure = whole[-(-before * 8 // 6) : (before + len(key)) * 8 // 6]
        if len(sure) >= _PIECE:
            yield sure
            yield sure.translate(str.maketrans("+/", "-_"))
