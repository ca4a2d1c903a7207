"""The options of a judge at an OpenAI-compatible server, and one request to it: its response and when to retry.

A server may answer 200 with an error in the body.
"""

import asyncio
import base64
import json
import logging
import random
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from models.connection.guard import Guard, find_refusal
from models.judges.judge_interface import Completion, Message, ModelOptions
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Cause, Failure, classify_failure
from models.judges.structured_output.answer_parsing import truncate_for_storage
from project.entities.egress_policy import Forbidden
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.plugins.option_limits import limited_field, text_field
from project.version import __version__

if TYPE_CHECKING:
    import httpx2


DEFAULT_URL = "https://api.openai.com/v1"
_ENDPOINTS = ("/chat/completions", "/completions", "/models")


def normalize_base_url(url: str) -> str:
    """Return the base of a server's addresses, such as `http://localhost:8000/v1`.

    `/v1` is added where there is no path, and the address of an endpoint is cut back to the base.
    """
    hint = f"Give one such as http://localhost:8000/v1 or {DEFAULT_URL}."
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UserError("This is not the address of a server.", hint) from None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UserError(
            "The address of a judge's server may contain only a host and a path.",
            "Remove the user name, the password and what follows a “?”; set a key with: greenroom judge key",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        # It is not repeated: a password may be in what was meant to be one.
        raise UserError("This is not the address of a server.", hint)
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    return SplitResult(parts.scheme, parts.netloc.lower(), path or "/v1", "", "").geturl()


@dataclass(frozen=True)
class OpenAIOptions(ModelOptions):
    """How a server is asked."""

    url: str = text_field(
        DEFAULT_URL, 300, "Address", "Base of the server's addresses, such as http://localhost:8000/v1."
    )
    tries: int = limited_field(5, 1, 20, "Tries", "How often a request is made until the server answers it.", rare=True)
    patience_s: float = limited_field(
        300.0, 1.0, 7200.0, "Patience", "Seconds for one request with all tries and waits.", "s", rare=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # What is set is kept in a study: an address with a password in it must not get that far.
        normalize_base_url(self.url)


_FIRST_S = 0.5
_LONGEST_S = 30.0


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """How long one request is tried.

    Attributes:
        total_s: seconds from the first request to the last answer, waits included.
        first_s: the wait after the first failure, in seconds; it doubles with each further one.
        longest_s: the longest wait that is chosen here; a server may ask for a longer one.
    """

    tries: int = 5
    total_s: float = 300.0
    first_s: float = _FIRST_S
    longest_s: float = _LONGEST_S

    def next_wait(self, failures: int, left_s: float, hint_s: float | None, draw: Callable[[], float]) -> float | None:
        """Return how many seconds to wait before the next request; None where there is to be no other.

        Without a hint it is exponential backoff with full jitter, but never below half of it, so that servers get rest.

        Args:
            failures: requests that failed so far, at least one.
            left_s: of `total_s`.
            hint_s: what the server asked for.
            draw: a number from 0 to 1.
        """
        if failures >= self.tries:
            return None
        backoff = min(self.first_s * 2.0 ** (failures - 1), self.longest_s) * (1 + draw()) / 2
        wait = backoff if hint_s is None else hint_s + self.first_s * draw() / 2
        return wait if wait < left_s else None


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return after how many seconds a server wants to be asked again; None where it does not say so.

    A server says so in `retry-after-ms`, then `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3).
    """
    found = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(found.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = found.get("retry-after")
    seconds = _number(said)
    if seconds is not None or not said:
        return seconds
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max((when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds(), 0.0)


def _number(said: str | None) -> float | None:
    try:
        value = float(said or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def jitter() -> float:
    """Return a number from 0 to 1; nothing that is measured or stored depends on it."""
    return random.random()


def create_client(base: str, key: str, guard: Guard) -> "httpx2.AsyncClient":
    """Return a client that sends through the guard, and tells a server no more than it has to know."""
    from models.connection.transport import async_http_client

    # They log headers, where keys are.
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    client = async_http_client(guard)
    client.base_url = base
    client.headers["User-Agent"] = f"Greenroom/{__version__}"
    if key:
        client.headers["Authorization"] = f"Bearer {key}"
    return client


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


Change = Callable[[Mapping[str, Json]], Mapping[str, Json]]
_LIMIT_KEYS = {
    *("maxLength", "minLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "examples"),
}
"""Limits that not every server can hold an answer to; `AnswerForm.parse` holds it to them all the same."""
_LONGEST = 600
"""Characters of a text that llama-cpp-python can count: from some 1,000 on, its server dies of the grammar."""
_OF_NAMES = {"properties", "$defs"}


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


def parse_completion(body: bytes, scrubber: ApiKeyRedactor) -> Completion | Failure:
    """Read the body of an answer 200."""
    text = body.decode("utf-8", "replace")
    try:
        found: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _not_json_failure(text)
    if not isinstance(found, dict):
        return Failure(Cause.OTHER, 200, "it does not answer as a model server does")
    if found.get("error"):
        return classify_failure(_code(found), text)
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
        text=scrubber.redact_answer(_text(message.get("content"))),
        thinking=scrubber.redact_answer(_text(message.get("reasoning_content")) or _text(message.get("reasoning"))),
        truncated=finish == "length",
        refusal=scrubber.redact_error(refusal),
        model_id=scrubber.redact_error(_identity(found)),
        tokens_in=_count(counts, "prompt_tokens"),
        tokens_out=_count(counts, "completion_tokens"),
    )


def _not_json_failure(text: str) -> Failure:
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
    return truncate_for_storage(" ".join(name for name in names if name))[:300]


def _count(usage: Mapping[str, Json], key: str) -> int | None:
    value = usage.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**12 else None


async def request_completion(
    client: "httpx2.AsyncClient", body: Mapping[str, Json], limit_s: float, scrubber: ApiKeyRedactor
) -> Completion | Failure:
    """Send a request for a completion, once.

    Raises:
        project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
        project.errors.Cancelled: whoever was to permit it was told to stop.
    """
    answer = await fetch(client, "/chat/completions", limit_s, body)
    return answer if isinstance(answer, Failure) else parse_completion(answer, scrubber)


async def fetch(
    client: "httpx2.AsyncClient", path: str, limit_s: float, body: Mapping[str, Json] | None = None
) -> bytes | Failure:
    """Fetch what a server answers at a path, once; raises as `request_completion` does."""
    import httpx2

    try:
        async with asyncio.timeout(limit_s):
            answer = await client.request("GET" if body is None else "POST", path, json=body, timeout=None)
    except TimeoutError:
        return Failure(Cause.LATE, 0, f"no whole answer within {limit_s:,.0f} s", lost=True)
    except Exception as error:
        return _transport_failure(error, isinstance(error, httpx2.HTTPError))
    if answer.is_success:
        return answer.content
    said = answer.content.decode("utf-8", "replace")
    return classify_failure(answer.status_code, said, retry_after_s(answer.headers, datetime.now(UTC)))


def _transport_failure(error: Exception, expected: bool) -> Failure:
    """Say why there was no answer at all.

    Raises:
        Exception: what was raised, where it is for others to deal with.
    """
    reason = find_refusal(error)
    if isinstance(reason, Forbidden | Cancelled):
        raise reason from None
    if reason is not None:
        return Failure(Cause.OTHER, 0, reason.message)
    if not expected:
        raise error
    causes = [*_causes(error)]
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Failure(Cause.OTHER, 0, "its certificate is not one that this machine trusts")
    unknown = [cause for cause in causes if isinstance(cause, socket.gaierror)]
    if any(cause.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)) for cause in unknown):
        return Failure(Cause.OTHER, 0, "no machine has this name")
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Failure(Cause.BUSY, 0, "nothing listens there; is the server running?")
    return Failure(Cause.BUSY, 0, _describe_causes(causes), lost=True)


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _describe_causes(causes: list[BaseException]) -> str:
    deepest = next((str(cause) for cause in reversed(causes) if str(cause)), "")
    return f"the connection broke off ({deepest})" if deepest else "the connection broke off"
