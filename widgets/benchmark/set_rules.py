"""The finer rules of a new item set: whose segments, how much of each label, what must be there to be seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.number_boxes import IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_MOST = 100
"""Shares are weights, and whole percents are as fine as a draw can be."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A track of a scheme, whose segments can be drawn.

    Attributes:
        name: of both, for people.
        labels: key -> name, `none` among them where a stretch may have no label.
    """

    scheme: str
    track: str
    name: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Offered:
    """What a study has to choose from.

    Attributes:
        lanes: the default one first.
        methods: key -> name of the methods by which any recording was rendered.
        negatives: key -> name of where stretches without a label come from, the usual one first.
    """

    lanes: Sequence[Lane] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    negatives: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rules:
    """What was chosen; empty is what is usual for the task.

    Attributes:
        shares: label -> weight.
        methods: by which every recording must have been rendered.
        willing: only recordings in which everybody is willing to be shown to models.
    """

    scheme: str = ""
    track: str = ""
    shares: Mapping[str, int] = field(default_factory=dict)
    negatives: str = ""
    methods: tuple[str, ...] = ()
    willing: bool = False


class SetRules(QWidget):
    """Folded away until somebody wants more than is usual."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered = Offered()
        self._usual: Mapping[str, float] = {}
        self.fold = QPushButton()
        self.fold.setProperty("segment", True)
        self.fold.setCheckable(True)
        self.fold.setAccessibleName(tr("More rules"))
        self.fold.setToolTip(tr("Whose segments, how much of each label, and what must be there to be seen"))
        self.lane, self.negatives = QComboBox(), QComboBox()
        self.own_shares = QCheckBox(tr("Own s&hares of the labels"))
        self.willing = QCheckBox(tr("Only where everybody is &willing to be shown to models"))
        self.shares: dict[str, IntegerBox] = {}
        self.methods: dict[str, QCheckBox] = {}
        self._lay_out()
        self._explain()
        self.fold.toggled.connect(self._show)
        self.lane.currentIndexChanged.connect(lambda _at: self._renew_shares())
        self.own_shares.toggled.connect(lambda _on: self._enable())
        self._show(False)

    def set_offered(self, offered: Offered) -> None:
        """Offer what a study has; what was chosen of it stays chosen."""
        if offered == self._offered:
            return
        lane, negatives = self.lane.currentData(), self.negatives.currentData()
        ticked = {key for key, box in self.methods.items() if box.isChecked()}
        self._offered = offered
        with QSignalBlocker(self.lane):
            self.lane.clear()
            for one in offered.lanes:
                self.lane.addItem(one.name, (one.scheme, one.track))
            self.negatives.clear()
            for key, name in offered.negatives.items():
                self.negatives.addItem(name, key)
            for box, before in ((self.lane, lane), (self.negatives, negatives)):
                box.setCurrentIndex(max(0, box.findData(before)))
        _empty(self._methods)
        self.methods = {key: QCheckBox(name) for key, name in offered.methods.items()}
        for key, tick in self.methods.items():
            tick.setToolTip(tr("Draw only what can be seen in this rendering too"))
            tick.setChecked(key in ticked)
            self._methods.addWidget(tick)
        self._renew_shares()

    def set_task(self, segments: bool, shares: Mapping[str, float]) -> None:
        """Say which of the rules a task understands.

        Args:
            segments: whether its items are segments.
            shares: label -> weight in its paper; {} where it does not draw by label.
        """
        self._segments, self._usual = segments, shares
        self._renew_shares()

    def chosen(self) -> Rules:
        """Return what is chosen, of the rules that the task understands."""
        usual = self.lane.currentIndex() <= 0 or not self._segments
        scheme, track = ("", "") if usual else self.lane.currentData()
        by_label = self._by_label() and self.own_shares.isChecked()
        return Rules(
            scheme,
            track,
            {key: box.value() for key, box in self.shares.items()} if by_label else {},
            str(self.negatives.currentData() or "") if self._by_label() else "",
            tuple(key for key, box in self.methods.items() if box.isChecked()),
            self.willing.isChecked(),
        )

    def set_under_way(self, on: bool) -> None:
        """Take no other wish while a set is drawn."""
        self._body.setEnabled(not on)

    def _by_label(self) -> bool:
        return self._segments and bool(self._usual)

    def _renew_shares(self) -> None:
        """Show the labels of the lane, each with its share in the paper, or all alike where it has other labels."""
        at = self.lane.currentIndex()
        labels = self._offered.lanes[at].labels if at >= 0 else {}
        known = {*self._usual} <= {*labels}
        _empty(self._shares)
        self.shares = {}
        for key, name in labels.items():
            box = IntegerBox(maximum=_MOST, value=round(_MOST * self._usual.get(key, 0)) if known else 1)
            box.setAccessibleName(tr("Share of {label}").format(label=name))
            box.lineEdit().setAccessibleName(box.accessibleName())
            box.setToolTip(tr("How much of this label beside the others; 0 for none of it"))
            label = PlainLabel(name)
            label.setBuddy(box)
            self._shares.addWidget(label)
            self._shares.addWidget(box)
            self._shares.addSpacing(theme.GRID)
            self.shares[key] = box
        self._shares.addStretch(1)
        self._enable()

    def _enable(self) -> None:
        self.lane.setEnabled(self._segments and self.lane.count() > 1)
        self.own_shares.setEnabled(self._by_label())
        self.negatives.setEnabled(self._by_label())
        for box in self.shares.values():
            box.setEnabled(self._by_label() and self.own_shares.isChecked())
        self._none_rendered.setVisible(not self.methods)

    def _show(self, on: bool) -> None:
        self.fold.setText(tr("{arrow} More rules").format(arrow="▾" if on else "▸"))
        self._body.setVisible(on)

    def _explain(self) -> None:
        for box, name, tip in (
            (self.lane, tr("Segments of"), tr("The scheme and track whose segments are drawn")),
            (self.negatives, tr("None is"), tr("Where moments without a label are drawn from")),
        ):
            box.setAccessibleName(name)
            box.setToolTip(plain_tip(tip))
        self.own_shares.setToolTip(tr("Otherwise as in the paper, or all alike for labels that it does not know"))
        self.willing.setToolTip(tr("Wrong options too are then taken from such recordings alone"))

    def _lay_out(self) -> None:
        self._segments = False
        self._none_rendered = PlainLabel(tr("No recording has a rendering yet"))
        self._none_rendered.setProperty("quiet", True)
        self._body = QWidget()
        self._shares, self._methods = QHBoxLayout(), QVBoxLayout()
        for row in (self._shares, self._methods):
            row.setSpacing(theme.GRID)
        form = QFormLayout(self._body)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(theme.GRID * 2)
        form.setVerticalSpacing(theme.GRID)
        form.addRow(tr("Segments &of"), self.lane)
        form.addRow(tr("Shares"), self.own_shares)
        form.addRow("", self._shares)
        form.addRow(tr("N&one is"), self.negatives)
        rendered = QVBoxLayout()
        rendered.addWidget(self._none_rendered)
        rendered.addLayout(self._methods)
        form.addRow(tr("Rendered by"), rendered)
        form.addRow(tr("People"), self.willing)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        head.addWidget(self.fold)
        head.addStretch(1)
        column.addLayout(head)
        column.addWidget(self._body)


def _empty(layout: QHBoxLayout | QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
