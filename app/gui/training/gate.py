"""Says over the timeline why a recording is closed to who works here."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.core.training import require_training
from app.gui.studio import Studio
from project.errors import UserError
from project.types import Changes
from widgets.training.gate_line import GateLine

_TABLES = frozenset({"property", "assignment", "completion", "annotator", "segment"})


class TrainingGate(QObject):
    """Keeps the line in step with the study."""

    def __init__(self, studio: Studio, line: GateLine, show: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._line = line
        line.open_requested.connect(show)
        studio.recording_changed.connect(self._show)
        studio.bridge.changed.connect(self._apply)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _TABLES & set(changes):
            self._show()

    def _show(self) -> None:
        session, recording = self._studio.session, self._studio.recording
        reason = ""
        if session is not None and recording is not None and self._studio.writable:
            try:
                require_training(session, recording.id)
            except UserError as error:
                reason = f"{error.message} {error.hint}"
        self._line.show_reason(reason)
