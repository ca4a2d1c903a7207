"""Keeps the inspector in step with the selection and the study."""

from PySide6.QtCore import QObject

from app.core.cues.prelabels import is_prelabel
from app.core.judging.annotators.adopted import taken_over
from app.core.scheme_report import orphaned_values
from app.core.session import Session
from app.gui.active_track import ActiveTrack
from app.gui.segment_editing import SegmentEditing
from app.gui.studio import Studio
from project.queries.annotators import all_annotators
from project.queries.participants import participants_in
from project.queries.segments import every_value_of, segment, values_of
from project.schemes.scheme import Scheme, Track
from project.types import Changes, FieldValue, Segment
from resources.translation import tr
from widgets.inspector import Inspector
from widgets.kept_values import KeptValue
from widgets.scheme_text import value_text

_SUGGESTED = tr("A pre-label: the program suggests it, nobody marked it. F9 accepts it as yours, Shift+F9 rejects it.")


class InspectorFeed(QObject):
    """Shows what is selected, and turns what is filled in into edits."""

    def __init__(
        self, studio: Studio, editing: SegmentEditing, active: ActiveTrack, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._editing = editing
        self._active = active
        self._inspector: Inspector | None = None
        studio.selection_changed.connect(self.show)
        active.changed.connect(self.show)

    def set_inspector(self, inspector: Inspector | None) -> None:
        """Feed another inspector: the form depends on the scheme of the study."""
        self._inspector = inspector
        if inspector is not None:
            inspector.value_changed.connect(self._editing.set_field)
            inspector.value_changed.connect(lambda key, _field, _value: self._show_notes(key))
            inspector.label_changed.connect(self._editing.set_label)
            inspector.times_changed.connect(lambda key, start, end: self._editing.move([(key, start, end)]))
            inspector.delete_requested.connect(self._editing.delete)
            inspector.kept_delete_requested.connect(self._editing.delete_kept)
            inspector.track_chosen.connect(self._active.choose)
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
        found = [one for key in self._studio.selected if (one := segment(session.study, key)) is not None]
        inspector.chooser.show_tracks(self._active.tracks() if self._studio.writable else [], self._active.key)
        if not found:
            if self._studio.recording is None:
                inspector.show_nothing(tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
            else:
                inspector.show_nothing(
                    tr("No segment is selected"),
                    tr("Click one on the timeline, or mark a new one: I at its start, O at its end{active}.").format(
                        active=_keys(self._active)
                    ),
                )
            return
        names = {a.id: a.name for a in all_annotators(session.study)}
        own = all(names.get(one.annotator_id) == session.annotator_name for one in found)
        reason = ""
        if not self._studio.writable:
            why = session.study.read_only_reason
            reason = tr("This study is read-only. {why}").format(why=why).rstrip()
        if not reason and not own:
            suggested = all(is_prelabel(session.study, one) for one in found)
            reason = _SUGGESTED if suggested else tr("Somebody else made it; only they change it.")
        strange = next((one.scheme for one in found if not session.schemes.uses(one.scheme)), None)
        if not reason and strange is not None:
            reason = tr("The scheme {name} is not in use here. Study, Schemes… has it.").format(
                name=_scheme(session, found[0]).name
            )
        scheme = _scheme(session, found[0])
        inspector.use(scheme, found[0].track)
        inspector.set_people(participants_in(session.study, found[0].recording_id))
        if len(found) > 1:
            inspector.show_several(found, bool(reason), reason)
            return
        one = found[0]
        values = {key: value.value for key, value in values_of(session.study, one.id).items()}
        kept = orphaned_values(scheme, one, every_value_of(session.study, one.id))
        inspector.show_segment(
            one,
            scheme.placed(one.track, values),
            names.get(one.annotator_id, ""),
            bool(reason),
            reason,
            [_kept(scheme, value) for value in kept],
            _notes(session, one.id),
        )

    def _show_notes(self, segment_id: str) -> None:
        """Say of a text that was taken over and is edited now that it was changed."""
        inspector, session = self._inspector, self._studio.session
        if inspector is not None and session is not None and inspector.segment_ids() == [segment_id]:
            inspector.form.set_notes(_notes(session, segment_id))


def _scheme(session: Session, one: Segment) -> Scheme:
    """Return the scheme of a segment; one without anything where its text is kept nowhere."""
    empty = Scheme(one.scheme, one.scheme, 1, (Track(one.track, one.track, ()),), ())
    return session.schemes.known(one.scheme) or empty


def _notes(session: Session, segment_id: str) -> dict[str, str]:
    return {field: str(taken) for field, taken in taken_over(session, segment_id).items()}


def _kept(scheme: Scheme, value: FieldValue) -> KeptValue:
    field = next((field for field in scheme.fields if field.key == value.field), None)
    names = {choice.key: choice.name for choice in field.choices} if field else {}
    return KeptValue(value.field, value.version, field.name if field else value.field, value_text(value.value, names))


def _keys(active: ActiveTrack) -> str:
    """Return such as “, then E, C or N”."""
    keys = [label.shortcut for label in active.track.labels if label.shortcut] if active.track else []
    if not keys:
        return ""
    return (
        tr(", then {keys}").format(keys=keys[0])
        if len(keys) == 1
        else tr(", then {list} or {keys}").format(list=", ".join(keys[:-1]), keys=keys[-1])
    )
