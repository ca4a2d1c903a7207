"""How a job, wherever it runs, asks the holder of the study whether a request may leave."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Protocol, cast

from app.core.leaving.authority import authority_of
from app.core.session import Session
from project.policy import Departure, Forbidden, Purpose
from project.types import Json

_KEY = "departure"


class Asks(Protocol):
    """What `app.core.jobs.Holder` offers for this."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """Ask, and wait for the answer."""


class RemoteAuthority:
    """Stands for the authority of a study that another process, or the caller of this job, holds.

    Attributes:
        threadsafe: whether any thread may ask.
    """

    def __init__(self, holder: Asks, *, threadsafe: bool = True) -> None:
        """Get ready.

        Args:
            holder: of the study.
            threadsafe: False where the job runs in the thread of the study.
        """
        self._holder = holder
        self.threadsafe = threadsafe

    def permit(self, departure: Departure, uncleared: int) -> None:
        """Return when a request may leave and that is written down.

        Raises:
            Forbidden: it may not.
        """
        answer = self._holder.ask(permit_question(departure, uncleared))
        if answer.get("permitted") is not True:
            raise Forbidden("recorded", "Nobody said that this request may leave, so it is not sent.")


def permit_question(departure: Departure, uncleared: int) -> dict[str, Json]:
    """Return, as JSON, the question whether a request may leave."""
    return {"ask": "permit", _KEY: cast(Json, asdict(departure)), "uncleared": uncleared}


def is_permit_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is one of `permit_question`."""
    return question.get("ask") == "permit"


def answer_permit(session: Session, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer what `permit_question` made, in the process that holds the study.

    Raises:
        Forbidden: the request may not leave; also where the question cannot be understood.
    """
    authority_of(session).permit(*asked_in(question))
    return {"permitted": True}


def asked_in(question: Mapping[str, Json]) -> tuple[Departure, int]:
    """Return the request of `permit_question`, and how much in it was not made for it.

    Raises:
        Forbidden: the question cannot be understood.
    """
    try:
        return _departure(cast(Mapping[str, Any], question[_KEY])), int(cast(int, question["uncleared"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Forbidden("recorded", "It is not known what wants to leave, so it is not sent.") from None


def with_departure(
    question: Mapping[str, Json], look: Callable[[Mapping[str, Json]], Mapping[str, Json]]
) -> dict[str, Json]:
    """Return a question of `permit_question` about what `look` makes of its request; left alone where it has none."""
    found = question.get(_KEY)
    return {**question, _KEY: dict(look(found))} if isinstance(found, dict) else dict(question)


def _departure(found: Mapping[str, Any]) -> Departure:
    values: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in found.items()}
    values["purpose"] = Purpose(values["purpose"])
    return Departure(**values)
