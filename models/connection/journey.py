"""What happens to one request, step by step, the same for threads and for asyncio; the steps are done elsewhere."""

import hashlib
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from models.connection.addresses import loopback
from models.connection.content import content_of
from models.connection.guard import Guard
from models.connection.parcel import Parcel, current
from models.connection.proxies import UNSPOKEN, Proxy, proxy_for
from project.policy import Departure, Forbidden, Purpose, refuse_barred

_MOST_HOPS = 10
_PORTS = {"http": 80, "https": 443}
_LONGEST_QUERY = 200
"""Bytes after the `?` of an address that a judge may be asked at: a version fits, what somebody said does not."""
_REDIRECTS = {301, 302, 303, 307, 308}
_SENT_ON = {"accept", "accept-encoding", "content-type", "range", "user-agent"}
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


@dataclass(frozen=True, slots=True)
class LookUp:
    """Look up a host, once for each client; answered with its addresses.

    Attributes:
        host: of which the addresses are wanted.
        asking: what the authority is asked before a name server is; None where that was permitted already.
    """

    host: str
    port: int
    asking: Departure | None


@dataclass(frozen=True, slots=True)
class Permit:
    """Ask the authority."""

    departure: Departure
    uncleared: int


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request; answered with the response."""

    request: httpx2.Request
    route: Route


@dataclass(frozen=True, slots=True)
class Drop:
    """Close a response that is not read."""

    response: httpx2.Response


Step = LookUp | Permit | Send | Drop


def journey(request: httpx2.Request, guard: Guard) -> Generator[Step, Any, httpx2.Response]:
    """Yield what has to be done for a request, whose body is read, and return the last response.

    Raises:
        Forbidden: nobody said what the request is for, or it is sent on to where it may not go.
    """
    parcel = current()
    if parcel is None:
        raise Forbidden("recorded", "A request that nobody accounts for is not sent.", "Report this (rule recorded)")
    came_from: Route | None = None
    hops = 0
    while True:
        request.headers["Accept-Encoding"] = "identity"
        route = yield from _permitted(request, parcel, guard, came_from, hops)
        response: httpx2.Response = yield Send(request, route)
        place = response.headers.get("Location")
        if response.status_code not in _REDIRECTS or not place:
            return response
        yield Drop(response)
        request, came_from, hops = _sent_on(request, response.status_code, place), route, hops + 1


def _permitted(
    request: httpx2.Request, parcel: Parcel, guard: Guard, came_from: Route | None, hops: int
) -> Generator[Step, Any, Route]:
    """Find out where a request would go and what is in it, and have that permitted.

    Raises:
        Forbidden: it is one that no policy lets out.
    """
    scheme, host = request.url.scheme, request.url.raw_host.decode("ascii").lower()
    if scheme not in _PORTS or not host:
        raise httpx2.UnsupportedProtocol(f"“{scheme}” is no way to send a request")
    port = request.url.port or _PORTS[scheme]
    bare = Departure(
        parcel.purpose,
        host,
        port,
        addresses=(),
        local=False,
        condition=parcel.condition,
        judge_id=parcel.judge_id,
        recording_id=parcel.recording_id,
        segment_id=parcel.segment_id,
        others=parcel.others,
        redirected_from=came_from.host if came_from else "",
        scheme=scheme,
    )
    known = guard.network.known_here(host)
    addresses: tuple[str, ...] = (yield LookUp(host, port, None)) if known else ()
    proxy = None if _local(addresses) else proxy_for(scheme, host, port)
    if not known and proxy is None:
        addresses = yield LookUp(host, port, bare)
    local = _local(addresses)
    bare = _barred(bare, Route(scheme, host, port, addresses, proxy), local, came_from, hops)
    departure, uncleared = _with_content(bare, request.content, guard)
    uncleared += parcel.purpose is not Purpose.DOWNLOAD and len(request.url.query) > _LONGEST_QUERY
    yield Permit(replace(departure, addresses=addresses, local=local, proxy=proxy.host if proxy else ""), uncleared)
    refuse_barred(departure)
    if proxy is not None:
        addresses = yield LookUp(proxy.host, proxy.port, None)
    return Route(scheme, host, port, addresses, proxy)


def _local(addresses: tuple[str, ...]) -> bool:
    return bool(addresses) and all(map(loopback, addresses))


def _with_content(bare: Departure, body: bytes, guard: Guard) -> tuple[Departure, int]:
    if not body:
        return bare, 0
    found = content_of(body, bare.condition, guard.cleared)
    sha256 = hashlib.sha256(body).hexdigest()
    held = replace(bare, size=len(body), sha256=sha256, texts=found.texts, frames=found.frames, clips=found.clips)
    return held, found.uncleared


def _barred(bare: Departure, to: Route, local: bool, came_from: Route | None, hops: int) -> Departure:
    """Say of a request that may go nowhere, whatever the policy says, why: it is written down like any other.

    A redirect must not lead from another machine onto this one, nor to where everybody on the way can read it.
    """
    if to.proxy is not None and not to.proxy.spoken:
        return replace(bare, barred_by="proxies", barred=UNSPOKEN)
    if came_from is None:
        return bare
    if hops >= _MOST_HOPS:
        what = "again and again"
    elif local and not _local(came_from.addresses):
        what = "back to this machine"
    elif came_from.scheme == "https" and to.scheme == "http" and not local:
        what = f"to {to.host} without encryption"
    else:
        return bare
    return replace(bare, barred_by="redirects", barred=f"{came_from.host} sends the request on {what}.")


def _sent_on(request: httpx2.Request, status: int, place: str) -> httpx2.Request:
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
        if name not in dropped and (same or name in _SENT_ON)
    ]
    return httpx2.Request(
        "GET" if turned else request.method,
        url.copy_with(username=None, password=None),
        headers=headers,
        content=None if turned else request.content or None,
        extensions=request.extensions,
    )
