"""One item of a review side by side; what differs has a sign and stands on a tinted ground."""

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.label_chip import LabelChip
from widgets.label_looks import LabelLook
from widgets.label_paint import mix
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.review.shown import Column, Comparison, Line, Part
from widgets.rich_label import RichLabel

DIFFERS = "≠"
_HINT = tr("Press N to begin, or choose one above.")


class SideBySide(QScrollArea):
    """Shows what each annotator says, a column each.

    Signals:
        column_chosen (int): the column that decisions should be about.
    """

    column_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Side by side"))
        self._shown: Comparison | None = None
        theme.notifier.changed.connect(self._redraw)
        self._redraw()

    def comparison(self) -> Comparison | None:
        """Return what is shown."""
        return self._shown

    def show_comparison(self, shown: Comparison | None) -> None:
        """Show an item, or nothing."""
        if shown != self._shown:
            self._shown = shown
            self._redraw()

    def _redraw(self) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        if self._shown is not None:
            column.addLayout(self._heads(self._shown))
            for line in self._shown.lines:
                column.addWidget(_line(line))
        else:
            hint = PlainLabel(_HINT, wordWrap=True)
            hint.setStyleSheet(f"color: {theme.palette().muted.name()};")
            column.addWidget(hint)
        column.addStretch()
        self.setWidget(inner)

    def _heads(self, shown: Comparison) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(theme.GRID)
        for place, one in enumerate(shown.columns):
            grid.setColumnStretch(place, 1)
            grid.addWidget(self._head(one, place, place == shown.target), 0, place)
            said = PlainLabel("\n".join(one.said), wordWrap=True)
            said.setAlignment(Qt.AlignmentFlag.AlignTop)
            said.setStyleSheet(f"color: {theme.palette().muted.name()};")
            _narrow(said)
            grid.addWidget(said, 1, place)
        return grid

    def _head(self, one: Column, place: int, target: bool) -> QWidget:
        button = QPushButton(tr("{name}: decide").format(name=one.name) if target else one.name)
        button.setProperty("segment", True)
        button.setCheckable(True)
        button.setChecked(target)
        button.setEnabled(one.decidable)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(tr("Decide about the segment of {name}").format(name=one.name))
        button.setToolTip(
            plain_tip(
                tr("Your decision is about what {name} marked").format(name=one.name)
                if one.decidable
                else tr("Nothing of {name} to review here").format(name=one.name)
            )
        )
        _narrow(button)
        button.clicked.connect(lambda: self.column_chosen.emit(place))
        return button


def _line(line: Line) -> QWidget:
    colours = theme.palette()
    frame = QFrame()
    frame.setObjectName("line")
    if line.differs:
        ground, edge = mix(colours.uncertain, colours.panel, 0.16), colours.uncertain
        frame.setStyleSheet(f"#line {{ background: {ground.name()}; border-left: 3px solid {edge.name()}; }}")
    else:
        frame.setStyleSheet("#line { border-left: 3px solid transparent; }")
    grid = QGridLayout(frame)
    grid.setContentsMargins(theme.GRID, 3, theme.GRID, 3)
    grid.setHorizontalSpacing(theme.GRID)
    grid.setVerticalSpacing(1)
    shown = f"{DIFFERS} {line.name}" if line.differs else line.name
    name = PlainLabel(shown)
    name.setFont(theme.font(theme.POINTS - 1, semibold=line.differs))
    name.setStyleSheet(f"color: {(colours.text if line.differs else colours.muted).name()};")
    name.setAccessibleName(tr("{name}: differs").format(name=line.name) if line.differs else line.name)
    grid.addWidget(name, 0, 0, 1, len(line.cells))
    for place, cell in enumerate(line.cells):
        grid.setColumnStretch(place, 1)
        chip = isinstance(cell, LabelLook)
        start = Qt.AlignmentFlag.AlignLeft if chip else Qt.AlignmentFlag(0)
        grid.addWidget(_cell(cell), 1, place, Qt.AlignmentFlag.AlignTop | start)
    return frame


def _cell(cell: LabelLook | tuple[Part, ...]) -> QWidget:
    if isinstance(cell, LabelLook):
        chip = LabelChip()
        chip.set_look(cell)
        return chip
    text = RichLabel("<br>".join(_part(one) for one in cell) or "–", wordWrap=True)  # noqa: RUF001 nothing is there
    text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    _narrow(text)
    return text


def _part(one: Part) -> str:
    text = escape(one.text).replace("\n", "<br>")
    return f'<span style="font-weight: 600">{DIFFERS} {text}</span>' if one.differs else text


def _narrow(widget: QWidget) -> None:
    """Let columns be of one width, however long a word in them is."""
    widget.setSizePolicy(QSizePolicy.Policy.Ignored, widget.sizePolicy().verticalPolicy())
    widget.setMinimumWidth(40)
