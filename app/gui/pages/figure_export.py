"""Copies and saves plots and tables. Files and folders appear under their name only when they are complete."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QImage

from app.gui.pages.context import Context
from project.errors import UserError
from project.files.atomic_files import apply_umask, write_atomically
from project.progress import Progress
from project.text_format import escape_unprintable, to_csv
from resources.translation import tr, trn
from widgets.plots.plot_data import Plot, PlotFormat
from widgets.plots.plot_view import COPY_PICTURE, COPY_TABLE, CSV

_MAX_NAME_TRIES = 1000


def save_file(path: Path, data: bytes) -> None:
    """Write a file, in place of one that is there."""
    try:
        with write_atomically(path, private=False) as file:
            file.write(data)
    except OSError as error:
        raise _write_error(path, error) from None


def write_folder(parent: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """Write a folder of files under a name that is not taken: a number is added where it is."""
    temporary: str | None = None
    try:
        temporary = tempfile.mkdtemp(prefix=f".{name}.", dir=parent)
        for place, data in files.items():
            path = Path(temporary) / place
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        apply_umask(Path(temporary), 0o777)
        free = (parent / (name if not number else f"{name} {number + 1}") for number in range(_MAX_NAME_TRIES))
        made = next(path for path in free if not path.exists())
        Path(temporary).rename(made)
    except OSError as error:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        raise _write_error(parent / name, error) from None
    return made


def _write_error(path: Path, error: OSError) -> UserError:
    return UserError(
        tr("{name} cannot be written: {strerror}.").format(name=escape_unprintable(path.name), strerror=error.strerror),
        tr("Choose another folder."),
    )


PLOT_FILES = {PlotFormat.SVG: tr("Drawings"), PlotFormat.PNG: tr("Pictures"), PlotFormat.PDF: "PDF", CSV: tr("Tables")}
"""Ending of a file that a plot is saved as -> name of its kind."""


def table_text(plot: Plot) -> str:
    """Return the numbers of a plot as CSV."""
    found = plot.table()
    return to_csv(found.head, found.rows)


def plot_file(plot: Plot, kind: str) -> bytes:
    """Return a plot as a file of a kind: an ending of `PLOT_FILES`."""
    if kind == CSV:
        return _csv_bytes(table_text(plot))
    from widgets.plots.charts import encode_plot

    return encode_plot(plot, PlotFormat(kind))


class PlotExporter:
    """Does what is asked of a plot; `tell` says how it went."""

    def __init__(self, context: Context, tell: Callable[[str], None]) -> None:
        self._context = context
        self._tell = tell

    def export_plot(self, plot: Plot, what: str) -> None:
        """Copy or save one plot."""
        if what == COPY_PICTURE:
            QGuiApplication.clipboard().setImage(QImage.fromData(plot_file(plot, PlotFormat.PNG)))
            self._tell(tr("Copied the picture of “{title}”.").format(title=plot.title))
        elif what == COPY_TABLE:
            self.copy_table(table_text(plot), plot.title)
        else:
            self._save(plot.title, plot.key, what, plot_file(plot, what))

    def copy_table(self, text: str, title: str) -> None:
        """Copy a table."""
        QGuiApplication.clipboard().setText(text)
        self._tell(tr("Copied the numbers of “{title}” as CSV.").format(title=title))

    def save_table(self, text: str, title: str, name: str) -> None:
        """Save a table that was written as CSV."""
        self._save(title, name, CSV, _csv_bytes(text))

    def export_folder(self, what: str, make_files: Callable[[], Mapping[str, bytes]]) -> None:
        """Ask for a folder and write files into a new one inside it, named after the study and `what`, in a thread."""
        session = self._context.studio.session
        parent = self._context.questions.folder(tr("Folder for the figures"))
        if session is None or parent is None:
            return
        name = f"{session.study.path.stem} {what}"

        def write(progress: Progress) -> tuple[int, str]:
            files = make_files()
            progress.check_cancelled()
            return len(files), write_folder(parent, name, files).name

        def tell_written(written: tuple[int, str]) -> None:
            files = trn("{count} file", "{count} files", written[0])
            self._tell(tr("Wrote {count} to the folder {name}.").format(count=files, name=written[1]))

        self._tell(tr("Writing the figures…"))
        self._context.background.run(write, tell_written, self._tell_failure)

    def _tell_failure(self, error: Exception) -> None:
        hint = error.hint if isinstance(error, UserError) else ""
        self._tell(f"{error} {hint}".strip())

    def _save(self, title: str, name: str, kind: str, data: bytes) -> None:
        session = self._context.studio.session
        if session is None:
            return
        path = self._context.questions.save(
            tr("Save “{title}”").format(title=title), session.study.folder / f"{name}.{kind}", PLOT_FILES[kind]
        )
        if path is None:
            return
        try:
            save_file(path, data)
        except UserError as error:
            self._tell_failure(error)
        else:
            self._tell(tr("Saved {name}.").format(name=path.name))


def _csv_bytes(text: str) -> bytes:
    """Return CSV as spreadsheets read it without being asked."""
    return text.encode("utf-8-sig", "replace")
