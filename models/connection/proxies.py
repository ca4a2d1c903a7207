"""The proxy that this machine is set up with, as its variables say."""

import base64
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from project.hosts import host_key

UNSPOKEN = "This machine is set up with a proxy that is no HTTP proxy."
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Proxy:
    """A machine that requests are sent through.

    Attributes:
        account: of the header that it is told who asks; never shown or written down.
    """

    scheme: str
    host: str
    port: int
    account: str = field(default="", repr=False)

    @property
    def spoken(self) -> bool:
        """Whether it is of a kind that the program speaks."""
        return self.scheme in _PORTS and bool(self.host) and self.port > 0


def proxy_for(scheme: str, host: str, port: int) -> Proxy | None:
    """Return the proxy that `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY` names for an address, unless `NO_PROXY` does."""
    from urllib.request import getproxies, proxy_bypass

    chosen = getproxies()
    address = chosen.get(scheme) or chosen.get("all")
    plain = host_key(host)
    if not address or any(proxy_bypass(each) for each in (host, plain, f"{host}:{port}", f"{plain}:{port}")):
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        found = parts.port
    except ValueError:
        return Proxy("", "a proxy that cannot be read", 0)
    usual = 0 if found == 0 else _PORTS.get(parts.scheme, 0)
    name = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    account = "Basic " + base64.b64encode(name.encode()).decode() if parts.username else ""
    return Proxy(parts.scheme, (parts.hostname or "").lower(), found or usual, account)
