"""Adds, changes, removes and finds the judges of a study, and keeps their keys.

The model files that a judge names are only opened if a person on this machine chose them.

Keys are in an environment variable or in the keyring of the system only. A study names judges and their servers, and
may come from somebody else, so a key belongs to a judge *at an address*: a study that names the same judge at another
server does not get it. A variable with a key needs a second one that names the address.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlsplit

from models.connection.addresses import DEFAULT_PORTS
from models.judges.judge_backends import build_options, load_backend
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.entities.study_records import Changes, Json
from project.errors import UserError, name_taken, unknown_name
from project.ids import new_id
from project.queries.judgment_rows import all_judges, delete_judge, judge_by_name, put_judge
from project.session.session import Session
from project.session.trust_store import TrustKind, add_trusted, read_trusted
from project.text_format import escape_unprintable

FILE_BACKEND = "llama-cpp"
"""The backend whose models are files."""


def trust_files(session: Session, entry: JudgeEntry) -> None:
    """Store that a person on this machine chose the files of a judge."""
    add_trusted(session.study.id, TrustKind.MODEL, _model_files(entry))


def has_trusted_files(session: Session, entry: JudgeEntry) -> bool:
    """Tell whether a person on this machine chose the files of a judge; True for a judge without files."""
    return set(_model_files(entry)) <= {*read_trusted(session.study.id, TrustKind.MODEL)}


def require_trusted_files(session: Session, entry: JudgeEntry) -> None:
    """Raise if the files of a judge may not be opened."""
    if not has_trusted_files(session, entry):
        raise UserError(
            f"The judge {escape_unprintable(entry.name)} was set up on another machine and refers to a local "
            f"file: {escape_unprintable(entry.model)}",
            "If you trust this file, change the judge and choose the file yourself.",
        )


def _model_files(entry: JudgeEntry) -> list[str]:
    if entry.backend != FILE_BACKEND:
        return []
    return [path for path in (entry.model, entry.settings.get("projector")) if isinstance(path, str) and path]


MAX_NAME_CHARS = 60
_MAX_MODEL_CHARS = 4096


def add_judge(
    session: Session, name: str, backend: str, model: str = "", settings: Mapping[str, Json] | None = None
) -> tuple[JudgeEntry, Changes]:
    """Add a judge, as one step; returns it and what changed."""
    made = JudgeEntry(new_id(), name.strip(), backend, model.strip(), dict(settings or {}))
    _require_valid(session, made)
    trust_files(session, made)
    with session.step(f"Add judge {made.name}") as step:
        put_judge(session.study, made)
    return made, step.changes


def change_judge(session: Session, changed: JudgeEntry) -> Changes:
    """Replace the judge with this id, as one step; its judgments stay."""
    before = next((judge for judge in all_judges(session.study) if judge.id == changed.id), None)
    if before is None:
        raise UserError(f"The judge {changed.name} is no longer in the study.", "Add it again.")
    changed = replace(changed, name=changed.name.strip(), model=changed.model.strip())
    _require_valid(session, changed)
    trust_files(session, changed)
    if changed == before:
        return Changes()
    with session.step(f"Change judge {before.name}") as step:
        put_judge(session.study, changed)
    return step.changes


def remove_judge(session: Session, judge_id: str) -> Changes:
    """Remove a judge, as one step; its judgments stay, and its key in the keyring, for undo and other studies."""
    with session.step("Remove judge") as step:
        delete_judge(session.study, judge_id)
    return step.changes


def _require_valid(session: Session, judge_entry: JudgeEntry) -> None:
    if not judge_entry.name or len(judge_entry.name) > MAX_NAME_CHARS or not judge_entry.name.isprintable():
        raise UserError("A judge needs a name on one line.", f"Type a name of at most {MAX_NAME_CHARS} characters.")
    namesake = judge_by_name(session.study, judge_entry.name)
    if namesake is not None and namesake.id != judge_entry.id:
        raise name_taken("judge", judge_entry.name)
    if len(judge_entry.model) > _MAX_MODEL_CHARS or not judge_entry.model.isprintable():
        raise UserError("The name of the model is too long or contains invisible characters.", "Give it on one line.")
    if judge_entry.backend == PERSON_BACKEND:
        if judge_entry.model or judge_entry.settings:
            raise UserError("A person has neither a model nor settings.", "Leave both out.")
        return
    options = build_options(judge_entry.backend, judge_entry.settings)
    if load_backend(judge_entry.backend).needs_model and not judge_entry.model:
        raise UserError(f"The backend {judge_entry.backend} needs a model.", "Set one: --model MODEL")
    _require_second(session, judge_entry, str(getattr(options, "coerce", "")))


def _require_second(session: Session, judge_entry: JudgeEntry, name: str) -> None:
    if not name:
        return
    second = judge_by_name(session.study, name)
    if name == judge_entry.name or second is None or second.backend == PERSON_BACKEND:
        raise UserError(
            f"“{name}” cannot repair the answers of {judge_entry.name}.",
            "Choose another judge of this study that is a model.",
        )


def get_judge(session: Session, name: str) -> JudgeEntry:
    """Return the judge with this name."""
    found = judge_by_name(session.study, name.strip())
    if found is None:
        raise unknown_name(
            "judge",
            name,
            [judge.name for judge in all_judges(session.study)],
            "Add one: greenroom judge add STUDY NAME --backend BACKEND",
        )
    return found


def get_judges(session: Session, names: Sequence[str]) -> list[JudgeEntry]:
    """Return the judges with these names, each once, in order; without names, all that are not people."""
    if not names and (known := [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]):
        return known
    return [get_judge(session, name) for name in dict.fromkeys(names or ("",))]


SERVICE = "greenroom"
_SHARED_VARIABLES = {"api.openai.com": "OPENAI_API_KEY"}
"""Variables that other programs use too, each for the one server that its keys belong to."""
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
        raise UserError(f"The judge {entry.name} needs no key.", "Only judges on a server have a key.")
    key = key.strip()
    if not key or len(key) > _MAX_KEY_CHARS or not key.isascii() or not key.isprintable() or " " in key:
        raise UserError(
            "This is not a valid key.", "Paste the key that the server's operator gave you: one line, no spaces."
        )
    try:
        keyring.set_password(SERVICE, _account(entry.name, address), key)
    # Keyring backends raise exceptions of any type.
    except Exception:
        raise UserError(
            "This machine has no usable keyring.",
            f"Set the key in the environment variable {setup_hint(entry)}.",
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
    usual = port is None or port == DEFAULT_PORTS.get(parts.scheme)
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
