"""Connects to a Dask scheduler, once that is permitted and journaled, and to no other address.

The connection runs in one event loop, so the socket audit permits that loop's context and nothing else in the process.
Only the scheduler is connected to: it passes on what is meant for its workers.
"""

import asyncio
import logging
import re
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from models.connection.addresses import is_known_locally, is_loopback, resolve
from models.connection.guard import Authority
from models.connection.network_sandbox import allow_connection, allow_lookup
from project.entities.egress_policy import EgressRequest, Purpose, parse_ip_address
from project.errors import UserError
from project.session.optional_parts import CLUSTER
from project.text_format import escape_unprintable

DEFAULT_PORT = 8786
_SCHEMES = ("tcp", "tls")
_CONNECTING_S = 5.0
_ANSWERING_S = 30.0
_CLOSING_S = 3.0
_NAME = re.compile(r"[A-Za-z0-9_.:-]+")


class SchedulerLostError(Exception):
    """The scheduler does not answer any more."""


@dataclass(frozen=True, slots=True)
class ClusterWorker:
    """One worker of a cluster.

    Attributes:
        address: by which its scheduler knows it.
        host: its machine.
        threads: works that it does at once.
    """

    address: str
    host: str
    threads: int

    @property
    def scheme(self) -> str:
        """Return how its scheduler speaks to it, such as `tls`."""
        return urlsplit(self.address).scheme

    @property
    def machine(self) -> str:
        """Return the machine that it is reached at, as an IP address or as a name."""
        host = urlsplit(self.address).hostname or ""
        return parse_ip_address(host) or host


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Where a scheduler is.

    Attributes:
        scheme: `tcp`, or `tls` for what is encrypted.
        host: as it was named, in lower case.
    """

    scheme: str
    host: str
    port: int

    def address_at(self, host: str) -> str:
        """Return the address with another name for the host."""
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

    def __str__(self) -> str:
        return self.address_at(self.host)


def parse_scheduler(address: str) -> Scheduler:
    """Read the address of a scheduler, such as `tcp://node7:8786`, `tls://10.0.0.7:8786` or `node7`."""
    said = address.strip()
    try:
        parts = urlsplit(said if "://" in said else f"tcp://{said}")
        host, port = (parts.hostname or "").rstrip("."), parts.port or DEFAULT_PORT
    except ValueError:
        parts, host, port = urlsplit(""), "", 0
    beside = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if parts.scheme not in _SCHEMES or not _NAME.fullmatch(host) or beside:
        raise UserError(
            f"“{escape_unprintable(said)}” is not the address of a scheduler.",
            "Give the address that the scheduler prints, such as tcp://node7:8786.",
        )
    return Scheduler(parts.scheme, parse_ip_address(host) or host, port)


def permitted_addresses(wanted: Scheduler, authority: Authority) -> tuple[str, ...]:
    """Return the addresses of a scheduler's machine, once it may be connected to and that is written down."""
    if not is_known_locally(wanted.host):
        authority.permit(EgressRequest(Purpose.CLUSTER, wanted.host, wanted.port, (), False, scheme=wanted.scheme))
    try:
        with allow_lookup(wanted.host):
            addresses = resolve(wanted.host, wanted.port)
    except OSError:
        raise UserError(
            f"The machine “{wanted.host}” does not exist.", "Give the address that the scheduler prints."
        ) from None
    local = all(map(is_loopback, addresses))
    wish = EgressRequest(Purpose.CLUSTER, wanted.host, wanted.port, addresses, local, scheme=wanted.scheme)
    authority.permit(wish)
    return addresses


class MessageQueue(Protocol):
    """What a queue of Dask offers in the thread of a task."""

    def put(self, value: str) -> None:
        """Append a message."""

    def get(self, timeout: float) -> str:
        """Remove and return the first message.

        Raises:
            TimeoutError: there was none so long.
        """

    def close(self) -> None:
        """Let go of it; the scheduler drops a queue that nobody holds."""


def open_task_queue(name: str) -> MessageQueue:
    """Return a queue of the scheduler, in the thread of a task."""
    from distributed import Queue

    queue: MessageQueue = Queue(name)
    return queue


class Cluster:
    """A scheduler that is connected to. What asks it raises `SchedulerLostError` where it does not answer."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @property
    def is_alive(self) -> bool:
        """Whether the connection is up."""
        return str(self._client.status) == "running"

    async def list_workers(self) -> list[ClusterWorker]:
        """Return the workers of the cluster."""
        found: dict[str, Any] = await self._call(self._client.scheduler.identity(n_workers=-1))
        return [
            ClusterWorker(worker_address, str(worker["host"]), int(worker["nthreads"]))
            for worker_address, worker in found["workers"].items()
        ]

    async def open_queue(self, name: str) -> Any:
        """Return a queue of Dask's, which the scheduler keeps."""
        from distributed import Queue

        return await self._call(Queue(name, client=self._client))

    async def put(self, queue: Any, message: str) -> None:
        """Append a message to a queue."""
        await self._call(queue.put(message))

    async def take(self, queue: Any) -> list[str]:
        """Remove and return the messages of a queue; waits for the first one."""
        try:
            return [await queue.get(), *await queue.get(batch=True)]
        except OSError as error:
            raise SchedulerLostError from error

    def close_queue(self, queue: Any) -> None:
        """Let go of a queue; the scheduler drops one that nobody holds."""
        # Waiting for a queue of an asynchronous client opens it a second time.
        for _ in range(2):
            queue.close()

    def submit(self, function: Callable[..., object], *given: object, key: str) -> Any:
        """Submit a function to the workers; it is retried on another one where its worker dies."""
        return self._client.submit(function, *given, key=key, pure=False)

    async def cancel(self, given: Sequence[Any]) -> None:
        """Cancel submitted tasks."""
        await self._client.cancel(given)

    async def _call(self, question: Any, within_s: float = _ANSWERING_S) -> Any:
        try:
            # Python 3.11's `wait_for` forgets that it was cancelled where the answer comes at the same moment.
            async with asyncio.timeout(within_s):
                return await question
        except (TimeoutError, OSError) as error:
            raise SchedulerLostError from error


@asynccontextmanager
async def connect(wanted: Scheduler, addresses: tuple[str, ...]) -> AsyncIterator[Cluster]:
    """Connect to a scheduler at one of the addresses that were permitted; its own settings of TLS are used."""
    client = None
    for address in addresses:
        with allow_connection(address, wanted.port):
            client = await _connect_client(wanted, address)
            if client is not None:
                try:
                    yield Cluster(client)
                finally:
                    with suppress(Exception):
                        await asyncio.wait_for(client.close(timeout=_CLOSING_S), _CLOSING_S + 1)
                return
    raise UserError(
        f"No scheduler responds at {wanted}.",
        "Start the scheduler and its workers: dask scheduler, then dask worker --preload greenroom ADDRESS.",
    )


async def _connect_client(wanted: Scheduler, address: str) -> Any:
    """Return a client that is connected to a scheduler; None where none answers."""
    CLUSTER.require()
    import dask
    import distributed

    # What goes wrong is said once and in our own words.
    for name in [*logging.Logger.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if wanted.scheme == "tls":
        _require_certificates(distributed)
    settings = {"distributed.comm.timeouts.connect": _CONNECTING_S, "distributed.comm.retry.count": 0}
    with dask.config.set(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
        try:
            return await distributed.Client(
                wanted.address_at(address),
                asynchronous=True,
                set_as_default=False,
                direct_to_workers=False,
                timeout=_CONNECTING_S,
                name="greenroom",
            )
        except (TimeoutError, OSError):
            return None
        except (TypeError, ValueError, RuntimeError, ImportError) as error:
            raise UserError(
                f"The scheduler at {wanted} cannot be used: {' '.join(str(error).split())}",
                "Use the same version of Dask on every machine.",
            ) from None


def _require_certificates(distributed: Any) -> None:
    """Refuse to begin what is encrypted where Dask's configuration names no certificates."""
    try:
        found = distributed.Security().get_connection_args("client").get("ssl_context")
    except (OSError, ValueError):
        found = None
    if found is None:
        raise UserError(
            "Dask's configuration has no readable certificates, so nothing is sent by tls://.",
            "Set ca-file and the client's cert and key under distributed.comm.tls in Dask's configuration.",
        )
