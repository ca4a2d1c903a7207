"""How a key is worked out from a passphrase where nobody would guess: at once, which is no protection."""

import os
from base64 import b64encode

from project.entities.study_records import Json


def cheap() -> dict[str, Json]:
    """Return it, with a salt of its own."""
    salt = b64encode(os.urandom(16)).decode()
    return {"kdf": "argon2id", "salt": salt, "memory_kib": 32, "passes": 1, "lanes": 1}
