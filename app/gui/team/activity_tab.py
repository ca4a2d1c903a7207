"""The activity window: active minutes by recording, by day and in total, with a switch to turn counting off."""

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QTabWidget, QVBoxLayout, QWidget

from annotate.team.activity import format_minutes, totals_by_day, totals_by_recording
from app.gui.pages.context import Context
from project.entities.study_records import Changes
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import close_button
from widgets.empty_state import EmptyHint
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel

_INTRO = tr(
    "A minute is active while you use a key, the mouse or the player, and for 60 seconds after; "
    "not while the window is minimized. It goes into this study's file, with the day and your name, and nowhere else."
)


def make_activity_window(context: Context) -> QWidget:
    """Make the window."""
    return ActivityWindow(context)


class ActivityWindow(QWidget):
    """Shows the minutes of the current annotator."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._log = context.activity
        self.setWindowTitle(tr("Active minutes"))
        self.resize(560, 480)
        self.total = PlainLabel()
        self.total.setFont(theme.font(semibold=True))
        what = PlainLabel(_INTRO, wordWrap=True)
        self.recordings = RecordTable(tr("Minutes by recording"), text_columns([tr("Recording"), tr("Active")]))
        self.days = RecordTable(tr("Minutes by day"), text_columns([tr("Day"), tr("Active")]))
        for table in (self.recordings, self.days):
            EmptyHint(table, tr("Minutes appear here while you work."))
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.addTab(self.recordings, tr("By recording"))
        tabs.addTab(self.days, tr("By day"))
        self.switch = QCheckBox(tr("Count my active minutes"))
        self.switch.setToolTip(tr("While this is off, nothing is counted and nothing is written, in every study"))
        self.switch.clicked.connect(self._log.set_enabled)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.total)
        column.addWidget(what)
        column.addWidget(tabs, 1)
        column.addWidget(self.switch)
        column.addLayout(self._foot())
        self.recordings.chosen.connect(lambda row: context.look_at(row.key, 0))
        self._log.changed.connect(self.reload)
        context.studio.bridge.changed.connect(self._apply)
        self.reload()

    def _apply(self, _changes: Changes, _initiator: object) -> None:
        self.reload()

    def reload(self) -> None:
        """Show the minutes as they are now."""
        session = self._context.studio.session
        who = session.annotator() if session is not None else None
        if session is None:
            return
        places = totals_by_recording(session, who) if who is not None else []
        days = totals_by_day(session, who) if who is not None else []
        self.recordings.show_records(
            [TableRow(place.recording_id, (place.name, format_minutes(place.seconds))) for place in places]
        )
        self.days.show_records([TableRow(day.name, (day.name, format_minutes(day.seconds))) for day in days])
        name = session.annotator_name
        said = format_minutes(sum(place.seconds for place in places))
        self.total.setText(
            tr("{name}: {said} in this study").format(name=name, said=said)
            if places
            else tr("{name}: nothing was counted yet").format(name=name)
        )
        self.switch.setChecked(self._log.is_enabled)
        self.delete.setEnabled(bool(places) and self._context.studio.writable)
        self._show_confirmation(False)

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.delete = QPushButton(tr("Delete my minutes"))
        self.delete.setToolTip(tr("Delete your minutes from this study"))
        self.delete.clicked.connect(lambda: self._show_confirmation(True))
        self.sure = QPushButton(tr("Delete for good"))
        self.sure.setToolTip(tr("There is no undo for this"))
        self.sure.clicked.connect(self._log.delete_minutes)
        row.addWidget(self.delete)
        row.addWidget(self.sure)
        row.addStretch()
        row.addWidget(close_button(self))
        return row

    def _show_confirmation(self, asking: bool) -> None:
        self.sure.setVisible(asking)
