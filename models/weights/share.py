"""Tells the progress of a part of some work as that of the whole."""

from project.progress import Progress


class Share:
    """The progress of a part.

    Args:
        whole: told how far all is.
        before: units of the whole that were done before this part.
        size: units of the whole that this part is.
        total: units of the whole.
    """

    def __init__(self, whole: Progress, before: int, size: int, total: int) -> None:
        self._whole, self._before, self._size, self._total = whole, before, size, total

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Tell `done` of the part's `total`, whose units may be others than those of the whole."""
        share = self._size * done // total if total else 0
        self._whole.progress(self._before + share, self._total, text)

    def check_cancelled(self) -> None:
        """Stop where the whole is stopped."""
        self._whole.check_cancelled()
