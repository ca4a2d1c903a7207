"""The panel that verifies one question.

It has the options, a checklist, a difficulty label, a note, a correction and the decision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.gui.questions.question_list import Check, PriorVerification, ShownQuestion
from project.entities.questions import LETTERS
from project.schemes.scheme import FieldChoice
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickRow
from widgets.form.controls import line_edit, push_button, text_area, tool_button
from widgets.form.input_fields import ChoiceBox, NoteEdit
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area
from widgets.text_labels import ElidedLabel, PlainLabel, describe, plain_tip
from widgets.theme import pixmap

_FIELD_LINES = 3
_CTRL = Qt.KeyboardModifier.ControlModifier


@dataclass(frozen=True, slots=True)
class QuestionFormValues:
    """What stands in the form."""

    text: str = ""
    answer: str = ""
    wrong: tuple[str, ...] = ()
    explanation: str = ""


class QuestionFields(QWidget):
    """The fields, and a line on what is wrong with what stands there.

    Signals:
        changed: something was typed.
        save_requested: Ctrl+Return was pressed in a field.
        cancelled: Esc was pressed in a field.
    """

    changed = Signal()
    save_requested = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(theme.GRID // 2)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.text = self._area(tr("Question"))
        self.answer = self._line(tr("Right option"))
        self._wrong: list[QLineEdit] = []
        self.explanation = self._area(tr("Why it is right"))
        self.told = PlainLabel(wordWrap=True, look="muted")
        self._form.addRow(self.told)

    @property
    def wrong(self) -> list[QLineEdit]:
        """The fields of the wrong options."""
        return [*self._wrong]

    def set_values(self, words: QuestionFormValues, wrong: int) -> None:
        """Fill the form, with so many wrong options; no signal."""
        while len(self._wrong) < wrong:
            self._wrong.append(
                self._line(tr("Wrong option {value}").format(value=len(self._wrong) + 1), 2 + len(self._wrong))
            )
        while len(self._wrong) > wrong:
            self._form.removeRow(self._wrong.pop())
        filled: list[tuple[QLineEdit | QPlainTextEdit, str]] = [
            *((self.text, words.text), (self.answer, words.answer), (self.explanation, words.explanation)),
            *zip(self._wrong, [*words.wrong, *[""] * wrong], strict=False),
        ]
        for field, text in filled:
            blocked = field.blockSignals(True)
            if isinstance(field, QLineEdit):
                field.setText(text)
            else:
                field.setPlainText(text)
            field.blockSignals(blocked)

    def values(self) -> QuestionFormValues:
        """Return what stands in the form."""
        return QuestionFormValues(
            self.text.toPlainText().strip(),
            self.answer.text().strip(),
            tuple(line.text().strip() for line in self._wrong),
            self.explanation.toPlainText().strip(),
        )

    def show_problem(self, reason: str, fine: str) -> None:
        """Say what is wrong, or that nothing is."""
        self.told.setText(reason or fine)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress) or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        saves = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() & _CTRL
        if not saves and event.key() != Qt.Key.Key_Escape:
            return super().eventFilter(watched, event)
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            (self.save_requested if saves else self.cancelled).emit()
        return True

    def _area(self, name: str) -> QPlainTextEdit:
        field = text_area(name, tabChangesFocus=True)
        field.setFixedHeight(_FIELD_LINES * field.fontMetrics().lineSpacing() + theme.GRID * 2)
        field.textChanged.connect(self.changed)
        self._add(name, field)
        return field

    def _line(self, name: str, place: int = -1) -> QLineEdit:
        field = line_edit(name)
        field.textChanged.connect(lambda _text: self.changed.emit())
        self._add(name, field, place)
        return field

    def _add(self, name: str, field: QWidget, place: int = -1) -> None:
        field.installEventFilter(self)
        label = PlainLabel(name)
        if place < 0:
            self._form.addRow(label, field)
        else:
            self._form.insertRow(place, label, field)


_MARK_SIDE = 16


class OptionRow(QFrame):
    """One option: its letter, its text, and a mark once it is known which one is right.

    Signals:
        pressed: it was clicked.
    """

    pressed = Signal()

    def __init__(self, letter: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = push_button(
            letter,
            tr("This is my answer ({value})").format(value=LETTERS.index(letter) + 1),
            self.pressed,
            name=tr("Option {letter}: {text}").format(letter=letter, text=text),
            look="segment",
            checkable=True,
        )
        self.button.setFixedWidth(theme.GRID * 4)
        self.words = PlainLabel(text, wordWrap=True)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.mark = PlainLabel()
        self.mark.setFixedWidth(_MARK_SIDE)
        self.setLayout(
            make_row(
                (self.button, Qt.AlignmentFlag.AlignTop), self.words, 1, self.mark, margin=(0, 2, theme.GRID // 2, 2)
            )
        )

    def show_mark(self, *, right: bool | None, own: bool) -> None:
        """Mark it as right, as wrong where it was the own answer, or not at all (None)."""
        colours = theme.palette()
        self.button.setChecked(own)
        self.words.setFont(theme.font(semibold=bool(right)))
        self.mark.setToolTip(tr("The right one") if right else "")
        if right:
            self.mark.setPixmap(pixmap("circle-check", _MARK_SIDE, colours.competence, self.devicePixelRatioF()))
        elif right is False and own:
            self.mark.setPixmap(pixmap("circle-x", _MARK_SIDE, colours.error, self.devicePixelRatioF()))
        else:
            self.mark.clear()


class OptionsView(QWidget):
    """Shows options; which one is right is hidden until somebody answers, or wants to see it.

    Signals:
        revealed: it is shown which one is right.
    """

    revealed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = make_column(spacing=0)
        self.setLayout(self._column)
        self.rows: list[OptionRow] = []
        self._right = -1
        self.own = -1
        self.known = False

    def show_options(self, options: Sequence[str], right: int, *, known: bool) -> None:
        """Show other options; `known` marks the right one at once."""
        for row in self.rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self.rows = []
        self._right, self.own, self.known = right, -1, known
        for letter, text in zip(LETTERS, options, strict=False):
            row = OptionRow(letter, text)
            row.pressed.connect(lambda row=row: self.choose_answer(self.rows.index(row)))
            self.rows.append(row)
            self._column.addWidget(row)
        self._mark()

    def choose_answer(self, place: int) -> None:
        """Take one as the own answer, and show which one is right."""
        if 0 <= place < len(self.rows):
            self.own = place
            self.reveal()

    def reveal(self) -> None:
        """Show which one is right."""
        self.known = True
        self._mark()
        self.revealed.emit()

    def _mark(self) -> None:
        for place, row in enumerate(self.rows):
            row.show_mark(right=place == self._right if self.known else None, own=place == self.own)


KEEP, CORRECT, DROP = "keep", "correct", "drop"
_CHECK_KEYS = ("6", "7", "8", "9", "0")
_DECISIONS = (
    (KEEP, tr("Keep"), "circle-check", "Y", tr("Every check holds: the question is good as it is")),
    (CORRECT, tr("Correct"), "pencil", "C", tr("Change its words, and say that it is good then")),
    (DROP, tr("Drop"), "circle-x", "X", tr("The question is not used")),
)


class VerifyPanel(QWidget):
    """Shows a question and says what the verifier wants.

    Signals:
        decided (str): `keep` or `drop`; `verification` returns what is ticked.
        corrected (QuestionFormValues): the question as it should be.
        withdraw_requested: take back what was said.
        step_requested (int): 1 for the next question, -1 for the previous one.
        repeat_requested: play the span again and again, or stop doing so.
        form_changed (QuestionFormValues): what stands in the form of a correction now.
    """

    decided = Signal(str)
    corrected = Signal(object)
    withdraw_requested = Signal()
    step_requested = Signal(int)
    repeat_requested = Signal()
    form_changed = Signal(object)

    def __init__(
        self,
        checklists: Mapping[str, tuple[str, Sequence[Check]]],
        difficulties: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._checklists = checklists
        self._shown: ShownQuestion | None = None
        self._ticks: dict[str, TickRow] = {}
        self.head = ElidedLabel(look="muted")
        self.notice, self.text, self.why, self.others = (_make_text_label() for _ in range(4))
        self.text.setFont(theme.font(theme.POINTS + 1, semibold=True))
        self.options = OptionsView()
        self.options.revealed.connect(self._show_explanation)
        self.form = QuestionFields()
        self.form.changed.connect(lambda: self.form_changed.emit(self.form.values()))
        body = make_column(
            self.head,
            self.notice,
            self.text,
            self.options,
            self.form,
            self.why,
            self._make_checks(),
            self.others,
            None,
            margin=(0, 0, theme.GRID // 2, 0),
        )
        area = make_scroll_area(make_panel(body))
        self.setLayout(make_column(area, 1, self._make_difficulty(difficulties), self._make_foot()))
        self._edit(on=False)

    # What is shown

    def show_question(self, shown: ShownQuestion) -> None:
        """Show a question; one that is shown already keeps what was ticked and typed."""
        same = self._shown is not None and (self._shown.id, self._shown.options, self._shown.verification) == (
            shown.id,
            shown.options,
            shown.verification,
        )
        self._shown = shown
        self.head.set_text(shown.head)
        _set_text(self.notice, shown.notice)
        self.text.setText(shown.text)
        _set_text(self.others, "\n".join(shown.others))
        if not same:
            self.options.show_options(shown.options, shown.correct_index, known=bool(shown.verification.decision))
            self._edit(on=False)
            self.checklist.setCurrentIndex(max(self.checklist.findData(shown.checklist), 0))
            self._fill(shown.verification)
        self._show_explanation()
        for button in self._buttons.values():
            button.setEnabled(not shown.reason)
            button.setToolTip(plain_tip(shown.reason or str(button.property("usual"))))
        self.withdraw.setEnabled(bool(shown.verification.decision) and not shown.reason)
        for field in (self.note, self._checks, self._difficulty):
            field.setEnabled(not shown.reason)

    def current_question(self) -> ShownQuestion | None:
        """Return what is shown."""
        return self._shown

    def verification(self) -> PriorVerification:
        """Return what is ticked, labelled and noted."""
        ticked = tuple(key for key, row in self._ticks.items() if row.isChecked())
        label = next((key for key, button in self._labels.items() if button.isChecked()), "")
        return PriorVerification(ticked, label, self.note.text())

    def chosen_checklist(self) -> str:
        """Return the key of the checklist."""
        return str(self.checklist.currentData())

    # What keys and buttons do

    def choose_answer(self, place: int) -> None:
        """Answer the question oneself."""
        if self.form.isHidden():
            self.options.choose_answer(place)

    def reveal(self) -> None:
        """Show which option is right."""
        self.options.reveal()

    def toggle_check(self, place: int) -> None:
        """Tick a point of the checklist, or not."""
        rows = [*self._ticks.values()]
        if place < len(rows) and rows[place].isEnabled():
            rows[place].toggle()

    def toggle_all_checks(self) -> None:
        """Tick all points, or none where all are ticked."""
        rows = [row for row in self._ticks.values() if row.isEnabled()]
        on = not all(row.isChecked() for row in rows)
        for row in rows:
            row.setChecked(on)

    def cycle_difficulty(self) -> None:
        """Choose the next label, and none after the last."""
        keys = ["", *self._labels]
        following = keys[(keys.index(self.verification().difficulty) + 1) % len(keys)]
        self._set_difficulty(following)

    def write_note(self) -> None:
        """Let the verifier type a note."""
        if self.note.isEnabled():
            self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.note.selectAll()

    def decide(self, decision: str) -> None:
        """Do what a button does, where it can be pressed."""
        if not self._buttons[decision].isEnabled() or (self.is_editing() and decision != CORRECT):
            return
        if decision != CORRECT:
            self.decided.emit(decision)
        elif self.form.isHidden():
            self._edit(on=True)
        else:
            self.corrected.emit(self.form.values())

    def stop_editing(self) -> None:
        """Leave the words as they are."""
        self._edit(on=False)

    def is_editing(self) -> bool:
        """Tell whether the words are being corrected."""
        return not self.form.isHidden()

    def request_withdrawal(self) -> None:
        """Take back what was said."""
        if self.withdraw.isEnabled():
            self.withdraw_requested.emit()

    # Parts

    def _make_checks(self) -> QWidget:
        self._checks = QWidget()
        self._rows = QGridLayout(self._checks)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self.checklist = ChoiceBox(tr("Checklist"), tr("What is checked"))
        for key, (name, _checks) in self._checklists.items():
            self.checklist.addItem(name, key)
        self.checklist.currentIndexChanged.connect(lambda _at: self._list_checks())
        self._list_checks()
        return self._checks

    def _list_checks(self) -> None:
        for row in self._ticks.values():
            self._rows.removeWidget(row)
            row.deleteLater()
        self._ticks = {}
        for key, check in zip(_CHECK_KEYS, self._checklists[self.chosen_checklist()][1], strict=False):
            row = TickRow(FieldChoice(check.key, check.name, check.meaning, shortcut=key))
            row.setMinimumWidth(0)
            place = len(self._ticks)
            self._rows.addWidget(row, place // 2, place % 2)
            self._ticks[check.key] = row

    def _make_difficulty(self, difficulties: Sequence[str]) -> QWidget:
        label = PlainLabel(tr("Difficulty (D)"), look="muted")
        row = make_row(label, spacing=theme.GRID // 2)
        self._difficulty = make_panel(row)
        self._labels: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        group.setExclusive(False)
        for key in difficulties:
            button = push_button(
                key.capitalize(),
                tr("The question is {key} (D goes on to the next label)").format(key=key),
                lambda on, key=key: self._set_difficulty(key if on else ""),
                name=tr("Difficulty: {key}").format(key=key),
                look="segment",
                checkable=True,
            )
            group.addButton(button)
            row.addWidget(button, 1)
            self._labels[key] = button
        self.checklist.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.checklist.setMinimumContentsLength(8)
        row.addWidget(self.checklist, 3)
        return self._difficulty

    def _make_foot(self) -> QWidget:
        self.note = NoteEdit(placeholderText=tr("Note (T)"))
        describe(
            self.note, tr("Note on this question"), tr("Why; saved with what you say (T; Return goes back to the keys)")
        )
        self.known = tool_button("info", tr("Show which option is right"), do=self.reveal, keys="V")
        self.withdraw = tool_button(
            "undo-2", tr("Take back your verification of this question"), do=self.request_withdrawal, keys="W"
        )
        tools = (
            self.known,
            self.withdraw,
            tool_button("skip-back", tr("Previous question"), do=lambda: self.step_requested.emit(-1), keys="P"),
            tool_button("skip-forward", tr("Next question"), do=lambda: self.step_requested.emit(1), keys="N"),
            tool_button("repeat", tr("Repeat the span of this question"), do=self.repeat_requested, keys="R"),
        )
        self._buttons: dict[str, QPushButton] = {}
        for key, name, picture, letter, tip in _DECISIONS:
            self._buttons[key] = push_button(
                f" {name} ({letter})",
                do=lambda _=False, key=key: self.decide(key),
                name=tr("{name} this question").format(name=name),
                icon=picture,
                focusPolicy=Qt.FocusPolicy.TabFocus,
            )
            self._buttons[key].setProperty("usual", f"{tip} ({letter})")
        self.leave = push_button(
            tr("Leave as it was (Esc)"),
            tr("Do not change its words (Esc)"),
            self.stop_editing,
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )
        upper = make_row(self.note, 1, *tools, spacing=theme.GRID // 2)
        lower = make_row(*(part for button in (*self._buttons.values(), self.leave) for part in (button, 1)))
        return make_panel(make_column(upper, lower, spacing=theme.GRID // 2))

    def _edit(self, *, on: bool) -> None:
        shown = self._shown
        if on and shown is not None:
            self.form.set_values(
                QuestionFormValues(shown.text, shown.answer, shown.wrong, shown.explanation), len(shown.wrong)
            )
            self.form.show_problem(
                "", tr("Ctrl+Return saves it, and says that every check holds then. Esc leaves it as it was.")
            )
        self.form.setVisible(on)
        self.text.setVisible(not on)
        self.options.setVisible(not on)
        self.leave.setVisible(on)
        for key in (KEEP, DROP):
            self._buttons[key].setVisible(not on)
        self._buttons[CORRECT].setText(tr(" Save correction (Ctrl+Return)") if on else tr(" Correct (C)"))
        if on:
            self.form.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._show_explanation()

    def _show_explanation(self) -> None:
        shown = self._shown
        told = shown.explanation if shown is not None and self.options.known and self.form.isHidden() else ""
        _set_text(self.why, tr("Why: {told}").format(told=told) if told else "")

    def _fill(self, said: PriorVerification) -> None:
        for key, row in self._ticks.items():
            row.setChecked(key in said.checks)
        self._set_difficulty(said.difficulty)
        self.note.setText(said.note)

    def _set_difficulty(self, wanted: str) -> None:
        for key, button in self._labels.items():
            button.setChecked(key == wanted)


def _make_text_label() -> QLabel:
    label = PlainLabel(wordWrap=True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label


def _set_text(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))
