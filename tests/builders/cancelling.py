"""Work that is cancelled at some point."""

from project.errors import Cancelled
from project.progress import Silent


class CancelAt(Silent):
    """Cancels at the look of a number, at none without one; keeps what it was told and how often it was looked at."""

    def __init__(self, look: int | None = 1) -> None:
        self.cancel_at, self.looks = look, 0
        self.told: list[tuple[int, int, str]] = []

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.told.append((done, total, text))

    def check_cancelled(self) -> None:
        self.looks += 1
        if self.cancel_at is not None and self.looks >= self.cancel_at:
            raise Cancelled
