"""Recovers a damaged study, from what can still be read of it or from one of its dated backups."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QListWidgetItem, QWidget

from app.gui.pages.context import Context
from app.gui.study.dialogs import STUDY_FILTER
from project.errors import UserError
from project.progress import Progress
from project.store.backups import Backup
from project.text_format import escape_unprintable, format_size
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.controls import text_area
from widgets.form.layouts import make_column
from widgets.table.lists import ShortList
from widgets.text_labels import PlainLabel

_SIZE = QSize(560, 360)
_REPORT_SIZE = QSize(760, 480)


class RecoverDialog(OwnDialog):
    """A list to choose from; the first entry is what can be read of the file itself."""

    def __init__(self, path: Path, backups: Sequence[Backup], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Recover a study"))
        self.resize(_SIZE)
        self._backups = backups
        words = tr("“{name}” is only read. What is chosen becomes a new study, which you name next.").format(
            name=escape_unprintable(path.name)
        )
        self.list = ShortList()
        self.list.setAccessibleName(tr("What there is to go back to"))
        if path.is_file():
            self.list.addItem(QListWidgetItem(tr("What can be read of the file as it is")))
        for backup in backups:
            when = f"{backup.made.astimezone():%Y-%m-%d %H:%M}"
            text = tr("Backup {number}, of {when}, {size}").format(
                number=backup.number, when=when, size=format_size(backup.size)
            )
            self.list.addItem(QListWidgetItem(text))
        self._of_file = path.is_file()
        self.list.setCurrentRow(0)
        self.list.itemDoubleClicked.connect(lambda _item: self.accept())
        buttons = DialogButtons(self, tr("Save as…"), tr("Recover nothing"))
        buttons.go_on.setToolTip(tr("Choose where the new study goes (Enter)"))
        buttons.go_on.setEnabled(self.list.count() > 0)
        buttons.go_on.clicked.connect(self.accept)
        self.setLayout(make_column(PlainLabel(words, wordWrap=True), self.list, 1, buttons, margin=theme.GRID * 2))

    def selected_backup(self) -> int:
        """Return the number of the backup that is chosen; 0 for the file itself."""
        row = self.list.currentRow()
        if self._of_file:
            return 0 if row <= 0 else self._backups[row - 1].number
        return self._backups[max(row, 0)].number


class ReportDialog(OwnDialog):
    """What was saved and what was not, to be read before the new study is opened."""

    def __init__(self, lines: Sequence[str], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What was recovered"))
        self.resize(_REPORT_SIZE)
        self.text = text_area(tr("What was saved and what was not"), plainText="\n".join(lines), readOnly=True)
        buttons = DialogButtons(self, tr("Open the new study"), tr("Open nothing"), away=tr("Close"))
        buttons.go_on.setToolTip(tr("Open what was saved (Enter)"))
        buttons.go_on.clicked.connect(self.accept)
        self.setLayout(make_column(self.text, 1, buttons, margin=theme.GRID * 2))


def recover_study(context: Context) -> None:
    """Save what can be read of the study that could not be opened or not be written to, or of another, or a backup."""
    from project.store.backups import list_backups

    session = context.studio.session
    defective = session.study.path if session is not None and session.study.defect is not None else None
    path = context.studio.refused or defective or context.questions.file(tr("Recover a study"), STUDY_FILTER)
    if path is None:
        return
    backups = list_backups(path)
    dialog = RecoverDialog(path, backups, context.window)
    if dialog.exec() != QDialog.DialogCode.Accepted:
        return
    place = path.with_name(tr("{stem} recovered.greenroom").format(stem=path.name.partition(".greenroom")[0]))
    out = context.questions.save(tr("Save the recovered study"), place, STUDY_FILTER.partition(" (")[0])
    if out is not None:
        context.studio.message.emit(tr("Recovering…"))
        number = dialog.selected_backup()
        context.background.run(
            lambda progress: _recover(path, number, out, progress),
            lambda found: _show_result(context, *found),
            lambda error: _show_failure(context, error),
        )


def _recover(path: Path, number: int, out: Path, _progress: Progress) -> tuple[Path, list[str]]:
    from project.recovery.recovery import copy_backup, recover
    from project.recovery.recovery_report import report_lines

    if number:
        return copy_backup(path, number, out), []
    found = recover(path, out)
    return found.path, report_lines(found)


def _show_result(context: Context, made: Path, lines: list[str]) -> None:
    context.clear_message()
    context.studio.refused = None
    if not lines or ReportDialog(lines, context.window).exec() == QDialog.DialogCode.Accepted:
        context.open_study(made)


def _show_failure(context: Context, error: Exception) -> None:
    if not isinstance(error, UserError):
        raise error
    context.studio.failed.emit(error)
