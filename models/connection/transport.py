"""Does the steps of a request, for threads and for asyncio, and keeps connections open for the next one."""

import asyncio
import threading
from typing import Any

import httpx2

from models.connection.answers import AsyncShort, Short, longest
from models.connection.guard import Guard
from models.connection.journey import Drop, LookUp, Permit, Route, Send, journey
from models.connection.pools import AsyncPool, Pool
from models.connection.sentinel import looking_up
from project.errors import UserError


class GuardedTransport(httpx2.BaseTransport):
    """Sends what the guard's authority permits, one thread at a time looking a name up."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._known: dict[str, tuple[str, ...]] = {}
        self._pools: dict[Route, Pool] = {}
        self._lock = threading.Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and what it is redirected to.

        Raises:
            Forbidden: it may not leave.
            httpx2.TransportError: it could not be sent or answered.
        """
        request.read()
        steps = journey(request, self._guard)
        found: Any = None
        while True:
            try:
                step = steps.send(found)
            except StopIteration as done:
                response: httpx2.Response = done.value
                try:
                    response.stream = Short(response, longest(self._guard))
                except UserError:
                    response.close()
                    raise
                return response
            match step:
                case LookUp():
                    found = self._look_up(step)
                case Permit():
                    self._guard.permit(step.departure, step.uncleared)
                case Send():
                    found = self._send(step)
                case Drop():
                    step.response.close()

    def close(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()

    def _look_up(self, step: LookUp) -> tuple[str, ...]:
        with self._lock:
            if step.host not in self._known:
                if step.asking is not None:
                    self._guard.permit(step.asking)
                self._known[step.host] = _resolved(self._guard, step)
            return self._known[step.host]

    def _send(self, step: Send) -> httpx2.Response:
        with self._lock:
            pool = self._pools.get(step.route)
            if pool is None:
                pool = self._pools[step.route] = Pool(step.route, self._guard)
        try:
            return pool.handle_request(step.request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            _forget(self._known, step.route)
            raise


class AsyncGuardedTransport(httpx2.AsyncBaseTransport):
    """The same for asyncio."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._known: dict[str, tuple[str, ...]] = {}
        self._pools: dict[Route, AsyncPool] = {}
        self._lock = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and what it is redirected to.

        Raises:
            Forbidden: it may not leave.
            httpx2.TransportError: it could not be sent or answered.
        """
        await request.aread()
        steps = journey(request, self._guard)
        found: Any = None
        while True:
            try:
                step = steps.send(found)
            except StopIteration as done:
                response: httpx2.Response = done.value
                try:
                    response.stream = AsyncShort(response, longest(self._guard))
                except UserError:
                    await response.aclose()
                    raise
                return response
            match step:
                case LookUp():
                    found = await self._look_up(step)
                case Permit():
                    await self._permit(step)
                case Send():
                    found = await self._send(step)
                case Drop():
                    await step.response.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()

    async def _permit(self, step: Permit) -> None:
        await self._guard.permit_soon(step.departure, step.uncleared)

    async def _look_up(self, step: LookUp) -> tuple[str, ...]:
        if step.host in self._known:
            return self._known[step.host]
        async with self._lock:
            if step.host not in self._known:
                if step.asking is not None:
                    await self._permit(Permit(step.asking, 0))
                self._known[step.host] = await asyncio.to_thread(_resolved, self._guard, step)
            return self._known[step.host]

    async def _send(self, step: Send) -> httpx2.Response:
        pool = self._pools.get(step.route)
        if pool is None:
            pool = self._pools[step.route] = AsyncPool(step.route, self._guard)
        try:
            return await pool.handle_async_request(step.request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            _forget(self._known, step.route)
            raise


def _resolved(guard: Guard, step: LookUp) -> tuple[str, ...]:
    try:
        with looking_up(step.host):
            found = guard.network.resolve(step.host, step.port)
    except OSError as error:
        raise httpx2.ConnectError(error.strerror or str(error)) from error
    if not found:
        raise httpx2.ConnectError("no machine has this name")
    return found


def _forget(known: dict[str, tuple[str, ...]], route: Route) -> None:
    """Look a host up anew for the next request, because nobody answers where it was."""
    known.pop(route.proxy.host if route.proxy else route.host, None)
