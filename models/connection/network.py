"""What touches the network: looking up a name, and connecting to an address. Tests put their own in its place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.connection.addresses import known_here, resolve

if TYPE_CHECKING:
    import httpcore2


def _plain() -> "httpcore2.NetworkBackend":
    import httpcore2

    return httpcore2.SyncBackend()


def _plain_async() -> "httpcore2.AsyncNetworkBackend":
    import httpcore2

    return httpcore2.AnyIOBackend()


@dataclass(frozen=True, slots=True)
class Network:
    """The ways to the network.

    Attributes:
        resolve: host and port to every address.
        known_here: whether looking a host up asks no name server.
        connector: makes what connects to an address.
        async_connector: the same for asyncio.
    """

    resolve: Callable[[str, int], tuple[str, ...]] = resolve
    known_here: Callable[[str], bool] = known_here
    connector: Callable[[], "httpcore2.NetworkBackend"] = _plain
    async_connector: Callable[[], "httpcore2.AsyncNetworkBackend"] = _plain_async
