"""Reads and stores the keys of judges, in an environment variable or in the keyring of the system only.

A study names judges and their servers, and may come from somebody else, so a key belongs to a judge *at an address*: a
study that names the same judge at another server does not get it. A variable with a key needs a second one that names
the address.
"""

import os
import re
from hashlib import sha256
from urllib.parse import urlsplit

from models.judges.judge_backends import build_options
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.errors import UserError

SERVICE = "greenroom"
_SHARED_VARIABLES = {"api.openai.com": "OPENAI_API_KEY"}
"""Variables that other programs use too, each for the one server that its keys belong to."""
_PORTS = {"http": 80, "https": 443}
_MAX_KEY_CHARS = 4096
_MIN_KEY_CHARS = 6
"""Shorter keys, such as `none` for a server that accepts any, are not redacted: they are ordinary words."""


def key_variable(name: str) -> str:
    """Return the environment variable for the key of a judge, such as `GREENROOM_KEY_GPT_4O`."""
    plain = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return f"GREENROOM_KEY_{plain or sha256(name.encode()).hexdigest()[:8].upper()}"


def address_variable(name: str) -> str:
    """Return the variable with the server for which `key_variable` is used, such as `GREENROOM_KEY_GPT_AT`."""
    return f"{key_variable(name)}_AT"


def server_address(entry: JudgeEntry) -> str:
    """Return the address of a judge's server, such as `https://api.openai.com`; "" for a judge without one."""
    if entry.backend == PERSON_BACKEND:
        return ""
    return _normalize_address(str(getattr(build_options(entry.backend, entry.settings), "url", "")))


def find_key(entry: JudgeEntry) -> str:
    """Return the key of a judge; "" if there is none."""
    address = server_address(entry)
    return address and (_from_environment(entry.name, address) or _from_keyring(entry.name, address))


def key_location(entry: JudgeEntry) -> str:
    """Return where the key of a judge is stored: the name of a variable, `keyring`, or "" if there is none."""
    address = server_address(entry)
    if not address:
        return ""
    for variable in _variables(entry.name, address):
        if os.environ.get(variable, "").strip():
            return variable
    return "keyring" if _from_keyring(entry.name, address) else ""


def store_key(entry: JudgeEntry, key: str) -> None:
    """Store a key in the keyring of this machine."""
    import keyring

    address = server_address(entry)
    if not address:
        raise UserError(f"The judge {entry.name} needs no key.", "Only a judge that is a server has one.")
    key = key.strip()
    if not key or len(key) > _MAX_KEY_CHARS or not key.isascii() or not key.isprintable() or " " in key:
        raise UserError("This is no key.", "Paste it as the server's owner gave it to you: one line, no spaces.")
    try:
        keyring.set_password(SERVICE, _account(entry.name, address), key)
    # Keyring backends raise exceptions of any type.
    except Exception:
        raise UserError(
            "This machine has no keyring that keeps keys.",
            f"Put the key into the environment variable {setup_hint(entry)}.",
        ) from None


def delete_key(entry: JudgeEntry) -> bool:
    """Delete a key from the keyring; returns whether there was one."""
    import keyring

    try:
        keyring.delete_password(SERVICE, _account(entry.name, server_address(entry)))
    # Keyring backends raise exceptions of any type.
    except Exception:
        return False
    return True


def redact_key(text: str, key: str) -> str:
    """Return a text without a key that a server may have repeated."""
    return text.replace(key, "[key]") if len(key) >= _MIN_KEY_CHARS else text


def setup_hint(entry: JudgeEntry) -> str:
    """Return which variables to set for the key of a judge."""
    return f"{key_variable(entry.name)}, with {address_variable(entry.name)}={server_address(entry)}"


def _normalize_address(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return ""
    usual = port is None or port == _PORTS.get(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}{'' if usual else f':{port}'}" if host else ""


def _variables(name: str, address: str) -> list[str]:
    at = os.environ.get(address_variable(name), "").strip()
    own = [key_variable(name)] if _normalize_address(at if "://" in at else f"https://{at}") == address else []
    usual = _SHARED_VARIABLES.get(urlsplit(address).hostname or "")
    return [*own, *([usual] if usual and address.startswith("https:") else [])]


def _from_environment(name: str, address: str) -> str:
    found = (os.environ.get(variable, "").strip() for variable in _variables(name, address))
    return next(filter(None, found), "")


def _from_keyring(name: str, address: str) -> str:
    import keyring

    try:
        return keyring.get_password(SERVICE, _account(name, address)) or ""
    # Keyring backends raise exceptions of any type.
    except Exception:
        return ""


def _account(name: str, address: str) -> str:
    return f"{name} at {address}"
