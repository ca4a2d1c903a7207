"""The phrases of synthetic studies, and reproducible ids: the same seed gives the same ones."""

import random
import tomllib
import uuid
from dataclasses import dataclass
from typing import Any

from resources import resource

PHRASES: dict[str, Any] = tomllib.loads(resource("synthetic/phrases.toml").read_text("utf-8"))
"""See the comments in the file."""


@dataclass(frozen=True, slots=True)
class SceneTemplate:
    """One kind of moment; the slots are `{topic}`, `{activity}` and `{when}`.

    Attributes:
        user: what the person says.
        agent: what the agent answers.
        why: what goes well or badly, after "The agent".
        fix: what it should have done, as a request; "" where it did well.
    """

    user: str
    agent: str
    why: str
    fix: str = ""


SCENES = {
    verdict: {attribute: [SceneTemplate(**scene) for scene in scenes] for attribute, scenes in about.items()}
    for verdict, about in PHRASES["scenes"].items()
}
"""Verdict -> attribute that it is mainly about -> kinds of moments."""


def draw_slots(chance: random.Random) -> dict[str, str]:
    """Return what the texts of one moment are filled with."""
    return {
        "topic": chance.choice(PHRASES["topics"]),
        "activity": chance.choice(PHRASES["activities"]),
        "when": chance.choice(PHRASES["times"]),
    }


class InventedIds:
    """Gives UUIDv7 that depend on the seed alone: of 2025, each a millisecond after the one before."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._count = 0

    def new(self) -> str:
        """Return the next one."""
        self._count += 1
        value = (1_735_689_600_000 + self._count) << 80 | 0x7 << 76 | self._chance.getrandbits(12) << 64
        return str(uuid.UUID(int=value | 0b10 << 62 | self._chance.getrandbits(62)))
