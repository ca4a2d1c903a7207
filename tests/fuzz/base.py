"""What a target of the fuzzer is."""

from pathlib import Path
from random import Random
from typing import Protocol


class Target(Protocol):
    """One door by which something hostile comes in."""

    apart: bool
    """Cases run in a process that a C library may end by design; the next one goes on in another."""

    def prepare(self, folder: Path) -> None:
        """Make in `folder` what all cases begin with; runs once in each child, before anything is watched."""

    def spoil(self, chance: Random, folder: Path) -> None:
        """Put what a stranger made into an empty folder."""

    def use(self, chance: Random, folder: Path) -> None:
        """Have the program take it, watched. A `UserError` is an answer; whatever else is raised is a finding."""


class Refuted(AssertionError):
    """The program did what it must not, or left undone what it must."""
