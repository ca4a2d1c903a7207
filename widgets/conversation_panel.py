"""What was said around the selected segment: the conversation history."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextBrowser, QToolButton, QVBoxLayout, QWidget

from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.number_boxes import IntegerBox
from widgets.participant_looks import participant_ink
from widgets.semibold import semibold

_TALLEST = 264
_MOST = 50


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One turn.

    Attributes:
        id: of the utterance.
        start_us: where a click goes.
        speaker: pseudonym; "" while nobody knows.
        role: of the speaker; "" while nobody knows.
        colour: of the speaker, `#rrggbb`; None while nobody knows.
        text: what is said, cues in brackets.
        inside: it is in the segment, not before it.
        checked: somebody looked at the words.
    """

    id: str
    start_us: int
    speaker: str
    role: str
    colour: str | None
    text: str
    inside: bool
    checked: bool


class ConversationPanel(QWidget):
    """A line that says what it is, and unfolds to the turns.

    Signals:
        turn_chosen (str, object): an utterance and its start in microseconds, to go to.
        before_changed (int): how many turns before the segment to show.
    """

    turn_chosen = Signal(str, object)
    before_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What was said"))
        self._turns: Sequence[ShownTurn] = ()
        self.head = QToolButton()
        self.head.setText(tr("What was said"))
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setToolTip(tr("Show or hide the conversation up to the end of this segment"))
        self.head.clicked.connect(self._toggle)
        self.before = IntegerBox()
        self.before.setRange(0, _MOST)
        self.before.setSuffix(tr(" before"))
        self.before.setAccessibleName(tr("Turns before the segment"))
        self.before.setToolTip(tr("How many turns before the segment are shown"))
        self.before.valueChanged.connect(self.before_changed)
        self.turns = QTextBrowser()
        self.turns.setFrameShape(QFrame.Shape.NoFrame)
        self.turns.setOpenLinks(False)
        self.turns.setAccessibleName(tr("Turns; Tab goes from one to the next, Return goes there"))
        self.turns.anchorClicked.connect(self._go)
        self.turns.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        row = QHBoxLayout()
        row.addWidget(self.head)
        row.addStretch()
        row.addWidget(self.before)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.GRID * 3 // 2, theme.GRID // 2, theme.GRID * 3 // 2, theme.GRID // 2)
        column.setSpacing(theme.GRID // 2)
        column.addLayout(row)
        column.addWidget(self.turns)
        theme.notifier.changed.connect(self._draw)
        self._unfold(True)

    def show_turns(self, turns: Sequence[ShownTurn], before: int) -> None:
        """Show what was said, and how many turns before the segment were asked for."""
        self._turns = turns
        self.before.blockSignals(True)
        self.before.setValue(before)
        self.before.blockSignals(False)
        self._draw()

    def _draw(self) -> None:
        colours = theme.palette()
        inside = [one for one in self._turns if one.inside]
        earlier = [one for one in self._turns if not one.inside]
        parts = [self._paragraph(one, colours.muted.name()) for one in earlier]
        if earlier:
            parts.append(_note(tr("in this segment"), colours.muted.name()))
        parts += [self._paragraph(one, colours.text.name()) for one in inside]
        if not inside:
            parts.append(
                tr('<p style="margin:2px 0; color:{name}"><i>Nobody speaks here.</i></p>').format(
                    name=colours.muted.name()
                )
            )
        self.turns.document().setDefaultStyleSheet("a { text-decoration: none; }")
        self.turns.setHtml(semibold("".join(parts)))
        self._unfold(self.turns.isVisibleTo(self))
        self.turns.scrollToAnchor("here")

    def _paragraph(self, one: ShownTurn, ink: str) -> str:
        own = participant_ink(one.colour, theme.palette(), theme.palette().field).name()
        who = escape(one.speaker or tr("Nobody yet"))
        role = f' <span style="color:{theme.palette().muted.name()}">{escape(one.role)}</span>' if one.role else ""
        words = escape(one.text) or "…"
        said = words if one.checked else f"<i>{words}</i>"
        return (
            f'<p style="margin:2px 0"><a href="{escape(one.id)}" title="{format_time(one.start_us)}">'
            f'<span style="color:{own}"><b>{who}</b></span>{role}<span style="color:{ink}">: {said}</span></a></p>'
        )

    def _unfold(self, shown: bool) -> None:
        self.turns.setVisible(shown)
        self.before.setVisible(shown)
        self.head.setIcon(icon("chevron-down" if shown else "chevron-right"))
        self._fit()

    def _toggle(self) -> None:
        self._unfold(not self.turns.isVisibleTo(self))

    def _fit(self) -> None:
        around = self.turns.height() - self.turns.viewport().height()
        wanted = round(self.turns.document().size().height()) + max(around, theme.GRID) + 2
        self.turns.setFixedHeight(min(_TALLEST, wanted))

    def _go(self, link: QUrl) -> None:
        one = next((one for one in self._turns if one.id == link.toString()), None)
        if one is not None:
            self.turn_chosen.emit(one.id, one.start_us)


def _note(text: str, ink: str) -> str:
    return f'<p style="margin:4px 0 2px 0; color:{ink}; font-size:small"><a name="here"></a>— {text} —</p>'
