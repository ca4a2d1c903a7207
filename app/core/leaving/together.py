"""Requests that want to leave at the same moment are asked for, and written down, together.

Each is on disk before it is sent, as always. But a disk takes as long for one line of the journal as for eight, and
judges that are asked eight questions at once would wait for it eight times.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import cast

from app.core.leaving.asking import Asks, RemoteAuthority, asked_in, permit_question, with_departure
from app.core.leaving.authority import authority_of
from app.core.session import Session
from project.errors import Cancelled, UserError
from project.policy import Departure, Forbidden
from project.types import Json

_KEY = "permits"
Look = Callable[[Mapping[str, Json]], Mapping[str, Json]]


class TogetherAuthority(RemoteAuthority):
    """Stands for the authority of a study, in one event loop."""

    def __init__(self, holder: Asks, *, threadsafe: bool = True) -> None:
        super().__init__(holder, threadsafe=threadsafe)
        self._waiting: list[tuple[dict[str, Json], asyncio.Future[None]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def permit_soon(self, departure: Departure, uncleared: int) -> None:
        """Do what `permit` does, together with other requests of this moment.

        Raises:
            Forbidden: it may not leave.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((permit_question(departure, uncleared), future))
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        await future

    async def _ask(self) -> None:
        while self._waiting:
            asked, self._waiting = self._waiting, []
            question: dict[str, Json] = {"ask": _KEY, _KEY: [one for one, _ in asked]}
            try:
                answers = await self._answers(question, len(asked))
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

    async def _answers(self, question: dict[str, Json], count: int) -> list[UserError | Cancelled | None]:
        if self.threadsafe:
            said = await asyncio.to_thread(self._holder.ask, question)
        else:
            said = self._holder.ask(question)
        found = cast(list[dict[str, Json]], said.get(_KEY, []))
        if len(found) != count:
            raise Forbidden("recorded", "Nobody said that this request may leave, so it is not sent.")
        return [_refusal(one) for one in found]


def is_together_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is about several requests."""
    return question.get("ask") == _KEY


def answer_together(session: Session, question: Mapping[str, Json], looked_at: Look = dict) -> dict[str, Json]:
    """Answer about several requests, in the process that holds the study.

    Args:
        session: of the study.
        question: made by `TogetherAuthority`.
        looked_at: what is asked in the place of each request, as JSON.

    Raises:
        Forbidden: the question cannot be understood, so none of them may leave.
    """
    given = cast(list[Mapping[str, Json]], question[_KEY])
    asked = [with_departure(one, looked_at) for one in given]
    refusals = authority_of(session).permit_all([asked_in(one) for one in asked])
    return {_KEY: [_told(one) for one in refusals]}


def _told(refusal: Forbidden | None) -> Json:
    if refusal is None:
        return {"permitted": True}
    return {"rule": refusal.rule, "message": refusal.message, "hint": refusal.hint}


def _refusal(found: Mapping[str, Json]) -> Forbidden | None:
    if found.get("permitted") is True:
        return None
    return Forbidden(str(found.get("rule", "recorded")), str(found.get("message", "")), str(found.get("hint", "")))
