"""The HTTP transport that sends only what the guard permits, for asyncio, and a client on top of it for threads.

It connects only to the resolved and permitted addresses, takes each redirect as a request of its own, and limits the
size of answers.
"""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import httpcore2
import httpx2

from models.connection.addresses import DEFAULT_PORTS, UNSUPPORTED_PROXY, Proxy, is_loopback, proxy_for
from models.connection.guard import AnswerTooLong, Guard, RequestPurpose, current_purpose, read_body_content
from models.connection.network_sandbox import allow_connection, allow_lookup
from project.entities.egress_policy import EgressRequest, Forbidden, Purpose, refuse_barred
from project.text_format import format_size

Result = TypeVar("Result")
_MAX_REDIRECTS = 10
_LONGEST_QUERY = 200
"""Bytes after the `?` of an address that a judge may be asked at: a version fits, what somebody said does not."""
_REDIRECTS = {301, 302, 303, 307, 308}
_FORWARDED_HEADERS = {"accept", "accept-encoding", "content-type", "range", "user-agent"}
"""The headers that another host gets to see when a request is sent on to it."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where bytes go: connections are kept for a route and never used for another one.

    Attributes:
        addresses: the only ones that are connected to; of the proxy where there is one.
    """

    scheme: str
    host: str
    port: int
    addresses: tuple[str, ...]
    proxy: Proxy | None = None


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends what the guard's authority permits."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._known: dict[str, tuple[str, ...]] = {}
        self._pools: dict[Route, RoutePool] = {}
        self._lookup = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and what it is redirected to.

        Raises:
            Forbidden: it may not leave, it is sent on to where it may not go, or nobody said what it is for.
            httpx2.TransportError: it could not be sent or answered.
        """
        await request.aread()
        request_purpose = current_purpose()
        if request_purpose is None:
            raise Forbidden(
                "recorded", "A request without an egress authority is not sent.", "Report this (rule recorded)"
            )
        came_from: Route | None = None
        hops = 0
        while True:
            request.headers["Accept-Encoding"] = "identity"
            route = await self._permit_route(request, request_purpose, came_from, hops)
            response = await self._send(request, route)
            place = response.headers.get("Location")
            if response.status_code not in _REDIRECTS or not place:
                break
            await response.aclose()
            request, came_from, hops = _redirected_request(request, response.status_code, place), route, hops + 1
        # An answer may grow without end while it is unpacked; nobody asked for a packed one.
        if self._guard.answer_limit and response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise AnswerTooLong("The server sends compressed answers, which were not requested.", "Use another server.")
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()

    async def _permit_route(
        self, request: httpx2.Request, request_purpose: RequestPurpose, came_from: Route | None, hops: int
    ) -> Route:
        """Find out where a request would go and what is in it, and have that permitted."""
        scheme, host = request.url.scheme, request.url.raw_host.decode("ascii").lower()
        if scheme not in DEFAULT_PORTS or not host:
            raise httpx2.UnsupportedProtocol(f"“{scheme}” is no way to send a request")
        port = request.url.port or DEFAULT_PORTS[scheme]
        bare = EgressRequest(
            host=host,
            port=port,
            addresses=(),
            local=False,
            redirected_from=came_from.host if came_from else "",
            scheme=scheme,
            **asdict(request_purpose),
        )
        known = self._guard.network.is_known_locally(host)
        addresses = await self._look_up(host, port) if known else ()
        proxy = None if _is_local(addresses) else proxy_for(scheme, host, port)
        if not known and proxy is None:
            addresses = await self._look_up(host, port, bare)
        local = _is_local(addresses)
        bare = _bar_request(bare, Route(scheme, host, port, addresses, proxy), local, came_from, hops)
        departure = _with_content(bare, request.content, self._guard)
        long_query = request_purpose.purpose is not Purpose.DOWNLOAD and len(request.url.query) > _LONGEST_QUERY
        await self._guard.permit(
            replace(
                departure,
                addresses=addresses,
                local=local,
                proxy=proxy.host if proxy else "",
                unapproved=departure.unapproved + long_query,
            )
        )
        refuse_barred(departure)
        if proxy is not None:
            addresses = await self._look_up(proxy.host, proxy.port)
        return Route(scheme, host, port, addresses, proxy)

    async def _look_up(self, host: str, port: int, request: EgressRequest | None = None) -> tuple[str, ...]:
        """Return the addresses of a host, which is looked up once.

        `request` is what the authority is asked before a name server is; None where that was permitted already.
        """
        if host in self._known:
            return self._known[host]
        async with self._lookup:
            if host not in self._known:
                if request is not None:
                    await self._guard.permit(request)
                self._known[host] = await asyncio.to_thread(_resolve, self._guard, host, port)
            return self._known[host]

    async def _send(self, request: httpx2.Request, route: Route) -> httpx2.Response:
        pool = self._pools.get(route)
        if pool is None:
            pool = self._pools[route] = RoutePool(route, self._guard)
        try:
            return await pool.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            # Nobody answers where the host was: it is looked up again for the next request.
            self._known.pop(route.proxy.host if route.proxy else route.host, None)
            raise


def _resolve(guard: Guard, host: str, port: int) -> tuple[str, ...]:
    try:
        with allow_lookup(host):
            addresses = guard.network.resolve(host, port)
    except OSError as error:
        raise httpx2.ConnectError(error.strerror or str(error)) from error
    if not addresses:
        raise httpx2.ConnectError("no machine has this name")
    return addresses


def _is_local(addresses: tuple[str, ...]) -> bool:
    return bool(addresses) and all(map(is_loopback, addresses))


def _with_content(bare: EgressRequest, body: bytes, guard: Guard) -> EgressRequest:
    if not body:
        return bare
    content = asdict(read_body_content(body, bare.condition, guard.approved))
    return replace(bare, size=len(body), sha256=hashlib.sha256(body).hexdigest(), **content)


def _bar_request(bare: EgressRequest, to: Route, local: bool, came_from: Route | None, hops: int) -> EgressRequest:
    """Say of a request that may go nowhere, whatever the policy says, why: it is written down like any other.

    A redirect must not lead from another machine onto this one, nor to where everybody on the way can read it.
    """
    if to.proxy is not None and not to.proxy.is_supported:
        return replace(bare, barred_by="proxies", barred=UNSUPPORTED_PROXY)
    if came_from is None:
        return bare
    if hops >= _MAX_REDIRECTS:
        what = "again and again"
    elif local and not _is_local(came_from.addresses):
        what = "back to this machine"
    elif came_from.scheme == "https" and to.scheme == "http" and not local:
        what = f"to {to.host} without encryption"
    else:
        return bare
    return replace(bare, barred_by="redirects", barred=f"{came_from.host} sends the request on {what}.")


def _redirected_request(request: httpx2.Request, status: int, place: str) -> httpx2.Request:
    """Return the request that a redirect asks for (RFC 9110, section 15.4), without what is not for another host."""
    try:
        url = request.url.join(place)
    except httpx2.InvalidURL:
        raise httpx2.RemoteProtocolError("the server sends the request on to what is no address") from None
    plain = request.method == "GET" or request.method == "HEAD"
    turned = not plain and (status == 303 or (status in (301, 302) and request.method == "POST"))
    same = (url.scheme, url.raw_host, url.port) == (request.url.scheme, request.url.raw_host, request.url.port)
    dropped = {"host", "content-length", "transfer-encoding", *({"content-type"} if turned else ())}
    headers = [
        (name, value)
        for name, value in request.headers.multi_items()
        if name not in dropped and (same or name in _FORWARDED_HEADERS)
    ]
    return httpx2.Request(
        "GET" if turned else request.method,
        url.copy_with(username=None, password=None),
        headers=headers,
        content=None if turned else request.content or None,
        extensions=request.extensions,
    )


_MAX_HEAD_BYTES = 1 << 16
"""Bytes of an answer beside its content."""


class MeteredStream(httpcore2.AsyncNetworkStream):
    """A connection that counts the bytes of an answer with its heads: also a server that never comes to it ends."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream, guard: Guard) -> None:
        self._stream, self._guard = stream, guard
        self._came = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read a part of an answer.

        Raises:
            AnswerTooLong: it is longer than an answer may be.
        """
        part = await self._stream.read(max_bytes, timeout)
        self._came += len(part)
        most = self._guard.answer_limit
        if most and self._came > most + _MAX_HEAD_BYTES:
            raise AnswerTooLong(
                f"The server's answer is larger than {format_size(most)}.",
                "No valid answer is that large; use another server.",
            )
        return part

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write a part of a request, with which another answer begins."""
        self._came = 0
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(self, *given: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
        """Encrypt the connection."""
        return MeteredStream(await self._stream.start_tls(*given, **options), self._guard)

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection knows of itself."""
        return self._stream.get_extra_info(info)


class PinnedNetworkBackend(httpcore2.AsyncNetworkBackend):
    """Connects for one route; TLS still checks the name of the host."""

    def __init__(self, route: Route, base: httpcore2.AsyncNetworkBackend, guard: Guard) -> None:
        self._route, self._base, self._guard = route, base, guard

    async def connect_tcp(self, host: str, port: int, *given: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
        """Connect to the first permitted address that answers."""
        failed: Exception = httpcore2.ConnectError("no address is permitted")
        for address in _pinned_addresses(self._route, host, port):
            try:
                with allow_connection(address, port):
                    stream = await self._base.connect_tcp(address, port, *given, **options)
                    return MeteredStream(stream, self._guard)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                error.args = (_system_reason(error) or str(error),)
                failed = error
        raise failed

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._base.sleep(seconds)


def _system_reason(error: BaseException) -> str:
    """Return in the system's words why a connection failed; "" where the system says nothing."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return ""


def _pinned_addresses(route: Route, host: str, port: int) -> tuple[str, ...]:
    """Return the addresses that may be connected to, where the library asks for the route's own host; else none."""
    to = (route.proxy.host, route.proxy.port) if route.proxy else (route.host, route.port)
    return route.addresses if (host.strip("[]").lower(), port) == (to[0].strip("[]").lower(), to[1]) else ()


_KEEPALIVE_S = 30.0
_MAX_CONNECTIONS = 100


class RoutePool(httpx2.AsyncHTTPTransport):
    """The connections of a route, which httpx2's own transport cannot be told to pin."""

    def __init__(self, route: Route, guard: Guard) -> None:
        options: dict[str, Any] = {
            "ssl_context": httpx2.create_ssl_context() if route.scheme == "https" else None,
            "max_connections": _MAX_CONNECTIONS,
            "keepalive_expiry": _KEEPALIVE_S,
            "network_backend": PinnedNetworkBackend(route, guard.network.connector(), guard),
        }
        proxy = route.proxy
        if proxy is None:
            self._pool = httpcore2.AsyncConnectionPool(**options)
            return
        host = f"[{proxy.host}]" if ":" in proxy.host else proxy.host
        headers: dict[bytes | str, bytes | str] = {"Proxy-Authorization": proxy.account} if proxy.account else {}
        self._pool = httpcore2.AsyncHTTPProxy(f"{proxy.scheme}://{host}:{proxy.port}", proxy_headers=headers, **options)


def async_http_client(guard: Guard) -> httpx2.AsyncClient:
    """Return a client for one event loop. It follows no redirect by itself and knows no variable."""
    return httpx2.AsyncClient(transport=GuardedTransport(guard), trust_env=False, follow_redirects=False)


def http_client(guard: Guard) -> httpx2.Client:
    """Return the same for one thread, in which no event loop runs."""
    return httpx2.Client(transport=_BlockingTransport(guard), trust_env=False, follow_redirects=False)


class _BlockingTransport(httpx2.BaseTransport):
    """A `GuardedTransport` in an event loop that runs while its thread waits for it."""

    def __init__(self, guard: Guard) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._transport = GuardedTransport(guard)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._wait_for(self._transport.handle_async_request(request))
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_BlockingStream(response, self._wait_for),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._wait_for(self._transport.aclose())
        self._runner.close()

    def _wait_for(self, result: Awaitable[Result]) -> Result:
        return self._runner.get_loop().run_until_complete(result)


class _BlockingStream(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, wait_for: Callable[[Awaitable[Any]], Any]) -> None:
        self._response, self._wait_for = response, wait_for

    def __iter__(self) -> Iterator[bytes]:
        blocks = self._response.aiter_raw()
        while block := self._wait_for(anext(blocks, b"")):
            yield block

    def close(self) -> None:
        self._wait_for(self._response.aclose())
