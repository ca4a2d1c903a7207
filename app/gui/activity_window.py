"""The window of active minutes: by recording, by day, in all, with a switch to turn counting off."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QTabWidget, QVBoxLayout, QWidget

from app.core.activity import by_day, by_recording, minutes
from app.gui.context import Context
from widgets import theme
from widgets.rows_table import Row, RowsTable

_WHAT = (
    "A minute is active while you use a key, the mouse or the player, and for 60 seconds after; "
    "not while the window is minimized. It goes into this study's file, with the day and your name, and nowhere else."
)


def make(context: Context) -> QWidget:
    """Make the window."""
    return ActivityWindow(context)


class ActivityWindow(QWidget):
    """Shows the minutes of who works here."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._log = context.activity
        self.setWindowTitle("Active minutes")
        self.resize(560, 480)
        self.total = QLabel()
        self.total.setFont(theme.font(semibold=True))
        what = QLabel(_WHAT, wordWrap=True)
        self.recordings = RowsTable("Minutes by recording", ["Recording", "Active"])
        self.days = RowsTable("Minutes by day", ["Day", "Active"])
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.addTab(self.recordings, "By recording")
        tabs.addTab(self.days, "By day")
        self.switch = QCheckBox("Count my active minutes")
        self.switch.setToolTip("While this is off, nothing is counted and nothing is written, in every study")
        self.switch.clicked.connect(self._log.switch)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.total)
        column.addWidget(what)
        column.addWidget(tabs, 1)
        column.addWidget(self.switch)
        column.addLayout(self._foot())
        self.recordings.row_chosen.connect(context.look_at)
        self._log.changed.connect(self.reload)
        context.studio.bridge.changed.connect(lambda _changes, _initiator: self.reload())
        self.reload()

    def reload(self) -> None:
        """Show the minutes as they are now."""
        session = self._context.studio.session
        who = session.annotator() if session is not None else None
        if session is None:
            return
        places = by_recording(session, who) if who is not None else []
        days = by_day(session, who) if who is not None else []
        self.recordings.show_rows([Row(one.recording_id, (one.name, minutes(one.seconds))) for one in places])
        self.days.show_rows([Row(one.name, (one.name, minutes(one.seconds))) for one in days])
        name = session.annotator_name
        said = minutes(sum(one.seconds for one in places))
        self.total.setText(f"{name}: {said} in this study" if places else f"{name}: nothing was counted yet")
        self.switch.setChecked(self._log.on)
        self.delete.setEnabled(bool(places) and self._context.studio.writable)
        self._ask_again(False)

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.delete = QPushButton("Delete my minutes")
        self.delete.setToolTip("Delete your minutes from this study")
        self.delete.clicked.connect(lambda: self._ask_again(True))
        self.sure = QPushButton("Delete for good")
        self.sure.setToolTip("There is no undo for this")
        self.sure.clicked.connect(self._log.delete)
        close = QPushButton("Close")
        close.setToolTip("Close this window (Esc)")
        close.setShortcut(Qt.Key.Key_Escape)
        close.clicked.connect(self.close)
        row.addWidget(self.delete)
        row.addWidget(self.sure)
        row.addStretch()
        row.addWidget(close)
        return row

    def _ask_again(self, asking: bool) -> None:
        self.sure.setVisible(asking)
