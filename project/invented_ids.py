"""Ids of what is invented: the same seed gives the same ones."""

import random
import uuid


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
