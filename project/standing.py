"""Whether the file of an open study is still the one at its path: moved, deleted or replaced, edits would be lost."""

from contextlib import suppress
from pathlib import Path

from project.errors import UserError
from project.names import shown


class Standing:
    """Remembers which file lies at a path."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        with suppress(OSError):
            self._file = self._there()

    def require(self) -> None:
        """Return quietly where it is still the same file.

        Raises:
            UserError: it is not there, cannot be looked at, or is another one.
        """
        try:
            there = self._there()
        except FileNotFoundError:
            raise UserError(
                f"The file of the study “{shown(self._path.name)}” was moved or deleted; nothing is saved.",
                "Put it back where it was; if it was deleted, its backups are beside it: greenroom recover lists them.",
            ) from None
        except OSError as error:
            raise UserError(
                f"The file of “{shown(self._path.name)}” is out of reach ({error.strerror}); nothing is saved.",
                "See whether its drive is connected, and try again.",
            ) from None
        if there != self._file:
            raise UserError(
                f"Another file took the place of the study “{shown(self._path.name)}”; nothing is saved.",
                "Close the study, look at the file that is there now, and open it again.",
            )

    def _there(self) -> tuple[int, int]:
        status = self._path.stat()
        return status.st_dev, status.st_ino
