"""What a run is given, as JSON: judges, what they are to see, and which of them is asked about what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from app.core.judging.runs.budget import Limits
from app.core.judging.runs.lane import RunItem
from project.judging import JudgeEntry, Modality
from project.types import Json


@dataclass(frozen=True, slots=True)
class Payload:
    """Everything that a run needs to know.

    Attributes:
        entries: the judges, and those that bring their answers into form.
        plans: what is to be seen, as `SightPlan.as_json` made it.
        items: the requests, in the order in which they are made.
        again: it was wished that what was refused or could not be read is asked again.
        fresh: it was wished that everything is.
    """

    task: str
    variant: str
    seed: int
    limits: Limits
    entries: tuple[JudgeEntry, ...]
    plans: tuple[Mapping[str, Json], ...]
    items: tuple[RunItem, ...]
    again: bool = False
    fresh: bool = False

    def only(self, items: Sequence[RunItem]) -> "Payload":
        """Return it with some of its requests, and the plans that these need."""
        needed = sorted({one.plan for one in items})
        place = {plan: at for at, plan in enumerate(needed)}
        return replace(
            self,
            plans=tuple(self.plans[at] for at in needed),
            items=tuple(replace(one, plan=place[one.plan]) for one in items),
        )

    def named(self, name: str) -> JudgeEntry | None:
        """Return the judge with a name, if it is there."""
        return next((one for one in self.entries if one.name == name), None)

    def as_json(self) -> dict[str, Json]:
        """Return what `payload_from` reads."""
        return {
            "task": self.task,
            "variant": self.variant,
            "seed": self.seed,
            "money": self.limits.money,
            "tokens": self.limits.tokens,
            "judges": [[one.id, one.name, one.backend, one.model, dict(one.settings)] for one in self.entries],
            "plans": [dict(one) for one in self.plans],
            "requests": [_request(one) for one in self.items],
            "again": self.again,
            "fresh": self.fresh,
        }


def payload_from(found: Mapping[str, Json]) -> Payload:
    """Read what `Payload.as_json` made."""
    values = cast(dict[str, Any], found)
    return Payload(
        values["task"],
        values["variant"],
        values["seed"],
        Limits(values["money"], values["tokens"]),
        tuple(JudgeEntry(*one) for one in values["judges"]),
        tuple(values["plans"]),
        tuple(_item(one) for one in values["requests"]),
        values["again"],
        values["fresh"],
    )


def _request(one: RunItem) -> Json:
    shares: list[Json] = [[dict(said), count] for said, count in one.shares]
    return [
        *(one.judge, one.plan, one.request_key, one.condition),
        *(one.recording_id, one.about, one.start_us, one.end_us, shares),
        *(one.state, one.modality.value),
    ]


def _item(found: list[Any]) -> RunItem:
    one = RunItem(*found)
    return replace(one, shares=tuple((said, count) for said, count in one.shares), modality=Modality(one.modality))
