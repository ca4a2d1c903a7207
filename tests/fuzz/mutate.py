"""Spoils bytes, texts and JSON at random; the same random numbers spoil alike."""

import json
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

OUTSIDE = "../outside/secret.mp4"
NUMBERS = (0, 1, -1, 2, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63 - 1, -(2**63))
HOSTILE_TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\n",
    "\r\n",
    "\ufeff",
    "\u202e\u2066",
    "\U0001f3ac" * 3,
    "'; DROP TABLE segment; --",
    '"',
    "{",
    "{}",
    "{0}",
    "{name.__class__.__mro__}",
    "%s%n%d",
    "${HOME}",
    "$(touch outside)",
    "`id`",
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>",
    "/etc/passwd",
    "/dev/zero",
    "../../../../etc/passwd",
    OUTSIDE,
    *("../" * depth + "outside/made" for depth in range(1, 8)),
    "\\\\server\\share\\a.mp4",
    "http://127.0.0.1:9/a.mp4",
    "file:///etc/passwd",
    "concat:a|b",
    "-1",
    "1e999",
    "NaN",
    "nan",
    "inf",
    "9" * 400,
    "0x10",
    "true",
    "null",
    "[" * 3000,
    '{"a":' * 3000,
    "a" * 70_000,
    "é" * 5000,
    "\ud800",
    "00:00:00.000",
    "99999999:59:59.999",
    "2026-13-45T99:99:99",
    "CON",
    "..",
    ".",
    "~",
    "~root/x",
    "__class__",
    "__reduce__",
)
JSON_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    *NUMBERS,
    1.5,
    -0.0,
    1e308,
    [],
    {},
    [[]],
    [None],
    {"": None},
    *HOSTILE_TEXTS,
)


def storable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which no file in UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode()


def a_text(chance: Random) -> str:
    """Return a text that somebody could mean harm with."""
    return storable(chance.choice(HOSTILE_TEXTS))


def spoil_bytes(chance: Random, content: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Flip, cut, repeat, swap and overwrite stretches; `others` are files of the kind to splice with."""
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9, 30))):
        found = _spoiled(chance, found, others)
    return bytes(found)


def _spoiled(chance: Random, found: bytearray, others: Sequence[bytes]) -> bytearray:
    size = len(found)
    if not size:
        return bytearray(chance.randbytes(chance.randrange(64)))
    at = chance.randrange(size)
    if chance.random() < 0.3:
        # Headers decide most.
        at = chance.randrange(min(size, 512))
    length = min(size - at, chance.choice((1, 2, 4, 8, 16, 64, 512, 4096)))
    match chance.randrange(10):
        case 0 | 1:
            found[at] ^= 1 << chance.randrange(8)
        case 2:
            found[at : at + length] = chance.randbytes(length)
        case 3:
            width = chance.choice((1, 2, 4, 8))
            number = chance.choice(NUMBERS) % (1 << 8 * width)
            found[at : at + width] = number.to_bytes(width, chance.choice(("big", "little")))
        case 4:
            del found[at : at + length]
        case 5:
            found[at:at] = found[at : at + length] * chance.choice((1, 2, 50))
        case 6:
            del found[at:]
        case 7:
            other = chance.randrange(size)
            found[at : at + length] = found[other : other + length]
        case 8:
            found[at : at + length] = bytes([chance.choice((0, 255, 32, 10, 34, 60))]) * length
        case _:
            if others:
                other_file = chance.choice(others)
                begin = chance.randrange(max(1, len(other_file)))
                found[at : at + length] = other_file[begin : begin + length]
            else:
                found += found[at : at + length]
    return found


def spoil_text(chance: Random, content: str, words: Sequence[str] = ()) -> str:
    """Replace, repeat, leave out and swap lines and words of a text; `words` are ones that mean something in it."""
    found = content
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        lines = found.split("\n")
        at = chance.randrange(len(lines))
        match chance.randrange(9):
            case 0:
                lines[at] = a_text(chance)
            case 1:
                del lines[at]
            case 2:
                lines[at:at] = [lines[at]] * chance.choice((1, 2, 200))
            case 3:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 4:
                lines.insert(at, chance.choice((*words, a_text(chance))))
            case 5:
                lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
            case _:
                lines[at] = _spoiled_line(chance, lines[at], words)
        found = "\n".join(lines)
    return found


def _spoiled_line(chance: Random, line: str, words: Sequence[str]) -> str:
    separator = chance.choice((" ", "\t", ",", ";", '"', "<", ">", "=", ":", "/"))
    parts = line.split(separator)
    at = chance.randrange(len(parts))
    parts[at] = chance.choice((a_text(chance), str(chance.choice(NUMBERS)), parts[at] * 2, *words))
    return separator.join(parts)


def spoil_json(chance: Random, content: Any) -> Any:
    """Return a copy of JSON data in which values were changed, left out, doubled, renamed or put elsewhere."""
    found = json.loads(json.dumps(content))
    for _ in range(chance.choice((1, 1, 2, 4, 10))):
        found = _spoiled_json(chance, found)
    return found


def _spoiled_json(chance: Random, found: Any) -> Any:
    places = [*_places(found)]
    if not places or chance.random() < 0.02:
        return deepcopy(chance.choice(JSON_VALUES))
    holder, key = chance.choice(places)
    match chance.randrange(7):
        case 0:
            del holder[key]
        case 1:
            other, there = chance.choice(places)
            holder[key] = (
                json.loads(json.dumps(other[there]))
                if there in other or (isinstance(other, list) and there < len(other))
                else None
            )
        case 2 if isinstance(holder, dict):
            holder[chance.choice((a_text(chance), str(key) + "x"))] = holder.pop(key)
        case 3 if isinstance(holder, list):
            holder[key:key] = [deepcopy(holder[key]) for _ in range(chance.choice((1, 3, 300)))]
        case 4:
            holder[key] = [holder[key]] if chance.random() < 0.5 else {"a": holder[key]}
        case _:
            holder[key] = _storable(deepcopy(chance.choice(JSON_VALUES)))
    return found


def _storable(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value


def _places(found: Any) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = []
    waiting = [found]
    while waiting and len(places) < 5000:
        one = waiting.pop()
        keys = [*one] if isinstance(one, dict) else [*range(len(one))] if isinstance(one, list) else []
        for key in keys:
            places.append((one, key))
            if isinstance(one[key], dict | list):
                waiting.append(one[key])
    return places


def json_bytes(chance: Random, content: Any) -> bytes:
    """Return JSON data as a file would hold it: mostly well-formed, now and then with numbers JSON does not know."""
    text = json.dumps(content, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.1:
        text = text.replace("0", chance.choice(("NaN", "Infinity", "-Infinity", "1e9999", "9" * 5000)), 1)
    found = text.encode("utf-8", "surrogatepass")
    return spoil_bytes(chance, found) if chance.random() < 0.15 else found
