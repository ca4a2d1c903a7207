"""The tab with all segments of the study: search, filters, the table, and bulk edits.

A large table is read in a thread.
"""

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QTabWidget

from annotate.review.segment_table import EMPTY, Filter, SegmentRow, SegmentTable, segment_rows
from annotate.review.text_search import SearchHit, StudySearch
from app.gui.annotate.bulk_editing import BulkBar, BulkEditor
from app.gui.annotate.segments_table import FOUND_TEXT_COLUMNS, FoundText, SegmentsView, StudyCells
from app.gui.pages import context as view_state
from app.gui.pages.context import Context, View
from app.gui.pages.study_view import StudyView
from app.gui.study.background import in_turn
from app.gui.study.study_controller import LARGE
from project.entities.study_records import Changes
from project.errors import UserError
from project.progress import Progress
from project.queries.segment_rows import count_segments
from project.schemes.scheme import CHOICE_KINDS
from project.session.session import Session
from resources.translation import tr, trn
from widgets.empty_state import EmptyState
from widgets.form.controls import check_box
from widgets.form.layouts import make_stack
from widgets.table.filter_bar import ConditionFilterBar
from widgets.table.record_table import RecordTable

_FLAG_NAMES = {
    "incomplete": tr("Incomplete by the rules"),
    "disputed": tr("In disagreement with others"),
    "unresolved": tr("With unresolved comments"),
    "commented": tr("With comments"),
    "reviewed": tr("Reviewed"),
    tr("not reviewed"): tr("Not reviewed"),
    "disagreed": tr("A reviewer disagrees"),
    tr("judges differ"): tr("A judge gives another label"),
    tr("judges agree"): tr("Judged, and no judge differs"),
    "revised": tr("Revised after seeing judges"),
    tr("held out"): tr("Held-out recordings"),
    tr("not held out"): tr("Without held-out recordings"),
}
_FIELD_PREFIX = tr("field ")


def fill_filter_bar(bar: ConditionFilterBar, session: Session, table: SegmentTable) -> None:
    """Fill the bar with what this study has."""
    schemes = list(session.schemes)
    bar.set_condition(
        "annotators", tr("Annotator"), {annotator.id: annotator.name for annotator in table.annotators.values()}
    )
    bar.set_condition(
        "collections", tr("Collection"), {collection.id: collection.name for collection in table.collections.values()}
    )
    lanes = {f"{scheme.key} {track.key}": track.name for scheme in schemes for track in scheme.tracks}
    bar.set_condition("lanes", tr("Track"), lanes)
    labels = {label.key: label.name for scheme in schemes for track in scheme.tracks for label in track.labels}
    bar.set_condition("labels", tr("Label"), labels)
    needed = {key for scheme in schemes for rule in scheme.rules for key in rule.needs}
    fields = {field.key: field for scheme in reversed(schemes) for field in scheme.fields}
    for field in fields.values():
        if field.kind in CHOICE_KINDS:
            choices = {choice.key: choice.name for choice in field.choices}
            bar.set_condition(_FIELD_PREFIX + field.key, field.name, {**choices, EMPTY: tr("None")})
    missing = {key: field.name for key, field in fields.items() if key in needed}
    bar.set_condition("lacks", tr("Missing"), missing)
    bar.set_condition("flags", tr("Only"), {"here": tr("This recording"), **_FLAG_NAMES})


def build_filter(bar: ConditionFilterBar, here: str | None) -> Filter:
    """Return the filter for what is ticked; `here` is the recording that is shown."""
    flags = bar.ticked_keys("flags")

    def either(yes: str, no: str = "") -> bool | None:
        # Both together ask for nothing.
        return None if (yes in flags) == (no in flags) else yes in flags

    return Filter(
        annotators=bar.ticked_keys("annotators"),
        recordings=frozenset({here or ""}) if "here" in flags else frozenset(),
        collections=bar.ticked_keys("collections"),
        lanes=frozenset(
            (scheme, track) for scheme, _, track in (lane_key.partition(" ") for lane_key in bar.ticked_keys("lanes"))
        ),
        labels=bar.ticked_keys("labels"),
        values={
            key.removeprefix(_FIELD_PREFIX): bar.ticked_keys(key)
            for key in bar.buttons
            if key.startswith(_FIELD_PREFIX) and bar.ticked_keys(key)
        },
        lacks=bar.ticked_keys("lacks"),
        incomplete=either("incomplete"),
        disputed=either("disputed"),
        commented=either("commented"),
        unresolved=either("unresolved"),
        reviewed=either("reviewed", tr("not reviewed")),
        disagreed=either("disagreed"),
        held_out=either(tr("held out"), tr("not held out")),
        judged=True if {tr("judges agree"), tr("judges differ")} & flags else None,
        judges_differ=either(tr("judges differ"), tr("judges agree")),
        revised=either("revised"),
    )


_MAX_INLINE_ROWS = 1_500
"""Segments from which reading them takes longer than a window may stand still."""


def read_table(context: Context, session: Session, then: Callable[[], None]) -> tuple[SegmentTable, bool]:
    """Return the table, and whether its rows are still to come.

    Args:
        context: of the window that shows it.
        session: of the study that is open.
        then: is called when they are there; not called where they are there at once.
    """
    if count_segments(session.study) <= _MAX_INLINE_ROWS:
        return SegmentTable(session), False
    table = SegmentTable(session, {})

    def fail(_error: Exception) -> None:
        # A late answer is better than none.
        table.reload()
        then()

    def read(second: Session, _progress: Progress) -> SegmentTable:
        other = SegmentTable(second)
        other.find_all_problems()
        return other

    def take(other: SegmentTable) -> None:
        if context.studio.session is session:
            table.take_over(other)
            then()

    context.background.read(session, read, take, fail)
    return table, True


def reread_changed(
    context: Context,
    session: Session,
    table: SegmentTable,
    changes: Changes,
    then: Callable[[Mapping[str, SegmentRow] | None], None],
) -> bool:
    """Read again in a thread what an edit touched, where it is much; returns whether it is.

    Args:
        context: of the window that shows the table.
        session: of the study that is open.
        table: is not changed.
        changes: of the edit.
        then: is called with the rows when they are there; with None where they have to be read at once after all.
    """
    touched = table.affected_ids(changes)
    if (len(table.rows) if touched is None else len(touched)) <= _MAX_INLINE_ROWS:
        return False

    def take(rows: Mapping[str, SegmentRow] | None) -> None:
        if context.studio.session is session:
            then(rows)

    context.background.read(
        session, lambda second, _progress: segment_rows(second.study, touched), take, lambda _error: take(None)
    )
    return True


_MAX_ELSEWHERE_HITS = 200
_FOLLOW_DELAY_MS = 220
_SCHEME_TABLES = frozenset({"property", "scheme_version"})
_JUDGES_COLUMN = "judges"
_LAZY_COLUMNS = frozenset({_JUDGES_COLUMN, "problems"})
"""Columns whose cells are read from the study when they are asked for."""
_FILTER_TABLES = _SCHEME_TABLES | {"annotator", "collection"}

_INDEXING_BUDGET_S = 0.015


class SegmentsTab(StudyView):
    """Keeps a table of the study in step with every edit while it is shown."""

    title = tr("Segments")
    preferred_size = (1320, 700)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        session = context.studio.session
        assert session is not None
        self._session = session
        self._table, self._reading = read_table(context, session, self._on_rows_read)
        self._search = StudySearch(session)
        self._cells = StudyCells(session, self._table, self._search)
        self._reading_again = False
        self._sort = ("recording", False)
        self._waiting = Changes()
        self._waits = False
        self._turn = 0
        self._build()
        self._connect_signals()
        fill_filter_bar(self.bar, session, self._table)
        self._set_columns()
        self.show_rows()

    def show_rows(self) -> None:
        """Find, filter and sort again."""
        if (found := self._find_rows()) is not None:
            self._list_rows(*found)

    def _find_rows(self) -> tuple[list[str], str, Filter] | None:
        """Return what is shown, what was typed and what is asked for; None where texts have to be read before."""
        self._turn += 1
        typed = self.bar.search.text().strip()
        if typed and not self._read_texts():
            # What was typed is looked for once every text is read; the window lives on meanwhile.
            self.tell(tr("Reading the texts of the study…"))
            self._waits = True
            self._idle.start()
            return None
        self._waits = False
        here = self._context.studio.recording
        among = None
        self._cells.typed = typed
        self._cells.numbers = self._search.match_segments(typed) if typed else {}
        if typed:
            among = self._cells.numbers
        asked = build_filter(self.bar, here.id if here else None)
        rows = self._cells.columns.sort_ids(asked.select(self._table, among), *self._sort)
        if asked.judges_differ is not None or _JUDGES_COLUMN in self.view.shown_columns():
            self._table.record_judges_shown(rows)
        return rows, typed, asked

    def _list_rows(self, rows: list[str], typed: str, asked: Filter) -> None:
        self.view.set_searching(bool(typed))
        self.view.show_records(rows)
        self._show_elsewhere(typed)
        self._show_state(rows, typed, asked)

    def _build(self) -> None:
        self.bar = ConditionFilterBar()
        self.view = SegmentsView(self._cells)
        self._nothing = EmptyState("search", tr("Nothing found"), "")
        self._stack = make_stack(self.view, self._nothing)
        self.elsewhere = RecordTable(
            tr("Found elsewhere"), FOUND_TEXT_COLUMNS, key=lambda found: f"{found.where} {found.text}"
        )
        self.elsewhere.horizontalHeader().hide()
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(self._stack, tr("Segments"))
        self.tabs.addTab(self.elsewhere, tr("Elsewhere"))
        self.bulk_bar = BulkBar()
        self.follow = check_box(
            tr("Follow"),
            tr("Show the selected segment in the main window at once; Return does so in any case"),
            checked=True,
        )
        self.lay_out(self.bar, self.tabs, 1, foot=(self.bulk_bar, 1, self.follow))
        self.status.hide()
        self._following = QTimer(self, singleShot=True, interval=_FOLLOW_DELAY_MS)
        self._idle = QTimer(self, interval=0)

    def _connect_signals(self) -> None:
        self.bulk = BulkEditor(
            self._context.studio, self._context.questions, self.bulk_bar, self.view.selected, self._table
        )
        self.bar.searched.connect(lambda _: self.show_rows())
        self.bar.changed.connect(self.show_rows)
        self.bar.moved_down.connect(self._focus_rows)
        self.view.opened.connect(self._go_to_segment)
        self.view.selection_changed.connect(self._on_selection)
        self.view.sort_requested.connect(self._sort_by)
        self.view.copy_requested.connect(self.copy)
        self.view.delete_requested.connect(self.bulk.delete)
        self.view.columns_changed.connect(lambda _: self.show_rows())
        bar = self.bulk_bar
        bar.copy_requested.connect(self.copy)
        for done in (bar.label_chosen, bar.choice_added, bar.choice_removed, bar.shift_requested, bar.delete_requested):
            done.connect(lambda *_: self.view.setFocus())
        self.elsewhere.opened.connect(self._look_at_text)
        self._following.timeout.connect(self._follow_selection)
        self._idle.timeout.connect(self._index_texts)
        self._idle.start()
        studio = self._studio
        studio.recording_changed.connect(self._recording_changed)
        studio.leaving.connect(self._stop_search)
        studio.apart.finished.connect(self._resume_indexing)
        for keys, act in (
            (QKeySequence.StandardKey.Find, self._focus_search),
            (QKeySequence.StandardKey.Undo, studio.undo),
            (QKeySequence.StandardKey.Redo, studio.redo),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    def tell(self, said: str | UserError) -> None:
        """Say what happened, in place of how many are selected."""
        self.bulk_bar.count.setText(str(said))

    def copy(self) -> None:
        """Put the selected rows, or all, on the clipboard as CSV; what is held out stays here."""
        chosen = self.view.selected()
        rows = chosen if len(chosen) > 1 else self.view.records()
        free = [row for row in rows if not self._cells.is_held_out(row)]
        keys, columns = self.view.shown_columns(), self._cells.columns
        if len(free) < LARGE or _LAZY_COLUMNS & {*keys}:
            self._put_on_clipboard(columns.as_csv(free, keys), len(free), len(rows) - len(free))
            return
        self.tell(tr("Copying…"))
        self._context.background.run(
            lambda _progress: columns.as_csv(free, keys),
            lambda text: self._put_on_clipboard(text, len(free), len(rows) - len(free)),
        )

    def _put_on_clipboard(self, text: str, free: int, kept: int) -> None:
        QGuiApplication.clipboard().setText(text)
        more = tr(" {kept} of held-out recordings were left out.").format(kept=kept) if kept else ""
        count = trn("{count} segment", "{count} segments", free)
        self._context.studio.message.emit(tr("Copied {count} as CSV.{more}").format(count=count, more=more))
        self.tell(tr("Copied {count}.{more}").format(count=count, more=more))

    def save_state(self) -> View:
        """Return which columns are shown, and how wide."""
        head = self.view.horizontalHeader().saveState()
        return {"hidden": [*self.view.hidden_columns()], "head": view_state.encode_state(head)}

    def restore_state(self, looks: View) -> None:
        """Show the columns that were shown."""
        if view_state.text_value(looks, "head"):
            head = view_state.decode_state(view_state.text_value(looks, "head"))
            self.view.restore_columns(view_state.text_list(looks, "hidden"), head)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.bar.search.setFocus()

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        self._waiting |= changes
        return True

    def reload(self, _session: Session) -> None:
        """Apply what changed, once nothing else is read."""
        if not self._waiting or self._reading or self._reading_again:
            return
        changes, self._waiting = self._waiting, Changes()
        self._reading_again = reread_changed(
            *(self._context, self._session, self._table, changes), lambda rows: self._on_reread(changes, rows)
        )
        if not self._reading_again:
            self._show_changes(changes, None)

    def _on_reread(self, changes: Changes, rows: Mapping[str, SegmentRow] | None) -> None:
        """Show what was changed, now that it is read, and then what was changed meanwhile."""
        self._reading_again = False
        self._show_changes(changes, rows)
        self.refresh()

    def _show_changes(self, changes: Changes, rows: Mapping[str, SegmentRow] | None) -> None:
        self._turn += 1
        self._search.apply(changes)
        self._idle.start()
        if not self._table.apply(changes, rows):
            if self.bar.search.text().strip():
                self.show_rows()
            return
        if _SCHEME_TABLES & changes.tables.keys():
            self._cells.reload_columns()
            self._set_columns()
        if _FILTER_TABLES & changes.tables.keys():
            fill_filter_bar(self.bar, self._session, self._table)
        if rows is None:
            self.show_rows()
        else:
            in_turn(self, self._show_rows_in_turn)

    def _show_rows_in_turn(self) -> None:
        """Find many rows in a turn and list them in the next, unless others are to be listed by then."""
        found = self._find_rows()
        turn = self._turn
        if found is not None:
            in_turn(self, lambda: self._list_rows(*found) if turn == self._turn else None)

    def _on_rows_read(self) -> None:
        """Show the rows, now that they are read, with what was edited meanwhile."""
        self._reading = False
        fill_filter_bar(self.bar, self._session, self._table)
        self.show_rows()
        self.refresh()
        self._idle.start()

    def _set_columns(self) -> None:
        columns = self._cells.columns.columns
        self.view.set_titles(
            {column.key: column.title for column in columns},
            [column.key for column in columns if not column.visible_by_default],
        )

    def _sort_by(self, key: str, descending: bool) -> None:
        self._sort = (key, descending)
        self.show_rows()

    def _look_at_text(self, found: FoundText) -> None:
        if found.recording_id is not None:
            self._context.look_at(found.recording_id, found.time_us)

    def _show_elsewhere(self, typed: str) -> None:
        hits = self._search.find_hits(typed, _MAX_ELSEWHERE_HITS, elsewhere=True) if typed else []
        self.elsewhere.show_records([_found_text(hit) for hit in hits])
        self.tabs.setTabVisible(1, bool(hits))
        self.tabs.setTabText(
            1,
            tr("Elsewhere {hits}{words}").format(hits=len(hits), words="+" if len(hits) == _MAX_ELSEWHERE_HITS else ""),
        )

    def _show_state(self, rows: list[str], typed: str, asked: Filter) -> None:
        if self._reading:
            self._nothing.set_text(tr("Reading the segments…"), tr("This takes a moment in a large study."))
            self._stack.setCurrentWidget(self._nothing)
            return
        self.tabs.setTabText(0, tr("Segments {rows:,}").format(rows=len(rows)))
        if rows:
            self._stack.setCurrentWidget(self.view)
        elif typed or asked:
            there = self.tabs.isTabVisible(1)
            hint = tr("The words stand elsewhere: see the next tab.") if there else tr("Use fewer words or conditions.")
            self._nothing.set_text(tr("No segment found") if there else tr("Nothing found"), hint)
            self._stack.setCurrentWidget(self._nothing)
        else:
            self._nothing.set_text(
                tr("No segments yet"), tr("Mark some in the main window: I at the start, O at the end.")
            )
            self._stack.setCurrentWidget(self._nothing)
        if self.view.selected_count < LARGE:
            self.bulk.show_selection(len(rows))
        else:
            in_turn(self, lambda: self.bulk.show_selection(len(self.view.records())))

    def _on_selection(self) -> None:
        self.bulk.show_selection(len(self.view.records()))
        if self.follow.isChecked():
            self._following.start()

    def _follow_selection(self) -> None:
        chosen = self.view.selected()
        if len(chosen) == 1 and self.isVisible():
            self._go_to_segment(chosen[0])

    def _go_to_segment(self, segment_id: str) -> None:
        self._following.stop()
        row = self._table.rows.get(segment_id)
        if row is not None:
            self._context.look_at(row.segment.recording_id, row.segment.start_us)
            self._context.studio.select([segment_id])

    def _recording_changed(self) -> None:
        if self.isVisible() and "here" in self.bar.ticked_keys("flags"):
            self.show_rows()

    def _focus_rows(self) -> None:
        self.tabs.setCurrentIndex(0)
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.view.selected() and self.view.records():
            self.view.select(self.view.records()[:1], self.view.records()[0])

    def _focus_search(self) -> None:
        self.bar.search.setFocus()
        self.bar.search.selectAll()

    def _read_texts(self) -> bool:
        """Read what is not in the index yet, for a moment; returns whether everything is."""
        until = time.monotonic() + _INDEXING_BUDGET_S
        while time.monotonic() < until and self._search.index.index_next():
            pass
        return self._search.index.is_current

    def _index_texts(self) -> None:
        if self._reading or self._context.studio.apart.busy:
            # Texts wait until the rows are there, and while something large is written.
            self._idle.stop()
        elif not self._search.index.index_next():
            self._idle.stop()
            if self._waits:
                self.show_rows()

    def _resume_indexing(self) -> None:
        if self._context.studio.session is self._session:
            self._idle.start()

    def _stop_search(self) -> None:
        self._idle.stop()
        self._following.stop()
        self._search.close()


def _found_text(hit: SearchHit) -> FoundText:
    where = hit.location_text[:1].upper() + hit.location_text[1:]
    text = hit.excerpt.text.replace("\n", " ")
    return FoundText(where, text, hit.excerpt.marks, hit.recording.id if hit.recording else None, hit.time_us)
