"""Copies and saves plots and tables. Files and folders appear under their name only when they are complete."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from app.gui.pages.context import Context
from project.errors import UserError
from project.files.atomic_files import apply_umask, write_atomically
from project.text_format import escape_unprintable, to_csv
from resources.translation import tr
from widgets.plots.charts import as_image, as_png, as_svg
from widgets.plots.plot_data import Plot
from widgets.plots.plot_view import COPY_PICTURE, COPY_TABLE, CSV, PNG, SVG

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


_KINDS = {SVG: tr("Drawings"), PNG: tr("Pictures"), CSV: tr("Tables")}


def table_text(plot: Plot) -> str:
    """Return the numbers of a plot as CSV."""
    found = plot.table()
    return to_csv(found.head, found.rows)


class PlotExporter:
    """Does what is asked of a plot; `tell` says how it went."""

    def __init__(self, context: Context, tell: Callable[[str], None]) -> None:
        self._context = context
        self._tell = tell

    def export_plot(self, plot: Plot, what: str) -> None:
        """Copy or save one plot."""
        if what == COPY_PICTURE:
            QGuiApplication.clipboard().setImage(as_image(plot))
            self._tell(tr("Copied the picture of “{title}”.").format(title=plot.title))
        elif what == COPY_TABLE:
            self.copy_table(table_text(plot), plot.title)
        else:
            made: dict[str, Callable[[Plot], bytes]] = {
                SVG: as_svg,
                PNG: as_png,
                CSV: lambda shown: _csv_bytes(table_text(shown)),
            }
            self._save(plot.title, plot.key, what, made[what](plot))

    def copy_table(self, text: str, title: str) -> None:
        """Copy a table."""
        QGuiApplication.clipboard().setText(text)
        self._tell(tr("Copied the numbers of “{title}” as CSV.").format(title=title))

    def save_table(self, text: str, title: str, name: str) -> None:
        """Save a table that was written as CSV."""
        self._save(title, name, CSV, _csv_bytes(text))

    def _save(self, title: str, name: str, kind: str, data: bytes) -> None:
        session = self._context.studio.session
        if session is None:
            return
        path = self._context.questions.save(
            tr("Save “{title}”").format(title=title), session.study.folder / f"{name}.{kind}", _KINDS[kind]
        )
        if path is None:
            return
        try:
            save_file(path, data)
        except UserError as error:
            self._tell(f"{error.message} {error.hint}".strip())
        else:
            self._tell(tr("Saved {name}.").format(name=path.name))


def _csv_bytes(text: str) -> bytes:
    """Return CSV as spreadsheets read it without being asked."""
    return text.encode("utf-8-sig", "replace")
