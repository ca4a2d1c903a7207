"""The form of a worked example in the code book editor: what happens, and what is marked and filled in."""

from dataclasses import replace

from app.gui.settings.scheme_forms import PartForm, fill_line, fill_lines
from project.entities.study_records import Json
from project.schemes.scheme import CHOICE_KINDS, Example, FieldKind, Scheme
from resources.translation import tr
from widgets.form.layouts import make_column, make_panel
from widgets.inspector.segment_form import SegmentForm


class ExampleForm(PartForm):
    """Its fields are those of a segment, without participants: an example names nobody."""

    def __init__(self) -> None:
        super().__init__(tr("Worked example"))
        self._place = -1
        self._example: Example | None = None
        self._scheme: Scheme | None = None
        self._track = ""
        self.fields: SegmentForm | None = None
        self.name = self._add_line("title", tr("Title"), tr("A few words"))
        self.situation = self._add_lines("situation", tr("Situation"), tr("What happens"))
        self.label = self.choice(tr("Label"), tr("What a trained annotator marks"), compact=True)
        self.label.activated.connect(lambda: self.edited.emit({"label": self.label.key()}))
        self._add_note("label")
        self._column = make_column()
        self._filled = make_panel(self._column)
        self.add(tr("Filled in"), self._filled)
        self._add_note("values")
        self.why = self._add_lines("why", tr("Why"), tr("The reason of a trained annotator"))

    def show_example(self, example: Example, place: int, scheme: Scheme) -> None:
        """Show an example, which stands at a place among those of a scheme."""
        if place != self._place and self.fields is not None:
            self.fields.discard()
        self._place, self._example = place, example
        fill_line(self.name, example.title)
        fill_lines(self.situation, example.situation)
        fill_lines(self.why, example.why)
        labels = {label.key: label.name for track in scheme.tracks for label in track.labels}
        self.label.offer(labels)
        self.label.choose(example.label)
        having = [track.key for track in scheme.tracks if track.label(example.label) is not None]
        self._show_fields(example, scheme, having[0] if having else scheme.tracks[0].key)

    def flush(self) -> None:
        """Enter what is being typed."""
        if self.fields is not None:
            self.fields.flush()

    def _show_fields(self, example: Example, scheme: Scheme, track: str) -> None:
        # A field of choices that has none yet has nothing to show.
        fields = (field for field in scheme.fields if field.choices or field.kind not in CHOICE_KINDS)
        shown = replace(scheme, fields=tuple(field for field in fields if field.kind is not FieldKind.PARTICIPANT))
        same = self._scheme is not None and (shown.fields, shown.rules) == (self._scheme.fields, self._scheme.rules)
        if self.fields is None or not same or track != self._track:
            if self.fields is not None:
                self._column.removeWidget(self.fields)
                self.fields.hide()
                self.fields.deleteLater()
            self._scheme, self._track = shown, track
            self.fields = SegmentForm(shown, track)
            self.fields.value_changed.connect(self._enter_value)
            self._column.addWidget(self.fields)
        self.fields.set_label(example.label)
        self.fields.set_values(example.values)
        there = any(field.applies_to(example.label, track) for field in shown.fields)
        self._layout.setRowVisible(self._filled, there)

    def _enter_value(self, field: str, value: Json) -> None:
        if self._example is not None:
            values = {**self._example.values, field: value}
            self.edited.emit({"values": {key: given for key, given in values.items() if given is not None}})
