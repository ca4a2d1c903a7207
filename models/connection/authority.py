"""Who decides whether a request may leave, and writes it down."""

from typing import Protocol, runtime_checkable

from project.policy import Departure


class Authority(Protocol):
    """Asked before every request, also before the name of another machine is looked up."""

    @property
    def threadsafe(self) -> bool:
        """Whether `permit` may be called from any thread; otherwise it is called where the request is made."""

    def permit(self, departure: Departure, uncleared: int) -> None:
        """Return once the request is written down for good, or raise; nothing is sent before.

        Args:
            departure: the request. One without addresses that goes through no proxy asks for the address of its host:
                a question to a name server, with nothing of the request in it.
            uncleared: how many pictures, videos or texts in it were not made for it.

        Raises:
            project.policy.Forbidden: it may not leave, or could not be written down.
        """


@runtime_checkable
class PatientAuthority(Protocol):
    """An authority that asyncio can wait for: it may write down several requests of one moment together."""

    async def permit_soon(self, departure: Departure, uncleared: int) -> None:
        """Do what `Authority.permit` does."""
