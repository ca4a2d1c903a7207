"""The pages of characters and scenarios: a list, and a form for the selected entry."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QWidget

from app.gui.episodes.episode_player import PROFILE_NAMES, RELATIONSHIPS
from app.gui.study.study_controller import StudyController
from benchmark.episodes.episode_setup import remove_character, remove_scenario, save_character, save_scenario
from project.entities.roleplay import Profile, Relationship, Scenario
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.episode_rows import PROFILE_COLUMNS, all_characters, all_scenarios
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import push_button
from widgets.form.form import Form
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area, make_splitter
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import ElidedLabel

_TEXT_HEIGHT = 4 * theme.GRID * 3


@dataclass(frozen=True, slots=True)
class TextField:
    """One field.

    Attributes:
        hint: what to write, shown while it is empty.
        is_multiline: it has several lines.
        choices: key -> name, where one of these is chosen and nothing is typed.
    """

    key: str
    name: str
    hint: str = ""
    is_multiline: bool = False
    choices: Mapping[str, str] | None = None


class TextsForm(QWidget):
    """Fields with Save and Delete; nothing is saved before Save.

    Signals:
        saved: what stands in it is to be kept.
        delete_requested: what it shows is to be deleted.
    """

    saved = Signal()
    delete_requested = Signal()

    def __init__(self, what: str, fields: Sequence[TextField], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        form = Form()
        self._fields = {field.key: _add_field(form, field) for field in fields}
        area = make_scroll_area(form, sideways=True)
        self.status = ElidedLabel()
        self.delete = push_button(
            tr("Delete"),
            tr("Delete this {what}; episodes keep what they were played with").format(what=what),
            self.delete_requested,
            enabled=False,
        )
        self.save = push_button(tr("Save"), tr("Keep this {what}").format(what=what), self.saved, look="primary")
        self.setLayout(make_column(area, 1, make_row(self.status, 1, self.delete, self.save)))

    def show_texts(self, texts: Mapping[str, str], *, known: bool, writable: bool) -> None:
        """Show other texts; `known` where they can be deleted."""
        for key, editor in self._fields.items():
            text = texts.get(key, "")
            if isinstance(editor, QComboBox):
                editor.setCurrentIndex(max(0, editor.findData(text)))
                editor.setEnabled(writable)
            elif isinstance(editor, QLineEdit):
                editor.setText(text)
                editor.setReadOnly(not writable)
            else:
                editor.setPlainText(text)
                editor.setReadOnly(not writable)
        self.delete.setEnabled(known and writable)
        self.save.setEnabled(writable)

    def texts(self) -> dict[str, str]:
        """Return what stands in it."""
        return {key: _editor_text(editor) for key, editor in self._fields.items()}

    def focus_first(self) -> None:
        """Go to the first field."""
        next(iter(self._fields.values())).setFocus()


def _editor_text(editor: QLineEdit | QPlainTextEdit | QComboBox) -> str:
    if isinstance(editor, QComboBox):
        return str(editor.currentData())
    return (editor.text() if isinstance(editor, QLineEdit) else editor.toPlainText()).strip()


def _add_field(form: Form, field: TextField) -> QLineEdit | QPlainTextEdit | QComboBox:
    if field.choices is not None:
        return form.choice(field.name, "", field.choices)
    if field.is_multiline:
        return form.area(field.name, "", hint=field.hint, minimumHeight=_TEXT_HEIGHT)
    return form.text(field.name, "", placeholder=field.hint)


Texts = Mapping[str, str]


class StockPage(QWidget):
    """Shows what a study has of one kind, and saves what is written.

    Args:
        studio: the study.
        what: what one of them is called.
        columns: of the list.
        fields: of the form.
        read: returns the rows, and key -> texts of the form.
        save: keeps texts under a key, "" for a new one; returns the key and what changed.
        remove: removes the one with a key.
    """

    def __init__(
        self,
        studio: StudyController,
        what: str,
        columns: Sequence[str],
        fields: Sequence[TextField],
        read: Callable[[Session], tuple[Sequence[TableRow], Mapping[str, Texts]]],
        save: Callable[[Session, str, Texts], tuple[str, Changes]],
        remove: Callable[[Session, str], Changes],
    ) -> None:
        super().__init__()
        self._studio = studio
        self._read, self._save, self._remove = read, save, remove
        self._texts: Mapping[str, Texts] = {}
        self._key = ""
        self.list = RecordTable(f"{what.capitalize()}s", text_columns(columns))
        EmptyHint(self.list, tr("None yet. Press New to write one."))
        self.new = push_button(tr(" New"), tr("Write another {what}").format(what=what), self._begin_new, icon="plus")
        self.form = TextsForm(what, fields)
        left = make_panel(make_column(self.list, 1, make_row(self.new, None), margin=(0, 0, theme.GRID, 0)))
        self.form.setContentsMargins(theme.GRID, 0, 0, 0)
        parts = make_splitter(Qt.Orientation.Horizontal, left, self.form, sizes=[420, 820])
        parts.setHandleWidth(theme.GRID // 2)
        self.setLayout(make_column(parts, margin=(0, theme.GRID, 0, 0)))
        self.list.selection_changed.connect(self._choose)
        self.form.saved.connect(self._save_form)
        self.form.delete_requested.connect(self._delete)

    def reload(self) -> None:
        """Show what the study has now; what stands in the form stays, while it is there still."""
        session = self._studio.session
        if session is None:
            return
        rows, self._texts = self._read(session)
        with QSignalBlocker(self.list):
            self.list.show_records(rows)
        self.new.setEnabled(self._studio.writable)
        if self._key and self._key not in self._texts:
            self._show("")

    def _choose(self) -> None:
        if key := self.list.current_key():
            self._show(key)

    def _begin_new(self) -> None:
        with QSignalBlocker(self.list):
            self.list.select([])
        self._show("")
        self.form.focus_first()

    def _show(self, key: str) -> None:
        self._key = key
        self.form.status.set_text("")
        self.form.show_texts(self._texts.get(key, {}), known=bool(key), writable=self._studio.writable)

    def _save_form(self) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            key, changes = self._save(session, self._key, self.form.texts())
            made.append(key)
            return changes

        if self._try_edit(do):
            self._key = made[0]
            self.reload()
            self._select_current()
            self.form.show_texts(self._texts.get(self._key, {}), known=True, writable=self._studio.writable)
            self.form.status.set_text(tr("Saved."))

    def _delete(self) -> None:
        key = self._key
        if key and self._try_edit(lambda session: self._remove(session, key)):
            self._begin_new()
            self.reload()

    def show_error(self, error: UserError) -> None:
        """Show why something could not be done on this page."""
        self.form.status.set_text(str(error))

    def _try_edit(self, do: Callable[[Session], Changes]) -> bool:
        self.form.status.set_text("")
        return self._studio.edit(do, self)

    def _select_current(self) -> None:
        with QSignalBlocker(self.list):
            self.list.select([self._key])


_MULTILINE_FIELDS = frozenset({"personality", "public_info", "secret"})
_HINTS: Mapping[str, str] = {
    "age": tr("Such as 41"),
    "occupation": tr("Such as baker"),
    "pronouns": tr("Such as she/her"),
    "personality": tr("How they are"),
    "personal_values": tr("What matters to them"),
    "decision_style": tr("Such as decides at once"),
    "public_info": tr("What anybody who knows them knows"),
    "secret": tr("What nobody else is to know"),
}


def characters_page(studio: StudyController) -> StockPage:
    """Return the page of characters."""
    fields = [TextField("name", tr("Name"), tr("Such as Anna Berg"))]
    fields += [TextField(key, name, _HINTS[key], key in _MULTILINE_FIELDS) for key, name in PROFILE_NAMES.items()]
    columns = (tr("Name"), tr("Age"), tr("Occupation"))
    return StockPage(studio, "character", columns, fields, _characters, _save_character_texts, remove_character)


def scenarios_page(studio: StudyController) -> StockPage:
    """Return the page of scenarios."""
    kinds = {kind.value: name for kind, name in RELATIONSHIPS.items() if kind is not Relationship.UNKNOWN}
    fields = [
        TextField("name", tr("Name"), tr("Such as the lamp")),
        TextField(
            "context", tr("Situation"), tr("What all of them know: where they are, what is going on"), is_multiline=True
        ),
        TextField("relationship", tr("Relationship"), choices=kinds),
        TextField(
            "goals",
            tr("Goals"),
            tr("A line for each who takes part: what they want, and nobody else knows"),
            is_multiline=True,
        ),
    ]
    columns = (tr("Name"), tr("Relationship"), tr("For"))
    return StockPage(studio, "scenario", columns, fields, _scenarios, _save_scenario_texts, remove_scenario)


def _characters(session: Session) -> tuple[list[TableRow], dict[str, Texts]]:
    found = all_characters(session.study)
    rows = [
        TableRow(character.id, (character.profile.name, character.profile.age, character.profile.occupation))
        for character in found
    ]
    return rows, {
        character.id: {key: str(getattr(character.profile, key)) for key in PROFILE_COLUMNS} for character in found
    }


def _save_character_texts(session: Session, key: str, texts: Texts) -> tuple[str, Changes]:
    return save_character(session, Profile(*(texts[column] for column in PROFILE_COLUMNS)), key)


def _scenarios(session: Session) -> tuple[list[TableRow], dict[str, Texts]]:
    found = all_scenarios(session.study)
    rows = [
        TableRow(scenario.id, (scenario.name, RELATIONSHIPS[scenario.relationship], str(len(scenario.goals))))
        for scenario in found
    ]
    texts: dict[str, Texts] = {
        scenario.id: {
            "name": scenario.name,
            "context": scenario.context,
            "relationship": scenario.relationship.value,
            "goals": "\n".join(scenario.goals),
        }
        for scenario in found
    }
    return rows, texts


def _save_scenario_texts(session: Session, key: str, texts: Texts) -> tuple[str, Changes]:
    goals = tuple(line.strip() for line in texts["goals"].splitlines() if line.strip())
    kind = Relationship(texts["relationship"])
    return save_scenario(session, Scenario(key, texts["name"], texts["context"], kind, goals))
