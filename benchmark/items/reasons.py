"""Why something becomes no item, as clauses, and what is said where nothing is left."""

from collections.abc import Mapping

from benchmark.items.base import Pool
from project.errors import UserError

FEW_OPTIONS = "fewer than four other texts would do as wrong options"
NO_ATTRIBUTES = "no attribute is filled in"
NO_TEXT = "nothing is filled in that could be the right option"
NO_WORDS = "nobody says anything in it that the agent answers"
SAME_MOMENT = "another person's segment of a moment that is there already"
LACKING = "in a collection that has no item of one of the labels"
SMALLER = "fewer than wished, because a label has too few for its share"


def nothing_to_draw(
    what: str,
    pool: Pool,
    further: Mapping[str, int] | None = None,
    begin: str = "Annotate and review some recordings first.",
) -> UserError:
    """Return the error that nothing of a sort can be drawn, with what was left out the most as a hint.

    Args:
        what: is there, as "no segment ...".
        pool: that was to be drawn from.
        further: what was left out beside that.
        begin: what to do where nothing was left out, because there is nothing.
    """
    reasons = {**pool.left_out, **(further or {})}
    reasons.pop(SAME_MOMENT, None)
    if not reasons:
        return UserError(f"There is {what}, so no item can be made.", begin)
    most = max(reasons, key=lambda one: reasons[one])
    return UserError(f"There is {what}, so no item can be made.", f"Left out the most: {most} ({reasons[most]:,}).")
