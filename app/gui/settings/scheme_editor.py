"""The code book editor: tracks, labels, fields and examples in tables, a form for the selected one, and a preview."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QMenu,
    QToolButton,
    QWidget,
)

from annotate.study.scheme_changes import SchemePlan
from annotate.study.scheme_draft import SchemeDraft
from annotate.study.scheme_versions import LabelKey
from app.gui.settings.scheme_example_form import ExampleForm
from app.gui.settings.scheme_field_form import KIND_NAMES, FieldForm
from app.gui.settings.scheme_forms import KeyedPartForm, LabelForm, PartForm, TrackForm
from app.gui.settings.scheme_preview import SchemePreview
from app.gui.settings.scheme_tables import SEGMENTS_COLUMN, PartRow, PartTable, keep_looks, name_column, problem_text
from project.errors import UserError
from project.schemes.scheme import Example, Field, FieldKind, Label, Track
from project.schemes.scheme_checks import SchemePath, SchemeProblem, find_scheme_problems
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.controls import push_button, tool_button
from widgets.form.form import Form
from widgets.form.layouts import (
    WIDE_MARGIN,
    bounded_to_screen,
    make_column,
    make_panel,
    make_scroll_area,
    make_splitter,
    make_stack,
)
from widgets.labels import free_look, label_looks
from widgets.table.record_table import RecordColumn
from widgets.text_labels import PlainLabel

Agree = Callable[[str, str, str], bool]
"""Takes a title, a question and the text of the button; tells whether the person agrees."""


_SECTIONS = ("tracks", "labels", "fields", "examples")
_Part = Track | Label | Field | Example


class SchemeEditor(OwnDialog):
    """Edits a draft. Cancel drops it; Save is accepted once nothing is wrong and the person agrees to what happens.

    Attributes:
        draft: as it is now.
        plan: what is to be done, once it is accepted.
    """

    def __init__(
        self,
        draft: SchemeDraft,
        make_plan: Callable[[SchemeDraft], SchemePlan],
        agree: Agree,
        counts: Mapping[LabelKey, int],
        keys_in_use: frozenset[str] = frozenset(),
        parent: QWidget | None = None,
    ) -> None:
        """Show a draft.

        Args:
            draft: to begin with.
            make_plan: plans what saving does to the study.
            agree: asks whether to do it.
            counts: track and label of the base -> how many segments have it.
            keys_in_use: keys of the window's own actions, in upper case.
            parent: as of every widget.
        """
        super().__init__(parent)
        self.draft = draft
        self._first = draft.scheme
        self.plan: SchemePlan | None = None
        self._make_plan, self._agree, self._counts, self._keys = make_plan, agree, counts, keys_in_use
        self._track = 0
        self._shown: tuple[str, int] = ("tracks", 0)
        self._problems: list[SchemeProblem] = []
        self._refreshing = False
        new = draft.base is None
        self.setWindowTitle(tr("New code book") if new else tr("Edit code book"))
        self._make_head()
        self._make_tables()
        self._make_forms()
        self.preview = SchemePreview()
        self.preview.setMinimumWidth(theme.GRID * 36)
        self._lay_out(tr("Save and use") if new else tr("Save…"))
        self.resize(bounded_to_screen(self.sizeHint().expandedTo(_SIZE), self))
        self._refresh()
        if new:
            self.name.selectAll()
            self.name.setFocus()

    def accept(self) -> None:
        """Save, where nothing is wrong and the person agrees."""
        self.example_form.flush()
        if self._problems:
            self._go_to(self._problems[0])
            return
        if self.draft.base is not None and not self.draft.is_changed:
            self.reject()
            return
        try:
            plan = self._make_plan(self.draft)
        except UserError as error:
            self._say(str(error))
            return
        if plan.effects:
            version = tr("Save version {version}").format(version=plan.scheme.version)
            lines = "\n".join(f"• {effect}" for effect in plan.effects)
            question = tr("Saving changes what is there:\n\n{lines}\n\nOne undo takes all of it back.")
            if not self._agree(tr("Edit code book"), question.format(lines=lines), version):
                return
        self.plan = plan
        super().accept()

    # Parts

    def _make_head(self) -> None:
        self.book = Form()
        with self.book.line(tr("Code book")):
            self.name = self.book.text(tr("Name"), tr("What the code book is called"))
            self.key = self.book.text(tr("Key"), tr("Stands in exports and beside every value"))
        self.name.setMinimumWidth(_NAME_WIDTH)
        self.definition = self.book.text(tr("Definition"), tr("What the code book is for"))
        self.name.textEdited.connect(lambda text: self._change(self.draft.edit(name=text.strip())))
        self.key.textEdited.connect(lambda text: self._change(self.draft.edit(key=text.strip())))
        self.key.setReadOnly(self.draft.base is not None)
        self.definition.textEdited.connect(lambda text: self._change(self.draft.edit(definition=text.strip())))

    def _make_tables(self) -> None:
        self.tracks: PartTable[Track] = PartTable(
            tr("Tracks"), [name_column(tr("Track")), SEGMENTS_COLUMN], tr("Add a track"), tr("Add the first track")
        )
        self.labels: PartTable[Label] = PartTable(
            tr("Labels"),
            [
                RecordColumn(
                    tr("Label"),
                    lambda row: row.part.name,
                    stretch=True,
                    look=lambda row: label_looks(self._current_track())[row.place],
                ),
                RecordColumn(
                    tr("Shortcut"),
                    lambda row: tr("retired") if row.part.retired else row.part.shortcut,
                    icon=lambda row: ("circle-alert", "error") if row.is_wrong else "",
                    title_tip=tr("The key that makes a segment"),
                ),
                SEGMENTS_COLUMN,
            ],
            tr("Add a label"),
            tr("Add the first label"),
        )
        self.fields: PartTable[Field] = PartTable(
            tr("Fields"),
            [name_column(tr("Field")), RecordColumn(tr("Kind"), lambda row: KIND_NAMES[row.part.kind])],
            tr("Add a field"),
            tr("Without fields, a label is all that is said"),
        )
        self.examples: PartTable[Example] = PartTable(
            tr("Worked examples"),
            [name_column(tr("Example"))],
            tr("Add a worked example"),
            tr("Shown in the guidelines, and to judges without other examples"),
        )
        for section in _SECTIONS:
            table = self._table(section)
            table.table.selection_changed.connect(lambda section=section: self._on_selected(section))
            table.table.clicked.connect(lambda index, section=section: self._show_part(section, index.row()))
            table.add.clicked.connect(lambda _=False, section=section: self._add(section))
            table.remove.clicked.connect(lambda _=False, section=section: self._remove(section))
            table.up.clicked.connect(lambda _=False, section=section: self._shift(section, -1))
            table.down.clicked.connect(lambda _=False, section=section: self._shift(section, 1))
        self.more = tool_button(
            "",
            tr("More about the label"),
            tr("Merge, split or retire the selected label"),
            text=tr("More"),
            popupMode=QToolButton.ToolButtonPopupMode.InstantPopup,
        )
        self._more_menu = QMenu(self.more)
        self._more_menu.aboutToShow.connect(self._fill_more)
        self.more.setMenu(self._more_menu)
        self.labels.head.addWidget(self.more)

    def _make_forms(self) -> None:
        self.track_form, self.label_form, self.field_form = TrackForm(), LabelForm(), FieldForm()
        self.example_form = ExampleForm()
        self.forms = make_stack()
        for section in _SECTIONS:
            form = self._form(section)
            if isinstance(form, KeyedPartForm):
                form.named.connect(self._name)
                form.keyed.connect(self._rekey)
            form.edited.connect(self._edit)
            inner = make_panel(make_column(form, None, margin=(0, 0, theme.GRID, 0)))
            self.forms.addWidget(make_scroll_area(inner, frame=True))
        self.forms.addWidget(QWidget())
        self.label_form.retired.connect(self._retire)
        self.field_form.requirement_changed.connect(self._require)
        self.form_title = PlainLabel(font=theme.font(semibold=True))

    def _lay_out(self, save: str) -> None:
        parts = (self.tracks, 1, self.labels, 3, self.fields, 3, self.examples, 1)
        tables = make_splitter(Qt.Orientation.Vertical, *parts, sizes=(100, 160, 128, 88))
        middle = make_panel(make_column(self.form_title, self.forms, 1))
        sides = (tables, 3, middle, 4, self.preview, 3)
        split = make_splitter(Qt.Orientation.Horizontal, *sides, sizes=(336, 360, 304))
        split.setHandleWidth(theme.GRID * 2)
        self.buttons = DialogButtons(self, save, tr("Drop what was changed"))
        self.buttons.go_on.clicked.connect(self.accept)
        # Enter ends a name or a cell, and saves nothing.
        for button in (self.buttons.go_on, self.buttons.away):
            button.setAutoDefault(False)
            button.setDefault(False)
        self.show_problem = push_button(
            tr("Show"),
            tr("Go to the first problem"),
            lambda: self._go_to(self._problems[0]),
            name=tr("Show the first problem"),
        )
        self.buttons.insertWidget(1, self.show_problem)
        self.setLayout(make_column(self.book, split, 1, self.buttons, margin=WIDE_MARGIN))

    def _table(self, section: str) -> PartTable[Track] | PartTable[Label] | PartTable[Field] | PartTable[Example]:
        tables: dict[str, Any] = {
            "tracks": self.tracks,
            "labels": self.labels,
            "fields": self.fields,
            "examples": self.examples,
        }
        return tables[section]

    def _form(self, section: str) -> PartForm:
        forms: dict[str, PartForm] = {
            "tracks": self.track_form,
            "labels": self.label_form,
            "fields": self.field_form,
            "examples": self.example_form,
        }
        return forms[section]

    # What is shown

    def _current_track(self) -> Track:
        tracks = self.draft.scheme.tracks
        return tracks[self._track] if self._track < len(tracks) else Track("", "", ())

    def _parts(self, section: str) -> Sequence[_Part]:
        track = self._current_track()
        match section:
            case "tracks":
                return self.draft.scheme.tracks
            case "labels":
                return track.labels
            case "fields":
                return self.draft.scheme.fields_of(track.key)
            case _:
                return self.draft.scheme.examples

    def _path(self, section: str, place: int) -> SchemePath:
        match section:
            case "tracks":
                return ("tracks", place)
            case "labels":
                return ("tracks", self._track, "labels", place)
            case "examples":
                return ("examples", place)
            case _:
                return ("fields", self.draft.scheme.fields.index(self._parts("fields")[place]))

    def _segments_of(self, track: str, label: str) -> int:
        return sum(self._counts.get(before, 0) for before in self.draft.sources_of(track, label))

    def _change(self, draft: SchemeDraft) -> None:
        self.draft = draft
        self._refresh()

    def _refresh(self) -> None:
        self._refreshing = True
        self._show_draft()
        self._refreshing = False

    def _show_draft(self) -> None:
        scheme = self.draft.scheme
        self._problems = [*find_scheme_problems(scheme)]
        self._track = max(0, min(self._track, len(scheme.tracks) - 1))
        track = self._current_track()
        section, place = self._shown
        place = min(place, len(self._parts(section)) - 1)
        if place < 0:
            section, place = "tracks", self._track
        self._shown = section, place
        for line, text in ((self.name, scheme.name), (self.key, scheme.key), (self.definition, scheme.definition)):
            if line.text().strip() != text:
                line.setText(text)
                line.setCursorPosition(0)
        self.tracks.show_rows(
            [
                PartRow(at, part, self._track_segments(part), self._is_wrong("tracks", at))
                for at, part in enumerate(scheme.tracks)
            ],
            self._track,
        )
        title = tr("Labels of “{track}”").format(track=track.name) if len(scheme.tracks) > 1 else tr("Labels")
        self.labels.heading.set_text(title)
        self.labels.show_rows(
            [
                PartRow(at, part, self._segments_of(track.key, part.key), self._is_wrong("labels", at))
                for at, part in enumerate(track.labels)
            ],
            place if section == "labels" else None,
        )
        title = tr("Fields of “{track}”").format(track=track.name) if len(scheme.tracks) > 1 else tr("Fields")
        self.fields.heading.set_text(title)
        self.fields.show_rows(
            [PartRow(at, part, 0, self._is_wrong("fields", at)) for at, part in enumerate(scheme.fields_of(track.key))],
            place if section == "fields" else None,
        )
        self.examples.show_rows(
            [PartRow(at, part, 0, self._is_wrong("examples", at)) for at, part in enumerate(scheme.examples)],
            place if section == "examples" else None,
        )
        for table in (self.labels, self.fields):
            table.add.setEnabled(bool(scheme.tracks))
        self.examples.add.setEnabled(any(known.labels for known in scheme.tracks))
        self.more.setEnabled(section == "labels")
        self.tracks.remove.setEnabled(bool(scheme.tracks) and section == "tracks")
        self._fill_form()
        self.preview.show_track(scheme, track.key, track.labels[place].key if section == "labels" else "")
        self._say_problems()

    def _track_segments(self, track: Track) -> int:
        return sum(self._segments_of(track.key, label.key) for label in track.labels)

    def _fill_form(self) -> None:
        scheme, track = self.draft.scheme, self._current_track()
        section, place = self._shown
        parts = self._parts(section)
        if not parts:
            self.forms.setCurrentIndex(len(_SECTIONS))
            self.form_title.setText("")
            return
        part = parts[place]
        self.forms.setCurrentIndex(_SECTIONS.index(section))
        if isinstance(part, Track):
            self.form_title.setText(tr("Track “{name}”").format(name=part.name))
            self.track_form.show_track(part, self._track_segments(part), scheme)
        elif isinstance(part, Label):
            self.form_title.setText(tr("Label “{name}”").format(name=part.name))
            self.label_form.show_label(part)
        elif isinstance(part, Field):
            self.form_title.setText(tr("Field “{name}”").format(name=part.name))
            self.field_form.show_field(part, scheme, track, self.draft.required_labels(track.key, part.key))
        else:
            self.form_title.setText(tr("Worked example “{name}”").format(name=part.title))
            self.example_form.show_example(part, place, scheme)
        self._form(section).show_problems(self._problems_at(self._path(section, place), part))

    def _problems_at(self, path: SchemePath, part: _Part) -> dict[str, list[str]]:
        """Return attribute -> what is wrong with it, for a part of the scheme."""
        found: dict[str, list[str]] = {}
        for problem in self._problems:
            if problem.path[: len(path)] == path and len(problem.path) > len(path):
                found.setdefault(str(problem.path[len(path)]), []).append(problem.what)
        if isinstance(part, Label | Field) and self._is_key_taken(part):
            taken = tr("the window uses {key} itself, so it does nothing here").format(key=part.shortcut)
            found.setdefault("shortcut", []).append(taken)
        return found

    def _is_key_taken(self, part: _Part) -> bool:
        return isinstance(part, Label | Field) and bool(part.shortcut) and part.shortcut.upper() in self._keys

    def _is_wrong(self, section: str, place: int) -> bool:
        path = self._path(section, place)
        taken = self._is_key_taken(self._parts(section)[place])
        return taken or any(problem.path[: len(path)] == path for problem in self._problems)

    def _say_problems(self) -> None:
        problems = self._problems
        self.show_problem.setVisible(bool(problems))
        muted = theme.palette().muted
        if not problems:
            self._say(tr("Nothing is saved yet.") if self.draft.is_changed else "", muted)
        elif self.draft.scheme == self._first:
            self._say(tr("Still to do: {what}").format(what=problem_text(self.draft.scheme, problems[0])), muted)
        else:
            count = trn("{count} problem", "{count} problems", len(problems))
            self._say(f"{count}. {problem_text(self.draft.scheme, problems[0])}")

    def _say(self, text: str, colour: QColor | None = None) -> None:
        self.buttons.note.setText(text)
        self.buttons.note.setStyleSheet(f"color: {(colour or theme.palette().error).name()};")

    def _go_to(self, problem: SchemeProblem) -> None:
        path = problem.path
        if path[0] == "tracks" and len(path) > 1:
            self._track = int(path[1])
            inner = len(path) > 3 and path[2] == "labels"
            self._shown = ("labels", int(path[3])) if inner else ("tracks", self._track)
        elif path[0] == "fields" and len(path) > 1:
            field = self.draft.scheme.fields[int(path[1])]
            tracks = [track.key for track in self.draft.scheme.tracks]
            if field.tracks and field.tracks[0] in tracks and self._current_track().key not in field.tracks:
                self._track = tracks.index(field.tracks[0])
            own = self.draft.scheme.fields_of(self._current_track().key)
            self._shown = ("fields", own.index(field)) if field in own else ("tracks", self._track)
        elif path[0] == "examples":
            self._shown = "examples", int(path[1])
        self._refresh()
        last = next(step for step in reversed(path) if isinstance(step, str))
        if len(path) == 1:
            {"name": self.name, "key": self.key}.get(last, self.name).setFocus()
        else:
            self._form(self._shown[0]).focus_attribute(last)

    # What is done

    def _on_selected(self, section: str) -> None:
        table = self._table(section).table
        row = table.currentIndex().row()
        if not self._refreshing and table.selectedIndexes() and (section, row) != self._shown:
            self._show_part(section, row)

    def _show_part(self, section: str, place: int) -> None:
        if section == "tracks":
            self._track = place
        self._shown = section, place
        self._refresh()

    def _key(self) -> str:
        section, place = self._shown
        part = self._parts(section)[place]
        return "" if isinstance(part, Example) else part.key

    def _name(self, name: str) -> None:
        draft, track, key = self.draft, self._current_track().key, self._key()
        name = name.strip()
        match self._shown[0]:
            case "tracks":
                self._change(draft.name_track(key, name)[0])
            case "labels":
                self._change(draft.name_label(track, key, name)[0])
            case _:
                self._change(draft.name_field(key, name)[0])

    def _rekey(self, new: str) -> None:
        draft, track, key = self.draft, self._current_track().key, self._key()
        try:
            match self._shown[0]:
                case "tracks":
                    draft = draft.rekey_track(key, new)
                case "labels":
                    draft = draft.rekey_label(track, key, new)
                case _:
                    draft = draft.rekey_field(key, new)
        except UserError as error:
            self._refresh()
            self._form(self._shown[0]).show_problems({"key": [str(error)]})
            return
        self._change(draft)

    def _edit(self, changes: Mapping[str, object]) -> None:
        draft, track, key = self.draft, self._current_track().key, self._key()
        match self._shown[0]:
            case "tracks":
                self._change(draft.edit_track(key, **changes))
            case "labels":
                self._change(draft.edit_label(track, key, **changes))
            case "examples":
                self._change(draft.edit_example(self._shown[1], **changes))
            case _:
                self._change(draft.edit_field(key, **changes))

    def _add(self, section: str) -> None:
        draft, track = self.draft, self._current_track()
        if section == "tracks":
            number = len(draft.scheme.tracks) + 1
            draft, _ = draft.add_track(tr("Track {number}").format(number=number))
            self._track = number - 1
        elif section == "labels":
            name = tr("Label {number}").format(number=len(track.labels) + 1)
            colour, pattern = free_look(track)
            draft, _ = keep_looks(draft, track).add_label(track.key, Label("", name, colour=colour, pattern=pattern))
        elif section == "examples":
            title = tr("Example {number}").format(number=len(draft.scheme.examples) + 1)
            labels = [label.key for known in (track, *draft.scheme.tracks) for label in known.labels]
            draft = draft.add_example(title, labels[0])
        else:
            name = tr("Field {number}").format(number=len(draft.scheme.fields) + 1)
            draft, _ = draft.add_field(name, FieldKind.TEXT, track.key)
        self.draft = draft
        self._shown = section, len(self._parts(section)) - 1
        self._refresh()
        form = self._form(section)
        form.name.setFocus()
        form.name.selectAll()

    def _remove(self, section: str) -> None:
        draft, track = self.draft, self._current_track()
        if section == "tracks":
            segments = self._track_segments(track)
            if segments:
                self._say(
                    tr("“{name}” has {segments}: a track is removed only while it has none.").format(
                        name=track.name, segments=trn("{count} segment", "{count} segments", segments)
                    )
                )
                return
            self._change(draft.remove_track(track.key))
        elif section == "labels":
            label = track.labels[self._shown[1]]
            segments = self._segments_of(track.key, label.key)
            if segments:
                self._say(
                    tr("“{name}” has {segments}: retire it or merge it into another label (More).").format(
                        name=label.name, segments=trn("{count} segment", "{count} segments", segments)
                    )
                )
                return
            self._change(keep_looks(draft, track).remove_label(track.key, label.key))
        elif section == "examples":
            self._change(draft.remove_example(self._shown[1]))
        else:
            self._change(draft.remove_field(self._key()))

    def _shift(self, section: str, by: int) -> None:
        place = self._track if section == "tracks" else self._shown[1]
        target = place + by
        if not 0 <= target < len(self._parts(section)):
            return
        key, track = self._key(), self._current_track().key
        if section == "tracks":
            self.draft = self.draft.shift_track(self._current_track().key, by)
            self._track = target
        elif section == "examples":
            self.draft = self.draft.shift_example(place, by)
        elif section == "labels":
            self.draft = keep_looks(self.draft, self._current_track()).shift_label(track, key, by)
        else:
            self.draft = self.draft.shift_field(key, by, track)
        self._shown = section, target
        self._refresh()

    def _retire(self, on: bool) -> None:
        self._change(self.draft.retire_label(self._current_track().key, self._key(), on))

    def _require(self, labels: Sequence[str]) -> None:
        self._change(self.draft.require_field(self._current_track().key, self._key(), labels))

    def _fill_more(self) -> None:
        self._more_menu.clear()
        track, key = self._current_track(), self._key()
        merge = self._more_menu.addMenu(tr("Merge into"))
        for other in track.labels:
            if other.key != key:
                action = merge.addAction(other.name.replace("&", "&&"))
                action.triggered.connect(lambda _=False, into=other.key: self._merge(into))
        merge.setEnabled(not merge.isEmpty())
        self._more_menu.addAction(tr("Split in two")).triggered.connect(self._split)
        retired = any(label.key == key and label.retired for label in track.labels)
        text = tr("Offer again") if retired else tr("Retire")
        self._more_menu.addAction(text).triggered.connect(lambda: self._retire(not retired))

    def _merge(self, into: str) -> None:
        track = self._current_track()
        self.draft = keep_looks(self.draft, track).merge_label(track.key, self._key(), into)
        self._shown = "labels", [label.key for label in self._current_track().labels].index(into)
        self._refresh()

    def _split(self) -> None:
        track = self._current_track()
        self.draft, made = keep_looks(self.draft, track).split_label(track.key, self._key())
        for key in made:
            colour, pattern = free_look(self._current_track())
            self.draft = self.draft.edit_label(track.key, key, colour=colour, pattern=pattern)
        self._shown = "labels", [label.key for label in self._current_track().labels].index(made[0])
        self._refresh()


_NAME_WIDTH = theme.GRID * 36
_SIZE = QSize(1080, 720)
