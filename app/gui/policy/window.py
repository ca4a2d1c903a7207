"""The window of what leaves this machine: the policy at the top, the journal of requests below it."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.core.commands.policy import missing, set_policy
from app.core.leaving.in_force import UNCONFIRMED, needs_confirmation, policy_in_force, said_policy
from app.core.leaving.journal import FATES, HEAD, Fate, Line, lines, totals, write_table
from app.core.leaving.policy_words import LEVELS, MEANINGS, UNENCRYPTED, about_policy
from app.core.session import Session
from app.gui.context import Context
from project.errors import UserError
from project.policy import Policy
from project.queries.policy import KEY, egress_count
from project.queries.segments import segment
from project.types import Changes
from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.policy.form import PolicyForm
from widgets.policy.journal_table import JournalRow, JournalTable
from widgets.room import within_screen

LOOK_EVERY_MS = 1000
_SIZE = QSize(1440, 840)
_COLOURS = {Fate.LEFT: "uncertain", Fate.STAYED: "text", Fate.REFUSED: "error"}
_WHAT = tr(
    "Every request is written down here before it is sent, also those that are refused and those to this machine. "
    "Keys and what was sent are not in it, only how much and its checksums."
)


def make(context: Context) -> QWidget:
    """Make the window."""
    return PolicyWindow(context)


class PolicyWindow(QWidget):
    """Shows and sets the policy of the study, and shows what became of each request."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self._lines: list[Line] = []
        self._count = -1
        self.setWindowTitle(tr("What leaves this machine"))
        self.setAccessibleName(tr("What leaves this machine"))
        self.setAutoFillBackground(True)
        self.resize(within_screen(_SIZE, self))
        self.form = PolicyForm(
            {level: tr(words) for level, words in LEVELS.items()},
            {level: tr(words) for level, words in MEANINGS.items()},
            missing,
            tr(UNENCRYPTED),
        )
        self.fate = QComboBox()
        self.fate.setAccessibleName(tr("Which requests"))
        self.fate.setToolTip(tr("Show only what left, what stayed on this machine, or what was refused"))
        self.fate.addItem(tr("All requests"), None)
        for fate, words in FATES.items():
            self.fate.addItem(
                tr("Requests that {words}").format(words=words) if fate is not Fate.REFUSED else tr("Refused requests"),
                fate,
            )
        self.words = QLineEdit()
        self.words.setAccessibleName(tr("Filter"))
        self.words.setPlaceholderText(tr("Filter by host, judge, recording, rule…"))
        self.words.setToolTip(tr("Show only requests in which all of these words stand"))
        self.words.setClearButtonEnabled(True)
        self.table = JournalTable(HEAD, HEAD.index(tr("Result")))
        EmptyHint(self.table, tr("Each request is written down here before it is sent."))
        self.table.setToolTip(tr("Double-click a request to see its segment"))
        self.total = PlainLabel(wordWrap=True)
        self.total.setAccessibleName(tr("Totals"))
        self.status = PlainLabel(wordWrap=True)
        self.status.setAccessibleName(tr("State"))
        self._timer = QTimer(self, interval=LOOK_EVERY_MS)
        self._lay_out()
        self._join()
        self.reload()

    def reload(self) -> None:
        """Show policy and journal as they are now."""
        session = self._studio.session
        if session is None:
            return
        self._show_policy(session)
        self._count = -1
        self._look()

    def set_policy(self, wanted: Policy) -> None:
        """Set the policy of the study; undo does not reach it."""
        problems: list[str] = []

        def do(session: Session) -> Changes | None:
            before = said_policy(session)
            try:
                return set_policy(session, wanted)
            except UserError as error:
                problems.append(str(error))
                # What closes the study is set also where this machine cannot note it.
                return Changes.of([("property", KEY)]) if said_policy(session) != before else None

        self._studio.edit(do, self)
        for problem in problems:
            self.form.tell(problem)

    def confirm_policy(self) -> None:
        """Put the policy that the study's file says in force on this machine."""
        if self._studio.session is not None:
            self.set_policy(said_policy(self._studio.session))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        self._split = split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        below = QWidget()
        journal = QVBoxLayout(below)
        journal.setContentsMargins(0, theme.GRID, 0, 0)
        journal.setSpacing(theme.GRID)
        what = PlainLabel(_WHAT, wordWrap=True)
        what.setProperty("quiet", "true")
        row = QHBoxLayout()
        row.addWidget(self.fate)
        row.addWidget(self.words, 1)
        journal.addWidget(what)
        journal.addLayout(row)
        journal.addWidget(self.table, 1)
        journal.addWidget(self.total)
        split.addWidget(self.form)
        split.addWidget(below)
        split.setStretchFactor(1, 1)
        column.addWidget(split, 1)
        column.addLayout(self._foot())

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.save = QPushButton(tr("&Save as CSV…"))
        self.save.setToolTip(tr("Write the requests that are shown to a table, with the checksums of what was sent"))
        self.save.clicked.connect(self._ask_place)
        row.addWidget(self.status, 1)
        row.addWidget(self.save)
        row.addWidget(close_button(self))
        return row

    def _join(self) -> None:
        self.form.set_requested.connect(self.set_policy)
        self.form.confirm_requested.connect(self.confirm_policy)
        self.fate.currentIndexChanged.connect(lambda _place: self._show())
        self.words.textChanged.connect(lambda _text: self._show())
        self.table.opened.connect(self._go_to)
        self._timer.timeout.connect(self._look)
        self._studio.bridge.changed.connect(self._on_change)

    def _on_change(self, changes: Changes, _initiator: object) -> None:
        session = self._studio.session
        if session is not None and KEY in changes.ids("property"):
            self._show_policy(session)
            self._fit_form()

    def _show_policy(self, session: Session) -> None:
        self.form.show_policy(policy_in_force(session), writable=self._studio.writable)
        if needs_confirmation(session):
            says = tr("Nothing leaves. The study's file says:")
            self.form.ask_about("\n".join([tr(UNCONFIRMED), says, *about_policy(said_policy(session))]))

    def _fit_form(self) -> None:
        """Give the form the height that it needs, with or without a question, and the journal the rest."""
        height = self.form.heightForWidth(self._split.contentsRect().width())
        self._split.setSizes([height, self.height() - height])

    def _look(self) -> None:
        """Read the journal anew where something was written to it: jobs of other windows and programs write too."""
        session = self._studio.session
        if session is None or (count := egress_count(session.study)) == self._count:
            return
        try:
            self._lines = lines(session)
        except UserError as error:
            self.status.setText(str(error))
            return
        self._count = count
        self._show()

    def _show(self) -> None:
        shown = self.shown()
        self.table.show_rows([JournalRow(one.egress.id, one.cells(), _COLOURS[one.fate]) for one in shown])
        said = "  ·  ".join(one.text for one in totals(shown) if one.requests)
        self.total.setText(said or (tr("No request was made.") if not self._lines else tr("No request is like that.")))
        self.save.setEnabled(bool(shown))

    def shown(self) -> list[Line]:
        """Return the requests that the filter lets through."""
        fate, words = self.fate.currentData(), self.words.text().casefold().split()
        return [
            one
            for one in self._lines
            if fate in (None, one.fate) and all(word in " ".join(one.cells()).casefold() for word in words)
        ]

    def _go_to(self, key: str) -> None:
        session = self._studio.session
        one = next((one for one in self._lines if one.egress.id == key), None)
        if session is None or one is None or not one.egress.departure.recording_id:
            return
        found = segment(session.study, one.egress.departure.segment_id)
        self._context.look_at(one.egress.departure.recording_id, found.start_us if found else 0)

    def _ask_place(self) -> None:
        session = self._studio.session
        if session is None:
            return
        place = self._context.questions.save(tr("Save requests"), session.study.folder / "requests.csv", tr("Tables"))
        if place is None:
            return
        try:
            write_table(self.shown(), place)
        except UserError as error:
            self.status.setText(str(error))
        else:
            self.status.setText(tr("Saved {name}.").format(name=place.name))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.form.focus_level()
            self._fit_form()
        self._look()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)
