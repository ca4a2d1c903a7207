"""Shows what was said around the selected segment under its form: the conversation history that judges see."""

from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.cues.lines import said_with_cues
from app.core.session import Session
from app.core.speech.conversation import Turn, conversation
from app.gui.playback import Playback
from app.gui.studio import Studio
from app.gui.under_inspector import page_of
from project.queries.participants import all_participants
from project.queries.segments import segment
from project.queries.utterances import has_utterances
from project.types import Changes
from widgets.conversation_panel import ConversationPanel, ShownTurn
from widgets.participant_looks import participant_colours

_TABLES = frozenset({"utterance", "participant", "segment", "segment_value", "review"})


class ConversationFeed(QObject):
    """Joins a panel to the selection; every inspector gets a panel of its own."""

    def __init__(self, studio: Studio, playback: Playback, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio, self._playback = studio, playback
        self.panel: ConversationPanel | None = None
        studio.selection_changed.connect(self.show)
        studio.bridge.changed.connect(self._apply)

    def under(self, inspector: QWidget) -> QWidget:
        """Return a page with the inspector and the conversation below it."""
        panel = self.panel = ConversationPanel()
        panel.destroyed.connect(lambda: self._forget(panel))
        panel.turn_chosen.connect(self._go)
        panel.before_changed.connect(self._show_more)
        page = page_of(inspector, panel)
        self.show()
        return page

    def show(self) -> None:
        """Show what was said around the selected segment; nothing where the recording has no transcript."""
        panel, session = self.panel, self._studio.session
        if panel is None:
            return
        chosen = self._studio.selected if session is not None else ()
        one = segment(session.study, chosen[0]) if session is not None and len(chosen) == 1 else None
        if session is None or one is None:
            panel.hide()
            return
        spoken = has_utterances(session.study, one.recording_id)
        panel.setVisible(spoken)
        if spoken:
            before = self._studio.settings.turns_before
            turns = conversation(session, one.recording_id, one.start_us, one.end_us, before, cues=True)
            panel.show_turns(self._shown(session, turns), before)

    def _shown(self, session: Session, turns: list[Turn]) -> list[ShownTurn]:
        people = {one.id: one.pseudonym for one in all_participants(session.study)}
        colours = participant_colours([*people])
        return [
            ShownTurn(
                one.utterance_id,
                one.start_us,
                one.speaker,
                "" if one.role is None else one.role.value,
                colours.get(one.participant_id or ""),
                said_with_cues(one.text, one.cues, people),
                one.inside,
                one.checked,
            )
            for one in turns
        ]

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _TABLES & set(changes) and self._studio.selected:
            self.show()

    def _go(self, utterance_id: str, start_us: int) -> None:
        self._studio.select_utterances([utterance_id])
        self._playback.jump(start_us)

    def _show_more(self, before: int) -> None:
        self._studio.change_settings(lambda kept: replace(kept, turns_before=before))
        self.show()

    def _forget(self, panel: ConversationPanel) -> None:
        if self.panel is panel:
            self.panel = None
