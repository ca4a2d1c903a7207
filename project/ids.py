"""Globally unique identifiers (UUIDv7), so that copies of a study can be merged."""

import os
import re
import threading
import time

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_RANDOM_BITS = 74
_STRIDE_BITS = 32

_lock = threading.Lock()
_newest = 0


def new_id() -> str:
    """Return a new UUIDv7 (RFC 9562, section 5.7) as text.

    Ids sort by the millisecond they were made in; those that one process makes sort in the order they were
    made, because within a millisecond the random part grows by a random step (section 6.2, method 2).
    """
    global _newest
    now = time.time_ns() // 1_000_000
    with _lock:
        if now > _newest >> _RANDOM_BITS:
            _newest = now << _RANDOM_BITS | int.from_bytes(os.urandom(10)) >> 80 - _RANDOM_BITS
        else:
            _newest += 1 + int.from_bytes(os.urandom(_STRIDE_BITS // 8))
        made = _newest
    milliseconds, random = made >> _RANDOM_BITS, made & (1 << _RANDOM_BITS) - 1
    value = (milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | (random >> 62) << 64
    text = f"{value | 0b10 << 62 | random & (1 << 62) - 1:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_id(text: str) -> bool:
    """Tell whether a text is an id as `new_id` writes it."""
    return _ID.fullmatch(text) is not None
