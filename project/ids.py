"""Global identifiers, so that copies of a study can be merged."""

import os
import re
import time
import uuid

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def new_id() -> str:
    """Return a new UUIDv7 (RFC 9562, section 5.7) as text: sorts by the millisecond it was made in."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10))
    value = (milliseconds & (1 << 48) - 1) << 80
    value |= 0x7 << 76 | (random >> 64 & 0xFFF) << 64
    value |= 0b10 << 62 | random & (1 << 62) - 1
    return str(uuid.UUID(int=value))


def is_id(text: str) -> bool:
    """Tell whether a text is an id as `new_id` writes it."""
    return _ID.fullmatch(text) is not None
