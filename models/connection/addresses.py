"""Resolves host names, tells whether a host is this machine, and reads the proxy from the environment.

Tests replace `NetworkAccess`, the part that touches the network.
"""

import base64
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from project.entities.egress_policy import host_key, parse_ip_address

if TYPE_CHECKING:
    import httpcore2


_HOSTS = Path("/etc/hosts")
DEFAULT_PORTS = {"http": 80, "https": 443}
_LOCALHOST = ("localhost", "localhost.")
"""Never a matter of a name server (RFC 6761, section 6.3)."""


def is_loopback(address: str) -> bool:
    """Tell whether an IP address is this machine's own loopback; what is no address is not."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def host_of_url(url: str) -> str:
    """Return the host of an address as requests name it, foreign letters as IDNA writes them; "" where it has none."""
    import httpx2

    try:
        return httpx2.URL(url).raw_host.decode("ascii").lower()
    except (httpx2.InvalidURL, ValueError):
        return ""


def server_of_url(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an address; "" for the host where it has none."""
    parts = urlsplit(url)
    return parts.scheme, host_of_url(url), parts.port or DEFAULT_PORTS.get(parts.scheme, 0)


def is_known_locally(host: str) -> bool:
    """Tell whether this machine knows the address of a host itself, so that looking it up asks no name server.

    A dot at the end makes another name of those in the list of hosts: the system would ask a name server for it.
    """
    name = host.lower()
    return bool(parse_ip_address(host)) or name in _LOCALHOST or name in _hosts()


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Return every IP address that a host has, in the order in which the system wants them tried.

    Raises:
        OSError: it has none.
    """
    if written := parse_ip_address(host):
        return (written,)
    name = "localhost" if host.lower() in _LOCALHOST else host
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError("no name of a machine") from None
    return tuple(dict.fromkeys(str(address[4][0]) for address in found))


def is_local_host(host: str, port: int) -> bool:
    """Tell whether a host is this machine, as far as this machine knows without asking another one."""
    try:
        return is_known_locally(host) and all(map(is_loopback, resolve(host, port)))
    except OSError:
        return False


def _hosts() -> set[str]:
    """Return the names in this machine's own list of hosts (hosts(5))."""
    try:
        lines = _HOSTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return set()
    return {name.lower() for line in lines for name in line.partition("#")[0].split()[1:]}


UNSUPPORTED_PROXY = "This machine is set up with a proxy that is no HTTP proxy."


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy server.

    Attributes:
        account: of the header that it is told who asks; never shown or written down.
    """

    scheme: str
    host: str
    port: int
    account: str = field(default="", repr=False)

    @property
    def is_supported(self) -> bool:
        """Whether the program supports its protocol."""
        return self.scheme in DEFAULT_PORTS and bool(self.host) and self.port > 0


def proxy_for(scheme: str, host: str, port: int) -> Proxy | None:
    """Return the proxy that `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY` names for an address, unless `NO_PROXY` does."""
    from urllib.request import getproxies, proxy_bypass

    chosen = getproxies()
    address = chosen.get(scheme) or chosen.get("all")
    plain = host_key(host)
    if not address or any(proxy_bypass(name) for name in (host, plain, f"{host}:{port}", f"{plain}:{port}")):
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        found = parts.port
    except ValueError:
        return Proxy("", "a proxy that cannot be read", 0)
    usual = 0 if found == 0 else DEFAULT_PORTS.get(parts.scheme, 0)
    name = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    account = "Basic " + base64.b64encode(name.encode()).decode() if parts.username else ""
    return Proxy(parts.scheme, (parts.hostname or "").lower(), found or usual, account)


def _network_backend() -> "httpcore2.AsyncNetworkBackend":
    import httpcore2

    return httpcore2.AnyIOBackend()


@dataclass(frozen=True, slots=True)
class NetworkAccess:
    """The ways to the network.

    Attributes:
        resolve: host and port to every address.
        is_known_locally: whether looking a host up asks no name server.
        connector: makes what connects to an address.
    """

    resolve: Callable[[str, int], tuple[str, ...]] = resolve
    is_known_locally: Callable[[str], bool] = is_known_locally
    connector: Callable[[], "httpcore2.AsyncNetworkBackend"] = _network_backend
