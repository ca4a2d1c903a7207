"""The page of the mode Faces.

Tracks faces, assigns them to people, checks uncertain places, and marks the recording as reviewed.
"""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QWidget

from app.gui.faces.face_bars import FaceFilterBar, FaceQueueBar, PeopleBar, RegionBar, ReviewBar, SuggestionBar
from app.gui.faces.face_cards import CardsModel, CardState, CardsView, FaceCard
from app.gui.recordings.participants_table import ROLES
from project.entities.study_records import Participant, ParticipantRole
from project.schemes.scheme import FieldChoice
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import TextDialog
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.checklists import TickRow
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_panel, make_row, make_stack
from widgets.progress_bars import ProgressBar
from widgets.text_labels import PlainLabel, plain_tip

_UNTRACKED = (
    tr("Faces not tracked yet"),
    tr("Every face is found and followed through the recording, on this machine."),
)
_ASKED_ELSEWHERE = (
    tr("Faces were asked for in another window"),
    tr("It has not saved them yet. When its job has ended, open the study again."),
)
_HELD_ELSEWHERE = (
    tr("No faces are saved in this study yet"),
    tr("Another window has the study open. When it has saved faces, open the study again."),
)
_TRACK_AGAIN_TIP = tr("Track faces again (Ctrl+T); decisions stay with the earlier tracks")
_TRACKING = (tr("Faces are being looked for"), tr("You can go on working meanwhile."))


class FacesPage(QWidget):
    """Lays the bars and the cards out; what they do is joined elsewhere.

    Signals:
        track_requested: look for faces in this recording.
        cancel_requested: stop looking.
        selection_changed (list[str]): keys of the cards that are selected now.
        role_requested (str, ParticipantRole): participant id and the new role.
        boxes_toggled (bool): draw boxes over the picture.
        export_requested: open the export.
    """

    track_requested = Signal()
    cancel_requested = Signal()
    selection_changed = Signal(object)
    role_requested = Signal(str, object)
    boxes_toggled = Signal(bool)
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None, ask_name: Callable[[QWidget], str] | None = None) -> None:
        super().__init__(parent)
        self.ask_name = ask_name or _ask_pseudonym
        self._people: dict[str, Participant] = {}
        self._writable = True
        self.setAccessibleName(tr("Faces"))
        self.model = CardsModel(self)
        self._no_recording = EmptyState(
            "scan-face", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
        )
        self._no_picture = EmptyState(
            "volume-2", tr("Sound only"), tr("This recording has no picture to look for faces in.")
        )
        again = [EmptyStateAction("track", tr("Track faces"), "Ctrl+T", primary=True)]
        self._why_untracked = _UNTRACKED
        self._untracked = EmptyState("scan-face", *_UNTRACKED, again)
        self._untracked.button_clicked.connect(lambda _key: self.track_requested.emit())
        # On a small screen the page is scrolled: the window must not be higher than it.
        self._listing = QScrollArea(self, widgetResizable=True)
        self._listing.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        listing = self._make_listing()
        self._listing.setWidget(listing)
        self._listing.setMinimumWidth(listing.minimumSizeHint().width())
        self._stack = make_stack(self._no_recording, self._no_picture, self._untracked, self._listing)
        self.setLayout(make_column(self._stack, 1, self._make_progress(), margin=theme.GRID * 3 // 2))
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show that no recording is open."""
        self.model.set_cards([])
        self._stack.setCurrentWidget(self._no_recording)

    def show_no_picture(self) -> None:
        """Show that the recording is sound only."""
        self.model.set_cards([])
        self._stack.setCurrentWidget(self._no_picture)

    def set_cards(
        self, cards: Sequence[FaceCard], people: Mapping[str, Participant], facts: str, *, tracked: bool, sort: bool
    ) -> None:
        """Show the faces of a recording.

        Args:
            cards: of its tracks and regions.
            people: participants by id.
            facts: a line about the run that found them.
            tracked: whether there was such a run.
            sort: sort and filter again; else cards that stay keep their places.
        """
        self._people = dict(people)
        self.people.set_people([*people.values()])
        self.filter.set_people([*people.values()])
        self.model.set_cards(cards)
        if sort:
            self._rearrange()
        self._facts.setText(facts)
        self._stack.setCurrentWidget(self._listing if tracked else self._untracked)
        self._show_count()
        self.show_selection()

    def set_writable(self, writable: bool, reason: str = "") -> None:
        """Allow changes, or only looking; the reason is shown as a tooltip."""
        self._writable = writable
        self._again.setEnabled(writable)
        self._again.setToolTip(plain_tip(_TRACK_AGAIN_TIP if writable else reason))
        self._untracked.set_buttons_enabled(writable)
        self._untracked.setToolTip(plain_tip("" if writable else reason))
        self.people.setToolTip(plain_tip("" if writable else reason))
        self.show_selection()

    def untracked_title(self) -> str:
        """Return what the empty page says where no faces are saved."""
        return self._untracked.accessibleName()

    def set_other_window_state(self, *, held: bool, asked: bool) -> None:
        """Say on the empty page what another window does, where nobody looked for faces as far as the study says.

        Args:
            held: another process may write to the study.
            asked: faces of the recording were asked for there.
        """
        self._why_untracked = _UNTRACKED if not held else _ASKED_ELSEWHERE if asked else _HELD_ELSEWHERE
        self._untracked.set_text(*self._why_untracked)

    @property
    def writable(self) -> bool:
        """Whether changes are allowed."""
        return self._writable

    def set_progress(self, text: str | None, done: int = 0, total: int = 0) -> None:
        """Show how far the search is; None when there is none."""
        self._progress.setVisible(text is not None)
        self._untracked.set_text(*(self._why_untracked if text is None else _TRACKING))
        self._untracked.set_buttons_enabled(self._writable and text is None)
        self._again.setEnabled(self._writable and text is None)
        if text is not None:
            self._bar.show_value(done, total)
            self._words.setText(text)

    def select(self, keys: Sequence[str]) -> None:
        """Select these cards; where the filter hides one, all are listed."""
        if any(self.model.row(key) is None and self.model.card(key) is not None for key in keys):
            self.filter.select_filter("all")
            self._rearrange()
        self.cards.select(keys)
        self.show_selection()
        self.selection_changed.emit(list(keys))

    def select_next(self) -> FaceCard | None:
        """Select the next card to decide after the selected one, in the order of the list; returns it."""
        listed, chosen = self.model.cards, self.cards.selected()
        start = listed.index(chosen[-1]) + 1 if chosen else 0
        found = next((face_card for face_card in (*listed[start:], *listed[:start]) if face_card.is_undecided), None)
        if found is not None:
            self.select([found.key])
        return found

    def show_selection(self) -> None:
        """Show what was said about the selected cards."""
        cards = self.cards.selected()
        people = {card.participant_id for card in cards}
        who = next(iter(people)) if len(people) == 1 else None
        drawn_only = bool(cards) and all(card.state in (CardState.AREA, CardState.NOTHING) for card in cards)
        self.people.show_choice(
            who,
            bool(cards) and all(card.state is CardState.DISMISSED for card in cards),
            enabled=self._writable and bool(cards) and not drawn_only,
            named=any(people),
        )
        person = self._people.get(who or "")
        self._role.setEnabled(self._writable and person is not None)
        self._role.setCurrentIndex(list(ROLES).index(person.role) if person else 0)
        self._role.setVisible(person is not None)

    def set_boxes(self, visible: bool) -> None:
        """Show whether boxes are drawn."""
        self._boxes.setChecked(visible)

    def _make_listing(self) -> QWidget:
        page = QWidget(self._listing.viewport())
        self.queue = FaceQueueBar(page)
        self._facts = PlainLabel(wordWrap=True, look="quiet", accessibleName=tr("About this tracking"))
        self.suggestion = SuggestionBar(page)
        self.text = SuggestionBar(page)
        self.filter = FaceFilterBar(page)
        self.filter.changed.connect(self._rearrange)
        self.cards = CardsView(self.model, page)
        self.cards.selection_changed.connect(self._on_selection)
        self.people = PeopleBar(page)
        self._role = ChoiceBox(
            tr("Role of this participant"),
            tr("Role of this participant; a robot's face can be left as it is on export"),
            ROLES,
        )
        self._role.activated.connect(self._change_role)
        self.region = RegionBar(page)
        words = tr("Drag on the picture to draw one, with Shift an area that is always masked.")
        self._boxes = TickRow(FieldChoice("boxes", tr("Show boxes over the picture"), words, "B"))
        self._boxes.toggled.connect(self.boxes_toggled)
        self.review = ReviewBar(page)
        above = (self.queue, self.suggestion, self.text, self.filter)
        below = (self._facts, self.people, self._role, self.region, self._boxes, self.review)
        page.setLayout(make_column(*above, self.cards, 1, *below, self._make_foot()))
        return page

    def _make_foot(self) -> QHBoxLayout:
        self._again = push_button(tr("Track again"), _TRACK_AGAIN_TIP, self.track_requested)
        export = push_button(
            tr("Export anonymized…"),
            tr("Write clips in which the faces are hidden (Ctrl+E)"),
            self.export_requested,
            look="primary",
        )
        return make_row(self._again, export, 1)

    def _make_progress(self) -> QWidget:
        self._words = PlainLabel()
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Progress of face tracking"))
        cancel = push_button(
            tr("Cancel"), tr("Stop looking for faces; what was done is taken up next time"), self.cancel_requested
        )
        self._progress = make_panel(make_row(make_column(self._words, self._bar, spacing=2), 1, cancel))
        self._progress.hide()
        return self._progress

    def _rearrange(self) -> None:
        self.model.filter_and_sort(self.filter.predicate(), self.filter.chosen_order())
        self._show_count()

    def _show_count(self) -> None:
        self.filter.set_count(len(self.model.cards), len(self.model.all_cards()))

    def _on_selection(self, keys: object) -> None:
        self.show_selection()
        self.selection_changed.emit(keys)

    def _change_role(self) -> None:
        people = {face_card.participant_id for face_card in self.cards.selected()}
        person = self._people.get(next(iter(people)) or "") if len(people) == 1 else None
        if person is not None and self._role.currentData() is not person.role:
            self.role_requested.emit(person.id, ParticipantRole(self._role.currentData()))


def _ask_pseudonym(parent: QWidget) -> str:
    return (
        TextDialog(tr("New participant"), tr("Pseudonym, such as P01, never a real name"), "", parent).ask_text() or ""
    )
