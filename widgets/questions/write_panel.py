"""Where a person writes a question to stump a model, and tries it."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.questions.ask_bar import AskBar
from widgets.questions.fields import QuestionFields, Words


class WritePanel(QWidget):
    """A form about the chosen span; trying it saves it first.

    Signals:
        changed: something was typed.
        span_requested: take the span of the selection, or the marked one.
        new_requested: begin another question.
        save_requested: save it as it stands.
        draft_requested: let a judge draw a chain from the explanation.
    """

    changed = Signal()
    span_requested = Signal()
    new_requested = Signal()
    save_requested = Signal()
    draft_requested = Signal()

    def __init__(self, settings: Mapping[str, str], wrong: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wrong = wrong
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self.span = PlainLabel()
        row.addWidget(self.span, 1)
        self.take = QPushButton(tr("Take the span"))
        self.take.setToolTip(tr("Take the span of what is selected on the timeline, or the marked one"))
        self.take.clicked.connect(self.span_requested)
        self.new = QPushButton(tr(" New"))
        self.new.setIcon(icon("file-plus"))
        self.new.setToolTip(tr("Begin another question"))
        self.new.clicked.connect(self.new_requested)
        row.addWidget(self.take)
        row.addWidget(self.new)
        column.addLayout(row)
        self.fields = QuestionFields()
        self.fields.set_words(Words(), wrong)
        self.fields.changed.connect(self.changed)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.fields)
        column.addWidget(area, 4)
        self.state = PlainLabel(wordWrap=True)
        column.addWidget(self.state)
        buttons = QHBoxLayout()
        self.save = QPushButton(tr("Save as a draft"))
        self.save.setToolTip(tr("Keep it without trying it on judges"))
        self.save.clicked.connect(self.save_requested)
        self.draft = QPushButton(tr("Draft a chain from the explanation"))
        self.draft.setToolTip(tr("A judge draws a chain from the explanation, to be corrected in the mode Chains"))
        self.draft.clicked.connect(self.draft_requested)
        buttons.addWidget(self.save)
        buttons.addWidget(self.draft)
        buttons.addStretch()
        column.addLayout(buttons)
        self.asking = AskBar(tr("Try it"), settings)
        column.addWidget(self.asking, 1)

    def set_words(self, words: Words) -> None:
        """Fill the form."""
        self.fields.set_words(words, max(self._wrong, len(words.wrong)))

    def words(self) -> Words:
        """Return what stands in the form."""
        return self.fields.words()
