"""Backups of a sealed study: copies of the sealed file, as it was when it was opened."""

import os
import stat
from datetime import datetime, timedelta
from pathlib import Path

from project.backing_up import BETWEEN
from project.backups import is_backup, list_backups, take_in
from project.errors import UserError
from project.names import shown
from project.sealing.passphrases import header_of


def back_up_sealed(path: Path, backups: int, now: datetime) -> None:
    """Copy a sealed study to its newest backup where one is due; its lock is held, and nothing was changed yet.

    Raises:
        UserError: there is no room for it.
    """
    if backups < 1 or is_backup(path):
        return
    newest = next(iter(list_backups(path)), None)
    since = newest.made.timestamp() if newest else path.stat().st_mtime
    if timedelta() <= timedelta(seconds=now.timestamp() - since) < BETWEEN:
        return
    if newest is not None and header_of(newest.path).raw == header_of(path).raw:
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.bak")
    try:
        content = path.read_bytes()
        # Under its name a killed process may have left one, or a stranger a link.
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.flush()
            os.fsync(file.fileno())
        take_in(unfinished, path, backups, now)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise UserError(
            f"No backup of “{shown(path.name)}” was made: {error.strerror}.", "The next opening tries again."
        ) from None
