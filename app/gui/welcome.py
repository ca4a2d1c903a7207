"""What the window shows while no study is open: what can be opened."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap

from resources import resource
from resources.translation import tr
from widgets.empty_state import Choice, EmptyState

_RECENT = "recent "
_SHOWN = 5
_SAMPLE = "sample"


class Welcome(EmptyState):
    """Offers a new study, one that exists, the sample, and those that were open last.

    Signals:
        study_chosen (str): the path of a study that was open before.
        sample_chosen: the sample.
        action_chosen (str): the key of one of the window's actions.
    """

    study_chosen = Signal(str)
    sample_chosen = Signal()
    action_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(
            "film",
            tr("Welcome to Greenroom"),
            tr(
                "Annotate, anonymize and compare recordings of social interaction, on this machine. "
                "A study is one file that knows everything about a set of recordings."
            ),
            [
                Choice("new", tr("New study…"), "Ctrl+N", primary=True),
                Choice("open", tr("Open study…"), "Ctrl+Shift+O"),
                Choice(_SAMPLE, tr("Try the sample")),
                Choice("tutorial", tr("Read the tutorial")),
            ],
        )
        self.chosen.connect(self._choose)

    def picture(self, _ink: QColor) -> QPixmap:
        """Return the icon of the application, in its own colours."""
        return QIcon(str(resource("icons", "greenroom.svg"))).pixmap(QSize(72, 72), self.devicePixelRatioF())

    def set_recent(self, paths: Sequence[str]) -> None:
        """Offer the newest of the studies that are still there."""
        there = [path for path in paths if Path(path).exists()][:_SHOWN]
        self.set_links([Choice(f"{_RECENT}{path}", path) for path in there])

    def _choose(self, key: str) -> None:
        if key == _SAMPLE:
            self.sample_chosen.emit()
        elif key.startswith(_RECENT):
            self.study_chosen.emit(key.removeprefix(_RECENT))
        else:
            self.action_chosen.emit(key)
