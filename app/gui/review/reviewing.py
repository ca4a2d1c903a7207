"""Shows the review of the recording that is open, and turns what the reviewer says into edits."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt

from app.core.agreement.lanes import people_of
from app.core.commands import reviews
from app.core.review import Item, Progress, Sheet, default_pair, sheet, with_reviews
from app.core.session import Session
from app.gui.context import Context
from app.gui.mode_keys import ModeKeys
from app.gui.review.words import comparison_of, row_of
from project.queries.annotators import all_annotators
from project.queries.participants import all_participants
from project.queries.reviews import reviews_in
from project.types import Annotator, Changes, Decision
from resources.translation import tr
from widgets.review.page import ReviewPage

_TABLES = frozenset({"segment", "segment_value", "review", "annotator", "completion", "assignment", "property"})
_NO_RECORDING = (tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
_ALONE = (
    tr("Two annotators are needed"),
    tr(
        "Fewer than two people worked on this recording. Bring their copies home with greenroom merge, or "
        "choose another recording."
    ),
)
_NOTHING = (
    tr("Nothing was marked here"),
    tr("Neither of the two marked anything in this recording. Choose another one."),
)


class Reviewing(QObject):
    """Works while the page is in sight; what changed meanwhile is read when it comes back."""

    def __init__(self, context: Context, page: ReviewPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._sheet: Sheet | None = None
        self._pair: tuple[str, str, str] | None = None
        self._current = ""
        self._stale = True
        key = Qt.Key
        self._keys = ModeKeys(
            page,
            {
                key.Key_Y: page.agree,
                key.Key_X: page.disagree,
                key.Key_W: page.withdraw,
                key.Key_T: page.write_note,
                key.Key_N: lambda: page.step(1),
                key.Key_P: lambda: page.step(-1),
            },
            frozenset({key.Key_N, key.Key_P}),
        )
        studio = context.studio
        studio.recording_changed.connect(self._renew)
        studio.session_changed.connect(self._forget)
        studio.selection_changed.connect(self._follow)
        studio.bridge.changed.connect(self._apply)
        page.visible_changed.connect(self._show_or_rest)
        page.item_chosen.connect(self._go_to)
        page.decided.connect(self._decide)
        page.withdraw_requested.connect(self._withdraw)
        page.repeat_requested.connect(lambda: context.playback.set_looping(not context.playback.looping))
        page.people.chosen.connect(self._choose_pair)

    def _show_or_rest(self, visible: bool) -> None:
        if visible:
            self._keys.watch(self._page.window())
        if visible and self._stale:
            self._reload()

    def _forget(self) -> None:
        self._pair = None
        self._renew()

    def _renew(self) -> None:
        self._current = ""
        self._stale = True
        if self._page.isVisible():
            self._reload()

    def _apply(self, changes: Changes, initiator: object) -> None:
        if not _TABLES & set(changes):
            return
        self._stale = True
        if not self._page.isVisible():
            return
        if set(changes) != {"review"}:
            self._reload()
            return
        reviewed = changes.ids("review")
        self._read_reviews(reviewed)
        if len(reviewed) == 1 and initiator is not self:
            self._show_reverted(next(iter(reviewed)))

    def _read_reviews(self, segment_ids: Iterable[str]) -> None:
        session, recording = self._context.studio.session, self._context.studio.recording
        if session is None or recording is None or self._sheet is None:
            return
        found = reviews_in(session.study, recording.id)
        self._sheet = with_reviews(self._sheet, {one: found.get(one, []) for one in segment_ids})
        self._stale = False
        self._fill(session)

    def _show_reverted(self, segment_id: str) -> None:
        """Go back to the item of a decision that was undone, or made again."""
        item = next((i for i in self._items() if segment_id in {one.segment.id for one in i.marks}), None)
        if item is not None and item.key != self._current:
            self._go_to(item.key)

    def _reload(self) -> None:
        """Read the recording anew; the item that was shown stays, also where its segments were regrouped."""
        session, recording = self._context.studio.session, self._context.studio.recording
        self._stale = False
        before = {one.segment.id for item in self._items() if item.key == self._current for one in item.marks}
        self._sheet = None
        if session is None or recording is None:
            self._page.show_nothing(*_NO_RECORDING)
            return
        chosen = self._people(session, recording.id)
        if chosen is None:
            self._page.show_nothing(*_ALONE)
            return
        people, first, second, third = chosen
        self._sheet = sheet(session, recording.id, first, second, third)
        if not self._sheet.items:
            self._page.show_nothing(*_NOTHING)
            return
        same = [item for item in self._sheet.items if before & {one.segment.id for one in item.marks}]
        self._current = same[0].key if same else ""
        self._page.people.set_people(people, first.id, second.id, third.id if third else "")
        self._fill(session)

    def _fill(self, session: Session) -> None:
        assert self._sheet is not None
        reviewer = self._reviewer(session)
        rows = [
            row_of(item, self._sheet, session.schemes.known(item.marks[0].segment.scheme), reviewer)
            for item in self._sheet.items
        ]
        self._page.set_rows(rows, self._current)
        progress = self._sheet.progress(reviewer)
        self._page.people.set_progress(progress.done, progress.total, _in_words(progress))
        self._page.set_writable("" if self._context.studio.writable else session.study.read_only_reason)
        self._show()

    def _people(
        self, session: Session, recording_id: str
    ) -> tuple[list[Annotator], Annotator, Annotator, Annotator | None] | None:
        """Return who can be compared and who is: those chosen, as long as they worked on this recording too."""
        people = people_of(session, recording_id)
        by_id = {one.id: one for one in people}
        wanted = [by_id.get(one) for one in self._pair or ()]
        if wanted and wanted[0] is not None and wanted[1] is not None:
            return people, wanted[0], wanted[1], wanted[2]
        pair = default_pair(session, recording_id)
        return None if pair is None else (people, *pair, None)

    def _choose_pair(self, first: str, second: str, third: str) -> None:
        self._pair = (first, second, third)
        self._reload()

    def _items(self) -> tuple[Item, ...]:
        return self._sheet.items if self._sheet is not None else ()

    def _reviewer(self, session: Session) -> str:
        found = session.annotator()
        return found.id if found is not None else ""

    def _show(self) -> None:
        session = self._context.studio.session
        item = next((one for one in self._items() if one.key == self._current), None)
        if session is None or self._sheet is None or item is None:
            self._page.show_item("", None)
            return
        scheme = session.schemes.known(item.marks[0].segment.scheme)
        names = {one.id: one.name for one in all_annotators(session.study)}
        people = {one.id: one.pseudonym for one in all_participants(session.study)}
        shown = comparison_of(item, self._sheet, scheme, self._reviewer(session), names, people)
        self._page.show_item(item.key, shown)

    def _go_to(self, key: str) -> None:
        """Show an item here, on the timeline and in the player."""
        item = next((one for one in self._items() if one.key == key), None)
        if item is None:
            return
        self._current = key
        self._show()
        looping = self._context.playback.looping
        self._context.studio.select([one.segment.id for one in item.marks])
        self._context.playback.jump(item.start_us)
        if looping:
            self._context.playback.set_looping(True)

    def _follow(self) -> None:
        """Show the item of a segment that was selected elsewhere."""
        chosen = self._context.studio.selected
        if not chosen or not self._page.isVisible():
            return
        item = next((i for i in self._items() if chosen[-1] in {one.segment.id for one in i.marks}), None)
        if item is not None and item.key != self._current:
            self._current = item.key
            self._show()

    def _decide(self, segment_id: str, decision: Decision, note: str) -> None:
        if not self._context.studio.edit(lambda session: reviews.decide(session, segment_id, decision, note), self):
            return
        session = self._context.studio.session
        item = next((one for one in self._items() if one.key == self._current), None)
        if session is None or (item is not None and item.waits_for(self._reviewer(session))):
            return
        following = self._page.next_waiting()
        if following:
            self._go_to(following)
        else:
            self._context.studio.told.emit(tr("Reviewed: nothing waits for you in this recording any more."))

    def _withdraw(self, segment_id: str) -> None:
        self._context.studio.edit(lambda session: reviews.withdraw(session, segment_id), self)


def _in_words(progress: Progress) -> str:
    if not progress.total:
        return tr("Nothing to review: {alike} alike.").format(alike=progress.alike)
    parts = [tr("{done} of {total} reviewed by you").format(done=progress.done, total=progress.total)]
    if progress.disputed:
        parts.append(tr("{disputed} in disagreement").format(disputed=progress.disputed))
    if progress.settled:
        parts.append(tr("{settled} settled").format(settled=progress.settled))
    return " · ".join(parts)
