"""The key of a sealed file: random, and itself encrypted under a key that is worked out from a passphrase.

The passphrase's key is made by Argon2id (RFC 9106, its second recommended setting: 64 MiB, 3 passes, 4 lanes), or by
scrypt (RFC 7914, N = 2^17, r = 8, p = 1) where OpenSSL has no Argon2.

A letter with an accent can be typed as one character or as two, depending on the keyboard: a passphrase is brought into
normal form C (Unicode Standard Annex 15) first. Files that were sealed without that open with what was typed, too.
"""

import os
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from project.counted import counted
from project.errors import UserError
from project.types import Json

KEY_BYTES = 32
_SALT_BYTES = 16
_NONCE_BYTES = 12
_WRAP = b"greenroom sealed key 1"
_MOST = {"memory_kib": 1 << 18, "passes": 16, "lanes": 16, "n": 1 << 18, "r": 8, "p": 4}
"""A file from a stranger must not make this machine compute for hours or fill its memory: 256 MiB at most."""
LEAST_CHARACTERS = 8
_LEAST_DIFFERENT = 4


class WrongPassphrase(UserError):
    """A passphrase does not fit; the file itself is whole."""


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """The key of a file, and how it stands in its header; the passphrase is not kept."""

    secret: bytes
    wrapped: Mapping[str, Json]


def new_key(passphrase: str) -> Key:
    """Make a random key and encrypt it under a passphrase; takes a quarter of a second on purpose.

    Raises:
        UserError: the passphrase is empty, or so short that anybody can guess it.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    require_strength(passphrase)
    secret, nonce = os.urandom(KEY_BYTES), os.urandom(_NONCE_BYTES)
    how = _usual()
    sealed = AESGCM(_derive(normalize_passphrase(passphrase), how)).encrypt(nonce, secret, _WRAP)
    return Key(secret, {**how, "nonce": _text(nonce), "key": _text(sealed)})


def open_key(wrapped: Mapping[str, Json], passphrase: str, name: str) -> Key:
    """Return the key of a file.

    Args:
        wrapped: what its header says of the key; the header was found to be whole.
        passphrase: as somebody typed it.
        name: of the file, for messages.

    Raises:
        WrongPassphrase: it is not the one, in any form that a keyboard may give it.
        ValueError: the header makes no sense.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce, sealed = _bytes(wrapped, "nonce"), _bytes(wrapped, "key")
    if len(nonce) != _NONCE_BYTES:
        raise ValueError("nonce")
    # What was typed, and its normal form D, for files that were sealed without a normal form.
    # Last, as it was read from a file that begins with a mark of its encoding.
    normal = normalize_passphrase(passphrase)
    forms = (normal, passphrase, unicodedata.normalize("NFD", passphrase), f"\ufeff{normal}")
    for form in dict.fromkeys(forms):
        with suppress(InvalidTag):
            return Key(AESGCM(_derive(form, wrapped)).decrypt(nonce, sealed, _WRAP), wrapped)
    raise WrongPassphrase(
        f"This is not the passphrase of “{name}”.", "The file itself is whole. Look for capitals, and try again."
    )


def normalize_passphrase(passphrase: str) -> str:
    """Return a passphrase as keys are made of it, whichever keyboard it was typed on."""
    return unicodedata.normalize("NFC", passphrase)


def require_strength(passphrase: str) -> None:
    """Return quietly where a new passphrase is not one of the first that anybody would try.

    Raises:
        UserError: it is empty, only space, or too short.
    """
    hint = "Take four words or more that have nothing to do with each other, or a sentence of your own."
    characters = normalize_passphrase(passphrase).strip()
    if not characters:
        raise UserError("A passphrase cannot be empty.", hint)
    if len(characters) < LEAST_CHARACTERS:
        raise UserError(
            f"This passphrase is too short: it has {counted(len(characters), 'character')}, and needs "
            f"{LEAST_CHARACTERS} at least. A computer tries all shorter ones.",
            hint,
        )
    if len({*characters}) < _LEAST_DIFFERENT:
        raise UserError("This passphrase repeats the same few characters, so it is soon guessed.", hint)


def _usual() -> dict[str, Json]:
    from cryptography.exceptions import UnsupportedAlgorithm

    salt: Json = _text(os.urandom(_SALT_BYTES))
    how: dict[str, Json] = {"kdf": "argon2id", "salt": salt, "memory_kib": 65536, "passes": 3, "lanes": 4}
    try:
        _derive("", how)
    except UnsupportedAlgorithm:
        return {"kdf": "scrypt", "salt": salt, "n": 1 << 17, "r": 8, "p": 1}
    return how


def _derive(passphrase: str, how: Mapping[str, Json]) -> bytes:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    typed, salt = passphrase.encode("utf-8", "surrogateescape"), _bytes(how, "salt")
    match how.get("kdf"):
        case "argon2id":
            memory, passes, lanes = (_bounded(how, name) for name in ("memory_kib", "passes", "lanes"))
            kdf = Argon2id(salt=salt, length=KEY_BYTES, iterations=passes, lanes=lanes, memory_cost=memory)
            return kdf.derive(typed)
        case "scrypt":
            n, r, p = (_bounded(how, name) for name in ("n", "r", "p"))
            return Scrypt(salt=salt, length=KEY_BYTES, n=n, r=r, p=p).derive(typed)
    raise ValueError("kdf")


def _bounded(how: Mapping[str, Json], name: str) -> int:
    value = how.get(name)
    if type(value) is not int or not 1 <= value <= _MOST[name]:
        raise ValueError(name)
    return value


def _bytes(how: Mapping[str, Json], name: str) -> bytes:
    return b64decode(str(how.get(name, "")), validate=True)


def _text(data: bytes) -> str:
    return b64encode(data).decode()
