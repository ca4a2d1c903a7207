"""Where the parts of the window of meta information are."""

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.core.meta.answers import AUDIT, FRAMES, LOOKS, WORDS
from app.core.meta.scenes import SCHEME
from app.gui.meta.rows import SCENES, SPEECH
from project.schemes.loader import load_scheme
from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.elided_label import ElidedLabel
from widgets.empty_state import EmptyState
from widgets.judges.tick_menu import TickMenu
from widgets.meta.answer_picker import AnswerPicker
from widgets.meta.contradictions_table import ContradictionsTable
from widgets.meta.people_table import PeopleTable
from widgets.meta.summary_box import SummaryBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.rows_table import RowsTable

_SIZE = (1280, 900)
_WORDS_HINT = tr("What is talked about, what each of them wants, what changes between them; with times.")
_FRAMES_HINT = tr("Who does what, with which face and posture, towards whom, and where; with times.")


class MetaLayout(QWidget):
    """Parts and places, and nothing that they do."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle(tr("Meta information"))
        self.setAccessibleName(tr("Meta information"))
        self.setAutoFillBackground(True)
        self.resize(*_SIZE)
        self.title = ElidedLabel()
        self.title.setFont(theme.font(semibold=True))
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.condition = QComboBox()
        self.condition.setAccessibleName(tr("What they see"))
        self.condition.setToolTip(tr("What of the recording the judges see"))
        self.status = ElidedLabel()
        self.people = PeopleTable()
        self.looks_answers = AnswerPicker("looks")
        self.speech = RowsTable(tr("Speech"), SPEECH)
        self.scenes = RowsTable(tr("Scenes and events"), SCENES)
        self.words = SummaryBox(tr("Summary from words"), _WORDS_HINT)
        self.frames = SummaryBox(tr("Summary from pictures"), _FRAMES_HINT)
        self.contradictions = ContradictionsTable()
        self.audit_answers = AnswerPicker("contradictions")
        self._stack = QStackedLayout()
        self._stack.addWidget(EmptyState("film", tr("No recording is open"), tr("Choose one in the main window.")))
        self._stack.addWidget(self._page())
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addLayout(self._stack, 1)
        column.addLayout(self._foot())
        self.show_recording("")

    def show_recording(self, title: str) -> None:
        """Show whose information it is; "" for no recording."""
        self.title.set_text(title)
        self._stack.setCurrentIndex(int(bool(title)))
        self.make_questions.setVisible(bool(title))

    def summary_boxes(self) -> dict[str, SummaryBox]:
        """Return task -> the summary that it makes."""
        return {WORDS: self.words, FRAMES: self.frames}

    def pickers(self) -> dict[str, AnswerPicker]:
        """Return task -> where its answers are offered."""
        boxes = {task: box.answers for task, box in self.summary_boxes().items()}
        return {LOOKS: self.looks_answers, AUDIT: self.audit_answers, **boxes}

    def suggest_buttons(self) -> dict[str, QPushButton]:
        """Return task -> the button that asks for it."""
        boxes = {task: box.suggest for task, box in self.summary_boxes().items()}
        return {LOOKS: self.suggest_looks, AUDIT: self.suggest_audit, **boxes}

    def show_conditions(self, names: Mapping[str, str]) -> None:
        """Offer what judges may see, by id; what was chosen stays."""
        before = self.chosen_condition()
        if [*names.items()] == [(self.condition.itemData(at), self.condition.itemText(at)) for at in self._range()]:
            return
        with QSignalBlocker(self.condition):
            self.condition.clear()
            for key, name in names.items():
                self.condition.addItem(name, key)
            self.condition.setCurrentIndex(max(0, self.condition.findData(before)))

    def chosen_condition(self) -> str:
        """Return what judges see."""
        return str(self.condition.currentData() or "raw")

    def what_to_mark(self) -> tuple[str, str]:
        """Return the track and the label that are marked at the playhead."""
        track, _, label = str(self.label.currentData()).partition(".")
        return track, label

    def _range(self) -> range:
        return range(self.condition.count())

    def _page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addLayout(self._head())
        above = _beside(self._people_part(), self._scenes_part(), (3, 2))
        below = _beside(self.words, self.frames, (1, 1))
        below.addWidget(self._contradictions_part())
        parts = QSplitter(Qt.Orientation.Vertical)
        for part, share in ((above, 3), (self._speech_part(), 2), (below, 3)):
            parts.addWidget(part)
            parts.setStretchFactor(parts.count() - 1, share)
        parts.setSizes([330, 200, 320])
        above.setSizes([800, 440])
        below.setSizes([380, 380, 480])
        parts.setChildrenCollapsible(False)
        parts.setHandleWidth(theme.GRID * 2)
        column.addWidget(parts, 1)
        return page

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.judges.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.condition.setMinimumWidth(theme.GRID * 14)
        asked = PlainLabel(tr("Suggestions from"))
        seen = PlainLabel(tr("who see"))
        for label in (asked, seen):
            label.setProperty("quiet", True)
        row.addWidget(self.title, 3)
        for part, share in ((asked, 0), (self.judges, 1), (seen, 0), (self.condition, 0)):
            row.addWidget(part, share)
        return row

    def _people_part(self) -> QWidget:
        self.suggest_looks = _button(
            tr("Suggest looks"), tr("Ask the chosen judges by what the people can be told apart")
        )
        note = tr("Faces and who they are: mode Faces. Write looks here.")
        return _part(tr("People"), note, [self.suggest_looks], self.people, self.looks_answers)

    def _scenes_part(self) -> QWidget:
        self.find_changes = _button(
            tr("Find scene changes"), tr("Look for cuts on this machine; what is found is suggested")
        )
        self.label = QComboBox()
        self.label.setAccessibleName(tr("What to mark"))
        self.label.setToolTip(tr("What is marked at the playhead"))
        for track in load_scheme(SCHEME).tracks:
            for label in track.labels:
                self.label.addItem(label.name, f"{track.key}.{label.key}")
        self.mark = _button(
            tr("Mark at playhead"), tr("Mark half a second from where the player is; drag it on the timeline")
        )
        self.accept = _button(tr("Accept"), tr("Make what is suggested your own"))
        self.reject = _button(tr("Reject"), tr("What is suggested is wrong; it does not come again"))
        self.delete_scene = _button(tr("Delete"), tr("Delete what you marked"))
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID // 2)
        foot.addWidget(self.label, 1)
        foot.addWidget(self.mark)
        foot.addWidget(self.delete_scene)
        buttons = [self.accept, self.reject, self.find_changes]
        return _part(tr("Scenes and events"), "", buttons, self.scenes, _holding(foot))

    def _speech_part(self) -> QWidget:
        self.over = _button(
            tr("Voice-over"), tr("Leave the chosen line out: nobody in the scene says it; or take it back in")
        )
        note = tr("Words, speakers and cues are edited in the mode Transcript.")
        return _part(tr("Speech"), note, [self.over], self.speech)

    def _contradictions_part(self) -> QWidget:
        self.suggest_audit = _button(tr("Suggest"), tr("Ask the chosen judges what the two summaries say differently"))
        self.new_contradiction = QLineEdit(placeholderText=tr("Something the two summaries say differently"))
        self.new_contradiction.setAccessibleName(tr("New contradiction"))
        self.add = _button(tr("Add"), tr("Note this contradiction (Enter)"))
        self.delete = _button(tr("Delete"), tr("Delete the chosen contradiction"))
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID // 2)
        foot.addWidget(self.new_contradiction, 1)
        foot.addWidget(self.add)
        foot.addWidget(self.delete)
        return _part(
            tr("Contradictions"), "", [self.suggest_audit], self.contradictions, _holding(foot), self.audit_answers
        )

    def _foot(self) -> QHBoxLayout:
        self.status.setAccessibleName(tr("State"))
        self.make_questions = _button(
            tr("Make ESI questions"), tr("Let the chosen judges word questions of five dimensions from this")
        )
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(self.status, 1)
        row.addWidget(self.make_questions)
        row.addWidget(close_button(self))
        return row


def _button(text: str, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(plain_tip(tip))
    return made


def _holding(row: QHBoxLayout) -> QWidget:
    row.setContentsMargins(0, 0, 0, 0)
    made = QWidget()
    made.setLayout(row)
    return made


def _beside(first: QWidget, second: QWidget, shares: tuple[int, int]) -> QSplitter:
    made = QSplitter(Qt.Orientation.Horizontal)
    for place, part in enumerate((first, second)):
        made.addWidget(part)
        made.setStretchFactor(place, shares[place])
    made.setChildrenCollapsible(False)
    made.setHandleWidth(theme.GRID * 2)
    return made


def _part(title: str, note: str, buttons: list[QPushButton], *parts: QWidget) -> QWidget:
    """Return a part of the window: a title with buttons, then its widgets, the first of which takes the room."""
    name = PlainLabel(title)
    name.setFont(theme.font(semibold=True))
    quiet = ElidedLabel()
    quiet.setProperty("quiet", True)
    quiet.set_text(note)
    head = QHBoxLayout()
    head.setSpacing(theme.GRID)
    head.addWidget(name)
    head.addWidget(quiet, 1)
    for button in buttons:
        head.addWidget(button)
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(theme.GRID // 2)
    column.addLayout(head)
    for place, part in enumerate(parts):
        column.addWidget(part, int(place == 0))
    return made
