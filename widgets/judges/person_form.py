"""The same task that judges are asked, as a form for a person: what is shown, in their words, and the answer."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from project.schemes.scheme import Scheme
from project.types import Participant
from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.judges.answer_panel import AnswerPanel
from widgets.own_window import OwnDialog
from widgets.room import within_screen

_SIZE = QSize(1080, 760)


class PersonForm(OwnDialog):
    """Shows one task and takes the answer; it shows nothing that anybody else said.

    Signals:
        saved (dict): the answer, by the keys of the fields.
    """

    saved = Signal(dict)

    def __init__(
        self, title: str, scheme: Scheme, track: str, people: Sequence[Participant], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(within_screen(_SIZE, self))
        self.panel = AnswerPanel(scheme, track, people)
        self.form, self.words, self.pictures = self.panel.form, self.panel.words, self.panel.pictures
        self.form.value_changed.connect(lambda _field, _value: self.say(""))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.panel, 1)
        self.buttons = DialogButtons(self, tr("Save answer"), tr("Nothing is saved"))
        self.buttons.go_on.setToolTip(tr("Save your answer; then what judges say about this task may be seen"))
        # Enter belongs to the texts of the form.
        self.buttons.go_on.setDefault(False)
        self.buttons.go_on.setAutoDefault(False)
        self.buttons.go_on.clicked.connect(lambda: self.saved.emit(self.panel.answer()))
        column.addLayout(self.buttons)

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG); the form can be filled in from now on."""
        self.panel.show_material(text, pictures)
        self.form.setEnabled(True)
        self.buttons.go_on.setEnabled(True)
        self.say("")

    def show_waiting(self, text: str) -> None:
        """Say that what is asked is being made, or why it cannot be; nothing can be answered."""
        self.form.setEnabled(False)
        self.buttons.go_on.setEnabled(False)
        self.say(text)

    def say(self, text: str) -> None:
        """Show a line beside the buttons."""
        self.buttons.note.setText(text)
