"""The tab of prompts.

It edits the texts that judges are asked with, keeps versions, and previews a prompt for a segment.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QTabWidget,
    QWidget,
)

from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.prompts.judge_prompt import TASKS, VARIANTS
from benchmark.prompts.prompt_templates import (
    BODY,
    PROMPT_PARTS,
    REQUIRED_SLOTS,
    SLOTS,
    SYSTEM,
    VARIANT_SLOT,
    Prompt,
    edit_prompt,
    format_prompt_source,
    parse_prompt,
    prompt_for,
    restore_prompt,
    shipped_prompt,
    split_prompt,
)
from project.errors import UserError
from project.queries.judgment_rows import prompt_versions
from project.session.session import Session
from resources.prompt_texts import prompt_keys
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button, text_area
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import LayoutPart, make_column, make_panel, make_row, make_splitter
from widgets.table.lists import WrappingDelegate
from widgets.text_labels import PlainLabel, plain_tip

_KEY_ROLE = Qt.ItemDataRole.UserRole
_TYPING_PAUSE_MS = 250


_PART_NAMES = {
    SYSTEM: tr("Rules for the judge"),
    BODY: tr("Question"),
    "plain": tr("Variant: plain"),
    "few-shot": tr("Variant: few-shot"),
    "cot": tr("Variant: chain of thought"),
    "tom": tr("Variant: theory of mind"),
}
_SHIPPED_VERSION = 0
"""Stands for the program's words among the versions."""
_TEXT_ONLY = InputSettings(frames=0)


class PromptsTab(StudyView):
    """Checks while one types; a new version is saved only where judges could be asked with it."""

    title = tr("Prompts")
    tables = frozenset({"prompt_version"})

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._key = ""
        self._prompt: Prompt | None = None
        self._texts: dict[str, str] = {}
        self._part = ""
        self._typing_pause = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        self._typing_pause.timeout.connect(self._check)
        right = make_splitter(
            Qt.Orientation.Vertical, self._make_editor(), 1, self._make_slots_column(), sizes=[480, 160]
        )
        split = make_splitter(Qt.Orientation.Horizontal, self._make_parts_column(), right, 1, sizes=[160, 480])
        self.restore = push_button(
            tr("Back to the program's words"),
            tr("Ask with what came with the program again; your versions are kept"),
            self._restore,
        )
        self.save = push_button(
            tr("Save as a new version"),
            tr("Ask with these words from now on (Ctrl+S); undo takes it back"),
            self._save,
            look="primary",
        )
        self.status.setAccessibleName(tr("What is wrong with the prompt"))
        self.lay_out(self._head(), split, 1, foot=(self.restore, self.save))
        QShortcut(QKeySequence.StandardKey.Save, self).activated.connect(self.save.click)
        for key in prompt_keys():
            self.prompts.addItem(_prompt_name(key), key)
        for variant in VARIANTS:
            self.variants.addItem(_PART_NAMES[variant].removeprefix(tr("Variant: ")).capitalize(), variant)
        for part in PROMPT_PARTS:
            item = QListWidgetItem(_PART_NAMES[part])
            item.setData(_KEY_ROLE, part)
            self.parts.addItem(item)
        self.parts.setCurrentRow(1)
        for name, what in {**SLOTS, VARIANT_SLOT: tr("the words of the variant")}.items():
            item = QListWidgetItem(f"{{{name}}}\n{_slot_description(name, what)}")
            item.setData(_KEY_ROLE, name)
            item.setToolTip(
                plain_tip(tr("Double-click puts {{{name}}} on a line of its own at the cursor").format(name=name))
            )
            self.slots.addItem(item)
        self.prompts.currentIndexChanged.connect(lambda _: self._choose(self.prompts.currentData()))
        self.variants.currentIndexChanged.connect(lambda _: self._preview())
        self._studio.selection_changed.connect(self._preview)

    def show_texts(self, texts: Mapping[str, str]) -> None:
        """Show the texts of a prompt, by part."""
        self._typing_pause.stop()
        self._texts = dict(texts)
        self._show_part()

    def texts(self) -> dict[str, str]:
        """Return the texts as they stand, by part."""
        return dict(self._texts)

    def show_versions(self, versions: Sequence[tuple[int, str]], current: int) -> None:
        """List versions as (number, words), and which one is asked with."""
        self.versions.blockSignals(True)
        self.versions.clear()
        for number, words in versions:
            item = QListWidgetItem(words)
            item.setData(_KEY_ROLE, number)
            self.versions.addItem(item)
            if number == current:
                self.versions.setCurrentItem(item)
        self.versions.blockSignals(False)

    def show_state(self, text: str, *, wrong: bool, savable: bool, restorable: bool) -> None:
        """Say what is wrong, or that all is well, and what can be done."""
        self.tell(text)
        colour = theme.palette().error if wrong else theme.palette().muted
        self.status.setStyleSheet(f"color: {colour.name()};")
        self.save.setEnabled(savable)
        self.restore.setEnabled(restorable)

    def show_preview(self, text: str) -> None:
        """Show how the prompt reads for a segment, or why it cannot be shown."""
        self.preview.setPlainText(text)

    @property
    def is_previewing(self) -> bool:
        """Whether the preview is in front."""
        return self.tabs.currentIndex() == 1

    def _head(self) -> QHBoxLayout:
        self.prompts = ChoiceBox(tr("Prompt"), tr("Which task's prompt is shown"), compact=True)
        self.variants = ChoiceBox(tr("Variant of the preview"), tr("Which variant the preview shows"), compact=True)
        return make_row(
            PlainLabel(tr("Task")), self.prompts, 1, PlainLabel(tr("Variant of the preview")), self.variants, 1
        )

    def _make_parts_column(self) -> QWidget:
        self.parts = QListWidget()
        self.parts.setAccessibleName(tr("Parts of the prompt"))
        self.parts.currentItemChanged.connect(lambda *_: self._show_part())
        self.versions = QListWidget()
        self.versions.setAccessibleName(tr("Versions"))
        self.versions.setWordWrap(True)
        self.versions.setItemDelegate(WrappingDelegate(self.versions))
        self.versions.setToolTip(tr("Shows the texts of an earlier version; saving makes them a new one"))
        self.versions.currentItemChanged.connect(
            lambda item, _before: self._show_version(item.data(_KEY_ROLE)) if item is not None else None
        )
        return self._make_column(tr("Parts"), self.parts, 1, _make_heading(tr("Versions")), self.versions, 1)

    def _make_editor(self) -> QWidget:
        self.editor = text_area(tr("Text of the part"))
        self.editor.textChanged.connect(self._on_text_edited)
        self.preview = text_area(tr("The prompt, filled in for the selected segment"), readOnly=True)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(self.editor, tr("Text"))
        self.tabs.addTab(self.preview, tr("Preview for the selected segment"))
        self.tabs.currentChanged.connect(lambda _at: self._preview())
        return self.tabs

    def _make_slots_column(self) -> QWidget:
        self.slots = QListWidget()
        self.slots.setAccessibleName(tr("Slots"))
        self.slots.setWordWrap(True)
        self.slots.setItemDelegate(WrappingDelegate(self.slots))
        self.slots.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.slots.setSpacing(2)
        self.slots.itemDoubleClicked.connect(lambda item: self._insert(item.data(_KEY_ROLE)))
        return self._make_column(tr("Slots"), self.slots, 1)

    def _make_column(self, title: str, *parts: LayoutPart) -> QWidget:
        heading = _make_heading(title)
        # What is below it begins where the text below the tabs does.
        self.tabs.tabBar().ensurePolished()
        heading.setMinimumHeight(self.tabs.tabBar().sizeHint().height() - theme.GRID // 2)
        return make_panel(make_column(heading, *parts, spacing=theme.GRID // 2))

    def _show_part(self) -> None:
        item = self.parts.currentItem()
        self._part = item.data(_KEY_ROLE) if item is not None else ""
        self.editor.blockSignals(True)
        self.editor.setPlainText(self._texts.get(self._part, ""))
        self.editor.blockSignals(False)

    def _on_text_edited(self) -> None:
        if self._part:
            self._texts[self._part] = self.editor.toPlainText()
            self._typing_pause.start()

    def _insert(self, slot: str) -> None:
        cursor = self.editor.textCursor()
        before = "" if cursor.atBlockStart() else "\n"
        after = "" if cursor.atBlockEnd() else "\n"
        cursor.insertText(f"{before}{{{slot}}}{after}")
        self.tabs.setCurrentWidget(self.editor)
        self.editor.setFocus()

    def _choose(self, key: str) -> None:
        self._key = key
        self.refresh()

    def reload(self, session: Session) -> None:
        self._key = self._key or self.prompts.currentData()
        try:
            current = prompt_for(session, self._key)
        except UserError as error:
            self.show_state(f"{error.message} {error.hint}", wrong=True, savable=False, restorable=False)
            return
        kept = prompt_versions(session.study, self._key)
        mine = [number for number in sorted(kept, reverse=True) if parse_prompt(kept[number], self._key).own]
        now = current.version if current.own else _SHIPPED_VERSION
        versions = [(number, tr("Version {number}, of this study").format(number=number)) for number in mine]
        versions.append(
            (
                _SHIPPED_VERSION,
                tr("Version {version}, came with the program").format(version=shipped_prompt(self._key).version),
            )
        )
        told = [
            (number, tr("{words} · asked with").format(words=words) if number == now else words)
            for number, words in versions
        ]
        self.show_versions(told, now)
        self.show_texts(split_prompt(current))
        self._check()

    def _show_version(self, number: int) -> None:
        session = self._context.studio.session
        if session is None:
            return
        kept = prompt_versions(session.study, self._key)
        found = shipped_prompt(self._key) if number == _SHIPPED_VERSION else parse_prompt(kept[number], self._key)
        self.show_texts(split_prompt(found))
        self._check()

    def _source(self) -> str:
        return format_prompt_source(self._key, 1, self.texts())

    def _check(self) -> None:
        session = self._context.studio.session
        if session is None:
            return
        current, writable = prompt_for(session, self._key), self._context.studio.writable
        try:
            self._prompt = parse_prompt(self._source(), self._key)
        except UserError as error:
            self._prompt = None
            self.show_state(error.message, wrong=True, savable=False, restorable=writable and current.own)
        else:
            same = split_prompt(self._prompt) == split_prompt(current)
            words = (
                tr("This is what judges are asked with.") if same else tr("Changed; judges are not asked with it yet.")
            )
            self.show_state(words, wrong=False, savable=writable and not same, restorable=writable and current.own)
        self._preview()

    def _save(self) -> None:
        self.edit(lambda session: edit_prompt(session, self._key, self._source()))

    def _restore(self) -> None:
        self.edit(lambda session: restore_prompt(session, self._key))

    def _preview(self) -> None:
        session, chosen = self._context.studio.session, self._context.studio.selected
        if session is None or not self.is_previewing:
            return
        if self._prompt is None:
            self.show_preview(tr("Correct the prompt first."))
        elif not chosen:
            self.show_preview(tr("Select a segment to see the whole text that judges get about it."))
        else:
            task = next(key for key in TASKS if TASKS.make(key).prompt == self._key)
            variant = self.variants.currentData()
            try:
                plan = plan_input(session, chosen[-1], task, variant, settings=_TEXT_ONLY, prompt=self._prompt)
            except UserError as error:
                self.show_preview(f"{error.message} {error.hint}")
            else:
                self.show_preview(f"{plan.system}\n\n{'-' * 40}\n\n{plan.text}")


def _make_heading(text: str) -> QLabel:
    return PlainLabel(text, font=theme.font(theme.POINTS - 0.5, semibold=True))


def _prompt_name(key: str) -> str:
    return next((TASKS.make(task).name for task in TASKS if TASKS.make(task).prompt == key), key)


def _slot_description(name: str, what: str) -> str:
    return tr("{what}; needed").format(what=what) if name in (*REQUIRED_SLOTS, VARIANT_SLOT) else what
