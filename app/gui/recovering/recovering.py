"""What File > Recover a study… does."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

from app.gui.dialogs import STUDIES
from project.errors import UserError
from project.progress import Progress
from resources.translation import tr

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def recover_study(window: "MainWindow") -> None:
    """Save what can be read of the study that could not be opened or not be written to, or of another, or a backup."""
    from app.gui.recovering.dialog import RecoverDialog
    from project.backups import list_backups

    session = window.studio.session
    defective = session.study.path if session is not None and session.study.defect is not None else None
    path = window.studio.refused or defective or window.files.questions.file(tr("Recover a study"), STUDIES)
    if path is None:
        return
    backups = list_backups(path)
    dialog = RecoverDialog(path, backups, window)
    if dialog.exec() != QDialog.DialogCode.Accepted:
        return
    place = path.with_name(tr("{stem} recovered.greenroom").format(stem=path.name.partition(".greenroom")[0]))
    out = window.files.questions.save(tr("Save the recovered study"), place, STUDIES.partition(" (")[0])
    if out is not None:
        window.messages.show_message(tr("Recovering…"))
        number = dialog.chosen()
        window.background.run(
            lambda progress: _work(path, number, out, progress),
            lambda found: _show(window, *found),
            lambda error: _fail(window, error),
        )


def _work(path: Path, number: int, out: Path, _progress: Progress) -> tuple[Path, list[str]]:
    from app.core.recovery import report_lines
    from project.recovering.recover import copy_backup, recover

    if number:
        return copy_backup(path, number, out), []
    found = recover(path, out)
    return found.path, report_lines(found)


def _show(window: "MainWindow", made: Path, lines: list[str]) -> None:
    from app.gui.recovering.dialog import ReportDialog

    window.messages.clear()
    window.studio.refused = None
    if not lines or ReportDialog(lines, window).exec() == QDialog.DialogCode.Accepted:
        window.open_study(made)


def _fail(window: "MainWindow", error: Exception) -> None:
    if not isinstance(error, UserError):
        raise error
    window.show_error(error)
