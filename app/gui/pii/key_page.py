"""Who and what is behind each replacement: shown here and nowhere else, and written to a file that is kept apart."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from anonymize.pii.kinds import KINDS
from app.core.commands.pii import use_stand_ins
from app.core.pii.key import key_rows, write_key
from app.core.pii.replacing import stand_ins
from app.gui.context import Context
from project.counted import counted
from project.errors import UserError
from widgets import theme
from widgets.rows_table import Row, RowsTable

_COLUMNS = ("Written instead", "Kind", "Participant", "Stands for", "Places")
_WARNING = (
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
        warning = QLabel(_WARNING, wordWrap=True)
        self.table = RowsTable("Key", _COLUMNS)
        self.names = QCheckBox("Write stand-in names for participants, instead of numbers")
        self.names.setToolTip("A name is chosen once for each participant; no name is taken that occurs in the study")
        self.save = QPushButton("Save the key…")
        self.save.setToolTip("Write who is behind each stand-in to a file that only you can read")
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
        usual = Path.home() / f"{session.study.path.stem} key.csv"
        path = self._context.questions.save("Save the key, apart from everything that leaves", usual, "Tables")
        if path is None:
            return
        try:
            rows = write_key(session, path)
        except UserError as error:
            self._tell(str(error))
            return
        self._tell(
            f"Wrote {counted(rows, 'row')} to {path.name}. It says who everybody is: never put it beside a release."
        )

    def _use_names(self, on: bool) -> None:
        self._context.studio.edit(lambda session: use_stand_ins(session, on), self)
        self.reload()
