"""The guard: asks the authority about each request, and compares its body with the content approved for sending.

`transport.py` makes the HTTP clients that go through it.
"""

import asyncio
import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from models.connection.addresses import NetworkAccess
from project.entities.egress_policy import EgressRequest, Forbidden, Purpose
from project.errors import Cancelled, UserError


class Authority(Protocol):
    """Asked before every request, also before the name of another machine is looked up."""

    @property
    def threadsafe(self) -> bool:
        """Whether `permit` may be called from any thread; otherwise it is called where the request is made."""

    def permit(self, request: EgressRequest) -> None:
        """Return once the request is written down for good, or raise; nothing is sent before.

        One without addresses that goes through no proxy asks for the address of its host: a question to a name server,
        with nothing of the request in it.
        """


@runtime_checkable
class PatientAuthority(Protocol):
    """An authority that asyncio can wait for: it may write down several requests of one moment together."""

    async def permit_soon(self, request: EgressRequest) -> None:
        """Do what `Authority.permit` does."""


class ApprovedContent:
    """Texts and media approved for sending: filled by the code that builds a judge's input, read by the guard.

    A text or picture that is not in here does not leave, whatever else is allowed. What is approved under the condition
    "" is the program's own and holds nothing of a study.
    """

    def __init__(self) -> None:
        self._texts: set[tuple[str, str]] = set()
        self._media: set[tuple[str, str]] = set()

    def add_text(self, text: str, condition: str) -> None:
        """Approve a text, as it stands in a message.

        Args:
            text: all of it.
            condition: `raw`, the id of the run that made the rendering, or "" for the program's own words.
        """
        self._texts.add((sha256_of_text(text), condition))

    def add_media(self, sha256: str, condition: str) -> None:
        """Approve a picture or a video by the checksum of its bytes."""
        self._media.add((sha256, condition))

    def has_text(self, text: str, condition: str) -> bool:
        """Tell whether a text is approved under a condition."""
        return (sha256_of_text(text), condition) in self._texts

    def has_media(self, sha256: str, condition: str) -> bool:
        """Tell whether a picture or a video is approved under a condition."""
        return (sha256, condition) in self._media


def sha256_of_text(text: str) -> str:
    """Return the checksum of a text in UTF-8; lone surrogates count as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_LIMITED_PURPOSES = {Purpose.JUDGE, Purpose.TEST}
MAX_ANSWER_BYTES = 16 << 20
"""Bytes that a judge may answer with."""


class AnswerTooLong(UserError):
    """A server that answers a judge's request with more than any answer can be; what came so far is dropped."""


@dataclass(frozen=True)
class Guard:
    """The only way to open a connection. It fails closed.

    Every request has to be made inside `for_purpose`, with a client of `transport.py`:

    - The name is looked up once by a client, and only addresses that were looked up and permitted are connected to.
    - It is local where every address of the host is a loopback address; such a request goes through no proxy.
    - Nothing is redirected unseen: where a server sends a request on to is a request of its own, without keys and
      cookies where it is another host.

    Attributes:
        authority: decides about each request, and writes it down.
        approved: what was made to be sent.
        max_answer_bytes: bytes that a judge may answer with.
    """

    authority: Authority
    approved: ApprovedContent = field(default_factory=ApprovedContent)
    network: NetworkAccess = field(default_factory=NetworkAccess)
    max_answer_bytes: int = MAX_ANSWER_BYTES

    @property
    def answer_limit(self) -> int:
        """Bytes that an answer to a request made here may have; 0 where it may have any number."""
        request_purpose = current_purpose()
        is_limited = request_purpose is not None and request_purpose.purpose in _LIMITED_PURPOSES
        return self.max_answer_bytes if is_limited else 0

    async def permit(self, request: EgressRequest) -> None:
        """Ask the authority without holding up the event loop, where it can be asked so."""
        try:
            if isinstance(self.authority, PatientAuthority):
                await self.authority.permit_soon(request)
            elif self.authority.threadsafe:
                await asyncio.to_thread(self.authority.permit, request)
            else:
                self.authority.permit(request)
        except (UserError, Cancelled):
            raise
        except Exception as error:
            raise Forbidden(
                "recorded",
                f"The request to {request.host} could not be logged, so it is not sent.",
                "Free some space, or correct the folder's permissions (rule recorded)",
            ) from error


def find_refusal(error: BaseException) -> UserError | Cancelled | None:
    """Return what the guard refused a request with, where a library wrapped it into an error of its own; else None."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if isinstance(at, UserError | Cancelled):
            return at
        seen.add(id(at))
        at = at.__cause__ or at.__context__
    return None


@dataclass(frozen=True, slots=True)
class RequestPurpose:
    """What the requests of a piece of work are for.

    Attributes:
        purpose: what a connection is for.
        judge_id: who is asked.
        recording_id: whose footage it is.
        segment_id: which segment it is about.
        others: recordings of which words are sent too, as examples.
        condition: `raw`, or the id of the run that made the rendering; "" where nothing of the study is sent.
        pictured: ids of the renderings of these recordings of which frames are sent too.
    """

    purpose: Purpose
    judge_id: str = ""
    recording_id: str = ""
    segment_id: str = ""
    condition: str = ""
    others: tuple[str, ...] = ()
    pictured: tuple[str, ...] = ()


_current: ContextVar[RequestPurpose | None] = ContextVar("request_purpose", default=None)


@contextmanager
def for_purpose(request_purpose: RequestPurpose) -> Iterator[None]:
    """Give every request in this block, and in tasks that start in it, a purpose."""
    token = _current.set(request_purpose)
    try:
        yield
    finally:
        _current.reset(token)


def current_purpose() -> RequestPurpose | None:
    """Return the purpose of a request made here; None outside every `for_purpose`."""
    return _current.get()


_SETTING_KEYS = {
    *("model", "response_format", "stop", "stream", "stream_options", "n", "seed", "temperature", "top_p", "top_k"),
    *("min_p", "max_tokens", "max_completion_tokens", "frequency_penalty", "presence_penalty", "repeat_penalty"),
    *("logprobs", "top_logprobs", "reasoning_effort", "grammar", "guided_json", "guided_grammar", "json_schema"),
    *("chat_template_kwargs", "mm_processor_kwargs", "cache_prompt", "keep_alive", "think", "format", "options"),
}
"""What a server is told about how to answer: the form of an answer, not what it is about."""
_LONGEST_SETTING = 2_000
_LONGEST_KEY = 64
_WORDS = {"role": {"system", "developer", "user", "assistant", "tool"}, "detail": {"auto", "low", "high"}}
_KINDS = {"text", "image_url", "video_url"}


@dataclass(frozen=True, slots=True)
class RequestBodyContent:
    """What a body holds.

    Attributes:
        texts: bytes of text from the study.
        frames: sha256 of every picture.
        clips: sha256 of every video.
        unapproved: how many pictures, videos or texts were not made for the request.
    """

    texts: int = 0
    frames: tuple[str, ...] = ()
    clips: tuple[str, ...] = ()
    unapproved: int = 0


def read_body_content(body: bytes, condition: str, approved: ApprovedContent) -> RequestBodyContent:
    """Read a body; one that cannot be read as JSON was not made for the request, whatever is in it."""
    if not body:
        return RequestBodyContent()
    try:
        found = json.loads(body, object_pairs_hook=_object)
        pieces = list(_pieces(found))
    except (ValueError, RecursionError):
        return RequestBodyContent(texts=len(body), unapproved=1)
    texts, unapproved = 0, 0
    media: dict[str, list[str]] = {"image": [], "video": []}
    for text in pieces:
        if not text.startswith("data:"):
            ours = approved.has_text(text, "")
            texts += 0 if ours else len(text.encode("utf-8", "surrogatepass"))
            unapproved += not (ours or approved.has_text(text, condition))
            continue
        kind, sha256 = _media(text)
        if kind in media:
            media[kind].append(sha256)
        unapproved += kind not in media or not any(
            approved.has_media(sha256, known_condition) for known_condition in {condition, ""}
        )
    return RequestBodyContent(texts, tuple(media["image"]), tuple(media["video"]), unapproved)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice, and readers differ in which of them counts")
    return found


def _pieces(body: object) -> Iterator[str]:
    """Yield every text of a body, but for the settings and the words that name its parts."""
    if not isinstance(body, dict):
        yield from _strings(body)
        return
    for key, value in body.items():
        if key in _SETTING_KEYS:
            yield from (text for text in _strings(value) if text.startswith("data:") or len(text) > _LONGEST_SETTING)
        else:
            yield from _strings(value)


def _strings(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if value and not (value in _WORDS.get(key, ()) or (key == "type" and value in _KINDS)):
            yield value
    elif isinstance(value, dict):
        yield from (name for name in value if len(name) > _LONGEST_KEY)
        for name, member in value.items():
            yield from _strings(member, name)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)


def _media(address: str) -> tuple[str, str]:
    """Return what a data URL (RFC 2397) holds, `image`, `video` or "", and the checksum of its bytes."""
    head, comma, data = address.partition(",")
    kind = head.removeprefix("data:").partition("/")[0].lower()
    if not comma or not head.endswith(";base64"):
        return "", ""
    try:
        return kind, hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest()
    except binascii.Error:
        return "", ""
