"""Messages by which a job in any process asks the holder of the study whether requests may leave.

Requests that are asked for at the same moment are decided and logged together.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from anonymize.egress.egress_authority import StudyAuthority
from project.codec import dump, load
from project.entities.egress_policy import EgressRequest, Forbidden
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.session.session import Session

PERMIT = "permit"
"""What the question is about."""


class PermitAsker(Protocol):
    """What `project.session.jobs.JobHost` offers for this."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """Ask, and wait for the answer."""


@dataclass(frozen=True, slots=True)
class PermitRequest:
    """A request that wants to leave, and how much in it was not approved for sending."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    request: EgressRequest
    unapproved: int


@dataclass(frozen=True, slots=True)
class PermitQuestion:
    """Requests of one moment."""

    permits: tuple[PermitRequest, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request may not leave; see `Forbidden`."""

    rule: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class PermitAnswer:
    """For each request why it may not leave; None where it may, and that is on disk."""

    refusals: tuple[Refusal | None, ...]


def permit_question(requests: Sequence[PermitRequest]) -> dict[str, Json]:
    """Return, as JSON, the question whether requests may leave."""
    return {"ask": PERMIT, **dump(PermitQuestion(tuple(requests)))}


def answer_permits(
    session: Session,
    question: Mapping[str, Json],
    bar: Callable[[EgressRequest], EgressRequest] = lambda request: request,
) -> dict[str, Json]:
    """Answer what `permit_question` made, in the process that holds the study.

    `bar` returns what is asked in the place of a request, such as one that no policy lets out.
    """
    try:
        permits = load(PermitQuestion, question, PERMIT).permits
    except UserError:
        raise Forbidden("recorded", "It is not known what wants to leave, so it is not sent.") from None
    found = StudyAuthority(session).permit_all([(bar(permit.request), permit.unapproved) for permit in permits])
    refusals = (None if error is None else Refusal(error.rule, error.message, error.hint) for error in found)
    return dump(PermitAnswer(tuple(refusals)))


class RemoteAuthority:
    """Stands for the authority of a study that another process, or the caller of this job, holds.

    Attributes:
        threadsafe: whether any thread may ask; False where the job runs in the thread of the study.
    """

    def __init__(self, holder: PermitAsker, *, threadsafe: bool = True) -> None:
        self._holder = holder
        self.threadsafe = threadsafe
        self._waiting: list[tuple[PermitRequest, asyncio.Future[None]]] = []
        self._asking: asyncio.Task[None] | None = None

    def permit(self, departure: EgressRequest, uncleared: int) -> None:
        """Return when a request may leave and that is written down."""
        (refusal,) = self._ask([PermitRequest(departure, uncleared)])
        if refusal is not None:
            raise refusal

    async def permit_soon(self, departure: EgressRequest, uncleared: int) -> None:
        """Do what `permit` does, together with other requests of this moment in one event loop."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((PermitRequest(departure, uncleared), future))
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._send_batches())
        await future

    def _ask(self, requests: Sequence[PermitRequest]) -> list[Forbidden | None]:
        answer = self._holder.ask(permit_question(requests))
        try:
            refusals = load(PermitAnswer, answer, PERMIT).refusals
        except UserError:
            refusals = ()
        if len(refusals) != len(requests):
            raise Forbidden("recorded", "Nobody said that this request may leave, so it is not sent.")
        return [
            None if refusal is None else Forbidden(refusal.rule, refusal.message, refusal.hint) for refusal in refusals
        ]

    async def _send_batches(self) -> None:
        while self._waiting:
            asked, self._waiting = self._waiting, []
            requests = [request for request, _ in asked]
            answers: Sequence[Exception | None]
            try:
                answers = await asyncio.to_thread(self._ask, requests) if self.threadsafe else self._ask(requests)
            except (UserError, Cancelled) as error:
                answers = [error] * len(asked)
            except Exception:
                answers = [Forbidden("recorded", "Nobody could be asked whether this may leave.")] * len(asked)
            for (_, future), refusal in zip(asked, answers, strict=True):
                # Who gave up meanwhile waits for nothing.
                if future.done():
                    continue
                if refusal is None:
                    future.set_result(None)
                else:
                    future.set_exception(refusal)
