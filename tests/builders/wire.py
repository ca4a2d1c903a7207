"""A network without a network: names that stand for what a test says, and connections that are only noted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpcore2
import httpx2

from models.connection.addresses import NetworkAccess, is_known_locally
from models.connection.guard import ApprovedContent, Guard, RequestPurpose, for_purpose
from models.connection.transport import async_http_client, http_client
from project.entities.egress_policy import EgressRequest, Policy, Purpose, RequestEvidence, decide, parse_ip_address

NOTHING, JUDGING = Policy(), RequestPurpose(Purpose.JUDGE)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"


def away(place: str, status: int = 307) -> bytes:
    return f"HTTP/1.1 {status} Away\r\nContent-Length: 0\r\nLocation: {place}\r\n\r\n".encode()


@dataclass
class Wire:
    """What was looked up, connected to and sent.

    Attributes:
        names: addresses by name; a list of lists gives another answer each time.
        answers: what a server says, by address and port; `OK` where nothing is said.
        dead: addresses that do not answer.
    """

    names: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    answers: dict[tuple[str, int], bytes] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    looked_up: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)
    sent: list[tuple[str, bytes]] = field(default_factory=list)

    def network(self) -> NetworkAccess:
        return NetworkAccess(
            self.resolve, lambda host: host in self.known or is_known_locally(host), lambda: _Connector(self)
        )

    def resolve(self, host: str, port: int) -> tuple[str, ...]:
        self.looked_up.append(host)
        found = self.names.get(host, (parse_ip_address(host) or host,))
        if found and not isinstance(found[0], str):
            found = found[min(self.looked_up.count(host), len(found)) - 1]
        if not found:
            raise OSError(-2, "Name or service not known")
        return tuple(found)

    def text_sent(self) -> str:
        return b"".join(content for _, content in self.sent).decode("latin-1")

    def connect(self, address: str, port: int) -> bytes:
        self.connected.append((address, port))
        if address in self.dead:
            raise httpcore2.ConnectError("[Errno 111] Connection refused")
        return self.answers.get((address, port), OK)


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, wire: Wire, address: str, answer: bytes) -> None:
        self.wire, self.address, self.answer, self.left = wire, address, answer, b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        given, self.left = self.left[:max_bytes], self.left[max_bytes:]
        return given

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer.startswith((b"GET", b"POST", b"HEAD", b"PUT", b"CONNECT")):
            self.left = self.answer
        self.wire.sent.append((self.address, bytes(buffer)))

    async def aclose(self) -> None:
        pass

    async def start_tls(self, *given: Any, **named: Any) -> httpcore2.AsyncNetworkStream:
        return self

    def get_extra_info(self, info: str) -> Any:
        return False if info == "is_readable" else None


class _Connector(httpcore2.AsyncNetworkBackend):
    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return _Stream(self.wire, host, self.wire.connect(host, port))


class Judging:
    """An authority that decides by a policy, and remembers what it was asked."""

    threadsafe = True

    def __init__(self, policy: Policy = NOTHING, *, writes: bool = True) -> None:
        self.policy, self.writes = policy, writes
        self.asked: list[EgressRequest] = []
        self.unapproved: list[int] = []

    def permit(self, departure: EgressRequest) -> None:
        self.asked.append(departure)
        self.unapproved.append(departure.unapproved)
        if not self.writes:
            raise OSError(28, "No space left on device")
        decide(self.policy, departure, RequestEvidence("", ""))


def guard_of(wire: Wire, authority: Judging, cleared: ApprovedContent | None = None, **options: Any) -> Guard:
    return Guard(authority, cleared or ApprovedContent(), wire.network(), **options)


def send(
    guard: Guard, url: str, body: object = None, *, parcel: RequestPurpose = JUDGING, **options: Any
) -> httpx2.Response:
    """Send a request from this thread; a body makes it a POST."""
    with for_purpose(parcel), http_client(guard) as client:
        return client.post(url, json=body, **options) if body is not None else client.get(url, **options)


async def send_async(
    guard: Guard, url: str, body: object = None, *, parcel: RequestPurpose = JUDGING, **options: Any
) -> httpx2.Response:
    with for_purpose(parcel):
        async with async_http_client(guard) as client:
            return await (client.post(url, json=body, **options) if body is not None else client.get(url, **options))
