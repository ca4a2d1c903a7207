"""Shows free texts before and after scrubbing, takes the private words, and records who has read the texts."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymize.release.release_texts import ReleasedText
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import check_box, push_button, text_area
from widgets.form.layouts import make_column, make_row
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import PlainLabel

_COLUMNS: tuple[RecordColumn[ReleasedText], ...] = (
    RecordColumn(
        tr("Recording"),
        lambda text: str(text.recording),
        number=True,
        icon=lambda text: "pencil" if text.replacements else "",
    ),
    RecordColumn(tr("Time"), lambda text: format_time(text.time_us), number=False),
    RecordColumn(tr("Place"), lambda text: text.place, number=False),
    RecordColumn(tr("Before"), lambda text: text.before, number=False, stretch=True),
    RecordColumn(tr("After"), lambda text: text.after, number=False, stretch=True),
)
_WORDS_HELP = tr(
    "One a line, such as Anna = P01. They stay in the study, and are found with any case, accent and ending."
)
_WORDS_HEIGHT = 96


class TextsView(QWidget):
    """The list is read; what is typed are the private words.

    Signals:
        words_changed (dict): word -> what is written in its place, as they were typed.
        confirm_requested
        row_chosen (str, int): recording and time of a text.
    """

    words_changed = Signal(object)
    confirm_requested = Signal()
    row_chosen = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: Sequence[ReleasedText] = ()
        title = PlainLabel(tr("Private words"), font=theme.font(semibold=True))
        self.words = text_area(
            tr("Private words"),
            tr("Anna = P01"),
            tr("Names, nicknames, places: a word or phrase, =, and what is written in its place"),
            tabChangesFocus=True,
        )
        self.words.setFixedHeight(theme.scaled(_WORDS_HEIGHT))
        self.keep = push_button(
            tr("Keep words"),
            tr("Keep these words in the study, and scrub all texts again; Undo takes it back"),
            self._save_words,
        )
        self.problem = PlainLabel()
        row = make_row(self.keep, self.problem, 1)
        self.only = check_box(
            tr("Only texts in which something was changed"), tr("Leave out texts that leave as they are")
        )
        self.only.toggled.connect(lambda _on: self._show())
        self.table: RecordTable[ReleasedText] = RecordTable(
            tr("Texts"), _COLUMNS, key=lambda text: f"{text.recording_id} {text.time_us} {text.place} {text.before}"
        )
        EmptyHint(self.table, tr("Texts that would leave are listed here."))
        self.table.chosen.connect(lambda text: self.row_chosen.emit(text.recording_id, text.time_us))
        self.state = PlainLabel(wordWrap=True)
        self.confirm = push_button(
            tr("I have read all of them"),
            tr("Say that every text may leave as it stands under After; any later change takes that back"),
            self.confirm_requested,
        )
        self.setLayout(
            make_column(
                title,
                PlainLabel(_WORDS_HELP, wordWrap=True),
                self.words,
                row,
                self.only,
                self.table,
                1,
                make_row(self.state, 1, self.confirm),
                margin=(0, theme.GRID, 0, 0),
            )
        )

    def show_texts(self, texts: Sequence[ReleasedText], state: str, *, confirmed: bool, writable: bool) -> None:
        """Show texts, and who confirmed them."""
        self._texts = texts
        self.state.setText(state)
        self.confirm.setEnabled(writable and bool(texts) and not confirmed)
        self.keep.setEnabled(writable)
        self._show()

    def show_private_words(self, words: Mapping[str, str]) -> None:
        """Show the private words, unless somebody is typing."""
        if not self.words.hasFocus():
            self.words.setPlainText("\n".join(f"{word} = {after}" for word, after in sorted(words.items())))

    def _show(self) -> None:
        self.table.show_records([text for text in self._texts if text.replacements or not self.only.isChecked()])

    def _save_words(self) -> None:
        found: dict[str, str] = {}
        for line in self.words.toPlainText().splitlines():
            if not line.strip():
                continue
            word, equals, after = line.partition("=")
            if not equals or not word.strip() or not after.strip():
                self.problem.setText(tr("“{line}” does not say what stands in its place.").format(line=line.strip()))
                return
            found[word.strip()] = after.strip()
        self.problem.setText("")
        self.words_changed.emit(found)
