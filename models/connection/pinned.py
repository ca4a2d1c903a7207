"""Connects to the addresses that were looked up and permitted, and never looks a name up itself."""

from typing import Any

import httpcore2

from models.connection.journey import Route
from models.connection.sentinel import opening

_Failed = (httpcore2.ConnectError, httpcore2.ConnectTimeout)


class Pinned(httpcore2.NetworkBackend):
    """Connects for one route; TLS still checks the name of the host."""

    def __init__(self, route: Route, base: httpcore2.NetworkBackend) -> None:
        self._route, self._base = route, base

    def connect_tcp(self, host: str, port: int, *given: Any, **options: Any) -> httpcore2.NetworkStream:
        """Connect to the first permitted address that answers."""
        failed: Exception = httpcore2.ConnectError("no address is permitted")
        for address in _pinned(self._route, host, port):
            try:
                with opening(address, port):
                    return self._base.connect_tcp(address, port, *given, **options)
            except _Failed as error:
                failed = error
        raise failed

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._base.sleep(seconds)


class AsyncPinned(httpcore2.AsyncNetworkBackend):
    """The same for asyncio."""

    def __init__(self, route: Route, base: httpcore2.AsyncNetworkBackend) -> None:
        self._route, self._base = route, base

    async def connect_tcp(self, host: str, port: int, *given: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
        """Connect to the first permitted address that answers."""
        failed: Exception = httpcore2.ConnectError("no address is permitted")
        for address in _pinned(self._route, host, port):
            try:
                with opening(address, port):
                    return await self._base.connect_tcp(address, port, *given, **options)
            except _Failed as error:
                failed = error
        raise failed

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._base.sleep(seconds)


def _pinned(route: Route, host: str, port: int) -> tuple[str, ...]:
    """Return the addresses that may be connected to, where the library asks for the route's own host; else none."""
    to = (route.proxy.host, route.proxy.port) if route.proxy else (route.host, route.port)
    return route.addresses if (host.strip("[]").lower(), port) == (to[0].strip("[]").lower(), to[1]) else ()
