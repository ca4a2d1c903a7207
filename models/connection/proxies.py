"""The proxy that this machine is set up with, as its variables say."""

import base64
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from project.policy import Forbidden

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


def proxy_for(scheme: str, host: str, port: int) -> Proxy | None:
    """Return the proxy that `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY` names for an address, unless `NO_PROXY` does.

    Raises:
        Forbidden: it is of a kind that the program does not speak.
    """
    from urllib.request import getproxies, proxy_bypass

    chosen = getproxies()
    address = chosen.get(scheme) or chosen.get("all")
    if not address or proxy_bypass(host) or proxy_bypass(f"{host}:{port}"):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    try:
        found = parts.port
    except ValueError:
        found = 0
    if parts.scheme not in _PORTS or not parts.hostname or found == 0:
        raise Forbidden(
            "proxies",
            "This machine is set up with a proxy that is no HTTP proxy.",
            "Unset it, or set HTTPS_PROXY to an address that starts with http:// (rule proxies)",
        )
    name = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    account = "Basic " + base64.b64encode(name.encode()).decode() if parts.username else ""
    return Proxy(parts.scheme, parts.hostname.lower(), found or _PORTS[parts.scheme], account)
