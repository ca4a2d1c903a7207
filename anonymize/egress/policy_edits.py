"""Sets the egress policy of a study.

Each change is part of the history but cannot be undone, because undo could loosen the policy.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from anonymize.egress.egress_authority import is_newest, policy_in_file, record_policy
from models.connection.addresses import host_of_url
from project.entities.egress_policy import EgressLevel, Policy, host_key, parse_ip_address
from project.entities.study_records import MIN_REASON_WORDS, Changes, Json
from project.errors import UserError
from project.queries import policy_rows
from project.session.session import Session
from project.text_format import escape_unprintable

STEP_NAMES = {
    EgressLevel.NOTHING: "Let nothing leave this machine",
    EgressLevel.ANONYMIZED: "Let reviewed renderings leave this machine",
    EgressLevel.RAW: "Let raw footage leave this machine",
}
"""Level -> name of the step that sets it."""
_HOST_LABEL = r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
_HOST_NAME = re.compile(rf"{_HOST_LABEL}(?:\.{_HOST_LABEL})*")
_WRITABLE_HINT = "Make your folders for settings and data writable: XDG_CONFIG_HOME and XDG_DATA_HOME."
_MAX_HOST_CHARS = 253
_MAX_TEXT_CHARS = 1000


def set_policy(session: Session, policy: Policy) -> Changes:
    """Set what may leave this machine; every policy that was set for this study before counts for nothing any more."""
    wanted = replace(
        policy,
        reason=_clean_text(policy.reason),
        allowed_by=_clean_text(policy.allowed_by),
        hosts=parse_hosts(policy.hosts),
    )
    problem = policy_problem(wanted)
    if problem:
        raise UserError(problem, "Give --reason and --allowed-by, because raw footage identifies people.")
    session.study.require_writable()
    before = policy_rows.read_policy(session.study)
    anew = wanted != before or not is_newest(session)
    setting = policy_rows.policy_to_setting(wanted)
    problem = _record_setting(session, setting) if anew else ""
    if problem and not wanted.is_closed:
        raise UserError(f"The policy cannot be set: {problem}", _WRITABLE_HINT)
    name = STEP_NAMES[wanted.level] if wanted.level is not before.level else "Change what may leave this machine"
    with session.step(name, undoable=False) as step:
        if anew:
            policy_rows.set_policy(session.study, setting)
    if problem:
        raise UserError(
            f"Nothing leaves this machine from this study, but an older copy of its file may still allow it: {problem}",
            _WRITABLE_HINT,
        )
    return step.changes


def confirm_policy(session: Session) -> Changes:
    """Put the policy of the study's file in force on this machine, as `set_policy` does."""
    return set_policy(session, policy_in_file(session))


def _record_setting(session: Session, setting: dict[str, Json]) -> str:
    """Note a setting on this machine; return why that failed, as a sentence, "" where it did not."""
    try:
        record_policy(session, setting)
    except OSError as error:
        return f"this machine cannot note it ({error.strerror or error})."
    return ""


def change_policy(policy: Policy, *, level: EgressLevel | None = None, **changes: Any) -> Policy:
    """Return a policy with what is given, and is not None, put in the place of what it says.

    A change of the level needs its own reason and permission. `nothing` also takes unencrypted connections back.
    """
    taken_back: dict[str, Any] = {}
    if level not in (None, policy.level):
        taken_back |= {"reason": "", "allowed_by": ""}
    if level is EgressLevel.NOTHING:
        taken_back["unencrypted"] = False
    given = {name: value for name, value in changes.items() if value is not None}
    return replace(policy, level=level or policy.level, **{**taken_back, **given})


def policy_problem(policy: Policy) -> str:
    """Return what a policy lacks to be set, as a sentence; "" where nothing is missing."""
    if policy.level is not EgressLevel.RAW:
        return ""
    if len(policy.reason.split()) < MIN_REASON_WORDS:
        return f"Raw footage leaves only for a reason, in {MIN_REASON_WORDS} words or more."
    if not policy.allowed_by.strip():
        return "Raw footage leaves only where somebody allowed it by name."
    return ""


def parse_hosts(given: Iterable[str]) -> tuple[str, ...]:
    """Return the machines that a person named, each once, as addresses name them; an address gives its machine."""
    return tuple(dict.fromkeys(_host(name) for name in given if name.strip()))


def _host(text: str) -> str:
    said = text.strip().lower()
    try:
        named = host_key(parse_ip_address(said) or host_of_url(said if "://" in said else f"https://{said}"))
    except ValueError:
        named = ""
    if (
        not named
        or len(named) > _MAX_HOST_CHARS
        or not (parse_ip_address(named) or _HOST_NAME.fullmatch(named.removesuffix(".")))
    ):
        raise UserError(
            f"“{escape_unprintable(text.strip())}” is not the name of a host.",
            "Give a host name, such as api.example.org.",
        )
    return named


def _clean_text(text: str) -> str:
    said = " ".join(text.split())
    if len(said) > _MAX_TEXT_CHARS:
        raise UserError("This text is too long for the policy.", f"Shorten it to {_MAX_TEXT_CHARS} characters.")
    return said
