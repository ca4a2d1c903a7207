"""The tab of activity: active minutes by recording, by day and in total, with a switch to turn counting off."""

from PySide6.QtWidgets import QTabWidget

from annotate.team.activity import format_minutes, totals_by_day, totals_by_recording
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import check_box, push_button
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel

_INTRO = tr(
    "A minute is active while you use a key, the mouse or the player, and for 60 seconds after; "
    "not while the window is minimized. It goes into this study's file, with the day and your name, and nowhere else."
)


class ActivityTab(StudyView):
    """Shows the minutes of the current annotator."""

    title = tr("Active minutes")
    tables = frozenset({"activity", "annotator", "recording"})
    preferred_size = (560, 480)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._log = context.activity
        self.total = PlainLabel(font=theme.font(semibold=True))
        what = PlainLabel(_INTRO, wordWrap=True)
        self.recordings = RecordTable(tr("Minutes by recording"), text_columns([tr("Recording"), tr("Active")]))
        self.days = RecordTable(tr("Minutes by day"), text_columns([tr("Day"), tr("Active")]))
        for table in (self.recordings, self.days):
            EmptyHint(table, tr("Minutes appear here while you work."))
        tabs = QTabWidget(documentMode=True)
        tabs.addTab(self.recordings, tr("By recording"))
        tabs.addTab(self.days, tr("By day"))
        self.switch = check_box(
            tr("Count my active minutes"),
            tr("While this is off, nothing is counted and nothing is written, in every study"),
            self._log.set_enabled,
        )
        self.sure = push_button(tr("Delete for good"), tr("There is no undo for this"), self._log.delete_minutes)
        self.delete = push_button(
            tr("Delete my minutes"), tr("Delete your minutes from this study"), lambda: self.sure.show()
        )
        self.lay_out(self.total, what, tabs, 1, self.switch, foot=(self.delete, self.sure))
        self.recordings.chosen.connect(lambda row: context.look_at(row.key, 0))
        self._log.changed.connect(self.refresh)

    def reload(self, session: Session) -> None:
        who = session.annotator()
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
        self.delete.setEnabled(bool(places) and self._studio.writable)
        self.sure.hide()
