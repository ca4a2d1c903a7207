"""Which machine a name stands for, and whether that is this one."""

import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

_HOSTS = Path("/etc/hosts")


def loopback(address: str) -> bool:
    """Tell whether an IP address is this machine's own loopback; what is no address is not."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def numeric(host: str) -> str:
    """Return the IP address that a host is written as, also in decimal, octal or hex form; "" where it is a name."""
    bare = host.removeprefix("[").removesuffix("]")
    with suppress(ValueError):
        return str(ip_address(bare))
    with suppress(OSError, ValueError):
        return socket.inet_ntoa(socket.inet_aton(bare))
    return ""


def known_here(host: str) -> bool:
    """Tell whether this machine knows the address of a host itself, so that looking it up asks no name server."""
    name = host.lower().rstrip(".")
    return bool(numeric(host)) or name == "localhost" or name in _hosts()


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Return every IP address that a host has, in the order in which the system wants them tried.

    Raises:
        OSError: it has none.
    """
    if written := numeric(host):
        return (written,)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
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
