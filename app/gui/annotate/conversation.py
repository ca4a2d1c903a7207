"""Shows the conversation history around the selected segment, the turns that judges see, below its form."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from annotate.transcript.conversation_history import DialogueTurn, format_with_cues, read_conversation
from app.gui.annotate.inspector import make_inspector_page
from app.gui.player.playback import Playback
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes
from project.queries.recording_rows import pseudonyms
from project.queries.segment_rows import find_segment
from project.queries.transcript_rows import has_utterances
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.form.controls import tool_button
from widgets.form.input_fields import IntegerBox
from widgets.form.layouts import make_column, make_row
from widgets.labels import participant_colours, participant_ink
from widgets.text_labels import describe, semibold
from widgets.theme import icon

_MAX_HEIGHT = 264
_LEAST_FORM_HEIGHT = theme.GRID * 38
_MAX_TURNS_BEFORE = 50


@dataclass(frozen=True, slots=True)
class ConversationTurnRow:
    """One turn.

    Attributes:
        id: of the utterance.
        start_us: where a click goes.
        speaker: pseudonym; "" while nobody knows.
        role: of the speaker; "" while nobody knows.
        colour: of the speaker, `#rrggbb`; None while nobody knows.
        text: what is said, cues in brackets.
        in_segment: it is in the segment, not before it.
        checked: somebody looked at the words.
    """

    id: str
    start_us: int
    speaker: str
    role: str
    colour: str | None
    text: str
    in_segment: bool
    checked: bool


class ConversationPanel(QWidget):
    """A line that says what it is, and unfolds to the turns.

    Signals:
        turn_chosen (str, object): an utterance and its start in microseconds, to go to.
    """

    turn_chosen = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What was said"))
        self._turns: Sequence[ConversationTurnRow] = ()
        self.head = tool_button(
            "",
            tr("Show or hide the conversation up to the end of this segment"),
            do=self._toggle,
            text=tr("What was said"),
            toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
        )
        self.before = IntegerBox(minimum=0, maximum=_MAX_TURNS_BEFORE, suffix=tr(" before"))
        describe(self.before, tr("Turns before the segment"), tr("How many turns before the segment are shown"))
        self.turns = QTextBrowser()
        self.turns.setFrameShape(QFrame.Shape.NoFrame)
        self.turns.setOpenLinks(False)
        self.turns.setAccessibleName(tr("Turns; Tab goes from one to the next, Return goes there"))
        self.turns.anchorClicked.connect(self._on_link)
        self.turns.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit_height())
        self.setLayout(
            make_column(
                make_row(self.head, None, self.before),
                self.turns,
                margin=(theme.GRID * 3 // 2, theme.GRID // 2, theme.GRID * 3 // 2, theme.GRID // 2),
                spacing=theme.GRID // 2,
            )
        )
        theme.notifier.changed.connect(self._draw)
        self._set_expanded(True)

    def show_turns(self, turns: Sequence[ConversationTurnRow], before: int) -> None:
        """Show what was said, and how many turns before the segment were asked for."""
        self._turns = turns
        self.before.blockSignals(True)
        self.before.setValue(before)
        self.before.blockSignals(False)
        self._draw()

    def _draw(self) -> None:
        colours = theme.palette()
        inside = [turn for turn in self._turns if turn.in_segment]
        earlier = [turn for turn in self._turns if not turn.in_segment]
        parts = [self._paragraph(row, colours.muted.name()) for row in earlier]
        if earlier:
            parts.append(_note_html(tr("in this segment"), colours.muted.name()))
        parts += [self._paragraph(row, colours.text.name()) for row in inside]
        if not inside:
            parts.append(
                tr('<p style="margin:2px 0; color:{name}"><i>Nobody speaks here.</i></p>').format(
                    name=colours.muted.name()
                )
            )
        self.turns.document().setDefaultStyleSheet("a { text-decoration: none; }")
        self.turns.setHtml(semibold("".join(parts)))
        self._set_expanded(self.turns.isVisibleTo(self))
        self.turns.scrollToAnchor("here")

    def _paragraph(self, row: ConversationTurnRow, ink: str) -> str:
        own = participant_ink(row.colour, theme.palette(), theme.palette().field).name()
        who = escape(row.speaker or tr("Unassigned"))
        role = f' <span style="color:{theme.palette().muted.name()}">{escape(row.role)}</span>' if row.role else ""
        words = escape(row.text) or "…"
        said = words if row.checked else f"<i>{words}</i>"
        return (
            f'<p style="margin:2px 0"><a href="{escape(row.id)}" title="{format_time(row.start_us)}">'
            f'<span style="color:{own}"><b>{who}</b></span>{role}<span style="color:{ink}">: {said}</span></a></p>'
        )

    def _set_expanded(self, shown: bool) -> None:
        self.turns.setVisible(shown)
        self.before.setVisible(shown)
        self.head.setIcon(icon("chevron-down" if shown else "chevron-right"))
        self._fit_height()

    def _toggle(self) -> None:
        self._set_expanded(not self.turns.isVisibleTo(self))

    def _fit_height(self) -> None:
        around = self.turns.height() - self.turns.viewport().height()
        wanted = round(self.turns.document().size().height()) + max(around, theme.GRID) + 2
        self.turns.setFixedHeight(min(_MAX_HEIGHT, wanted))

    def _on_link(self, link: QUrl) -> None:
        turn = next((turn for turn in self._turns if turn.id == link.toString()), None)
        if turn is not None:
            self.turn_chosen.emit(turn.id, turn.start_us)


def _note_html(text: str, ink: str) -> str:
    return f'<p style="margin:4px 0 2px 0; color:{ink}; font-size:small"><a name="here"></a>— {text} —</p>'


_TABLES = frozenset({"utterance", "participant", "segment", "segment_value", "review"})


class ConversationFeed(QObject):
    """Joins a panel to the selection; every inspector gets a panel of its own."""

    def __init__(self, studio: StudyController, playback: Playback, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio, self._playback = studio, playback
        self.panel: ConversationPanel | None = None
        studio.selection_changed.connect(self.show)
        studio.bridge.changed.connect(self._apply)

    def wrap_inspector(self, inspector: QWidget) -> QWidget:
        """Return a page with the inspector and the conversation below it."""
        panel = self.panel = ConversationPanel()
        panel.destroyed.connect(lambda: self._forget(panel))
        panel.turn_chosen.connect(self._go_to_turn)
        panel.before.valueChanged.connect(self._set_turns_before)
        # In a low window the page scrolls: the form is not squeezed between its own scroll bars.
        inspector.setMinimumHeight(_LEAST_FORM_HEIGHT)
        page = make_inspector_page(inspector, panel)
        self.show()
        return page

    def show(self) -> None:
        """Show what was said around the selected segment; nothing where the recording has no transcript."""
        panel, session = self.panel, self._studio.session
        if panel is None:
            return
        chosen = self._studio.selected if session is not None else ()
        segment = find_segment(session.study, chosen[0]) if session is not None and len(chosen) == 1 else None
        if session is None or segment is None:
            panel.hide()
            return
        spoken = has_utterances(session.study, segment.recording_id)
        panel.setVisible(spoken)
        if spoken:
            before = self._studio.settings.turns_before
            start, end = segment.shown_span(session.recording(segment.recording_id).duration_us)
            turns = read_conversation(session, segment.recording_id, start, end, before, cues=True)
            panel.show_turns(self._turn_rows(session, turns), before)

    def _turn_rows(self, session: Session, turns: list[DialogueTurn]) -> list[ConversationTurnRow]:
        people = pseudonyms(session.study)
        colours = participant_colours([*people])
        return [
            ConversationTurnRow(
                turn.utterance.id,
                turn.utterance.start_us,
                "" if turn.speaker is None else turn.speaker.pseudonym,
                "" if turn.speaker is None else turn.speaker.role.value,
                colours.get(turn.utterance.participant_id or ""),
                format_with_cues(turn.utterance.text, turn.cues, people),
                turn.inside,
                turn.utterance.checked,
            )
            for turn in turns
        ]

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _TABLES & set(changes) and self._studio.selected:
            self.show()

    def _go_to_turn(self, utterance_id: str, start_us: int) -> None:
        self._studio.select_utterances([utterance_id])
        self._playback.jump(start_us)

    def _set_turns_before(self, before: int) -> None:
        self._studio.change_settings(lambda kept: replace(kept, turns_before=before))
        self.show()

    def _forget(self, panel: ConversationPanel) -> None:
        if self.panel is panel:
            self.panel = None
