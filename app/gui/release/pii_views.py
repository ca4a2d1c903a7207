"""Tables and widgets of the window of personal information.

They show hits by place and by word, the text around a hit, and the decision buttons.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QComboBox, QPushButton, QTextEdit, QWidget

from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_detection.pii_replacement import hit_identity
from anonymize.pii_review.review_hits import PlacedHit
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button, text_area
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import FlowLayout, make_column, make_panel, make_row
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import PlainLabel

Pairs = Sequence[tuple[str, str]]


class PiiDecisionBar(QWidget):
    """Buttons that say their keys.

    Signals:
        hide_requested: hide what is selected.
        keep_requested: keep what is selected.
        hide_everywhere_requested: hide the words that are selected wherever they stand.
        keep_everywhere_requested: they are personal nowhere.
        undecide_requested: take the decision back.
        person_chosen (str): id of the participant whose name it is.
        kind_chosen (str): what it is.
        play_requested: play the sound of the place.
        jump_requested: show it in the main window.
        step_requested (int): go to the next (1) or previous (-1) that nobody decided on.
    """

    hide_requested = Signal()
    keep_requested = Signal()
    hide_everywhere_requested = Signal()
    keep_everywhere_requested = Signal()
    undecide_requested = Signal()
    person_chosen = Signal(str)
    kind_chosen = Signal(str)
    play_requested = Signal()
    jump_requested = Signal()
    step_requested = Signal(int)

    def __init__(self, kinds: Pairs, parent: QWidget | None = None) -> None:
        """Offer kinds as pairs of key and title."""
        super().__init__(parent)
        self._flow = FlowLayout()
        inside = make_panel(self._flow)
        self.hide_one = self._button(tr("Hide"), "H", tr("Cover it in texts and sound that leave"), "shield-check")
        self.keep_one = self._button(tr("Keep"), "K", tr("Leave it as it stands and as it is said"), "check")
        self.hide_all = self._button(tr("Hide everywhere"), "Shift+H", tr("Hide this word everywhere, now and later"))
        self.keep_all = self._button(
            tr("Keep everywhere"), "Shift+K", tr("This word is personal nowhere in this study")
        )
        self.again = self._button(tr("Take back"), "Backspace", tr("Make it undecided again"), "undo-2")
        self.person = self._make_combo(
            tr("Whose name"), tr("Whose name it is: hidden everywhere under one stand-in (P)")
        )
        self.kind = self._make_combo(tr("Kind"), tr("What it is (C)"))
        self.kind.setPlaceholderText(tr("What it is…"))
        for key, title in kinds:
            self.kind.addItem(title, key)
        self.play = self._button(tr("Play"), "Space", tr("Play the place with a second around it"), "play")
        self.jump = self._button(tr("Show"), "Return", tr("Show the place in the main window"))
        self.back = self._button("", "Shift+N", tr("Previous undecided"), "skip-back")
        self.on = self._button("", "N", tr("Next undecided"), "skip-forward")
        self.count = PlainLabel(
            accessibleName=tr("Number undecided"),
            font=theme.font(semibold=True),
            minimumHeight=self.hide_one.sizeHint().height(),
        )
        self.chosen = PlainLabel(
            accessibleName=tr("How many are selected"),
            styleSheet=f"color: {theme.palette().muted.name()};",
            alignment=Qt.AlignmentFlag.AlignRight,
            visible=False,
        )
        self.setLayout(make_row(inside, 1, make_column(self.count, self.chosen, None, spacing=0)))
        self._edits = (self.hide_one, self.keep_one, self.hide_all, self.keep_all, self.again, self.person, self.kind)
        for button, signal in (
            (self.hide_one, self.hide_requested),
            (self.keep_one, self.keep_requested),
            (self.hide_all, self.hide_everywhere_requested),
            (self.keep_all, self.keep_everywhere_requested),
            (self.again, self.undecide_requested),
            (self.play, self.play_requested),
            (self.jump, self.jump_requested),
        ):
            button.clicked.connect(signal)
        self.back.clicked.connect(lambda: self.step_requested.emit(-1))
        self.on.clicked.connect(lambda: self.step_requested.emit(1))
        self.person.activated.connect(lambda _place: self._emit_choice(self.person, self.person_chosen.emit))
        self.kind.activated.connect(lambda _place: self._emit_choice(self.kind, self.kind_chosen.emit))

    def set_people(self, people: Pairs) -> None:
        """Offer participants as pairs of id and pseudonym."""
        blocker = QSignalBlocker(self.person)
        self.person.clear()
        self.person.addItem(tr("Whose name…"), "")
        for key, name in people:
            self.person.addItem(name, key)
        blocker.unblock()

    def show_remaining(self, left: int, every: int) -> None:
        """Say how many nobody decided on; where none is left, there is none to go to."""
        self.count.setText(tr("{left:,} of {every:,} undecided").format(left=left, every=every))
        for button in (self.back, self.on):
            button.setEnabled(left > 0)

    def show_selected(self, rows: str) -> None:
        """Say what is selected, such as `3 places in 2 recordings`; "" for a single place, or none."""
        self.chosen.setText(tr("{rows} selected").format(rows=rows) if rows else "")
        self.chosen.setVisible(bool(rows))

    def show_choice(self, *, chosen: bool, usable: bool, spoken: bool, kind: str, person: str) -> None:
        """Offer what fits; `kind` and `person` are keys of what is selected, or ""."""
        for edit in self._edits:
            edit.setEnabled(usable)
        self.jump.setEnabled(chosen)
        self.play.setEnabled(spoken)
        for box, key in ((self.kind, kind), (self.person, person)):
            box.setCurrentIndex(box.findData(key))

    def _emit_choice(self, box: ChoiceBox, tell: Callable[[str], None]) -> None:
        key = box.key()
        if key:
            tell(key)

    def _make_combo(self, name: str, tip: str) -> ChoiceBox:
        box = ChoiceBox(name, tip)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._flow.addWidget(box)
        return box

    def _button(self, text: str, keys: str, tip: str, sign: str = "") -> QPushButton:
        button = push_button(
            f"{' ' if sign else ''}{text}  {keys}" if text else "",
            tip,
            name=text or tip,
            keys=keys,
            icon=sign,
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )
        self._flow.addWidget(button)
        return button


Index = QModelIndex | QPersistentModelIndex

UNDECIDED, HIDE, KEEP, MIXED = "undecided", "hide", "keep", "mixed"
STATE_ICONS = {
    UNDECIDED: ("circle-dashed", "uncertain"),
    HIDE: ("shield-check", "competence"),
    KEEP: ("check", "muted"),
    MIXED: ("circle-alert", "uncertain"),
}
"""State -> icon and colour."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One row.

    Attributes:
        key: tells it from the others, also after a reload.
        cells: one text a column.
        state: `UNDECIDED`, `HIDE`, `KEEP` or, of several places, `MIXED`.
        marks: what stands out in the first cell, as (start, end) in characters.
        is_spoken: whether it can be heard.
    """

    key: str
    cells: tuple[str, ...]
    state: str
    marks: tuple[tuple[int, int], ...] = ()
    is_spoken: bool = False


STATE_LABELS = {UNDECIDED: tr("Undecided"), HIDE: tr("Hide"), KEEP: tr("Keep"), MIXED: tr("Differs")}
_FIELD_NAMES = {
    "text": tr("comment"),
    "note": tr("note"),
    "name": tr("name"),
    "agent_context": tr("context of the agent"),
}
_QUESTION_FIELD_NAMES = {
    "text": tr("question"),
    "answer": tr("right option"),
    **{f"wrong_{place}": tr("wrong option {place}").format(place=place) for place in range(1, 5)},
}
_CONTEXT_CHARS = 70


@dataclass(frozen=True, slots=True)
class PiiRowContext:
    """What the rows need to know about the study.

    Attributes:
        recording_numbers: recording id -> number.
        pseudonyms: participant id -> pseudonym.
    """

    recording_numbers: Mapping[str, int]
    pseudonyms: Mapping[str, str]


def hit_key(placed_hit: PlacedHit) -> str:
    """Return what tells a place from all others."""
    at = placed_hit.place
    return "\0".join((at.table, at.row, at.field, str(at.ordinal), at.text))


def word_key(placed_hit: PlacedHit) -> str:
    """Return what the places of one word have in common."""
    return f"{placed_hit.kind}\0{hit_identity(placed_hit.hit)}"


def hit_state(placed_hit: PlacedHit) -> str:
    """Return the state of a place."""
    return UNDECIDED if placed_hit.verdict is None else str(placed_hit.verdict.value)


def location_text(placed_hit: PlacedHit, people: PiiRowContext) -> str:
    """Return where a place is, in words."""
    at = placed_hit.place
    known = _QUESTION_FIELD_NAMES if at.table == "question" else _FIELD_NAMES
    field = tr("utterance") if placed_hit.is_spoken else known.get(at.field, at.field)
    if placed_hit.recording_id is None:
        return f"{placed_hit.place.table}, {field}"
    number = people.recording_numbers.get(placed_hit.recording_id, 0)
    return f"{number}  {format_time(placed_hit.time_us)}  {field}"


def place_rows(found: Sequence[PlacedHit], people: PiiRowContext) -> list[DecisionRow]:
    """Return a row for each place, with what stands around it."""
    rows = []
    for placed_hit in found:
        begin, end = max(0, placed_hit.hit.start - _CONTEXT_CHARS), placed_hit.hit.end + _CONTEXT_CHARS
        head = "…" if begin else ""
        text = head + placed_hit.text[begin:end].replace("\n", " ") + ("…" if end < len(placed_hit.text) else "")
        start = placed_hit.hit.start - begin + len(head)
        state = hit_state(placed_hit)
        after = placed_hit.replacement if placed_hit.is_hidden else tr("as it is")
        cells = (text, KINDS[placed_hit.kind].title, location_text(placed_hit, people), STATE_LABELS[state], after)
        rows.append(
            DecisionRow(
                hit_key(placed_hit), cells, state, ((start, start + len(placed_hit.hit.text)),), placed_hit.is_spoken
            )
        )
    return rows


def word_rows(found: Sequence[PlacedHit], people: PiiRowContext) -> list[DecisionRow]:
    """Return a row for each word, those with most places that nobody decided on first."""
    words: dict[str, list[PlacedHit]] = {}
    for placed_hit in found:
        words.setdefault(word_key(placed_hit), []).append(placed_hit)
    rows = []
    for key, those in words.items():
        states = Counter(hit_state(placed_hit) for placed_hit in those)
        state = next(iter(states)) if len(states) == 1 else MIXED
        if states[UNDECIDED]:
            state = UNDECIDED
        shown = Counter(placed_hit.hit.text for placed_hit in those).most_common(1)[0][0]
        afters = sorted({placed_hit.replacement for placed_hit in those if placed_hit.is_hidden})
        whose = sorted({people.pseudonyms.get(placed_hit.hit.participant_id or "", "") for placed_hit in those} - {""})
        cells = (
            shown,
            KINDS[those[0].kind].title,
            str(len(those)),
            str(states[UNDECIDED] or ""),
            STATE_LABELS[state],
            ", ".join(afters) or tr("as it is"),
            ", ".join(whose),
        )
        rows.append(DecisionRow(key, cells, state, (), any(placed_hit.is_spoken for placed_hit in those)))
    return sorted(rows, key=lambda row: (row.state != UNDECIDED, -int(row.cells[3] or 0), row.cells[0].casefold()))


Found = tuple[int, int, str]
"""First character, after the last one, and the state of a place in the text."""


class ContextPane(QWidget):
    """Shows a text with everything that was found in it, and takes what is marked by hand.

    Signals:
        hide_requested (int, int, str): first character, after the last one, and kind of what is to be hidden too.
    """

    hide_requested = Signal(int, int, str)

    def __init__(self, kinds: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Offer kinds as pairs of key and title."""
        super().__init__(parent)
        self._found: Sequence[Found] = ()
        self._here = (0, 0)
        self._text = ""
        self._writable = False
        self.where = PlainLabel(accessibleName=tr("Where it stands"))
        self.text = text_area(
            tr("The whole text"), "", tr("Select what was not found, then hide it"), readOnly=True, tabChangesFocus=True
        )
        self.kind = ChoiceBox(tr("Kind of what is selected"), tr("What the selected words are"), dict(kinds))
        self.add = push_button(tr(" Hide &selected words"), tr("Hide what is selected in the text (A)"), icon="plus")
        self.setLayout(make_column(make_row(self.where, 1, self.kind, self.add), self.text, 1, spacing=theme.GRID // 2))
        self.text.selectionChanged.connect(self._update_button)
        self.add.clicked.connect(self.request_hide)
        theme.notifier.changed.connect(self._paint)
        self._update_button()

    def show_text(
        self, where: str, text: str, here: tuple[int, int], found: Sequence[Found], *, writable: bool
    ) -> None:
        """Show a text with the place that is looked at and all others in it; empty where there is none."""
        self._writable = writable
        self.where.setText(where)
        if text != self._text:
            self._text = text
            self.text.setPlainText(text)
        moved = here != self._here
        self._found, self._here = found, here
        self._paint()
        if moved:
            cursor = self.text.textCursor()
            cursor.setPosition(_utf16_length(text[: here[0]]))
            self.text.setTextCursor(cursor)
            self.text.ensureCursorVisible()
        self._update_button()

    def selected(self) -> tuple[int, int]:
        """Return what is selected as characters of the text, without blanks at its ends; twice one where nothing is."""
        cursor = self.text.textCursor()
        whole = self._text.encode("utf-16-le")
        start, end = (
            len(whole[: 2 * at].decode("utf-16-le")) for at in (cursor.selectionStart(), cursor.selectionEnd())
        )
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return start, end

    def request_hide(self) -> None:
        """Ask for what is selected to be hidden."""
        start, end = self.selected()
        if start < end and self._writable:
            self.hide_requested.emit(start, end, str(self.kind.currentData()))

    def _update_button(self) -> None:
        start, end = self.selected()
        self.add.setEnabled(self._writable and start < end)
        self.kind.setEnabled(self.add.isEnabled())

    def _paint(self) -> None:
        colours = theme.palette()
        inks = {UNDECIDED: colours.uncertain, HIDE: colours.competence, KEEP: colours.muted}
        marks = []
        for start, end, state in self._found:
            extra_selection = QTextEdit.ExtraSelection()
            extra_selection.cursor = QTextCursor(self.text.document())
            extra_selection.cursor.setPosition(_utf16_length(self._text[:start]))
            extra_selection.cursor.setPosition(_utf16_length(self._text[:end]), QTextCursor.MoveMode.KeepAnchor)
            ink = inks.get(state, colours.uncertain)
            extra_selection.format.setForeground(ink)
            extra_selection.format.setUnderlineColor(ink)
            extra_selection.format.setFontUnderline(True)
            if (start, end) == self._here:
                back = QColor(colours.selection)
                extra_selection.format.setBackground(back)
                extra_selection.format.setFontWeight(QFont.Weight.DemiBold)
            marks.append(extra_selection)
        self.text.setExtraSelections(marks)


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def place_columns() -> list[RecordColumn[DecisionRow]]:
    """Return the columns of single places."""
    titles = tr("Text"), tr("Kind"), tr("Where"), tr("Decision"), tr("Written instead")
    return _decision_columns(titles, (420, 150, 230, 120, 140), state=3)


def word_columns() -> list[RecordColumn[DecisionRow]]:
    """Return the columns of words, each with all its places."""
    titles = (
        *(tr("Word"), tr("Kind"), tr("Places"), tr("Undecided"), tr("Decision")),
        *(tr("Written instead"), tr("Whose name")),
    )
    return _decision_columns(titles, (260, 150, 80, 90, 120, 140, 140), state=4, numbers=(2, 3))


def _decision_columns(
    titles: Sequence[str], widths: Sequence[int], *, state: int, numbers: Collection[int] = ()
) -> list[RecordColumn[DecisionRow]]:
    return [
        RecordColumn(
            title,
            lambda row, place=place: row.cells[place],  # type: ignore[misc]
            width=width,
            stretch=not place,
            number=place in numbers,
            icon=(lambda row: STATE_ICONS[row.state]) if place == state else None,
            marks=None if place else lambda row: row.marks,
        )
        for place, (title, width) in enumerate(zip(titles, widths, strict=True))
    ]


class DecisionTable(RecordTable[DecisionRow]):
    """Places or words to decide on by keys.

    Signals:
        play_requested: Space.
    """

    play_requested = Signal()

    def __init__(self, name: str, columns: Sequence[RecordColumn[DecisionRow]], parent: QWidget | None = None) -> None:
        super().__init__(name, columns, parent=parent, several=True)

    def show_records(self, records: Sequence[DecisionRow], *, writable: bool = True) -> None:
        """Show these; where nothing that was selected is left, select what came to stand in its place."""
        row = self.currentIndex().row()
        super().show_records(records, writable=writable)
        if records and not self.selected():
            first = next((place for place, record in enumerate(records) if record.state == UNDECIDED), 0)
            self.select([records[first if row < 0 else min(row, len(records) - 1)].key])

    def step_undecided(self, direction: int) -> bool:
        """Go to the next (1) or previous (-1) row that nobody decided on, round the end; tells whether there is one."""
        rows, current = self.records(), self.currentIndex().row()
        for step in range(1, len(rows) + 1):
            record = rows[(current + direction * step) % len(rows)]
            if record.state == UNDECIDED:
                self.select([record.key])
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.play_requested.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, _typed: str) -> None:
        """Letters decide; they do not search."""
