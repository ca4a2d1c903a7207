"""The preview in the export dialog: one frame before and after, and what is known about it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.core.rendering.preview import Preview
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.before_after import BeforeAfter
from widgets.elided_label import ElidedLabel


class PreviewPane(QWidget):
    """Shows what it is given.

    Signals:
        time_changed: the user wants to see another frame.
    """

    time_changed = Signal()

    def __init__(self, time_us: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.time_us = time_us
        self._nearest_us: int | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.pictures = BeforeAfter()
        column.addWidget(self.pictures, 1)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.status = ElidedLabel()
        self.go = QPushButton(tr("Go to a face"))
        self.go.setToolTip(tr("Show the nearest frame in which a face is hidden"))
        self.go.setAutoDefault(False)
        self.go.clicked.connect(self._go)
        row.addWidget(self.status, 1)
        row.addWidget(self.go)
        column.addLayout(row)
        policy = self.go.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.go.setSizePolicy(policy)
        self.go.hide()

    def show_working(self, text: str) -> None:
        """Say that a preview is being made; the last one stays meanwhile."""
        self.pictures.set_text(text)

    def show_preview(self, made: Preview) -> None:
        """Show a preview."""
        self.pictures.set_pictures(made.before, made.after)
        self._nearest_us = made.nearest_us
        self.go.setVisible(made.nearest_us is not None)
        at = tr("Frame at {time_us}").format(time_us=format_time(made.time_us))
        if not made.faces:
            none = (
                tr("no face in this frame")
                if made.nearest_us is not None
                else tr("no face was found in this recording")
            )
            self.status.set_text(f"{at}: {none}.")
        else:
            faces = tr("1 face") if made.faces == 1 else tr("{faces} faces").format(faces=made.faces)
            drawn = tr(", one that cannot be drawn solid") if made.undrawn else ""
            self.status.set_text(tr("{at}: {faces} hidden{drawn}.").format(at=at, faces=faces, drawn=drawn))

    def show_problem(self, text: str) -> None:
        """Say why there is no preview."""
        self.pictures.set_pictures(None, None)
        self.pictures.set_text(text)
        self.status.set_text("")
        self.go.hide()

    def _go(self) -> None:
        if self._nearest_us is not None:
            self.time_us = self._nearest_us
            self.time_changed.emit()
