"""Paths that the program remembers on this machine: some name people, because files are often called like them."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from app.core import settings, trusted
from project.withdrawing.wording import Wording


def remembered(study_id: str, wording: Wording) -> list[str]:
    """Return the remembered paths that name somebody: of a study, and of studies that were opened lately."""
    paths = (*settings.remembered_paths(study_id), *trusted.trusted_paths(study_id))
    return [one for one in dict.fromkeys(paths) if names(one, wording)]


def names(path: str, wording: Wording) -> bool:
    """Tell whether a path names somebody; the home folder is called like the user, whoever else is called so."""
    with suppress(ValueError, RuntimeError):
        path = str(Path(path).relative_to(Path.home()))
    return wording.in_text(path)


def forget(study_id: str, paths: Collection[str]) -> None:
    """Forget paths; what the files of the program held is overwritten.

    Raises:
        OSError: a file cannot be written.
    """
    if paths:
        settings.forget_paths(study_id, paths)
        trusted.forget_paths(study_id, paths)
