"""Global identifiers, so that copies of a study can be merged."""

import os
import time
import uuid


def new_id() -> str:
    """Return a new UUIDv7 (RFC 9562, section 5.7) as text: sorts by the millisecond it was made in."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10))
    value = (milliseconds & (1 << 48) - 1) << 80
    value |= 0x7 << 76 | (random >> 64 & 0xFFF) << 64
    value |= 0b10 << 62 | random & (1 << 62) - 1
    return str(uuid.UUID(int=value))
