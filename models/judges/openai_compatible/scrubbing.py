"""Keep a key out of everything that is shown, stored or raised: servers echo it, also in part and in other forms."""

import base64
import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote

STANDS_FOR_KEY = "[key]"
_SHORTEST = 3
_SECRET = 8
"""Shorter keys of letters alone are placeholders such as `none`, which local servers want to see."""
_PIECE = 8
"""So many characters of a key in a row are taken for a part of it."""
_MASKED = re.compile(r"[^\s\"'<>`,;:()\[\]{}]*(?:\*{2,}|•{2,}|…|\.{3,}|[xX]{4,})[^\s\"'<>`,;:()\[\]{}]*")
_MASK_ENDS = 3


class Scrubber:
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
        return "Scrubber()"

    def error(self, text: str) -> str:
        """Return a text for people without any form of the key, whole, in part or masked."""
        if self._forms is None:
            return text
        return _MASKED.sub(self._unmasked, self._without_pieces(self._forms.sub(STANDS_FOR_KEY, text)))

    def answer(self, text: str) -> str:
        """Return what a model wrote without any form of the key."""
        if self._forms is None or not self._secret:
            return text
        return self._without_pieces(self._forms.sub(STANDS_FOR_KEY, text))

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
            kept.append(STANDS_FOR_KEY)
            at = end
        return "".join(kept)

    def _unmasked(self, found: re.Match[str]) -> str:
        word = found[0].rstrip(".")
        ends = self._key[:_MASK_ENDS], self._key[-_MASK_ENDS:]
        return STANDS_FOR_KEY if word.startswith(ends[0]) or word.endswith(ends[1]) else found[0]


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
