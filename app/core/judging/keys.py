"""Keys of judges: in an environment variable or in the system's keyring, and nowhere else.

A study names judges and their servers, and may come from somebody else. So a key is kept for a judge *at an address*: a
study that names the same judge at another server does not get it.
"""

import os
import re
from hashlib import sha256
from urllib.parse import urlsplit

from models.judges.registry import options_of
from project.errors import UserError
from project.judging import PERSON, JudgeEntry

SERVICE = "greenroom"
_USUAL = {"api.openai.com": "OPENAI_API_KEY"}
"""Variables that other programs use too, each for the one server that its keys belong to."""
_LONGEST = 4096
_SHORTEST = 6
"""A shorter “key”, such as `none` for a server that wants any, is a word like others."""


def variable_of(name: str) -> str:
    """Return the environment variable that is looked into for the key of a judge, such as `GREENROOM_KEY_GPT_4O`."""
    plain = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return f"GREENROOM_KEY_{plain or sha256(name.encode()).hexdigest()[:8].upper()}"


def address_of(entry: JudgeEntry) -> str:
    """Return where a judge's server is, such as `https://api.openai.com`; "" for one that has none.

    Raises:
        UserError: there is no such backend, or its settings do not fit.
    """
    if entry.backend == PERSON:
        return ""
    parts = urlsplit(str(getattr(options_of(entry.backend, entry.settings), "url", "")))
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}" if parts.hostname else ""


def key_of(entry: JudgeEntry) -> str:
    """Return the key of a judge; "" where there is none.

    Raises:
        UserError: there is no such backend, or its settings do not fit.
    """
    address = address_of(entry)
    return address and (_from_environment(entry.name, address) or _from_keyring(entry.name, address))


def place_of(entry: JudgeEntry) -> str:
    """Say where the key of a judge is kept: the name of a variable, `keyring`, or "" where there is none."""
    address = address_of(entry)
    if not address:
        return ""
    for variable in _variables(entry.name, address):
        if os.environ.get(variable, "").strip():
            return variable
    return "keyring" if _from_keyring(entry.name, address) else ""


def keep_key(entry: JudgeEntry, key: str) -> None:
    """Put a key into the keyring of this machine.

    Raises:
        UserError: the judge has no server, what was typed is no key, or there is no keyring that takes it.
    """
    import keyring
    from keyring.errors import KeyringError

    address = address_of(entry)
    if not address:
        raise UserError(f"The judge {entry.name} needs no key.", "Only a judge that is a server has one.")
    key = key.strip()
    if not key or len(key) > _LONGEST or not key.isascii() or not key.isprintable() or " " in key:
        raise UserError("This is no key.", "Paste it as the server's owner gave it to you: one line, no spaces.")
    try:
        keyring.set_password(SERVICE, _account(entry.name, address), key)
    except (KeyringError, RuntimeError, OSError):
        raise UserError(
            "This machine has no keyring that keeps keys.",
            f"Put the key into the environment variable {variable_of(entry.name)} instead.",
        ) from None


def forget_key(entry: JudgeEntry) -> bool:
    """Take a key out of the keyring; tells whether there was one.

    Raises:
        UserError: there is no such backend, or its settings do not fit.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.delete_password(SERVICE, _account(entry.name, address_of(entry)))
    except (KeyringError, RuntimeError, OSError):
        return False
    return True


def without_key(text: str, key: str) -> str:
    """Return a text in which a key that a server repeated is not to be read."""
    return text.replace(key, "[key]") if len(key) >= _SHORTEST else text


def _variables(name: str, address: str) -> list[str]:
    usual = _USUAL.get(urlsplit(address).hostname or "")
    return [variable_of(name), *([usual] if usual and address.startswith("https:") else [])]


def _from_environment(name: str, address: str) -> str:
    found = (os.environ.get(variable, "").strip() for variable in _variables(name, address))
    return next(filter(None, found), "")


def _from_keyring(name: str, address: str) -> str:
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, _account(name, address)) or ""
    except (KeyringError, RuntimeError, OSError):
        return ""


def _account(name: str, address: str) -> str:
    return f"{name} at {address}"
