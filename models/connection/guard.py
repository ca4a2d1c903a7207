"""The guard: gives out HTTP clients that cannot send anything that was not permitted and written down."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from models.connection.authority import Authority, PatientAuthority
from models.connection.cleared import Cleared
from models.connection.network import Network
from project.errors import Cancelled, UserError
from project.policy import Departure, Forbidden

if TYPE_CHECKING:
    import httpx2

LONGEST_ANSWER = 16 << 20
"""Bytes that a judge may answer with."""


class AnswerTooLong(UserError):
    """A server that answers a judge's request with more than any answer can be; what came so far is dropped."""


@dataclass(frozen=True)
class Guard:
    """The only way to open a connection. It fails closed.

    Every request has to be made inside `carrying`. Its client is read, judged and sent by `transport.py`:

    - The name is looked up once by a client, and only addresses that were looked up and permitted are connected to.
    - It is local where every address of the host is a loopback address; such a request goes through no proxy.
    - Nothing is redirected unseen: where a server sends a request on to is a request of its own, without keys and
      cookies where it is another host.

    Attributes:
        authority: decides about each request, and writes it down.
        cleared: what was made to be sent.
        network: the ways to the network.
        longest_answer: bytes that a judge may answer with.
    """

    authority: Authority
    cleared: Cleared = field(default_factory=Cleared)
    network: Network = field(default_factory=Network)
    longest_answer: int = LONGEST_ANSWER

    def client(self) -> "httpx2.Client":
        """Return a client for a thread; close it when done. It follows no redirect by itself and knows no variable."""
        import httpx2

        from models.connection.transport import GuardedTransport

        return httpx2.Client(transport=GuardedTransport(self), trust_env=False, follow_redirects=False)

    def async_client(self) -> "httpx2.AsyncClient":
        """Return the same for asyncio, to be used in one event loop."""
        import httpx2

        from models.connection.transport import AsyncGuardedTransport

        return httpx2.AsyncClient(transport=AsyncGuardedTransport(self), trust_env=False, follow_redirects=False)

    def permit(self, departure: Departure, uncleared: int = 0) -> None:
        """Ask the authority.

        Raises:
            Forbidden: it says no, or cannot say or write down anything.
        """
        with _failing_closed(departure):
            self.authority.permit(departure, uncleared)

    async def permit_soon(self, departure: Departure, uncleared: int = 0) -> None:
        """Ask the authority without holding up the event loop, where it can be asked so.

        Raises:
            Forbidden: it says no, or cannot say or write down anything.
        """
        if isinstance(self.authority, PatientAuthority):
            with _failing_closed(departure):
                await self.authority.permit_soon(departure, uncleared)
        elif self.authority.threadsafe:
            await asyncio.to_thread(self.permit, departure, uncleared)
        else:
            self.permit(departure, uncleared)


@contextmanager
def _failing_closed(departure: Departure) -> Iterator[None]:
    """Take whatever goes wrong in the block for a no."""
    try:
        yield
    except (UserError, Cancelled):
        raise
    except Exception as error:
        raise Forbidden(
            "recorded",
            f"The request to {departure.host} could not be written down, so it is not sent.",
            "Make room, or mend the folder's permissions (rule recorded)",
        ) from error


def reason_of(error: BaseException) -> UserError | Cancelled | None:
    """Return what the guard refused a request with, where a library wrapped it into an error of its own; else None."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if isinstance(at, UserError | Cancelled):
            return at
        seen.add(id(at))
        at = at.__cause__ or at.__context__
    return None
