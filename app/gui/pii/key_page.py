"""Who and what is behind each replacement: shown here and nowhere else, and written to a file that is kept apart."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from anonymize.pii.kinds import KINDS
from app.core.commands.pii import use_stand_ins
from app.core.pii.key import key_rows, write_key
from app.core.pii.replacing import stand_ins
from app.gui.context import Context
from project.errors import UserError
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.rows_table import Row, RowsTable

_COLUMNS = (tr("Written instead"), tr("Kind"), tr("Participant"), tr("Stands for"), tr("Places"))
_WARNING = tr(
    "This is the key: it says who everybody is. It is in no release and no export. "
    "Keep a file of it apart from everything that leaves."
)


class KeyPage(QWidget):
    """A table of the key, and the way to a file of it."""

    def __init__(self, context: Context, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._context = context
        self._tell = tell
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        warning = PlainLabel(_WARNING, wordWrap=True)
        self.table = RowsTable(tr("Key"), _COLUMNS)
        EmptyHint(self.table, tr("Nothing personal was found yet, so nobody is behind a stand-in."))
        self.names = QCheckBox(tr("Write stand-in names for participants, instead of numbers"))
        self.names.setToolTip(
            tr("A name is chosen once for each participant; no name is taken that occurs in the study")
        )
        self.save = QPushButton(tr("Save the key…"))
        self.save.setToolTip(tr("Write who is behind each stand-in to a file that only you can read"))
        row = QHBoxLayout()
        row.addWidget(self.names, 1)
        row.addWidget(self.save)
        column.addWidget(warning)
        column.addWidget(self.table, 1)
        column.addLayout(row)
        self.names.clicked.connect(self._use_names)
        self.save.clicked.connect(self.write)

    def reload(self) -> None:
        """Show the key as it is now."""
        session = self._context.studio.session
        if session is None:
            return
        rows = [(after, KINDS[kind].title, who, texts, places) for after, kind, who, texts, places in key_rows(session)]
        self.table.show_rows([Row(f"{one[0]} {one[1]}", one) for one in rows])
        self.names.setChecked(bool(stand_ins(session)))
        self.names.setEnabled(self._context.studio.writable)
        self.save.setEnabled(bool(rows))

    def write(self) -> None:
        """Ask for a file and write the key into it."""
        session = self._context.studio.session
        if session is None:
            return
        usual = Path.home() / tr("{stem} key.csv").format(stem=session.study.path.stem)
        path = self._context.questions.save(tr("Save the key, apart from everything that leaves"), usual, tr("Tables"))
        if path is None:
            return
        try:
            rows = write_key(session, path)
        except UserError as error:
            self._tell(str(error))
            return
        self._tell(
            tr("Wrote {count} to {name}. It says who everybody is: never put it beside a release.").format(
                count=trn("{count} row", "{count} rows", rows), name=path.name
            )
        )

    def _use_names(self, on: bool) -> None:
        self._context.studio.edit(lambda session: use_stand_ins(session, on), self)
        self.reload()
