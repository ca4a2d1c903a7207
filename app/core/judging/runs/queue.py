"""What runs where, and what of it is no longer wanted: told and asked between a run and whoever shows it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from app.core.judging.runs.lane import Lane
from project.types import Json

_KEY = "queue"


@dataclass(frozen=True, slots=True)
class Standing:
    """How far one judge of a run is.

    Attributes:
        asking: what it is being asked about.
        waiting: requests that nobody has begun.
        done: requests that came back.
        failed: of these, with an error.
        stopped: why it is not asked any more; "" while it is.
    """

    judge_id: str
    judge: str
    asking: tuple[str, ...]
    waiting: int
    done: int
    failed: int
    stopped: str = ""


class Queue:
    """What is known of one run in the process that holds the study."""

    def __init__(self) -> None:
        self.standings: tuple[Standing, ...] = ()
        self._withdrawn: list[list[str]] = []

    def withdraw(self, judge_id: str, about: str = "") -> None:
        """Cancel what a judge is asked about something, or everything it is asked; heard within half a second."""
        self._withdrawn.append([judge_id, about])

    def answer(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """Take in how far a run is, and return what is no longer wanted of it."""
        self.standings = tuple(_standing(one) for one in cast(list[list[Json]], question[_KEY]))
        withdrawn, self._withdrawn = self._withdrawn, []
        return {"withdrawn": cast(Json, withdrawn)}


def state_question(lanes: Iterable[Lane]) -> dict[str, Json]:
    """Return how far a run is, as the question what is no longer wanted of it."""
    told: list[Json] = [
        [
            lane.entry.id,
            lane.entry.name,
            [*sorted(lane.under_way)],
            len(lane.left),
            lane.done,
            lane.failed,
            str(lane.stopped or ""),
        ]
        for lane in lanes
    ]
    return {"ask": _KEY, _KEY: told}


def is_state_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is one of `state_question`."""
    return question.get("ask") == _KEY


def _standing(found: list[Json]) -> Standing:
    judge_id, judge, asking, waiting, done, failed, stopped = found
    return Standing(
        str(judge_id),
        str(judge),
        tuple(cast(list[str], asking)),
        cast(int, waiting),
        cast(int, done),
        cast(int, failed),
        str(stopped),
    )
