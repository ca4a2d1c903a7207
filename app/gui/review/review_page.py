"""The page of the mode Review.

It compares annotators, shows one item side by side, and turns the reviewer's decisions into edits.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from annotate.agreement.annotator_lanes import list_annotators_of
from annotate.review import peer_review
from annotate.review.peer_review import (
    RecordingReview,
    ReviewItem,
    ReviewProgress,
    build_recording_review,
    default_pair,
    update_reviews,
)
from app.gui.pages.commands import ModeKeys, PageKey
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.review.review_items import (
    ItemComparison,
    ItemRow,
    ReviewItemList,
    ReviewItemState,
    SideBySide,
    compare_item,
    item_row,
)
from project.entities.study_records import Annotator, Changes, ReviewDecision
from project.queries.annotator_rows import annotator_names, reviews_in
from project.queries.recording_rows import pseudonyms
from project.session.session import Session
from resources.translation import later, tr
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.form.controls import SegmentBar, push_button, tool_button
from widgets.form.input_fields import ChoiceBox, NoteEdit
from widgets.form.layouts import WIDE_MARGIN, make_column, make_panel, make_row, make_splitter, make_stack
from widgets.progress_bars import ProgressBar
from widgets.text_labels import PlainLabel, describe, plain_tip


class ReviewDecisionBar(QWidget):
    """A note, and buttons to decide, to take it back, and to go on.

    Signals:
        decided (ReviewDecision, str): with the note.
        withdraw_requested: take back what was said.
        step_requested (int): 1 for the next item, -1 for the previous one.
        repeat_requested: play the item again and again, or stop doing so.
    """

    decided = Signal(object, str)
    withdraw_requested = Signal()
    step_requested = Signal(int)
    repeat_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = NoteEdit(placeholderText=tr("Why (T)"))
        describe(
            self.note,
            tr("Note on your decision"),
            tr("Why you agree or disagree; saved with the decision (T; Return goes back to the keys)"),
        )
        self.agree = self._make_decision_button(ReviewDecision.AGREE, tr("Agree"), "circle-check", "Y")
        self.disagree = self._make_decision_button(ReviewDecision.DISAGREE, tr("Disagree"), "circle-x", "X")
        self.withdraw = tool_button(
            "undo-2", tr("Take back your review of this segment"), do=self.withdraw_requested, keys="W"
        )
        before = tool_button("skip-back", tr("Previous item"), do=lambda: self.step_requested.emit(-1), keys="P")
        after = tool_button("skip-forward", tr("Next item"), do=lambda: self.step_requested.emit(1), keys="N")
        repeat = tool_button("repeat", tr("Repeat the span of this item"), do=self.repeat_requested, keys="R")
        self.steps = (before, after, repeat)
        upper = make_row(self.note, 1, self.withdraw, *self.steps, spacing=theme.GRID // 2)
        self.setLayout(make_column(upper, make_row(self.agree, 1, self.disagree, 1)))

    def set_note(self, text: str) -> None:
        """Show what was noted before."""
        if text != self.note.text():
            self.note.setText(text)

    def set_decidable(self, decidable: bool, decided: bool, reason: str = "") -> None:
        """Allow a decision, and to take it back where there is one; the reason why not is a tooltip."""
        for widget in (self.note, self.agree, self.disagree):
            widget.setEnabled(decidable)
        self.withdraw.setEnabled(decidable and decided)
        self.agree.setToolTip(plain_tip(reason or tr("Agree with this segment, and go on (Y)")))
        self.disagree.setToolTip(plain_tip(reason or tr("Disagree with this segment, and go on (X)")))

    def decide(self, decision: ReviewDecision) -> None:
        """Decide with the note that stands there, where that is possible."""
        if self.agree.isEnabled():
            self.decided.emit(decision, self.note.text())

    def _make_decision_button(self, decision: ReviewDecision, text: str, picture: str, key: str) -> QPushButton:
        return push_button(
            f" {text} ({key})",
            do=lambda: self.decide(decision),
            name=tr("{text} with this segment").format(text=text),
            icon=picture,
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )


_NO_THIRD_KEY = ""


class PairChooser(QWidget):
    """Two annotators, a third where somebody asks for one, and a bar of what was reviewed.

    Signals:
        pair_chosen (str, str, str): ids of the first, the second and the third annotator, "" for no third.
    """

    pair_chosen = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.first = _make_annotator_box(tr("First annotator"), tr("Whose segments stand on the left"))
        self.second = _make_annotator_box(tr("Second annotator"), tr("Whose segments stand on the right"))
        self.third = _make_annotator_box(
            tr("Third annotator"), tr("Somebody to compare with the two; nobody reviews their segments")
        )
        for box in (self.first, self.second, self.third):
            box.activated.connect(lambda _=0, box=box: self._choose(box))
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Progress of the review"))
        self._words = PlainLabel(wordWrap=True)
        boxes = make_row(self.first, 1, self.second, 1, self.third, 1, spacing=theme.GRID // 2)
        self.setLayout(make_column(boxes, self._bar, self._words, spacing=theme.GRID // 2))

    def set_people(self, people: Sequence[Annotator], first: str, second: str, third: str) -> None:
        """Offer these annotators, and show who is compared (ids)."""
        for box, chosen in ((self.first, first), (self.second, second), (self.third, third)):
            box.clear()
            if box is self.third:
                box.addItem(tr("No third"), _NO_THIRD_KEY)
            for person in people:
                if box is not self.third or person.id not in (first, second):
                    box.addItem(person.name, person.id)
            box.choose(chosen)
        self.third.setVisible(len(people) > 2)

    def set_progress(self, done: int, total: int, text: str) -> None:
        """Show how much was reviewed."""
        self._bar.show_value(done if total else 1, max(1, total))
        self._words.setText(text)

    def _choose(self, changed: QComboBox) -> None:
        first, second, third = (box.key() for box in (self.first, self.second, self.third))
        if first == second:
            # The annotator who is replaced on one side moves to the other.
            other = self.second if changed is self.first else self.first
            taken = next((other.itemData(i) for i in range(other.count()) if other.itemData(i) != first), "")
            first, second = (first, str(taken)) if changed is self.first else (str(taken), second)
        self.pair_chosen.emit(first, second, "" if third in (first, second) else third)


def _make_annotator_box(name: str, tip: str) -> ChoiceBox:
    box = ChoiceBox(name, tip, compact=True)
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return box


class ReviewScope(StrEnum):
    """Which items are in the list."""

    WAITING = later("Waiting")
    DIFFERING = later("Differences")
    ALL = later("All")


_NO_RECORDING = (tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
_NEEDS_TWO = (
    tr("Two annotators are needed"),
    tr(
        "Fewer than two people worked on this recording. Merge their copies under Study > Team…, or choose another "
        "recording."
    ),
)
_NOTHING_MARKED = (
    tr("Nothing was marked here"),
    tr("Neither of the two marked anything in this recording. Choose another one."),
)


class ReviewPage(StudyView):
    """Compares two annotators, item by item, and turns what the reviewer says into edits."""

    title = tr("Review")
    tables = frozenset({"segment", "segment_value", "review", "annotator", "completion", "assignment", "property"})
    follows_recording = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._sheet: RecordingReview | None = None
        self._pair: tuple[str, str, str] | None = None
        self._current = ""
        self._rows: tuple[ItemRow, ...] = ()
        self._listed = ReviewScope.DIFFERING
        self._reason = ""
        self.people = PairChooser()
        self.items = ReviewItemList()
        self.side_by_side = SideBySide()
        self.decisions = ReviewDecisionBar()
        self._empty = EmptyState("list-checks", "", "")
        self._stack = make_stack(self._empty, self._make())
        self.setLayout(make_column(self._stack))
        self._keys = ModeKeys(self, KEYS, self)
        playback = context.playback
        self.items.row_chosen.connect(self._go_to)
        self.side_by_side.column_chosen.connect(self._set_target)
        self.decisions.decided.connect(self._decide)
        self.decisions.withdraw_requested.connect(self._withdraw)
        self.decisions.step_requested.connect(self.step)
        self.decisions.repeat_requested.connect(lambda: playback.set_looping(not playback.looping))
        self.people.pair_chosen.connect(self._choose_pair)
        self._studio.selection_changed.connect(self._follow_selection)

    def show_nothing(self, title: str, hint: str) -> None:
        """Say why there is nothing to review, and what to do."""
        self._rows = ()
        self.items.set_rows(())
        self.side_by_side.show_comparison(None)
        self._empty.set_text(title, hint)
        self._stack.setCurrentIndex(0)

    def set_rows(self, rows: Sequence[ItemRow], current: str) -> None:
        """Show these items; `current` is the key of the one that is shown side by side, or ""."""
        self._rows = tuple(rows)
        self._stack.setCurrentIndex(1)
        self._show_list(current)

    def set_writable(self, reason: str) -> None:
        """Allow decisions, or say why there are none."""
        self._reason = reason
        self._show_target()

    def show_item(self, key: str, shown: ItemComparison | None) -> None:
        """Show one item side by side."""
        if key not in {row.key for row in self.items.rows()}:
            self._show_list(key)
        self.items.set_current(key)
        self.side_by_side.show_comparison(shown)
        self._show_target()

    def step(self, by: int) -> None:
        """Go to the next or the previous item of the list."""
        rows, at = self.items.rows(), self.items.current_row()
        place = at + by if at >= 0 else 0
        if 0 <= place < len(rows):
            self._go_to(rows[place].key)

    def next_waiting(self) -> str:
        """Return the key of the next item that waits, from the one after the current on and round; "" for none."""
        rows, at = self.items.rows(), self.items.current_row()
        order = [*rows[at + 1 :], *rows[: at + 1]]
        return next((row.key for row in order if row.state is ReviewItemState.WAITS), "")

    def write_note(self) -> None:
        """Let a note be typed."""
        if self.decisions.note.isEnabled():
            self.decisions.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.decisions.note.selectAll()

    def _make(self) -> QWidget:
        self.scope = SegmentBar({scope: tr(scope.value) for scope in ReviewScope}, tr("List: {name}"))
        self.scope.choose(self._listed)
        self.scope.chosen.connect(self._filter)
        return make_panel(
            make_column(
                self.people,
                self.scope,
                make_splitter(Qt.Orientation.Vertical, self.items, 2, self.side_by_side, 3, sizes=[184, 300]),
                1,
                self.decisions,
                margin=WIDE_MARGIN,
            )
        )

    def _show_list(self, current: str) -> None:
        kept = {
            ReviewScope.WAITING: [
                row for row in self._rows if row.state is ReviewItemState.WAITS or row.key == current
            ],
            ReviewScope.DIFFERING: [
                row for row in self._rows if row.state is not ReviewItemState.ALIKE or row.key == current
            ],
            ReviewScope.ALL: list(self._rows),
        }
        counts = {
            ReviewScope.WAITING: sum(row.state is ReviewItemState.WAITS for row in self._rows),
            ReviewScope.DIFFERING: sum(row.state is not ReviewItemState.ALIKE for row in self._rows),
            ReviewScope.ALL: len(self._rows),
        }
        for listed, button in self.scope.buttons.items():
            button.setText(f"{tr(listed.value)} {counts[listed]}")
        self.items.set_rows(kept[self._listed], current)

    def _filter(self, listed: ReviewScope) -> None:
        at = self.items.current_row()
        current = self.items.rows()[at].key if at >= 0 else ""
        self._listed = listed
        self._show_list(current)

    def _target(self) -> int:
        shown = self.side_by_side.comparison()
        return -1 if shown is None else shown.target

    def _show_target(self) -> None:
        shown, at = self.side_by_side.comparison(), self._target()
        if shown is None or at < 0:
            self.decisions.set_note("")
            self.decisions.set_decidable(False, False, self._reason or tr("There is nothing to decide here"))
            return
        self.decisions.set_note(shown.columns[at].note)
        self.decisions.set_decidable(not self._reason, shown.columns[at].is_decided, self._reason)

    def _set_target(self, column: int) -> None:
        shown = self.side_by_side.comparison()
        if shown is not None:
            self.side_by_side.show_comparison(ItemComparison(shown.columns, shown.lines, column))
            self._show_target()

    def needs_reload(self, changes: Changes, initiator: object) -> bool:
        if not super().needs_reload(changes, initiator):
            return False
        if not self.isVisible() or set(changes) != {"review"}:
            return True
        reviewed = changes.ids("review")
        self._read_reviews(reviewed)
        if len(reviewed) == 1 and initiator is not self:
            self._show_reverted(next(iter(reviewed)))
        return False

    def _read_reviews(self, segment_ids: Iterable[str]) -> None:
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self._sheet is None:
            return
        found = reviews_in(session.study, recording.id)
        self._sheet = update_reviews(self._sheet, {segment_id: found.get(segment_id, []) for segment_id in segment_ids})
        self._fill(session)

    def _show_reverted(self, segment_id: str) -> None:
        """Go back to the item of a decision that was undone, or made again."""
        item = next((i for i in self._items() if segment_id in {mark.segment.id for mark in i.marks}), None)
        if item is not None and item.key != self._current:
            self._go_to(item.key)

    def reload(self, session: Session) -> None:
        """Read the recording again; the item that was shown stays, also where its segments were regrouped."""
        recording = self._studio.recording
        before = {mark.segment.id for item in self._items() if item.key == self._current for mark in item.marks}
        self._sheet = None
        if recording is None:
            self.show_nothing(*_NO_RECORDING)
            return
        chosen = self._find_pair(session, recording.id)
        if chosen is None:
            self.show_nothing(*_NEEDS_TWO)
            return
        people, first, second, third = chosen
        self._sheet = build_recording_review(session, recording.id, first, second, third)
        if not self._sheet.items:
            self.show_nothing(*_NOTHING_MARKED)
            return
        same = [item for item in self._sheet.items if before & {mark.segment.id for mark in item.marks}]
        self._current = same[0].key if same else ""
        self.people.set_people(people, first.id, second.id, third.id if third else "")
        self._fill(session)

    def _fill(self, session: Session) -> None:
        assert self._sheet is not None
        reviewer = self._reviewer(session)
        rows = [
            item_row(item, self._sheet, session.schemes.find(item.marks[0].segment.scheme), reviewer)
            for item in self._sheet.items
        ]
        self.set_rows(rows, self._current)
        progress = self._sheet.progress(reviewer)
        self.people.set_progress(progress.done, progress.total, _progress_text(progress))
        self.set_writable("" if self._studio.writable else session.study.read_only_reason)
        self._show()

    def _find_pair(
        self, session: Session, recording_id: str
    ) -> tuple[list[Annotator], Annotator, Annotator, Annotator | None] | None:
        """Return who can be compared and who is: those chosen, as long as they worked on this recording too."""
        people = list_annotators_of(session, recording_id)
        by_id = {person.id: person for person in people}
        wanted = [by_id.get(annotator_id) for annotator_id in self._pair or ()]
        if wanted and wanted[0] is not None and wanted[1] is not None:
            return people, wanted[0], wanted[1], wanted[2]
        pair = default_pair(session, recording_id)
        return None if pair is None else (people, *pair, None)

    def _choose_pair(self, first: str, second: str, third: str) -> None:
        self._pair = (first, second, third)
        self.refresh()

    def _items(self) -> tuple[ReviewItem, ...]:
        return self._sheet.items if self._sheet is not None else ()

    def _reviewer(self, session: Session) -> str:
        found = session.annotator()
        return found.id if found is not None else ""

    def _show(self) -> None:
        session = self._studio.session
        item = next((review_item for review_item in self._items() if review_item.key == self._current), None)
        if session is None or self._sheet is None or item is None:
            self.show_item("", None)
            return
        scheme = session.schemes.find(item.marks[0].segment.scheme)
        names = annotator_names(session.study)
        people = pseudonyms(session.study)
        shown = compare_item(item, self._sheet, scheme, self._reviewer(session), names, people)
        self.show_item(item.key, shown)

    def _go_to(self, key: str) -> None:
        """Show an item here, on the timeline and in the player."""
        item = next((review_item for review_item in self._items() if review_item.key == key), None)
        if item is None:
            return
        self._current = key
        self._show()
        looping = self._context.playback.looping
        self._studio.select([mark.segment.id for mark in item.marks])
        self._context.playback.jump(item.start_us)
        if looping:
            self._context.playback.set_looping(True)

    def _follow_selection(self) -> None:
        """Show the item of a segment that was selected elsewhere."""
        chosen = self._studio.selected
        if not chosen or not self.isVisible():
            return
        item = next((i for i in self._items() if chosen[-1] in {mark.segment.id for mark in i.marks}), None)
        if item is not None and item.key != self._current:
            self._current = item.key
            self._show()

    def _decide(self, decision: ReviewDecision, note: str) -> None:
        shown = self.side_by_side.comparison()
        if shown is None or shown.target < 0:
            return
        segment_id = shown.columns[shown.target].segment_id
        if not self.edit(lambda session: peer_review.review_segment(session, segment_id, decision, note)):
            return
        session = self._studio.session
        item = next((review_item for review_item in self._items() if review_item.key == self._current), None)
        if session is None or (item is not None and item.pending_for(self._reviewer(session))):
            return
        following = self.next_waiting()
        if following:
            self._go_to(following)
        else:
            self._studio.message.emit(tr("Reviewed: nothing waits for you in this recording any more."))

    def _withdraw(self) -> None:
        shown = self.side_by_side.comparison()
        if shown is not None and shown.target >= 0:
            segment_id = shown.columns[shown.target].segment_id
            self.edit(lambda session: peer_review.withdraw_review(session, segment_id))


KEYS: tuple[PageKey["ReviewPage"], ...] = (
    PageKey("Y", tr("Agree and go on"), lambda page: page.decisions.decide(ReviewDecision.AGREE)),
    PageKey("X", tr("Disagree and go on"), lambda page: page.decisions.decide(ReviewDecision.DISAGREE)),
    PageKey("W", tr("Take back your review"), lambda page: page.decisions.withdraw.click()),
    PageKey("T", tr("Write a note"), lambda page: page.write_note()),
    PageKey("N P", tr("Next or previous item")),
    PageKey("N", "", lambda page: page.step(1), repeats=True),
    PageKey("P", "", lambda page: page.step(-1), repeats=True),
)


def _progress_text(progress: ReviewProgress) -> str:
    if not progress.total:
        return tr("Nothing to review: {alike} alike.").format(alike=progress.alike)
    parts = [tr("{done} of {total} reviewed by you").format(done=progress.done, total=progress.total)]
    if progress.disputed:
        parts.append(tr("{disputed} in disagreement").format(disputed=progress.disputed))
    if progress.settled:
        parts.append(tr("{settled} settled").format(settled=progress.settled))
    return " · ".join(parts)
