"""Copies and saves what the window shows."""

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from app.core.csv_cells import as_csv
from app.gui.agreement.whole_files import write_whole
from app.gui.context import Context
from project.errors import UserError
from resources.translation import tr
from widgets.plots.pictures import as_image, as_png, as_svg
from widgets.plots.scene import Plot
from widgets.plots.view import COPY_PICTURE, COPY_TABLE, CSV, PNG, SVG

_KINDS = {SVG: tr("Drawings"), PNG: tr("Pictures"), CSV: tr("Tables")}


def table_text(plot: Plot) -> str:
    """Return the numbers of a plot as CSV."""
    found = plot.table()
    return as_csv(found.head, found.rows)


class Taking:
    """Does what is asked of a plot; `tell` says how it went."""

    def __init__(self, context: Context, tell: Callable[[str], None]) -> None:
        self._context = context
        self._tell = tell

    def plot(self, plot: Plot, what: str) -> None:
        """Copy or save one plot."""
        if what == COPY_PICTURE:
            QGuiApplication.clipboard().setImage(as_image(plot))
            self._tell(tr("Copied the picture of “{title}”.").format(title=plot.title))
        elif what == COPY_TABLE:
            self.copy(table_text(plot), plot.title)
        else:
            made: dict[str, Callable[[Plot], bytes]] = {
                SVG: as_svg,
                PNG: as_png,
                CSV: lambda one: _file(table_text(one)),
            }
            self._save(plot.title, plot.key, what, made[what](plot))

    def copy(self, text: str, title: str) -> None:
        """Copy a table."""
        QGuiApplication.clipboard().setText(text)
        self._tell(tr("Copied the numbers of “{title}” as CSV.").format(title=title))

    def save_table(self, text: str, title: str, name: str) -> None:
        """Save a table that was written as CSV."""
        self._save(title, name, CSV, _file(text))

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
            write_whole(path, data)
        except UserError as error:
            self._tell(f"{error.message} {error.hint}".strip())
        else:
            self._tell(tr("Saved {name}.").format(name=path.name))


def _file(text: str) -> bytes:
    """Return CSV as spreadsheets read it without being asked."""
    return text.encode("utf-8-sig", "replace")
