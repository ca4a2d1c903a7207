"""What people, recordings and annotations are called in a release."""

import hashlib
import hmac
import re
import secrets
import uuid
from collections.abc import Collection, Sequence

from app.core.session import Session
from project.types import Annotator

PROPERTY = "release_key"
_KEY = re.compile("[0-9a-f]{64}")
_LETTERS = {"person": "A", "model": "M", "adjudicated": "C"}
_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << 62


def release_key(session: Session) -> str:
    """Return the study's own secret, 64 hexadecimal digits; made where there is none. It never leaves the study.

    Raises:
        UserError: there is none yet and the study is open for reading only.
    """
    found = session.study.get_property(PROPERTY)
    if isinstance(found, str) and _KEY.fullmatch(found):
        return found
    made = secrets.token_hex(32)
    session.study.require_writable()
    with session.study.step("Make the key of releases", undoable=False):
        session.study.set_property(PROPERTY, made)
    return made


def sealed(key: str, text: str) -> str:
    """Return a checksum (HMAC-SHA-256) that only who has the key can compare with anything."""
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


def released_id(key: str, own: str) -> str:
    """Return another id for a row: the same in every release, but it tells neither the row nor when it was made."""
    value = int(sealed(key, own)[:32], 16)
    value &= ~(0xF << 76) & ~(0b11 << 62)
    return str(uuid.UUID(int=value | _VERSION_7 | _VARIANT))


def annotator_codes(annotators: Sequence[Annotator], taken: Collection[str] = ()) -> dict[str, str]:
    """Return name -> A01, A02... (people), M01... (models), C01... (agreed on); nobody's own name is used as a code.

    Args:
        annotators: all of the study, in the order they came.
        taken: further names that no code may be.
    """
    avoid = {one.name.casefold() for one in annotators} | {one.casefold() for one in taken}
    codes: dict[str, str] = {}
    used = dict.fromkeys(_LETTERS.values(), 0)
    for one in annotators:
        letter = _LETTERS.get(one.kind, "A")
        while True:
            used[letter] += 1
            code = f"{letter}{used[letter]:02}"
            if code.casefold() not in avoid:
                break
        codes[one.name] = code
    return codes


def recording_code(number: int) -> str:
    """Return what the files of a recording are called."""
    return f"recording-{number:04}"
