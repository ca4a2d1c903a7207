"""Which machine a name stands for, and whether that is this one."""

import socket
from ipaddress import ip_address
from pathlib import Path

from project.hosts import numeric as numeric

_HOSTS = Path("/etc/hosts")
_LOCALHOST = ("localhost", "localhost.")
"""Never a matter of a name server (RFC 6761, section 6.3)."""


def loopback(address: str) -> bool:
    """Tell whether an IP address is this machine's own loopback; what is no address is not."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def host_in(url: str) -> str:
    """Return the host of an address as requests name it, foreign letters as IDNA writes them; "" where it has none."""
    import httpx2

    try:
        return httpx2.URL(url).raw_host.decode("ascii").lower()
    except (httpx2.InvalidURL, ValueError):
        return ""


def known_here(host: str) -> bool:
    """Tell whether this machine knows the address of a host itself, so that looking it up asks no name server.

    A dot at the end makes another name of those in the list of hosts: the system would ask a name server for it.
    """
    name = host.lower()
    return bool(numeric(host)) or name in _LOCALHOST or name in _hosts()


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Return every IP address that a host has, in the order in which the system wants them tried.

    Raises:
        OSError: it has none.
    """
    if written := numeric(host):
        return (written,)
    name = "localhost" if host.lower() in _LOCALHOST else host
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError("no name of a machine") from None
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


def _hosts() -> set[str]:
    """Return the names in this machine's own list of hosts (hosts(5))."""
    try:
        lines = _HOSTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return set()
    return {name.lower() for line in lines for name in line.partition("#")[0].split()[1:]}
