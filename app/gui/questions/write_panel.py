"""Panels to write an adversarial question, and to ask judges a question and show their answers."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.gui.questions.question_list import AnswerRow
from app.gui.questions.verify_panel import QuestionFields, QuestionFormValues
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickMenu, TickMenuItem
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_row, make_scroll_area
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel, plain_tip

_OUTCOME_ICONS = {"right": "circle-check", "wrong": "circle-x"}


class AskBar(QWidget):
    """Judges to tick, a setting, a button, a line on what is going on, and a table of answers.

    Signals:
        ask_requested: ask those who are ticked.
        add_requested: add a judge to the study.
    """

    ask_requested = Signal()
    add_requested = Signal()

    def __init__(
        self, verb: str, settings: Mapping[str, str], parent: QWidget | None = None, *, all_too: bool = False
    ) -> None:
        super().__init__(parent)
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.judges.set_actions({"add": tr("Add a judge…")}, {})
        self.judges.action_requested.connect(lambda _act, _key: self.add_requested.emit())
        self.setting = ChoiceBox(tr("Setting"), tr("How much of the moment the judges are shown"), settings)
        self.ask = push_button(f" {verb}", do=self.ask_requested, name=verb, icon="play")
        self._verb = verb
        self.ask_all = push_button(tr("{verb} all listed").format(verb=verb))
        if not all_too:
            self.ask_all.hide()
        self.told = PlainLabel(wordWrap=True, look="muted")
        self.answers = RecordTable(
            tr("What judges answered"), text_columns((tr("Judge"), tr("Setting"), tr("Option"), tr("Outcome")))
        )
        self.setLayout(
            make_column(
                make_row(self.judges, 1, self.setting, 1, self.ask, self.ask_all, spacing=theme.GRID // 2),
                self.told,
                self.answers,
                1,
                None,
                0,
                spacing=theme.GRID // 2,
            )
        )

    def set_judges(self, judges: Sequence[TickMenuItem]) -> None:
        """Offer these judges."""
        self.judges.set_entries(judges)

    def chosen_setting(self) -> str:
        """Return the key of the setting."""
        return str(self.setting.currentData())

    def set_ask_enabled(self, reason: str) -> None:
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

    def show_status(self, text: str) -> None:
        """Say what is going on."""
        self.told.setText(text)
        self.told.setVisible(bool(text))

    def show_answers(self, rows: Sequence[AnswerRow], hidden: str = "") -> None:
        """Show what was answered, or say why it is hidden."""
        self.answers.setVisible(not hidden)
        if hidden:
            self.show_status(hidden)
        self.answers.show_records(
            [
                TableRow(
                    row.key, (row.judge, row.setting, row.letter, row.outcome), _OUTCOME_ICONS.get(row.outcome, "info")
                )
                for row in rows
            ]
        )


class WritePanel(QWidget):
    """A form about the chosen span; trying it saves it first.

    Signals:
        changed: something was typed.
        new_requested: begin another question.
        save_requested: save it as it stands.
    """

    changed = Signal()
    new_requested = Signal()
    save_requested = Signal()

    def __init__(self, settings: Mapping[str, str], wrong: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wrong = wrong
        self.span = PlainLabel()
        self.take = push_button(
            tr("Take the span"),
            tr("Take the span of what is selected on the timeline, or the marked one"),
        )
        self.new = push_button(tr(" New"), tr("Begin another question"), self.new_requested, icon="file-plus")
        self.fields = QuestionFields()
        self.fields.set_values(QuestionFormValues(), wrong)
        self.fields.changed.connect(self.changed)
        area = make_scroll_area(self.fields)
        self.state = PlainLabel(wordWrap=True)
        self.save = push_button(tr("Save as a draft"), tr("Keep it without trying it on judges"), self.save_requested)
        self.draft = push_button(
            tr("Draft a chain from the explanation"),
            tr("A judge draws a chain from the explanation, to be corrected in the mode Chains"),
        )
        self.asking = AskBar(tr("Try it"), settings)
        self.setLayout(
            make_column(
                make_row(self.span, 1, self.take, self.new, spacing=theme.GRID // 2),
                area,
                4,
                self.state,
                make_row(self.save, self.draft, None),
                self.asking,
                1,
            )
        )

    def set_values(self, words: QuestionFormValues) -> None:
        """Fill the form."""
        self.fields.set_values(words, max(self._wrong, len(words.wrong)))

    def values(self) -> QuestionFormValues:
        """Return what stands in the form."""
        return self.fields.values()
