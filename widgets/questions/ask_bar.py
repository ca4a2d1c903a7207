"""Which judges are asked a question, in which setting, and what they answered."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.judges.tick_menu import Entry, TickMenu
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.questions.shown import AnswerRow
from widgets.rows_table import Row, RowsTable

_OUTCOMES = {"right": "circle-check", "wrong": "circle-x"}


class AskBar(QWidget):
    """Judges to tick, a setting, a button, a line on what is going on, and a table of answers.

    Signals:
        ask_requested: ask those who are ticked.
        ask_all_requested: the same about all questions that are listed.
        add_requested: add a judge to the study.
    """

    ask_requested = Signal()
    ask_all_requested = Signal()
    add_requested = Signal()

    def __init__(
        self, verb: str, settings: Mapping[str, str], parent: QWidget | None = None, *, all_too: bool = False
    ) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.judges.set_acts({"add": tr("Add a judge…")}, {})
        self.judges.acted.connect(lambda _act, _key: self.add_requested.emit())
        self.setting = QComboBox()
        self.setting.setAccessibleName(tr("Setting"))
        self.setting.setToolTip(tr("How much of the moment the judges are shown"))
        for key, name in settings.items():
            self.setting.addItem(name, key)
        self.ask = QPushButton(f" {verb}")
        self.ask.setIcon(icon("play"))
        self.ask.setAccessibleName(verb)
        self._verb = verb
        self.ask.clicked.connect(self.ask_requested)
        row.addWidget(self.judges, 1)
        row.addWidget(self.setting, 1)
        row.addWidget(self.ask)
        self.ask_all = QPushButton(tr("{verb} all listed").format(verb=verb))
        self.ask_all.clicked.connect(self.ask_all_requested)
        self.ask_all.setVisible(all_too)
        row.addWidget(self.ask_all)
        column.addLayout(row)
        self.told = PlainLabel(wordWrap=True)
        self.told.setProperty("muted", True)
        column.addWidget(self.told)
        self.answers = RowsTable(tr("What judges answered"), (tr("Judge"), tr("Setting"), tr("Option"), tr("Outcome")))
        column.addWidget(self.answers, 1)
        column.addStretch()

    def set_judges(self, judges: Sequence[Entry]) -> None:
        """Offer these judges."""
        self.judges.set_entries(judges)

    def chosen_setting(self) -> str:
        """Return the key of the setting."""
        return str(self.setting.currentData())

    def set_askable(self, reason: str) -> None:
        """Let it be asked, or say why not."""
        self.ask.setEnabled(not reason)
        self.ask.setToolTip(plain_tip(reason or tr("{verb}: the judges that are ticked").format(verb=self._verb)))
        self.ask_all.setEnabled(not reason)
        self.ask_all.setToolTip(
            plain_tip(
                reason
                or tr("{verb}: the judges that are ticked, all questions that are listed").format(verb=self._verb)
            )
        )

    def say(self, text: str) -> None:
        """Say what is going on."""
        self.told.setText(text)
        self.told.setVisible(bool(text))

    def show_answers(self, rows: Sequence[AnswerRow], hidden: str = "") -> None:
        """Show what was answered, or say why it is hidden."""
        self.answers.setVisible(not hidden)
        if hidden:
            self.say(hidden)
        self.answers.show_rows(
            [
                Row(one.key, (one.judge, one.setting, one.letter, one.outcome), _OUTCOMES.get(one.outcome, "info"))
                for one in rows
            ]
        )
