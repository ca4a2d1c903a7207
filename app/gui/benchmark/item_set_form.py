"""The form for a new item set: the task, the sample, and the rules for recordings, labels and renderings.

A set is frozen once it is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QWidget

from resources.translation import tr
from widgets import theme
from widgets.form.controls import check_box, push_button
from widgets.form.form import Form
from widgets.form.input_fields import IntegerBox
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area
from widgets.text_labels import PlainLabel, describe

_MAX_SHARE = 100
"""Shares are weights, and whole percents are as fine as a draw can be."""


@dataclass(frozen=True, slots=True)
class SamplingTrack:
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
class ItemSetChoices:
    """What a study has to choose from.

    Attributes:
        lanes: the default one first.
        methods: key -> name of the methods by which any recording was rendered.
        negatives: key -> name of where stretches without a label come from, the usual one first.
        truths: key -> name of what counts as true, the usual one first.
    """

    lanes: Sequence[SamplingTrack] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    negatives: Mapping[str, str] = field(default_factory=dict)
    truths: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SamplingRules:
    """What was chosen; empty is what is usual for the task.

    Attributes:
        shares: label -> weight.
        methods: by which every recording must have been rendered.
        willing: only recordings in which everybody is willing to be shown to models.
        truth: whose attributes count.
    """

    scheme: str = ""
    track: str = ""
    shares: Mapping[str, int] = field(default_factory=dict)
    negatives: str = ""
    methods: tuple[str, ...] = ()
    willing: bool = False
    truth: str = ""


class SetRules(QWidget):
    """Folded away until somebody wants more than is usual."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered = ItemSetChoices()
        self._usual: Mapping[str, float] = {}
        self.fold = push_button(
            "",
            tr("Whose segments, how much of each label, and what must be there to be seen"),
            name=tr("More rules"),
            look="segment",
            checkable=True,
        )
        self._segments = False
        self.shares: dict[str, IntegerBox] = {}
        self.methods: dict[str, QCheckBox] = {}
        self._body = form = Form()
        self.lane = form.choice(tr("Segments &of"), tr("The scheme and track whose segments are drawn"))
        self.own_shares = form.tick(
            tr("Own s&hares of the labels"),
            tr("Otherwise as in the paper, or all alike for labels that it does not know"),
            title=tr("Shares"),
        )
        self._shares, self._methods = make_row(), make_column()
        form.add("", self._shares)
        self.negatives = form.choice(tr("N&one is"), tr("Where moments without a label are drawn from"))
        self.truth = form.choice(tr("&True is"), tr("Whose attributes count where annotators chose different ones"))
        self._none_rendered = PlainLabel(tr("No recording has a rendering yet"), look="quiet")
        form.add(tr("Rendered by"), make_column(self._none_rendered, self._methods))
        self.willing = form.tick(
            tr("Only where everybody is &willing to be shown to models"),
            tr("Wrong options too are then taken from such recordings alone"),
            title=tr("People"),
        )
        self.setLayout(make_column(make_row(self.fold, None), self._body))
        self.fold.toggled.connect(self._set_expanded)
        self.lane.currentIndexChanged.connect(lambda _at: self._rebuild_shares())
        self.own_shares.toggled.connect(lambda _on: self._enable())
        self._set_expanded(False)

    def set_options(self, offered: ItemSetChoices) -> None:
        """Offer what a study has; what was chosen of it stays chosen."""
        if offered == self._offered:
            return
        ticked = {key for key, box in self.methods.items() if box.isChecked()}
        self._offered = offered
        self.lane.offer({(lane.scheme, lane.track): lane.name for lane in offered.lanes})
        self.negatives.offer(offered.negatives)
        self.truth.offer(offered.truths)
        _clear_layout(self._methods)
        tip = tr("Draw only what can be seen in this rendering too")
        self.methods = {key: check_box(name, tip, checked=key in ticked) for key, name in offered.methods.items()}
        for tick in self.methods.values():
            self._methods.addWidget(tick)
        self._rebuild_shares()

    def set_task(self, segments: bool, shares: Mapping[str, float]) -> None:
        """Say which of the rules a task understands.

        Args:
            segments: whether its items are segments.
            shares: label -> weight in its paper; {} where it does not draw by label.
        """
        self._segments, self._usual = segments, shares
        self._rebuild_shares()

    def rules(self) -> SamplingRules:
        """Return what is chosen, of the rules that the task understands."""
        usual = self.lane.currentIndex() <= 0 or not self._segments
        scheme, track = ("", "") if usual else self.lane.currentData()
        by_label = self._supports_label_shares() and self.own_shares.isChecked()
        return SamplingRules(
            scheme,
            track,
            {key: box.value() for key, box in self.shares.items()} if by_label else {},
            self.negatives.key() if self._supports_label_shares() else "",
            tuple(key for key, box in self.methods.items() if box.isChecked()),
            self.willing.isChecked(),
            self.truth.key() if self._segments else "",
        )

    def set_busy(self, on: bool) -> None:
        """Take no other wish while a set is drawn."""
        self._body.setEnabled(not on)

    def _supports_label_shares(self) -> bool:
        return self._segments and bool(self._usual)

    def _rebuild_shares(self) -> None:
        """Show the labels of the lane, each with its share in the paper, or all alike where it has other labels."""
        at = self.lane.currentIndex()
        labels = self._offered.lanes[at].labels if at >= 0 else {}
        known = {*self._usual} <= {*labels}
        _clear_layout(self._shares)
        self.shares = {}
        for key, name in labels.items():
            box = IntegerBox(maximum=_MAX_SHARE, value=round(_MAX_SHARE * self._usual.get(key, 0)) if known else 1)
            tip = tr("How much of this label beside the others; 0 for none of it")
            describe(box, tr("Share of {label}").format(label=name), tip)
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
        self.own_shares.setEnabled(self._supports_label_shares())
        self.negatives.setEnabled(self._supports_label_shares())
        self.truth.setEnabled(self._segments)
        for box in self.shares.values():
            box.setEnabled(self._supports_label_shares() and self.own_shares.isChecked())
        self._none_rendered.setVisible(not self.methods)

    def _set_expanded(self, on: bool) -> None:
        self.fold.setText(tr("{arrow} More rules").format(arrow="▾" if on else "▸"))
        self._body.setVisible(on)


def _clear_layout(layout: QBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


@dataclass(frozen=True, slots=True)
class TaskOption:
    """A task that items can be drawn for.

    Attributes:
        about: what it asks, with its paper.
        draws: samples, usually.
        size: items of a sample, usually; 0 for all there are.
        segments: whether its items are segments.
        shares: label -> weight, where draws have a share of each.
    """

    key: str
    name: str
    about: str
    draws: int
    size: int
    segments: bool = False
    shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewSet:
    """What was filled in; `name` is "" for the task's own."""

    task: str
    name: str
    seed: int
    draws: int
    size: int
    stratify: bool
    include: tuple[str, ...]
    rules: SamplingRules


class NewSetForm(QWidget):
    """Says what is asked, what is drawn, and what is left out.

    Signals:
        submitted (NewSet): it is to be drawn.
        cancelled: it is not.
        shown: it came into sight, and wants to know what the study has to choose from.
    """

    submitted = Signal(object)
    cancelled = Signal()
    shown = Signal()

    def __init__(self, tasks: Sequence[TaskOption], included: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("New item set"))
        self._tasks = {task.key: task for task in tasks}
        self._form = form = Form()
        self.task = form.choice(tr("Tas&k"), tr("What is asked"), {task.key: (task.name, task.about) for task in tasks})
        self.about = form.note()
        self.name = form.text(tr("Na&me"), tr("Empty: the name of the task"), placeholder=tr("As the task"))
        with form.line(tr("Drawn")):
            self.draws = form.number(
                tr("&Draws"),
                tr("Samples that are drawn; figures are mean and standard deviation over them"),
                minimum=1,
                maximum=1000,
            )
            self.items = form.number(
                tr("&Items a draw"),
                tr("About how many items each draw has"),
                maximum=100_000,
                specialValueText=tr("All there are"),
            )
            self.seed = form.number(
                tr("S&eed"), tr("The same seed draws the same items from the same study"), maximum=2**31 - 1
            )
        self.stratify = form.tick(
            tr("The same number from each &collection"), tr("Each collection gives the same number of items to a draw")
        )
        self.include = {
            key: form.tick(
                tr("Also {text}").format(text=text),
                tr("Left out unless you tick this"),
                title="" if place else tr("Exceptions"),
            )
            for place, (key, text) in enumerate(included.items())
        }
        self.rules = SetRules()
        self.note = PlainLabel(wordWrap=True, accessibleName=tr("State of the new set"))
        self.make = push_button(
            tr("&Make set"),
            tr("Draw the items and freeze them; a set is never changed"),
            lambda: self.submitted.emit(self.values()),
            name=tr("Make set"),
            look="primary",
        )
        self.cancel = push_button(tr("Cancel"), tr("Make no set"), self.cancelled)
        self._lay_out()
        self.task.currentIndexChanged.connect(self._show_task)
        self._show_task()

    def values(self) -> NewSet:
        """Return what is filled in."""
        return NewSet(
            self.task.key(),
            self.name.text().strip(),
            self.seed.value(),
            self.draws.value(),
            self.items.value(),
            self.stratify.isChecked(),
            tuple(key for key, box in self.include.items() if box.isChecked()),
            self.rules.rules(),
        )

    def show_note(self, text: str) -> None:
        """Say what is done, or why it could not be made."""
        self.note.setText(text)

    def set_busy(self, on: bool) -> None:
        """Take no other wish while a set is drawn; it can still be cancelled."""
        self.make.setEnabled(self.task.key() in self._tasks and not on)
        self._form.setEnabled(not on)
        self.rules.set_busy(on)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _show_task(self) -> None:
        task_option = self._tasks.get(self.task.key())
        self.make.setEnabled(task_option is not None)
        if task_option is None:
            return
        self.about.setText(task_option.about)
        self.draws.setValue(task_option.draws)
        self.items.setValue(task_option.size)
        self.rules.set_task(task_option.segments, task_option.shares)
        self.show_note("")

    def _lay_out(self) -> None:
        form = make_scroll_area(make_panel(make_column(self._form, self.rules, None)), sideways=True)
        buttons = make_row(None, self.cancel, self.make)
        self.setLayout(make_column(form, 1, self.note, buttons, margin=(0, theme.GRID, 0, 0)))
