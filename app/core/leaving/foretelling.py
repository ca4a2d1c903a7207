"""Whether the policy would let a judge be asked, said before it is asked: for pages and for the command line."""

from urllib.parse import urlsplit

from app.core.leaving.authority import authority_of
from app.core.leaving.in_force import policy_in_force
from app.core.session import Session
from models.connection.addresses import host_in, known_here, loopback, resolve
from models.connection.proxies import UNSPOKEN, proxy_for
from models.judges.registry import backend_of, options_of
from project.errors import UserError
from project.judging import PERSON, JudgeEntry
from project.policy import Departure, Forbidden, Purpose

_PORTS = {"http": 80, "https": 443}
_SOMETHING = "0" * 64
"""Stands for the checksum of a picture or clip that was not made yet."""


def why_not(session: Session, entry: JudgeEntry, recording_id: str, condition: str) -> Forbidden | None:
    """Return why the policy forbids to ask a judge about a recording, as things stand; None where it does not.

    Nothing is sent, looked up or written down. A name is taken for another machine unless this one knows better.

    Raises:
        UserError: there is no such backend, its settings do not fit, or the study is damaged.
    """
    if entry.backend == PERSON or not backend_of(entry.backend).leaves:
        return None
    options = options_of(entry.backend, entry.settings)
    url = str(getattr(options, "url", ""))
    parts, host = urlsplit(url), host_in(url)
    try:
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        port = 0
    if not host:
        raise UserError(f"The judge {entry.name} has no address.", "Give it one: greenroom judge add ... --url")
    local = stays_here(host, port)
    proxy = None if local else proxy_for(parts.scheme, host, port)
    barred = proxy is not None and not proxy.spoken
    sees = getattr(options, "sees", "frames")
    return authority_of(session).foretell(
        Departure(
            Purpose.JUDGE,
            host,
            port,
            (),
            local,
            texts=1,
            frames=(_SOMETHING,) if sees == "frames" else (),
            clips=(_SOMETHING,) if sees == "clip" else (),
            condition=condition,
            judge_id=entry.id,
            recording_id=recording_id,
            proxy=proxy.host if proxy else "",
            barred_by="proxies" if barred else "",
            barred=UNSPOKEN if barred else "",
            scheme=parts.scheme,
        )
    )


def unencrypted_note(session: Session, entry: JudgeEntry) -> str:
    """Return a line about a judge at another machine whose words and key would travel unencrypted; "" for any other.

    Nothing is looked up: a name counts as another machine unless this one knows better.
    """
    if entry.backend == PERSON:
        return ""
    try:
        url = str(getattr(options_of(entry.backend, entry.settings), "url", ""))
        parts, host = urlsplit(url), host_in(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except (UserError, ValueError):
        return ""
    if not host or parts.scheme != "http" or stays_here(host, port):
        return ""
    allowed = policy_in_force(session).unencrypted
    then = "and the policy allows that" if allowed else "so the policy refuses it (allow it: policy set --unencrypted)"
    return f"Words and key would travel unencrypted to {entry.name} at http://{parts.netloc}, {then}."


def stays_here(host: str, port: int) -> bool:
    """Tell whether a host is this machine, as far as this machine knows without asking another one."""
    try:
        return known_here(host) and all(map(loopback, resolve(host, port)))
    except OSError:
        return False
