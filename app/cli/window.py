"""Opening the window, after a look at what it needs from the system: Qt itself would end the process with an abort."""

from collections.abc import Sequence
from pathlib import Path

import click

from app.core.garbage import search_by_hand
from app.core.given_files import GivenFiles, sort_given_files
from app.core.machine import libraries, without_terminal
from project.errors import UserError


def open_window(
    files: Sequence[Path] = (),
    annotator: str | None = None,
    recording: str | None = None,
    at_us: int | None = None,
    from_desktop: bool = False,
) -> int:
    """Open the window and return when it is closed; see `app.gui.application.run`.

    Args:
        files: a study to open, or recordings of which the window offers to make a study.
        annotator: under whose name edits are recorded.
        recording: number, file name or id of the one to show.
        at_us: the time to show.
        from_desktop: nobody sees what is printed: the window says what is wrong with the study, or another program of
            the desktop why there is no window.

    Raises:
        UserError: there is no screen, libraries of the system are missing, or the files cannot be opened.
    """
    try:
        check_libraries()
        given = _sorted(files, from_desktop)
        search_by_hand()
        from app.gui.unread_sources import leave_sources_unread

        leave_sources_unread()
        from app.gui.application import run

        return run(given.study, annotator, recording, at_us, stay=from_desktop, recordings=given.recordings)
    except UserError as error:
        if from_desktop:
            without_terminal.tell(f"{error.message} {error.hint}")
        raise


def _sorted(files: Sequence[Path], from_desktop: bool) -> GivenFiles:
    try:
        return sort_given_files(files)
    except UserError:
        if from_desktop and len(files) == 1:
            # The window tries to open it, and says there what is wrong.
            return GivenFiles(study=files[0])
        raise


def check_libraries() -> None:
    """Return quietly where Qt finds what it needs; else print a line for each library that is missing.

    Raises:
        UserError: some are missing.
    """
    gone = libraries.missing(libraries.uses_of_the_window())
    if not gone:
        return
    for one in gone:
        click.echo(libraries.line(one), err=True)
    command = libraries.install_command([one.package for one in gone])
    raise UserError("The window cannot open: libraries of the system are missing.", f"Get them all: {command}")
