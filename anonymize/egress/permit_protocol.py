"""Messages by which a job in any process asks the holder of the study whether a request may leave.

Requests that are asked for at the same moment are decided and logged as one batch.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Protocol, cast

from anonymize.egress.egress_authority import study_authority
from project.entities.egress_policy import EgressRequest, Forbidden, Purpose
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.session.session import Session

_REQUEST_KEY = "departure"


class PermitAsker(Protocol):
    """What `project.session.jobs.JobHost` offers for this."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """Ask, and wait for the answer."""


class RemoteAuthority:
    """Stands for the authority of a study that another process, or the caller of this job, holds.

    Attributes:
        threadsafe: whether any thread may ask.
    """

    def __init__(self, holder: PermitAsker, *, threadsafe: bool = True) -> None:
        """Get ready.

        Args:
            holder: of the study.
            threadsafe: False where the job runs in the thread of the study.
        """
        self._holder = holder
        self.threadsafe = threadsafe

    def permit(self, departure: EgressRequest, uncleared: int) -> None:
        """Return when a request may leave and that is written down.

        Raises:
            Forbidden: it may not.
        """
        answer = self._holder.ask(permit_question(departure, uncleared))
        if answer.get("permitted") is not True:
            raise Forbidden("recorded", "Nobody said that this request may leave, so it is not sent.")


def permit_question(departure: EgressRequest, uncleared: int) -> dict[str, Json]:
    """Return, as JSON, the question whether a request may leave."""
    return {"ask": "permit", _REQUEST_KEY: cast(Json, asdict(departure)), "uncleared": uncleared}


def is_permit_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is one of `permit_question`."""
    return question.get("ask") == "permit"


def answer_permit(session: Session, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer what `permit_question` made, in the process that holds the study.

    Raises:
        Forbidden: the request may not leave; also where the question cannot be understood.
    """
    study_authority(session).permit(*parse_permit_question(question))
    return {"permitted": True}


def parse_permit_question(question: Mapping[str, Json]) -> tuple[EgressRequest, int]:
    """Return the request of `permit_question`, and how much in it was not made for it.

    Raises:
        Forbidden: the question cannot be understood.
    """
    try:
        return _departure(cast(Mapping[str, Any], question[_REQUEST_KEY])), int(cast(int, question["uncleared"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Forbidden("recorded", "It is not known what wants to leave, so it is not sent.") from None


def transform_request(
    question: Mapping[str, Json], look: Callable[[Mapping[str, Json]], Mapping[str, Json]]
) -> dict[str, Json]:
    """Return a question of `permit_question` about what `look` makes of its request; left alone where it has none."""
    found = question.get(_REQUEST_KEY)
    return {**question, _REQUEST_KEY: dict(look(found))} if isinstance(found, dict) else dict(question)


def _departure(found: Mapping[str, Any]) -> EgressRequest:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}
    values["purpose"] = Purpose(values["purpose"])
    return EgressRequest(**values)


_BATCH_KEY = "permits"
RequestTransform = Callable[[Mapping[str, Json]], Mapping[str, Json]]


class BatchingAuthority(RemoteAuthority):
    """Stands for the authority of a study, in one event loop."""

    def __init__(self, holder: PermitAsker, *, threadsafe: bool = True) -> None:
        super().__init__(holder, threadsafe=threadsafe)
        self._waiting: list[tuple[dict[str, Json], asyncio.Future[None]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def permit_soon(self, departure: EgressRequest, uncleared: int) -> None:
        """Do what `permit` does, together with other requests of this moment.

        Raises:
            Forbidden: it may not leave.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((permit_question(departure, uncleared), future))
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._send_batches())
        await future

    async def _send_batches(self) -> None:
        while self._waiting:
            asked, self._waiting = self._waiting, []
            question: dict[str, Json] = {"ask": _BATCH_KEY, _BATCH_KEY: [question for question, _ in asked]}
            try:
                answers = await self._ask_batch(question, len(asked))
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

    async def _ask_batch(self, question: dict[str, Json], count: int) -> list[UserError | Cancelled | None]:
        if self.threadsafe:
            said = await asyncio.to_thread(self._holder.ask, question)
        else:
            said = self._holder.ask(question)
        found = cast(list[dict[str, Json]], said.get(_BATCH_KEY, []))
        if len(found) != count:
            raise Forbidden("recorded", "Nobody said that this request may leave, so it is not sent.")
        return [_refusal(refusal) for refusal in found]


def is_batch_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is about several requests."""
    return question.get("ask") == _BATCH_KEY


def answer_permit_batch(
    session: Session, question: Mapping[str, Json], looked_at: RequestTransform = dict
) -> dict[str, Json]:
    """Answer about several requests, in the process that holds the study.

    Args:
        session: of the study.
        question: made by `BatchingAuthority`.
        looked_at: what is asked in the place of each request, as JSON.

    Raises:
        Forbidden: the question cannot be understood, so none of them may leave.
    """
    given = cast(list[Mapping[str, Json]], question[_BATCH_KEY])
    asked = [transform_request(request, looked_at) for request in given]
    refusals = study_authority(session).permit_all([parse_permit_question(request) for request in asked])
    return {_BATCH_KEY: [_refusal_to_json(refusal) for refusal in refusals]}


def _refusal_to_json(refusal: Forbidden | None) -> Json:
    if refusal is None:
        return {"permitted": True}
    return {"rule": refusal.rule, "message": refusal.message, "hint": refusal.hint}


def _refusal(found: Mapping[str, Json]) -> Forbidden | None:
    if found.get("permitted") is True:
        return None
    return Forbidden(str(found.get("rule", "recorded")), str(found.get("message", "")), str(found.get("hint", "")))
