"""Keeps the inspector in step with the selection and the study."""

from PySide6.QtCore import QObject

from app.gui.segment_editing import SegmentEditing
from app.gui.studio import Studio
from project.queries.annotators import all_annotators
from project.queries.segments import segment, values_of
from project.types import Changes
from widgets.inspector import Inspector


class InspectorFeed(QObject):
    """Shows what is selected, and turns what is filled in into edits."""

    def __init__(self, studio: Studio, editing: SegmentEditing, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._editing = editing
        self._inspector: Inspector | None = None
        studio.selection_changed.connect(self.show)

    def set_inspector(self, inspector: Inspector | None) -> None:
        """Feed another inspector: the form depends on the scheme of the study."""
        self._inspector = inspector
        if inspector is not None:
            inspector.value_changed.connect(self._editing.set_field)
            inspector.verdict_changed.connect(self._editing.set_label)
            inspector.times_changed.connect(lambda key, start, end: self._editing.move([(key, start, end)]))
            inspector.delete_requested.connect(self._editing.delete)
        self.show()

    def apply(self, changes: Changes) -> None:
        """Show what an edit changed about the selected segments."""
        touched = changes.ids("segment") | changes.ids("segment_value")
        if touched & set(self._studio.selected):
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
        if not found:
            if self._studio.recording is None:
                inspector.show_nothing("No recording is open", "Choose one on the left.")
            else:
                inspector.show_nothing(
                    "No segment is selected",
                    "Click one on the timeline, or mark a new one: I at its start, O at its end, then E, C or N.",
                )
            return
        names = {a.id: a.name for a in all_annotators(session.study)}
        own = all(names.get(one.annotator_id) == session.annotator_name for one in found)
        reason = session.study.read_only_reason if not self._studio.writable else ""
        if not reason and not own:
            reason = "Somebody else made it; only they change it."
        if len(found) == 1:
            one = found[0]
            values = {key: value.value for key, value in values_of(session.study, one.id).items()}
            inspector.show_segment(one, values, names.get(one.annotator_id, ""), bool(reason), reason)
        else:
            inspector.show_several(found, bool(reason), reason)
