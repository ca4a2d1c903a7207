"""The window of who changed what they had said after they were shown judges, and the switch that hides judges."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.commands.blind_first import set_blind_first
from app.core.judging.annotators.reveals import blind_first
from app.core.judging.annotators.revision_words import (
    NOTHING,
    hidden_text,
    part_name,
    place_text,
    revised_text,
    value_words,
)
from app.core.judging.annotators.revisions import revisions
from app.gui.context import Context
from widgets import theme
from widgets.rows_table import Row, RowsTable

_WHAT = (
    "What somebody had said about a segment is kept when judges are first shown to them. "
    "Here stands what they say differently now, and which judges say the new and not the old."
)
_TABLES = frozenset({"segment", "segment_value", "judgment", "reveal", "property", "annotator"})


def make(context: Context) -> QWidget:
    """Make the window."""
    return RevisionsWindow(context)


class RevisionsWindow(QWidget):
    """Follows the study while it is shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setWindowTitle("Revisions after judges")
        self.resize(900, 520)
        what = QLabel(_WHAT, wordWrap=True)
        self.switch = QCheckBox("Hide judges from everybody until their own is saved")
        self.switch.setToolTip("What judges say about a segment stays hidden from an annotator until they have said it")
        self.switch.clicked.connect(self._set)
        self.people = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.people.setFont(theme.font(semibold=True))
        self.rows = RowsTable(
            "Revisions", ["Annotator", "Recording and time", "What", "Before", "Now", "Toward", "Changed"]
        )
        self.hidden = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.hidden.setProperty("quiet", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.switch)
        column.addWidget(what)
        column.addWidget(self.people)
        column.addWidget(self.rows, 1)
        column.addWidget(self.hidden)
        column.addLayout(self._foot())
        self.rows.row_chosen.connect(lambda key, time_us: context.look_at(key, time_us) if key else None)
        context.studio.bridge.changed.connect(
            lambda changes, _initiator: self.reload() if _TABLES & set(changes) and self.isVisible() else None
        )
        self.reload()

    def reload(self) -> None:
        """Show what was revised as the study has it now."""
        session = self._context.studio.session
        if session is None:
            return
        self.switch.setChecked(blind_first(session))
        self.switch.setEnabled(self._context.studio.writable)
        report = revisions(session)
        self.people.setText("\n".join(revised_text(one) for one in report.annotators) or NOTHING)
        self.rows.show_rows(
            [
                Row(
                    one.recording.id if one.recording is not None else "",
                    (
                        one.annotator.name,
                        place_text(one),
                        part_name(session, one),
                        value_words(session, one, one.before),
                        value_words(session, one, one.after),
                        ", ".join(one.toward) or "-",
                        one.at[:16].replace("T", " "),
                    ),
                    time_us=one.start_us,
                )
                for one in report.revisions
            ]
        )
        self.hidden.setText(hidden_text(report))
        self.hidden.setVisible(bool(report.hidden))

    def _set(self, on: bool) -> None:
        self._context.studio.edit(lambda session: set_blind_first(session, on), self)
        self.reload()

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        close = QPushButton("Close")
        close.setToolTip("Close this window (Esc)")
        close.setShortcut(Qt.Key.Key_Escape)
        close.clicked.connect(self.close)
        row.addStretch()
        row.addWidget(close)
        return row
