"""The inspector: shows the selected segments and lets them be filled in. Every change is saved at once."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence
from PySide6.QtWidgets import QStackedLayout, QWidget

from annotate.blinding.own_answers import read_adoptions
from annotate.cues.prelabels import is_prelabel
from annotate.study.scheme_versions import find_orphaned_values
from app.gui.study.study_controller import ActiveTrack, StudyController
from app.gui.timeline.segment_editing import SegmentEditing
from project.entities.study_records import Changes, FieldValue, Json, Participant, Segment
from project.queries.annotator_rows import annotator_names
from project.queries.recording_rows import participants_in
from project.queries.segment_rows import find_segment, value_history, values_of
from project.schemes.scheme import Scheme, Track
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.form.controls import push_button
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area
from widgets.inspector.scheme_browser import value_text
from widgets.inspector.segment_form import KeptValue, KeptValues, SegmentForm, SegmentHeader, TrackChooser, TrackPanel
from widgets.labels import LabelButtons, label_looks, unknown_look, working_shortcut
from widgets.text_labels import PlainLabel
from widgets.theme import pixmap


def make_inspector_page(inspector: QWidget, below: QWidget) -> QWidget:
    """Return a page in which the inspector takes the room that what stands below it leaves."""
    return make_panel(make_column(inspector, 1, below, spacing=0))


class Inspector(QWidget):
    """Shows one segment with its form, several with what can be done to all, or what to do when there is none.

    The form is that of a track of a scheme; `set_track` changes it. It binds the keys of that track itself: they work
    anywhere in the window while a segment is shown that may be changed, but for `taken` ones, which mean
    something else there. There is no Save button: every change is sent
    at once, typed text when typing pauses. Call `flush` before anything that reads the study or takes the segment
    away; switching to another segment and hiding the inspector do so themselves.

    Signals:
        value_changed (str, str, object): segment, field, new value as JSON (None: nothing).
        label_changed (list, str): ids of segments, the key of their new label.
        label_key_pressed (list, str): ids of segments, the label whose key was pressed.
        times_changed (str, object, object): segment, new start and end in microseconds, the same of a point.
        delete_requested (list): ids of segments.
        play_requested (str): segment to play.
        kept_delete_requested (str, str, int): segment, field and version of a value that the form has no place for.
        panel_made (QWidget): labels and form of a track, which are made when they are first needed.
        rejected (str): one line that says why what was typed cannot be.
    """

    value_changed = Signal(str, str, object)
    label_changed = Signal(list, str)
    label_key_pressed = Signal(list, str)
    times_changed = Signal(str, object, object)
    delete_requested = Signal(list)
    play_requested = Signal(str)
    rejected = Signal(str)
    kept_delete_requested = Signal(str, str, int)
    panel_made = Signal(object)

    def __init__(self, scheme: Scheme, taken: Sequence[QKeySequence] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent, accessibleName=tr("Inspector"), minimumWidth=304)
        self.taken = taken
        self._ids: list[str] = []
        self._read_only = False
        self._one_track = True
        self._panels: dict[tuple[str, int, str], TrackPanel] = {}
        self.header = SegmentHeader()
        self.kept = KeptValues()
        self.chooser = TrackChooser()
        self._first = scheme, scheme.tracks[0].key
        self._shown: TrackPanel | None = None
        self._stack = QStackedLayout(self)
        self._nothing = EmptyState(
            "square-dashed-mouse-pointer",
            tr("No segment is selected"),
            tr("Click one on the timeline, or mark a new one: I at its start, O at its end."),
        )
        empty = make_panel(make_column(self._nothing, 1, self.chooser))
        self._stack.addWidget(empty)
        self._stack.addWidget(self._make_page())
        self._connect()
        self.show_nothing()

    @property
    def labels(self) -> LabelButtons:
        """The buttons of the labels."""
        return self._panel.labels

    @property
    def form(self) -> SegmentForm:
        """The form."""
        return self._panel.form

    @property
    def _panel(self) -> TrackPanel:
        if self._shown is None:
            self._shown = self._make_panel(*self._first)
        return self._shown

    def prepare(self) -> None:
        """Make the form, which is otherwise made for the first segment; a long one takes as long as a window."""
        self._panel.show()

    def set_track(self, scheme: Scheme, track: str) -> None:
        """Show the labels and the form of a track from now on."""
        wanted = self._panels.get((scheme.key, scheme.version, track))
        if wanted is not None and wanted is self._shown:
            return
        self.flush()
        self.discard()
        self._ids = []
        if self._shown is not None:
            self._shown.enable_keys(one=False, several=False)
            self._shown.hide()
        self._shown = wanted or self._make_panel(scheme, track)
        self._shown.show()

    def set_people(self, people: Sequence[Participant]) -> None:
        """Say who is in the recording."""
        self.form.set_people(people)

    def show_segment(
        self,
        segment: Segment,
        values: Mapping[str, Json],
        annotator: str,
        read_only: bool = False,
        reason: str = "",
        kept: Sequence[KeptValue] = (),
        notes: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Show one segment, or what changed about it from elsewhere (undo, a drag).

        Args:
            segment: as the study has it.
            values: of its fields, by key.
            annotator: name of who made it.
            read_only: it may be read but not changed.
            reason: why; one line.
            kept: what the form has no place for.
            notes: a line to stand under a field, by key.
        """
        if self._ids != [segment.id]:
            self.flush()
            self.discard()
        self._ids = [segment.id]
        looks = {look.key: look for look in label_looks(self._panel.track)}
        self.header.show_segment(segment, annotator, looks.get(segment.label, unknown_look(segment.label)))
        self.labels.set_label(segment.label)
        self.form.set_label(segment.label)
        self.form.set_values(values)
        self.form.set_notes(notes)
        self._one_track = True
        self._show_parts(single=True)
        self.kept.show_values(kept, read_only)
        self._set_read_only(read_only, reason)
        self._stack.setCurrentIndex(1)

    def show_several(self, segments: Sequence[Segment], read_only: bool = False, reason: str = "") -> None:
        """Show how many segments are selected and what can be done to all of them."""
        self.flush()
        self.discard()
        self._ids = [segment.id for segment in segments]
        self._count.setText(tr("{segments} segments selected").format(segments=len(segments)))
        self._delete.setText(tr(" Delete {segments} segments").format(segments=len(segments)))
        labels = {segment.label for segment in segments}
        self.labels.set_label(labels.pop() if len(labels) == 1 else None)
        self._one_track = len({(segment.scheme, segment.track) for segment in segments}) == 1
        self._show_parts(single=False)
        self._set_read_only(read_only, reason)
        self._stack.setCurrentIndex(1)

    def show_nothing(self, title: str = "", hint: str = "") -> None:
        """Show what to do next; by default how a segment is selected or made."""
        self.flush()
        self.discard()
        self._ids = []
        if title:
            self._nothing.set_text(title, hint)
        self._stack.setCurrentIndex(0)
        self._enable_keys()

    def segment_ids(self) -> list[str]:
        """Return the ids of the segments shown."""
        return list(self._ids)

    def flush(self) -> None:
        """Send what was typed and not sent yet."""
        if len(self._ids) == 1:
            self.header.flush()
            self.form.flush()

    def discard(self) -> None:
        """Forget what was typed and not sent yet; for a segment that is gone."""
        self.header.discard()
        if self._shown is not None:
            self._shown.form.discard()

    def hideEvent(self, event: QHideEvent) -> None:
        self.flush()
        super().hideEvent(event)

    def _make_page(self) -> QWidget:
        self._count = PlainLabel(font=theme.font(theme.POINTS + 2, semibold=True))
        self._delete = push_button(
            "", tr("Delete the selected segments (Del)"), name=tr("Delete the selected segments"), icon="trash-2"
        )
        parts = (self._make_lock_notice(), self._count, self.header, self.kept, self._delete, None)
        margin = (theme.GRID * 3 // 2, theme.GRID * 2, theme.GRID * 3 // 2, theme.GRID * 2)
        self._column = make_column(*parts, margin=margin, spacing=theme.GRID * 2)
        return make_scroll_area(make_panel(self._column), frame=True)

    def _make_lock_notice(self) -> QWidget:
        self._lock_picture = PlainLabel()
        self._reason = PlainLabel(wordWrap=True)
        self._locked = make_panel(make_row((self._lock_picture, Qt.AlignmentFlag.AlignTop), self._reason, 1))
        theme.notifier.changed.connect(self._tint)
        self._tint()
        return self._locked

    def _tint(self) -> None:
        colour = theme.palette().uncertain
        self._lock_picture.setPixmap(pixmap("lock", 16, colour, self.devicePixelRatioF()))
        self._reason.setStyleSheet(f"color: {colour.name()};")

    def _connect(self) -> None:
        self.kept.delete_requested.connect(
            lambda field, version: self.kept_delete_requested.emit(self._ids[0], field, version)
        )
        self.header.times_entered.connect(lambda start, end: self.times_changed.emit(self._ids[0], start, end))
        self.header.rejected.connect(self.rejected)
        self.header.play_requested.connect(lambda: self.play_requested.emit(self._ids[0]))
        self.header.delete_requested.connect(self._ask_delete)
        self._delete.clicked.connect(self._ask_delete)

    def _make_panel(self, scheme: Scheme, track: str) -> TrackPanel:
        panel = TrackPanel(scheme, track, self.taken)
        panel.form.value_changed.connect(lambda field, value: self.value_changed.emit(self._ids[0], field, value))
        panel.labels.label_chosen.connect(lambda label: self.label_changed.emit(self.segment_ids(), label))
        panel.label_key_pressed.connect(lambda label: self.label_key_pressed.emit(self.segment_ids(), label))
        self._panels[scheme.key, scheme.version, track] = panel
        self._column.insertWidget(self._column.indexOf(self.kept), panel)
        reached = _tab_order(self.header)[-1:]
        for widget in _tab_order(panel):
            if reached:
                QWidget.setTabOrder(reached[0], widget)
            reached = [widget]
        self.panel_made.emit(panel)
        return panel

    def _enable_keys(self) -> None:
        if self._shown is None:
            return
        open_to_change = not self._read_only
        self._shown.enable_keys(
            one=open_to_change and len(self._ids) == 1,
            several=open_to_change and bool(self._ids) and self._one_track,
        )

    def _ask_delete(self) -> None:
        self.delete_requested.emit(self.segment_ids())

    def _show_parts(self, *, single: bool) -> None:
        self.header.setVisible(single)
        self.form.setVisible(single)
        self.labels.setVisible(self._one_track)
        self.kept.setVisible(single and bool(self.kept.values))
        for part in (self._count, self._delete):
            part.setVisible(not single)

    def _set_read_only(self, read_only: bool, reason: str) -> None:
        self._read_only = read_only
        self._locked.setVisible(read_only)
        self._reason.setText(reason or tr("This segment can be read but not changed."))
        self.header.set_read_only(read_only)
        self.labels.setEnabled(not read_only)
        self.form.set_read_only(read_only)
        self._delete.setEnabled(not read_only)
        self._enable_keys()


def _tab_order(root: QWidget) -> list[QWidget]:
    """Return what the Tab key reaches inside a widget, in the order in which it was made."""
    parts = root.findChildren(QWidget)
    return [part for part in parts if part.focusPolicy() & Qt.FocusPolicy.TabFocus and root.isAncestorOf(part)]


_PRELABEL_HINT = tr(
    "A pre-label: the program suggests it, nobody marked it. F9 accepts it as yours, Shift+F9 rejects it."
)


class InspectorFeed(QObject):
    """Shows what is selected, and turns what is filled in into edits."""

    def __init__(
        self, studio: StudyController, editing: SegmentEditing, active: ActiveTrack, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._editing = editing
        self._active = active
        self._inspector: Inspector | None = None
        studio.selection_changed.connect(self.show)
        active.changed.connect(self.show)
        active.label_changed.connect(self.show)

    def set_inspector(self, inspector: Inspector | None) -> None:
        """Feed another inspector: the form depends on the scheme of the study."""
        self._inspector = inspector
        if inspector is not None:
            inspector.value_changed.connect(self._editing.set_field)
            inspector.value_changed.connect(lambda key, _field, _value: self._show_notes(key))
            inspector.label_changed.connect(self._editing.set_label)
            inspector.label_key_pressed.connect(self._editing.press_label_key)
            inspector.times_changed.connect(lambda key, start, end: self._editing.move([(key, start, end)]))
            inspector.delete_requested.connect(self._editing.delete)
            inspector.kept_delete_requested.connect(self._editing.delete_kept_value)
            inspector.chooser.track_chosen.connect(self._active.select_track)
            inspector.chooser.label_chosen.connect(self._active.select_label)
        self.show()

    def apply(self, changes: Changes) -> None:
        """Show what an edit changed about the selected segments."""
        touched = changes.ids("segment") | changes.ids("segment_value") | changes.ids("adoption")
        people = changes.ids("participant") | changes.ids("appearance")
        if touched & set(self._studio.selected) or (people and self._studio.selected):
            self.show()

    def flush(self) -> None:
        """Save what is being typed."""
        if self._inspector is not None:
            self._inspector.flush()

    def show(self) -> None:
        """Show the selected segments."""
        inspector, session = self._inspector, self._studio.session
        if inspector is None or session is None:
            return
        found = [segment for key in self._studio.selected if (segment := find_segment(session.study, key)) is not None]
        track = self._active.track if self._studio.writable else None
        label = self._active.label
        inspector.chooser.show_tracks(self._active.tracks() if track is not None else [], self._active.key)
        drawn = track is not None and track.sampling is None
        inspector.chooser.show_labels(label_looks(track) if track and drawn else (), label.key if label else "")
        if not found:
            if self._studio.recording is None:
                inspector.show_nothing(tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
            else:
                inspector.show_nothing(tr("No segment is selected"), marking_hint(self._active.track, inspector.taken))
            return
        names = annotator_names(session.study)
        own = all(names.get(segment.annotator_id) == session.annotator_name for segment in found)
        reason = ""
        if not self._studio.writable:
            why = session.study.read_only_reason
            reason = tr("This study is read-only. {why}").format(why=why).rstrip()
        if not reason and not own:
            suggested = all(is_prelabel(session.study, segment) for segment in found)
            reason = _PRELABEL_HINT if suggested else _made_by_others(found, names)
        strange = next((segment.scheme for segment in found if not session.schemes.is_in_use(segment.scheme)), None)
        if not reason and strange is not None:
            reason = tr("The scheme {name} is not in use here. Study, Schemes… has it.").format(
                name=_scheme_of(session, found[0]).name
            )
        scheme = _scheme_of(session, found[0])
        inspector.set_track(scheme, found[0].track)
        inspector.set_people(participants_in(session.study, found[0].recording_id))
        if len(found) > 1:
            inspector.show_several(found, bool(reason), reason)
            return
        segment = found[0]
        values = values_of(session.study, segment.id)
        kept = find_orphaned_values(scheme, segment, value_history(session.study, segment.id))
        inspector.show_segment(
            segment,
            scheme.known_values(segment.track, values),
            names.get(segment.annotator_id, ""),
            bool(reason),
            reason,
            [_make_kept_value(scheme, value) for value in kept],
            _adoption_notes(session, segment.id),
        )

    def _show_notes(self, segment_id: str) -> None:
        """Say of a text that was taken over and is edited now that it was changed."""
        inspector, session = self._inspector, self._studio.session
        if inspector is not None and session is not None and inspector.segment_ids() == [segment_id]:
            inspector.form.set_notes(_adoption_notes(session, segment_id))


def _scheme_of(session: Session, segment: Segment) -> Scheme:
    """Return the scheme of a segment; one without anything where its text is kept nowhere."""
    empty = Scheme(segment.scheme, segment.scheme, 1, (Track(segment.track, segment.track, ()),), ())
    return session.schemes.find(segment.scheme) or empty


def _adoption_notes(session: Session, segment_id: str) -> dict[str, str]:
    return {field: str(taken) for field, taken in read_adoptions(session, segment_id).items()}


def _make_kept_value(scheme: Scheme, value: FieldValue) -> KeptValue:
    field = next((field for field in scheme.fields if field.key == value.field), None)
    names = {choice.key: choice.name for choice in field.choices} if field else {}
    return KeptValue(value.field, value.version, field.name if field else value.field, value_text(value.value, names))


def marking_hint(track: Track | None, taken: Sequence[QKeySequence]) -> str:
    """Say how a segment of a track is made, with the keys of its labels that the window has not `taken`."""
    if track is not None and track.sampling is not None:
        return tr("Click one on the timeline, or take samples: {key}.").format(key="Shift+T")
    keys = [working_shortcut(label, taken) for label in track.offered_labels] if track is not None else []
    ways = [*filter(None, keys), *(["A"] if "" in keys else [])]
    listed = "".join(ways) if len(ways) < 2 else tr("{list} or {last}").format(list=", ".join(ways[:-1]), last=ways[-1])
    if track is not None and track.holds_points:
        return tr("Click one on the timeline, or mark one at the playhead: {keys}.").format(keys=listed)
    then = tr(", then {keys}").format(keys=listed) if listed else ""
    return tr("Click one on the timeline, or mark a new one: I at its start, O at its end{then}.").format(then=then)


def _made_by_others(found: Sequence[Segment], names: Mapping[str, str]) -> str:
    authors = sorted({names.get(segment.annotator_id, "?") for segment in found})
    if len(authors) == 1:
        return tr("Created by {name}. Only {name} can edit it.").format(name=authors[0])
    return tr("Created by {names}. Each can edit only their own.").format(names=", ".join(authors))
