"""A line over the timeline that says why a recording is closed to an annotator who is still in training."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotate.team.training_gate import require_training
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes
from project.errors import UserError
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button
from widgets.form.layouts import make_row
from widgets.text_labels import PlainLabel
from widgets.theme import pixmap


class GateLine(QWidget):
    """Hidden where the work is open.

    Signals:
        open_requested: the button was pressed.
    """

    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Why this recording is closed"))
        self._sign = PlainLabel()
        self._text = PlainLabel(wordWrap=True)
        self.button = push_button(tr("Training…"), tr("Show how far your training is"), self.open_requested)
        self.setLayout(make_row(self._sign, self._text, 1, self.button, margin=(theme.GRID, 2, theme.GRID, 2)))
        theme.notifier.changed.connect(self._tint)
        self._tint()
        self.hide()

    def text(self) -> str:
        """Return why, or "" where the work is open."""
        return self._text.text() if not self.isHidden() else ""

    def show_reason(self, text: str) -> None:
        """Say why; "" hides the line."""
        self._text.setText(text)
        self.setVisible(bool(text))

    def _tint(self) -> None:
        self._sign.setPixmap(pixmap("lock", 16, theme.palette().uncertain, self.devicePixelRatioF()))


_TABLES = frozenset({"property", "assignment", "completion", "annotator", "segment"})


class TrainingGate(QObject):
    """Keeps the line in step with the study."""

    def __init__(self, studio: StudyController, line: GateLine, show: Callable[[], object], parent: QObject) -> None:
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
