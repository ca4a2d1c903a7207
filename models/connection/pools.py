"""The open connections of a route."""

from typing import TYPE_CHECKING, TypedDict

import httpcore2
import httpx2

from models.connection.guard import Guard
from models.connection.journey import Route
from models.connection.pinned import AsyncPinned, Pinned

if TYPE_CHECKING:
    import ssl

_KEPT_S = 30.0
_AT_ONCE = 100


class Pool(httpx2.HTTPTransport):
    """The connections of a route, which httpx2's own transport cannot be told to pin."""

    def __init__(self, route: Route, guard: Guard) -> None:
        backend = Pinned(route, guard.network.connector())
        if route.proxy is None:
            self._pool = httpcore2.ConnectionPool(network_backend=backend, **_manner(route))
        else:
            self._pool = httpcore2.HTTPProxy(
                _address(route), proxy_headers=_account(route), network_backend=backend, **_manner(route)
            )


class AsyncPool(httpx2.AsyncHTTPTransport):
    """The same for asyncio."""

    def __init__(self, route: Route, guard: Guard) -> None:
        backend = AsyncPinned(route, guard.network.async_connector())
        if route.proxy is None:
            self._pool = httpcore2.AsyncConnectionPool(network_backend=backend, **_manner(route))
        else:
            self._pool = httpcore2.AsyncHTTPProxy(
                _address(route), proxy_headers=_account(route), network_backend=backend, **_manner(route)
            )


class _Manner(TypedDict):
    ssl_context: "ssl.SSLContext | None"
    max_connections: int
    keepalive_expiry: float


def _manner(route: Route) -> _Manner:
    """Return how connections of a route are made and kept."""
    trust = httpx2.create_ssl_context() if route.scheme == "https" else None
    return {"ssl_context": trust, "max_connections": _AT_ONCE, "keepalive_expiry": _KEPT_S}


def _address(route: Route) -> str:
    assert route.proxy is not None
    host = f"[{route.proxy.host}]" if ":" in route.proxy.host else route.proxy.host
    return f"{route.proxy.scheme}://{host}:{route.proxy.port}"


def _account(route: Route) -> dict[bytes | str, bytes | str]:
    assert route.proxy is not None
    return {"Proxy-Authorization": route.proxy.account} if route.proxy.account else {}
