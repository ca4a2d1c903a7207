"""What an item of a frozen set brings to a request."""

from typing import Any, cast

from app.core.judging.seeing.told import Told
from benchmark.tasks.base import Frozen
from project.after import plain_part
from project.item_sets import FrozenItem
from project.types import Json


def thawed(item: FrozenItem, told: Told) -> Frozen:
    """Return what an item brings, in the words in which it is told."""
    content = cast(dict[str, Any], dict(item.content))
    options = tuple(told(str(one)) for one in content.get("options", []))
    facts = {key: told(str(text)) for key, text in content.get("facts", {}).items()}
    return Frozen(options, int(content.get("place", 0)), facts)


def truth_of(item: FrozenItem, task: str, part: str) -> dict[str, Json] | None:
    """Return the frozen answer to a task, or to a part of it; None where none is frozen."""
    truth = cast(dict[str, dict[str, Json]], item.content.get("truth", {}))
    return truth.get(f"{task}/{plain_part(part)}" if part else task)


def homes_of(item: FrozenItem) -> list[str]:
    """Return the recordings that texts of an item were taken from."""
    return [str(one) for one in cast(list[str], item.content.get("homes", []))]
