"""What is in the body of a request, read from the very bytes that are about to leave."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from models.connection.cleared import Cleared

_SETTINGS = {
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
class Content:
    """What a body holds.

    Attributes:
        texts: bytes of text from the study.
        frames: sha256 of every picture.
        clips: sha256 of every video.
        uncleared: how many pictures, videos or texts were not made for the request.
    """

    texts: int = 0
    frames: tuple[str, ...] = ()
    clips: tuple[str, ...] = ()
    uncleared: int = 0


def content_of(body: bytes, condition: str, cleared: Cleared) -> Content:
    """Read a body; one that cannot be read as JSON was not made for the request, whatever is in it.

    Args:
        body: all of it.
        condition: under which its content has to be cleared.
        cleared: what was.
    """
    if not body:
        return Content()
    try:
        found = json.loads(body, object_pairs_hook=_object)
        pieces = list(_pieces(found))
    except (ValueError, RecursionError):
        return Content(texts=len(body), uncleared=1)
    texts, uncleared = 0, 0
    media: dict[str, list[str]] = {"image": [], "video": []}
    for text in pieces:
        if not text.startswith("data:"):
            ours = cleared.holds_text(text, "")
            texts += 0 if ours else len(text.encode("utf-8", "surrogatepass"))
            uncleared += not (ours or cleared.holds_text(text, condition))
            continue
        kind, sha256 = _media(text)
        if kind in media:
            media[kind].append(sha256)
        uncleared += kind not in media or not any(cleared.holds_media(sha256, each) for each in {condition, ""})
    return Content(texts, tuple(media["image"]), tuple(media["video"]), uncleared)


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
        if key in _SETTINGS:
            yield from (text for text in _strings(value) if text.startswith("data:") or len(text) > _LONGEST_SETTING)
        else:
            yield from _strings(value)


def _strings(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if value and not (value in _WORDS.get(key, ()) or (key == "type" and value in _KINDS)):
            yield value
    elif isinstance(value, dict):
        yield from (name for name in value if len(name) > _LONGEST_KEY)
        for name, each in value.items():
            yield from _strings(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, key)


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
