"""Opening a study whose jobs run in another process with its window closed: shows that window, or stops the jobs."""

import os
import signal
import time
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from app.gui.apart import Apart
from app.gui.dialogs import Questions
from project.errors import Cancelled
from project.locking import Holder, background_holder, is_held
from project.names import shown
from project.progress import Progress
from resources.translation import tr

_PAUSE_S = 0.1


class Way(StrEnum):
    """What is done about a study whose jobs run in the background."""

    SHOW = "show"
    STOP = "stop"
    READ = "read"
    CANCEL = "cancel"


def make_way(path: Path, questions: Questions, apart: Apart) -> bool:
    """Tell whether a study can be opened here now, after asking where its jobs run in the background.

    The other process is asked to show its window (SIGUSR1), or to end (SIGTERM): then its jobs are noted as
    interrupted, and this returns once it has closed the study. It opens to read only while the other goes on.
    """
    holder = background_holder(path)
    if holder is None:
        return True
    way = Way(
        questions.held_study(
            tr("Jobs of “{name}” run in the background.").format(name=shown(path.name)),
            tr(
                "They were started in a window that was closed since (process {process}). One process at a time "
                "writes to a study."
            ).format(process=holder.pid),
        )
    )
    if way is not Way.CANCEL and background_holder(path) != holder:
        # Its jobs ended meanwhile, and nothing is in the way any more.
        return True
    if way is Way.SHOW:
        _signal(path, holder, signal.SIGUSR1)
        return False
    if way is Way.STOP:
        _signal(path, holder, signal.SIGTERM)
        with suppress(Cancelled):
            text = tr("Stopping the jobs of {name}…").format(name=shown(path.name))
            apart.run(lambda progress: _wait(path, progress), text, stoppable=True)
            return True
        return False
    return way is Way.READ


def _signal(path: Path, holder: Holder, number: signal.Signals) -> None:
    """Send a signal to a process that still is who it was: it holds the lock and says so in its file."""
    if background_holder(path) == holder:
        with suppress(OSError):
            os.kill(holder.pid, number)


def _wait(path: Path, progress: Progress) -> None:
    while is_held(path):
        progress.check_cancelled()
        time.sleep(_PAUSE_S)
