"""What somebody wishes of an item set beside its task, seed, draws and size."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from benchmark.items.drawing import NEGATIVES
from project.errors import UserError
from project.types import Json

DISAGREED, REVIEWED, UNREVIEWED, HELD_OUT = "disagreed", "reviewed", "unreviewed", "hold-out"
INCLUDED: Mapping[str, str] = {
    DISAGREED: "what people disagree about",
    REVIEWED: "what one person marked and others agree with",
    UNREVIEWED: "what one person marked and nobody reviewed",
    HELD_OUT: "recordings that are held out",
}
"""What is left out unless it is wished."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How an item set differs from the usual one.

    Attributes:
        include: keys of `INCLUDED`.
        stratify: whether each collection gives the same number of items.
        scheme: key of the scheme of segments; "" for the study's default one.
        track: of the scheme; "" for its first.
        shares: label -> weight of the classes; {} for the task's own.
        negatives: one of `benchmark.items.drawing.NEGATIVES`.
        conditions: methods of which every recording must have a rendering.
        willing: only of recordings in which everybody is willing that models see them.
    """

    include: tuple[str, ...] = ()
    stratify: bool = False
    scheme: str = ""
    track: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    negatives: str = NEGATIVES[0]
    conditions: tuple[str, ...] = ()
    willing: bool = False

    def require_known(self) -> None:
        """Return quietly where everything is known.

        Raises:
            UserError: something of it is not.
        """
        for one in self.include:
            if one not in INCLUDED:
                raise UserError(f"“{one}” is nothing that can be included.", f"Choose among {', '.join(INCLUDED)}.")
        if self.negatives not in NEGATIVES:
            raise UserError(f"“{self.negatives}” are no negatives.", f"Choose one of {', '.join(NEGATIVES)}.")
        if any(weight < 0 for weight in self.shares.values()):
            raise UserError("A share cannot be below 0.", "Give weights from 0.")

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object that `wishes_from` reads."""
        return {**asdict(self), "include": sorted({*self.include}), "conditions": [*self.conditions]}


def wishes_from(found: Mapping[str, Json]) -> Wishes:
    """Read what `Wishes.as_json` made.

    Raises:
        UserError: it is something else.
    """
    values = cast(dict[str, Any], dict(found))
    usual = Wishes()
    try:
        wishes = Wishes(
            tuple(map(str, values.get("include", ()))),
            bool(values.get("stratify", False)),
            str(values.get("scheme", "")),
            str(values.get("track", "")),
            {key: float(weight) for key, weight in values.get("shares", {}).items()},
            str(values.get("negatives", usual.negatives)),
            tuple(map(str, values.get("conditions", ()))),
            bool(values.get("willing", False)),
        )
        wishes.require_known()
    except (TypeError, ValueError, AttributeError, UserError):
        raise UserError("The rule of an item set of this study is damaged.", "Make another set.") from None
    return wishes
