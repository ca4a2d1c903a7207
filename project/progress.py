"""How long work tells how far it is and learns that it should stop."""

from typing import Protocol


class Progress(Protocol):
    """Given to every long function, on any floor."""

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Report `done` of `total` units (0 total: unknown)."""

    def check_cancelled(self) -> None:
        """Return quietly, or raise `project.errors.Cancelled` when the user stopped the work."""


class Silent:
    """Reports to nobody and is never cancelled."""

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Do nothing."""

    def check_cancelled(self) -> None:
        """Do nothing."""
