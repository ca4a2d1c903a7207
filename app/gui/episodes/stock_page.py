"""Characters, or scenarios: a list, and the form of the one that is chosen."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from app.core.session import Session
from app.gui.studio import Studio
from project.types import Changes
from resources.translation import tr
from widgets import theme
from widgets.empty_hint import EmptyHint
from widgets.episodes.texts_form import TextField, TextsForm
from widgets.icons import icon
from widgets.plain_tip import plain_tip
from widgets.rows_table import Row, RowsTable

Texts = Mapping[str, str]


class StockPage(QWidget):
    """Shows what a study has of one kind, and saves what is written.

    Args:
        studio: the study.
        what: what one of them is called.
        columns: of the list.
        fields: of the form.
        read: returns the rows, and key -> texts of the form.
        save: keeps texts under a key, "" for a new one; returns the key and what changed.
        remove: removes the one with a key.
    """

    def __init__(
        self,
        studio: Studio,
        what: str,
        columns: Sequence[str],
        fields: Sequence[TextField],
        read: Callable[[Session], tuple[Sequence[Row], Mapping[str, Texts]]],
        save: Callable[[Session, str, Texts], tuple[str, Changes]],
        remove: Callable[[Session, str], Changes],
    ) -> None:
        super().__init__()
        self._studio, self._what = studio, what
        self._read, self._save, self._remove = read, save, remove
        self._texts: Mapping[str, Texts] = {}
        self._key = ""
        self.list = RowsTable(f"{what.capitalize()}s", columns)
        EmptyHint(self.list, tr("None yet. Press New to write one."))
        self.new = QPushButton(tr(" New"))
        self.new.setIcon(icon("plus"))
        self.new.setToolTip(plain_tip(tr("Write another {what}").format(what=what)))
        self.form = TextsForm(what, fields)
        row = QHBoxLayout()
        row.addWidget(self.new)
        row.addStretch()
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, theme.GRID, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        parts = QSplitter()
        self.form.setContentsMargins(theme.GRID, 0, 0, 0)
        parts.addWidget(left)
        parts.addWidget(self.form)
        parts.setSizes([420, 820])
        parts.setChildrenCollapsible(False)
        parts.setHandleWidth(theme.GRID // 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, theme.GRID, 0, 0)
        whole.addWidget(parts)
        self.list.chosen_changed.connect(self._choose)
        self.new.clicked.connect(self._begin)
        self.form.saved.connect(self._keep)
        self.form.delete_requested.connect(self._delete)

    def reload(self) -> None:
        """Show what the study has now; what stands in the form stays, while it is there still."""
        session = self._studio.session
        if session is None:
            return
        rows, self._texts = self._read(session)
        with QSignalBlocker(self.list):
            self.list.show_rows(rows)
        self.new.setEnabled(self._studio.writable)
        if self._key and self._key not in self._texts:
            self._show("")

    def _choose(self) -> None:
        if key := self.list.current_key():
            self._show(key)

    def _begin(self) -> None:
        with QSignalBlocker(self.list):
            self.list.choose("")
        self._show("")
        self.form.focus_first()

    def _show(self, key: str) -> None:
        self._key = key
        self.form.status.set_text("")
        self.form.show_texts(self._texts.get(key, {}), known=bool(key), writable=self._studio.writable)

    def _keep(self) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            key, changes = self._save(session, self._key, self.form.texts())
            made.append(key)
            return changes

        if self._tried(do):
            self._key = made[0]
            self.reload()
            self._mark()
            self.form.show_texts(self._texts.get(self._key, {}), known=True, writable=self._studio.writable)
            self.form.status.set_text(tr("Saved."))

    def _delete(self) -> None:
        key = self._key
        if key and self._tried(lambda session: self._remove(session, key)):
            self._begin()
            self.reload()

    def _tried(self, do: Callable[[Session], Changes]) -> bool:
        problems: list[str] = []
        joined = self._studio.failed.connect(lambda error: problems.append(str(error)))
        done = self._studio.edit(do, self)
        self._studio.failed.disconnect(joined)
        self.form.status.set_text(" ".join(problems))
        return done

    def _mark(self) -> None:
        with QSignalBlocker(self.list):
            self.list.choose(self._key)
