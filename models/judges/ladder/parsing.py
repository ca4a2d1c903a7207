"""Find JSON objects in what a model wrote. Whatever it says is data: decoded, compared and kept, never followed."""

import json
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import NoReturn

from project.types import Json

_UNFIT = re.compile("[\x00\ud800-\udfff]")
_EFFORT = 40
"""How often a text may be read over in search of an object, so that no text takes long."""
_BEGINS = re.compile(r'\{(?=\s*["}])')
_MARKS = ("think", "thinking", "thought", "reasoning")
_CHANNEL = re.compile(r"<\|channel\|>final\b.*?<\|message\|>", re.DOTALL)
_CHANNEL_MARK = re.compile(r"<\|[a-z_]+\|>")


def storable(text: str) -> str:
    """Return a text in which NUL and halves of surrogate pairs, which a file cannot hold, are replaced by U+FFFD."""
    return _UNFIT.sub("\ufffd", text)


def whole(text: str) -> dict[str, Json] | None:
    """Return the object that a text consists of, apart from space around it; None where it is no such thing.

    Raw control characters in strings are let through, as llama.cpp's grammars write them.
    """
    bare = text.strip().lstrip("\ufeff")
    if not bare.startswith("{"):
        return None
    try:
        found, end = _DECODER.raw_decode(bare)
        return _clean(found) if end == len(bare) else None
    except (ValueError, RecursionError):
        return None


def objects(text: str) -> Iterator[tuple[int, int, dict[str, Json]]]:
    """Yield every object in a text that is in no other one, with where it starts and ends.

    Braces that begin no object are passed over.
    """
    left, end = _EFFORT * len(text) + 10_000, 0
    while left > 0 and (begins := _BEGINS.search(text, end)):
        at = begins.start()
        try:
            found, end = _DECODER.raw_decode(text, at)
            yield at, end, _clean(found)
        except JSONDecodeError as error:
            # Python counts the lines before an error.
            left -= error.pos - at + at // 50
            end = at + 1
        except (ValueError, RecursionError):
            left -= len(text) - at
            end = at + 1


def apart(text: str) -> tuple[str, str]:
    """Return the thoughts that a reasoning model marks as such in its text, and the rest.

    Known are `<think>...</think>` and its kin, also without the first mark, which some templates write themselves, and
    the channels of gpt-oss. Thoughts that never end leave nothing.
    """
    if whole(text) is not None:
        return "", text
    channels = list(_CHANNEL.finditer(text))
    if channels:
        last = channels[-1]
        return (
            _CHANNEL_MARK.sub(" ", text[: last.start()]).strip(),
            _CHANNEL_MARK.sub("", text[last.end() :]).strip(),
        )
    for mark in _MARKS:
        start, end = f"<{mark}>", f"</{mark}>"
        begins = text.lstrip().startswith(start)
        if end in text:
            thoughts, _, rest = text.rpartition(end)
            return thoughts.strip().removeprefix(start).strip(), rest.strip()
        if begins:
            return text.strip().removeprefix(start).strip(), ""
    return "", text


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if isinf(value):
        _refuse(digits)
    return value


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice, and which of them is meant is not for us to guess")
    return found


_DECODER = JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_once)


def _clean(found: dict[str, Json]) -> dict[str, Json]:
    return {storable(key): _clean_value(value) for key, value in found.items()}


def _clean_value(value: Json) -> Json:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_clean_value(one) for one in value]
    return _clean(value) if isinstance(value, dict) else value


def as_json(value: Json) -> str:
    """Return a value as compact JSON, for a prompt."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
