"""The form of a policy: one of three levels, who allowed it and why, to whom, and four ways out that begin shut."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from project.policy import Level, Policy
from resources.translation import tr
from widgets import theme
from widgets.plain_label import NoteInForm, PlainLabel, add_row
from widgets.plain_tip import plain_tip

_BUTTONS = {
    Level.NOTHING: tr("Let nothing leave"),
    Level.ANONYMIZED: tr("Let reviewed renderings leave"),
    Level.RAW: tr("Let raw footage leave"),
}
_INDENT = 22
"""Pixels from the left edge of a choice to its text."""
_WAYS = {
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
        confirm_requested: the policy that `ask_about` told of is to be put in force.
    """

    set_requested = Signal(object)
    confirm_requested = Signal()

    def __init__(
        self,
        names: Mapping[Level, str],
        meanings: Mapping[Level, str],
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
        self.levels: dict[Level, QRadioButton] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self._question())
        for level in Level:
            column.addLayout(self._choice(level, meanings[level]))
        self.reason = _line(tr("Reason"), tr("Why raw footage has to leave, in three words or more"))
        self.allowed_by = _line(tr("Allowed by"), tr("Who allowed it, such as a board and its number"))
        self.hosts = _line(
            tr("Only to"), tr("Machines such as api.openai.com, separated by commas; empty for any judge's")
        )
        self.unencrypted = NoteInForm(unencrypted)
        self.ways = {key: _tick(text, tip) for key, (text, tip) in _WAYS.items()}
        column.addLayout(self._fields())
        column.addLayout(self._foot())
        column.addStretch(1)
        self._group.idToggled.connect(lambda _id, on: self._on_level() if on else None)
        for line in (self.reason, self.allowed_by, self.hosts):
            line.textChanged.connect(lambda _text: self._look())
            line.returnPressed.connect(self._ask)
        for way in self.ways.values():
            way.toggled.connect(lambda _on: self._look())
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
        self._look()

    def wanted(self) -> Policy:
        """Return what is chosen and typed."""
        level = next(level for level, button in self.levels.items() if button.isChecked())
        hosts = tuple(one.strip() for one in self.hosts.text().replace(";", ",").split(",") if one.strip())
        ways = {key: way.isChecked() for key, way in self.ways.items()}
        texts = (self.reason.text().strip(), self.allowed_by.text().strip())
        reason, allowed_by = ("", "") if level is Level.NOTHING else texts
        return Policy(level, reason, allowed_by, hosts, **ways)

    def ask_about(self, policy: str) -> None:
        """Ask whether a policy that the study's file says is to be in force here, until the next `show_policy`."""
        self.asked.setText(policy)
        self.confirm.setEnabled(self._writable)
        self.question.show()

    def focus_level(self) -> None:
        """Give the keys to the level that counts, not to the button that puts another policy in force."""
        self.levels[self._shown.level].setFocus()

    def tell(self, problem: str) -> None:
        """Say beside the button why something cannot be set."""
        self.note.setText(problem)

    def _question(self) -> QWidget:
        self.question = QWidget()
        row = QHBoxLayout(self.question)
        row.setContentsMargins(0, 0, 0, theme.GRID)
        row.setSpacing(theme.GRID * 2)
        self.asked = PlainLabel(wordWrap=True)
        self.asked.setAccessibleName(tr("Policy that is not in force"))
        self.confirm = QPushButton(tr("Put it in &force"))
        self.confirm.setToolTip(tr("Let this policy of the study's file hold on this machine, with all that it allows"))
        self.confirm.clicked.connect(self.confirm_requested)
        row.addWidget(self.asked, 1)
        row.addWidget(self.confirm, 0, Qt.AlignmentFlag.AlignTop)
        return self.question

    def _choice(self, level: Level, meaning: str) -> QVBoxLayout:
        button = self.levels[level] = QRadioButton(self._names[level])
        button.setFont(theme.font(semibold=True))
        button.setToolTip(plain_tip(meaning))
        self._group.addButton(button)
        told = PlainLabel(meaning, wordWrap=True)
        told.setProperty("quiet", "true")
        told.setContentsMargins(_INDENT, 0, 0, 0)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(button)
        column.addWidget(told)
        return column

    def _fields(self) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(theme.GRID)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for line, text in (
            (self.reason, tr("&Reason")),
            (self.allowed_by, tr("Allowed &by")),
            (self.hosts, tr("Only &to")),
        ):
            add_row(form, text, line)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID * 2)
        for way in self.ways.values():
            row.addWidget(way)
        row.addStretch()
        form.addRow("", row)
        form.addRow("", self.unencrypted)
        return form

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.note = PlainLabel(wordWrap=True)
        self.note.setAccessibleName(tr("What is missing"))
        self.put = QPushButton(tr("Set policy"))
        self.put.setToolTip(tr("Set this as the policy of the study (Return in a field); undo does not reach it"))
        self.put.clicked.connect(self._ask)
        row.addWidget(self.note, 1)
        row.addWidget(self.put)
        return row

    def _on_level(self) -> None:
        """Ask anew why and who allowed it: what was said for another level does not stand for this one."""
        same = self.levels[self._shown.level].isChecked()
        for line, said in ((self.reason, self._shown.reason), (self.allowed_by, self._shown.allowed_by)):
            if line.text() == ("" if same else said):
                line.setText(said if same else "")
        self._look()

    def _look(self) -> None:
        """Say what pressing the button would do, or why it cannot be pressed."""
        wanted = self.wanted()
        raised = wanted.level is not Level.NOTHING
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

    def _ask(self) -> None:
        if self.put.isEnabled():
            self.set_requested.emit(self.wanted())


def _line(name: str, tip: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setPlaceholderText(tip)
    line.setToolTip(plain_tip(tip))
    return line


def _tick(text: str, tip: str) -> QCheckBox:
    tick = QCheckBox(text)
    tick.setToolTip(plain_tip(tip))
    return tick
