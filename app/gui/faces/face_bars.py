"""The bars of the mode Faces: filter, people, review queue, drawn region, review state and suggestions."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QGridLayout, QPushButton, QWidget

from app.gui.faces.face_cards import CardState, FaceCard, Order
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import Participant
from project.schemes.scheme import FieldChoice
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickRow
from widgets.form.controls import line_edit, push_button, tool_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_row
from widgets.labels import ParticipantButtons, make_choice_button
from widgets.text_labels import ElidedLabel, PlainLabel, plain_tip

_FILTERS: dict[str, tuple[str, Callable[[FaceCard], bool]]] = {
    "decide": (tr("To decide"), lambda card: card.is_undecided),
    "all": (tr("All"), lambda _card: True),
    "places": (tr("With places to look at"), lambda card: card.place_count > 0),
    "drawn": (tr("Drawn by hand"), lambda card: card.is_drawn),
    "dismissed": (tr("Not a face"), lambda card: card.state is CardState.DISMISSED),
}
_ORDERS = {
    Order.UNCERTAIN: tr("Uncertain first"),
    Order.TIME: tr("By time"),
    Order.LENGTH: tr("Longest first"),
    Order.SCORE: tr("Lowest score first"),
}


class FaceFilterBar(QWidget):
    """Two lists.

    Signals:
        changed: other cards are wanted, or another order.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = ChoiceBox(tr("Which faces are listed"), compact=True)
        self.order = ChoiceBox(tr("How faces are sorted"), names=_ORDERS, compact=True)
        self._count = PlainLabel(look="quiet")
        self.shown.activated.connect(lambda _at: self.changed.emit())
        self.order.activated.connect(lambda _at: self.changed.emit())
        self.setLayout(make_row(self.shown, 1, self.order, 1, self._count, spacing=theme.GRID // 2))
        self._people: list[Participant] = []
        self._fill()

    def set_people(self, people: Sequence[Participant]) -> None:
        """Offer to list one participant's faces only."""
        if list(people) != self._people:
            self._people = list(people)
            self._fill()

    def set_count(self, shown: int, total: int) -> None:
        """Say how many of the cards are listed."""
        self._count.setText(tr("{shown} of {total}").format(shown=shown, total=total) if shown != total else f"{total}")

    def select_filter(self, key: str) -> None:
        """List what a key stands for: `all`, `decide`, ... or the id of a participant."""
        self.shown.choose(key)

    def predicate(self) -> Callable[[FaceCard], bool]:
        """Return which cards are to be listed."""
        key = self.shown.currentData()
        return _FILTERS[key][1] if key in _FILTERS else lambda card: card.participant_id == key

    def chosen_order(self) -> Order:
        """Return how they are to be sorted."""
        return Order(self.order.currentData())

    def _fill(self) -> None:
        named = {key: name for key, (name, _) in _FILTERS.items()}
        self.shown.offer(named | {person.id: person.pseudonym for person in self._people}, first="all")


class PeopleBar(ParticipantButtons):
    """Buttons about the selected faces."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            make_choice_button(tr("New…"), tr("Assign to a new participant, under a pseudonym")),
            make_choice_button(tr("Unassign"), tr("Take the name away")),
            parent,
        )
        self.dismiss = make_choice_button(tr("Not a face"), tr("Then it is neither drawn nor hidden (X)"))
        self.dismiss.setCheckable(True)
        self.set_people([])

    def set_people(self, people: Sequence[Participant]) -> None:
        """Offer these participants, in this order."""
        self.set_participants(people)

    def tooltip_for(self, person: Participant) -> str:
        return tr("It is {pseudonym}, {role}").format(pseudonym=person.pseudonym, role=person.role.value)

    def extra_buttons(self) -> tuple[QPushButton, ...]:
        return self.new, self.nobody, self.dismiss

    def show_choice(self, participant_id: str | None, dismissed: bool, *, enabled: bool, named: bool) -> None:
        """Show whose the selected face is; nothing can be chosen where nothing is selected or it may not be edited."""
        self.show_person(participant_id, enabled)
        self.dismiss.setChecked(dismissed)
        self.nobody.setEnabled(enabled and named)
        self.dismiss.setEnabled(enabled)


class FaceQueueBar(QWidget):
    """A line about the queue, a line about the place that is shown, and three buttons.

    Signals:
        step_requested (int): 1 for the next place, -1 for the one before.
    """

    step_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._left = ElidedLabel(font=theme.font(semibold=True))
        self._why = ElidedLabel(look="quiet")
        self.before = tool_button("skip-back", tr("Place before"), do=lambda: self.step_requested.emit(-1))
        self.after = tool_button("skip-forward", tr("Next place to look at"), do=lambda: self.step_requested.emit(1))
        self.seen = push_button(tr("Checked, OK"), look="segment")
        self.setLayout(
            make_column(
                make_row(self._left, 1, self.before, self.after, self.seen, spacing=theme.GRID // 2),
                self._why,
                spacing=theme.GRID // 2,
            )
        )
        self.set_keys({})

    def set_keys(self, keys: dict[str, str]) -> None:
        """Name the keys of `after`, `before` and `seen`."""
        self._next = (
            tr("{after}: go to the next, ").format(after=keys["after"]) if keys.get("after") else tr("Go to the next, ")
        )
        for key, button, words in (
            ("after", self.after, tr("Next place to look at, the worst first")),
            ("before", self.before, tr("The place before")),
            ("seen", self.seen, tr("No face is uncovered here; go to the next place")),
        ):
            button.setToolTip(plain_tip(f"{words} ({keys[key]})" if keys.get(key) else words))

    def show_remaining(self, left: str, why: str, *, any_left: bool, at_one: bool, writable: bool) -> None:
        """Say how much is left, and why the place that is shown needs a look."""
        self._left.set_text(left)
        self._why.set_text(why or (tr("{next}the worst first").format(next=self._next) if any_left else ""))
        self._why.setVisible(any_left)
        for button in (self.before, self.after):
            button.setEnabled(any_left)
        self.seen.setEnabled(writable and at_one)

    def remaining_text(self) -> str:
        """Return what is said about how much is left."""
        return self._left.text()

    def reason_text(self) -> str:
        """Return what is said about the place that is shown."""
        return self._why.text()


KINDS = {
    RegionKind.FACE: tr("Face"),
    RegionKind.AREA: tr("Masked area"),
    RegionKind.NOTHING: tr("Nothing to hide"),
}


class RegionBar(QWidget):
    """A form of one region; hidden while none is selected.

    Signals:
        kind_requested (str, RegionKind): region id.
        label_requested (str, str): region id and its new name.
        start_requested (str): it starts at the frame that is shown.
        end_requested (str): it ends after the frame that is shown.
        delete_requested (str): take it away.
    """

    kind_requested = Signal(str, object)
    label_requested = Signal(str, str)
    start_requested = Signal(str)
    end_requested = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._region: Region | None = None
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.GRID // 2)
        self.kind = ChoiceBox(tr("What is in this box"), tr("What is in this box"), KINDS)
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.kind.setMinimumContentsLength(6)
        self.kind.activated.connect(self._choose_kind)
        self.label = line_edit(tr("Name of this box"), tr("Name, such as badge"))
        self.label.editingFinished.connect(self._rename)
        self.starts = push_button(
            tr("Starts here"), tr("It starts at the frame that is shown ([)"), lambda: self._emit(self.start_requested)
        )
        self.ends = push_button(
            tr("Ends here"), tr("It ends after the frame that is shown (])"), lambda: self._emit(self.end_requested)
        )
        self.delete = tool_button(
            "trash-2", tr("Delete this box"), tr("Delete this box (Del)"), lambda: self._emit(self.delete_requested)
        )
        grid.addWidget(self.kind, 0, 0)
        grid.addWidget(self.label, 0, 1, 1, 2)
        grid.addWidget(self.starts, 1, 0)
        grid.addWidget(self.ends, 1, 1)
        grid.addWidget(self.delete, 1, 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.hide()

    def show_region(self, region: Region | None, writable: bool) -> None:
        """Show a region, or none."""
        same = region is not None and self._region is not None and region.id == self._region.id
        self._region = region
        self.setVisible(region is not None)
        if region is None:
            return
        self.kind.choose(region.kind)
        if not (same and self.label.hasFocus()):
            self.label.setText(region.label)
        for part in (self.kind, self.label, self.starts, self.ends, self.delete):
            part.setEnabled(writable)

    def region(self) -> Region | None:
        """Return which region is shown."""
        return self._region

    def _emit(self, signal: SignalInstance) -> None:
        if self._region is not None:
            signal.emit(self._region.id)

    def _choose_kind(self) -> None:
        kind = RegionKind(self.kind.currentData())
        if self._region is not None and kind is not self._region.kind:
            self.kind_requested.emit(self._region.id, kind)

    def _rename(self) -> None:
        if self._region is not None and self.label.text().strip() != self._region.label:
            self.label_requested.emit(self._region.id, self.label.text())


class ReviewBar(QWidget):
    """A box to tick, and a line under it.

    Signals:
        review_requested (bool): mark the recording as reviewed, or take that back.
    """

    review_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = tr("Every face is hidden as it should be. Any later change of the faces takes it back.")
        self.tick = TickRow(FieldChoice("reviewed", tr("Reviewed"), words))
        self.tick.clicked.connect(self._on_tick)
        self._state = PlainLabel(wordWrap=True, look="quiet")
        self._state.setContentsMargins(30, 0, 0, 0)
        self.setLayout(make_column(self.tick, self._state, spacing=0))
        self._on = False

    def show_state(self, reviewed: bool, words: str, *, warned: bool = False, writable: bool = True) -> None:
        """Show whether it is reviewed by the current annotator, and a line about it."""
        self._on = reviewed
        self.tick.setChecked(reviewed)
        self.tick.setEnabled(writable)
        self._state.setText(words)
        self._state.setVisible(bool(words))
        ink = theme.palette().uncertain if warned else theme.palette().muted
        self._state.setStyleSheet(f"color: {ink.name()};")

    def status_text(self) -> str:
        """Return the line under the box."""
        return self._state.text()

    def _on_tick(self, on: bool) -> None:
        # Only what the study says is shown as ticked.
        self.tick.setChecked(self._on)
        self.review_requested.emit(on)


class SuggestionBar(QWidget):
    """One suggestion at a time.

    Signals:
        show_requested: show what the suggestion is about.
        accept_requested: do it.
    """

    show_requested = Signal()
    accept_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ElidedLabel()
        self.show_them = push_button(tr("Show"), tr("Show what it is about"), self.show_requested)
        self.accept = push_button("", tr("Do this, as one step that can be undone"), self.accept_requested)
        self.skip = tool_button("skip-forward", tr("Another suggestion"))
        self.setLayout(
            make_column(
                self._words,
                make_row(self.accept, 1, self.show_them, self.skip, spacing=theme.GRID // 2),
                spacing=theme.GRID // 2,
            )
        )
        self.hide()

    def show_suggestion(self, words: str, accept: str, *, several: bool, writable: bool) -> None:
        """Say what is suggested and what accepting it does; no words hide the bar."""
        self.setVisible(bool(words))
        self._words.set_text(words)
        self.accept.setText(accept)
        self.accept.setEnabled(writable)
        self.skip.setVisible(several)
