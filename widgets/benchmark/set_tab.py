"""What an item set is: how it was drawn, what was left out and why, and whether the study has changed since."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.rows_table import Row, RowsTable


class SetTab(QWidget):
    """Nothing here can be edited: a set is frozen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        self._facts = QFormLayout()
        self._facts.setHorizontalSpacing(theme.GRID * 2)
        column.addLayout(self._facts)
        self.changed = PlainLabel(wordWrap=True)
        self.changed.setAccessibleName(tr("Whether the study has changed since"))
        column.addWidget(self.changed)
        column.addSpacing(theme.GRID)
        heading = PlainLabel(tr("Left out"))
        heading.setFont(theme.font(theme.POINTS, semibold=True))
        column.addWidget(heading)
        self.left_out = RowsTable(tr("What was left out"), (tr("How often"), tr("Why")))
        EmptyHint(self.left_out, tr("Nothing was left out."))
        column.addWidget(self.left_out, 1)
        theme.notifier.changed.connect(self._tint)
        self._differs = False

    def show_set(self, facts: Mapping[str, str], left_out: Sequence[Row]) -> None:
        """Show facts by name, and what was left out."""
        while self._facts.rowCount():
            self._facts.removeRow(0)
        for name, text in facts.items():
            value = PlainLabel(text, wordWrap=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label = PlainLabel(name)
            label.setProperty("quiet", True)
            self._facts.addRow(label, value)
        self.left_out.show_rows(left_out)

    def show_changed(self, text: str, *, differs: bool) -> None:
        """Say whether the study is as it was when the set was drawn."""
        self._differs = differs
        self.changed.setText(text)
        self._tint()

    def _tint(self) -> None:
        colours = theme.palette()
        self.changed.setStyleSheet(f"color: {(colours.uncertain if self._differs else colours.muted).name()};")
