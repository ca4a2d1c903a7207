"""The egress window: the policy form, and the journal of requests below it."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFormLayout,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from anonymize.egress.egress_authority import UNCONFIRMED, needs_confirmation, policy_in_file, policy_in_force
from anonymize.egress.egress_log import (
    LEVEL_MEANINGS,
    LEVEL_NAMES,
    OUTCOME_TEXTS,
    TABLE_HEAD,
    UNENCRYPTED,
    EgressLogRow,
    EgressOutcome,
    compute_totals,
    describe_policy,
    read_log,
    write_table,
)
from anonymize.egress.policy_edits import policy_problem, set_policy
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.entities.egress_policy import EgressLevel, Policy
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.policy_rows import POLICY_PROPERTY, count_egress
from project.queries.segment_rows import find_segment
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.form.controls import check_box, line_edit, push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_form, make_panel, make_row, make_splitter, make_tab_page
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import NoteInForm, PlainLabel, plain_tip

_BUTTONS = {
    EgressLevel.NOTHING: tr("Let nothing leave"),
    EgressLevel.ANONYMIZED: tr("Let reviewed renderings leave"),
    EgressLevel.RAW: tr("Let raw footage leave"),
}
_INDENT = 22
"""Pixels from the left edge of a choice to its text."""
_OPTION_LABELS = {
    "downloads": (
        tr("Allow &downloads of models"),
        tr("Fetches files of models while this study is open; sends nothing of it"),
    ),
    "redirects": (tr("Allow re&directs"), tr("Follows a server that sends a request on to another machine")),
    "proxies": (tr("Allow pro&xies"), tr("Sends requests through the proxy that this machine is set up with")),
    "unencrypted": (
        tr("Allow un&encrypted connections"),
        tr("Sends words and keys to http:// and tcp:// addresses, readable for everybody on the way"),
    ),
}


class PolicyForm(QWidget):
    """Shows a policy and what somebody wants in its place; nothing is set before they press the button.

    Signals:
        set_requested (Policy): what is to be set; the level and the ways as chosen, the texts as typed.
        confirm_requested: the policy that `ask_confirmation` asked about is to be put in force.
    """

    set_requested = Signal(object)
    confirm_requested = Signal()

    def __init__(
        self,
        names: Mapping[EgressLevel, str],
        meanings: Mapping[EgressLevel, str],
        missing: Callable[[Policy], str],
        unencrypted: str,
        parent: QWidget | None = None,
    ) -> None:
        """Make the form.

        Args:
            names: what each level is called.
            meanings: what each means, in a line.
            missing: says what a policy lacks to be set, "" where nothing.
            unencrypted: what connections without encryption mean, in a line.
            parent: Qt's.
        """
        super().__init__(parent)
        self._names, self._missing = names, missing
        self._shown = Policy()
        self._writable = True
        self.levels: dict[EgressLevel, QRadioButton] = {}
        self._group = QButtonGroup(self)
        why = tr("Why raw footage has to leave, in three words or more")
        who = tr("Who allowed it, such as a board and its number")
        where = tr("Machines such as api.openai.com, separated by commas; empty for any judge's")
        self.reason = line_edit(tr("Reason"), why, why)
        self.allowed_by = line_edit(tr("Allowed by"), who, who)
        self.hosts = line_edit(tr("Only to"), where, where)
        self.unencrypted = NoteInForm(unencrypted)
        self.ways = {key: check_box(text, tip) for key, (text, tip) in _OPTION_LABELS.items()}
        levels = [self._make_level(level, meanings[level]) for level in EgressLevel]
        self.setLayout(make_column(self._make_question(), *levels, self._fields(), self._foot(), None))
        self._group.idToggled.connect(lambda _id, on: self._on_level() if on else None)
        for line in (self.reason, self.allowed_by, self.hosts):
            line.textChanged.connect(lambda _text: self._update_button())
            line.returnPressed.connect(self._request_set)
        for way in self.ways.values():
            way.toggled.connect(lambda _on: self._update_button())
        self.show_policy(self._shown, writable=True)

    def show_policy(self, policy: Policy, *, writable: bool) -> None:
        """Show the policy that counts; what was typed and not set is dropped."""
        self._shown, self._writable = policy, writable
        self.question.hide()
        self.levels[policy.level].setChecked(True)
        self.reason.setText(policy.reason)
        self.allowed_by.setText(policy.allowed_by)
        self.hosts.setText(", ".join(policy.hosts))
        for key, way in self.ways.items():
            way.setChecked(bool(getattr(policy, key)))
        for part in (*self.levels.values(), self.reason, self.allowed_by, self.hosts, *self.ways.values()):
            part.setEnabled(writable)
        self._update_button()

    def entered_policy(self) -> Policy:
        """Return what is chosen and typed."""
        level = next(level for level, button in self.levels.items() if button.isChecked())
        hosts = tuple(part.strip() for part in self.hosts.text().replace(";", ",").split(",") if part.strip())
        ways = {key: way.isChecked() for key, way in self.ways.items()}
        texts = (self.reason.text().strip(), self.allowed_by.text().strip())
        reason, allowed_by = ("", "") if level is EgressLevel.NOTHING else texts
        return Policy(level, reason, allowed_by, hosts, **ways)

    def ask_confirmation(self, policy: str) -> None:
        """Ask whether a policy that the study's file says is to be in force here, until the next `show_policy`."""
        self.asked.setText(policy)
        self.confirm.setEnabled(self._writable)
        self.question.show()

    def focus_level(self) -> None:
        """Give the keys to the level that counts, not to the button that puts another policy in force."""
        self.levels[self._shown.level].setFocus()

    def show_problem(self, problem: str) -> None:
        """Say beside the button why something cannot be set."""
        self.note.setText(problem)

    def _make_question(self) -> QWidget:
        self.asked = PlainLabel(wordWrap=True, accessibleName=tr("Policy that is not in force"))
        self.confirm = push_button(
            tr("Put it in &force"),
            tr("Let this policy of the study's file hold on this machine, with all that it allows"),
            self.confirm_requested,
        )
        row = (self.asked, 1, (self.confirm, Qt.AlignmentFlag.AlignTop))
        self.question = make_panel(make_row(*row, margin=(0, 0, 0, theme.GRID), spacing=theme.GRID * 2))
        return self.question

    def _make_level(self, level: EgressLevel, meaning: str) -> QVBoxLayout:
        button = self.levels[level] = QRadioButton(self._names[level])
        button.setFont(theme.font(semibold=True))
        button.setToolTip(plain_tip(meaning))
        self._group.addButton(button)
        told = PlainLabel(meaning, wordWrap=True, look="quiet")
        told.setContentsMargins(_INDENT, 0, 0, 0)
        return make_column(button, told, spacing=0)

    def _fields(self) -> QFormLayout:
        return make_form(
            (tr("&Reason"), self.reason),
            (tr("Allowed &by"), self.allowed_by),
            (tr("Only &to"), self.hosts),
            ("", make_row(*self.ways.values(), None, spacing=theme.GRID * 2)),
            ("", self.unencrypted),
        )

    def _foot(self) -> QHBoxLayout:
        self.note = PlainLabel(wordWrap=True, accessibleName=tr("What is missing"))
        self.put = push_button(
            tr("Set policy"),
            tr("Set this as the policy of the study (Return in a field); undo does not reach it"),
            self._request_set,
        )
        return make_row(self.note, 1, self.put)

    def _on_level(self) -> None:
        """Ask again why and who allowed it: what was said for another level does not stand for this one."""
        same = self.levels[self._shown.level].isChecked()
        for line, said in ((self.reason, self._shown.reason), (self.allowed_by, self._shown.allowed_by)):
            if line.text() == ("" if same else said):
                line.setText(said if same else "")
        self._update_button()

    def _update_button(self) -> None:
        """Say what pressing the button would do, or why it cannot be pressed."""
        wanted = self.entered_policy()
        raised = wanted.level is not EgressLevel.NOTHING
        for line in (self.reason, self.allowed_by):
            line.setEnabled(self._writable and raised)
        self._stress_unencrypted(wanted.unencrypted)
        differs = wanted != self._shown
        problem = self._missing(wanted) if differs else ""
        self.put.setEnabled(self._writable and differs and not problem)
        self.put.setText(_BUTTONS[wanted.level] if wanted.level is not self._shown.level else tr("Set policy"))
        if not self._writable:
            self.note.setText(tr("This study is read-only, so its policy cannot be changed."))
        elif problem:
            self.note.setText(problem)
        else:
            self.note.setText(tr("Not set yet.") if differs else "")

    def _stress_unencrypted(self, stressed: bool) -> None:
        self.unencrypted.setProperty("quiet", "false" if stressed else "true")
        self.unencrypted.style().unpolish(self.unencrypted)
        self.unencrypted.style().polish(self.unencrypted)

    def _request_set(self) -> None:
        if self.put.isEnabled():
            self.set_requested.emit(self.entered_policy())


_WIDTHS = (168, 104, 200, 208, 120, 190, 140, 230)
"""Pixels that every column but the last needs at most; it has more where there is room."""
POLL_INTERVAL_MS = 1000
_COLOURS = {EgressOutcome.LEFT: "uncertain", EgressOutcome.STAYED: "text", EgressOutcome.REFUSED: "error"}
_INTRO = tr(
    "Every request is written down here before it is sent, also those that are refused and those to this machine. "
    "Keys and what was sent are not in it, only how much and its checksums."
)


class PolicyWindow(StudyView):
    """Shows and sets the policy of the study, and shows what became of each request."""

    title = tr("What leaves this machine")
    preferred_size = (1440, 840)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._lines: list[EgressLogRow] = []
        self._count = -1
        self.form = PolicyForm(
            {level: tr(words) for level, words in LEVEL_NAMES.items()},
            {level: tr(words) for level, words in LEVEL_MEANINGS.items()},
            policy_problem,
            tr(UNENCRYPTED),
        )
        self.fate = ChoiceBox(
            tr("Which requests"), tr("Show only what left, what stayed on this machine, or what was refused")
        )
        self.fate.addItem(tr("All requests"), None)
        for fate, words in OUTCOME_TEXTS.items():
            self.fate.addItem(
                tr("Requests that {words}").format(words=words)
                if fate is not EgressOutcome.REFUSED
                else tr("Refused requests"),
                fate,
            )
        self.words = line_edit(
            tr("Filter"),
            tr("Filter by host, judge, recording, rule…"),
            tr("Show only requests in which all of these words stand"),
            clearButtonEnabled=True,
        )
        self.table = RecordTable(
            tr("Requests"),
            [_request_column(place) for place in range(len(TABLE_HEAD))],
            key=lambda row: row.egress.id,
            empty=tr("Each request is written down here before it is sent."),
            follows_end=True,
        )
        self.table.setToolTip(tr("Double-click a request to see its segment"))
        self.total = PlainLabel(wordWrap=True, accessibleName=tr("Totals"))
        self._timer = QTimer(self, interval=POLL_INTERVAL_MS)
        self._arrange()
        self._connect_signals()

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        return POLICY_PROPERTY in changes.ids("property")

    def reload(self, session: Session) -> None:
        self._show_policy(session)
        self._fit_form()
        self._count = -1
        self._poll_journal()

    def set_policy(self, wanted: Policy) -> None:
        """Set the policy of the study; undo does not reach it."""
        problems: list[str] = []

        def do(session: Session) -> Changes | None:
            before = policy_in_file(session)
            try:
                return set_policy(session, wanted)
            except UserError as error:
                problems.append(str(error))
                # What closes the study is set also where this machine cannot note it.
                return (
                    Changes.from_pairs([("property", POLICY_PROPERTY)]) if policy_in_file(session) != before else None
                )

        self.edit(do)
        for problem in problems:
            self.form.show_problem(problem)

    def confirm_policy(self) -> None:
        """Put the policy that the study's file says in force on this machine."""
        if self._studio.session is not None:
            self.set_policy(policy_in_file(self._studio.session))

    def _arrange(self) -> None:
        what = PlainLabel(_INTRO, wordWrap=True, look="quiet")
        journal = make_tab_page(what, make_row(self.fate, self.words, 1), self.table, 1, self.total)
        self._split = make_splitter(Qt.Orientation.Vertical, self.form, journal, 1)
        self.save = push_button(
            tr("&Save as CSV…"),
            tr("Write the requests that are shown to a table, with the checksums of what was sent"),
            self._save_csv,
        )
        self.lay_out(self._split, 1, foot=(self.save,))

    def _connect_signals(self) -> None:
        self.form.set_requested.connect(self.set_policy)
        self.form.confirm_requested.connect(self.confirm_policy)
        self.fate.currentIndexChanged.connect(lambda _place: self._show())
        self.words.textChanged.connect(lambda _text: self._show())
        self.table.opened.connect(self._go_to)
        self._timer.timeout.connect(self._poll_journal)

    def _show_policy(self, session: Session) -> None:
        self.form.show_policy(policy_in_force(session), writable=self._studio.writable)
        if needs_confirmation(session):
            says = tr("Nothing leaves. The study's file says:")
            self.form.ask_confirmation("\n".join([tr(UNCONFIRMED), says, *describe_policy(policy_in_file(session))]))

    def _fit_form(self) -> None:
        """Give the form the height that it needs, with or without a question, and the journal the rest."""
        height = self.form.heightForWidth(self._split.contentsRect().width())
        self._split.setSizes([height, self.height() - height])

    def _poll_journal(self) -> None:
        """Read the journal again where something was written to it: jobs of other windows and programs write too."""
        session = self._studio.session
        if session is None or (count := count_egress(session.study)) == self._count:
            return
        try:
            self._lines = read_log(session)
        except UserError as error:
            self.tell(error)
            return
        self._count = count
        self._show()

    def _show(self) -> None:
        shown = self.filtered_requests()
        self.table.show_records(shown)
        said = "  ·  ".join(total.text for total in compute_totals(shown) if total.requests)
        self.total.setText(said or (tr("No request was made.") if not self._lines else tr("No request is like that.")))
        self.save.setEnabled(bool(shown))

    def filtered_requests(self) -> list[EgressLogRow]:
        """Return the requests that the filter lets through."""
        fate, words = self.fate.currentData(), self.words.text().casefold().split()
        return [
            line
            for line in self._lines
            if fate in (None, line.outcome) and all(word in " ".join(line.cells()).casefold() for word in words)
        ]

    def _go_to(self, line: EgressLogRow) -> None:
        session = self._studio.session
        if session is None or not line.egress.request.recording_id:
            return
        found = find_segment(session.study, line.egress.request.segment_id)
        self._context.look_at(line.egress.request.recording_id, found.start_us if found else 0)

    def _save_csv(self) -> None:
        session = self._studio.session
        if session is None:
            return
        place = self._context.questions.save(tr("Save requests"), session.study.folder / "requests.csv", tr("Tables"))
        if place is None:
            return
        try:
            write_table(self.filtered_requests(), place)
        except UserError as error:
            self.tell(error)
        else:
            self.tell(tr("Saved {name}.").format(name=place.name))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.form.focus_level()
            self._fit_form()
        self._poll_journal()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)


def _request_column(place: int) -> RecordColumn[EgressLogRow]:
    return RecordColumn(
        TABLE_HEAD[place],
        lambda row: row.cells()[place],
        width=_WIDTHS[place] if place < len(_WIDTHS) else 0,
        number=False,
        colour=(lambda row: _COLOURS[row.outcome]) if TABLE_HEAD[place] == tr("Result") else None,
    )
