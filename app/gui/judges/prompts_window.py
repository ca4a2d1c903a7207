"""The window of prompts joined to the study: what judges are asked, in the study's own words or the program's."""

from PySide6.QtWidgets import QWidget

from app.core.commands.prompts import edit_prompt, restore_prompt
from app.core.judging.seeing.plan import SightSettings
from app.core.judging.seeing.planning import plan_sight
from app.core.judging.seeing.prompt_text import BODY, PARTS, SYSTEM, parts_of, source_of
from app.core.judging.seeing.prompt_versions import prompt_for
from app.core.session import Session
from app.gui.context import Context
from benchmark.prompts import NEEDED, SLOTS, VARIANT, Prompt, parse_prompt, shipped_keys, shipped_prompt
from benchmark.tasks.base import VARIANTS
from benchmark.tasks.registry import TASKS, task_of
from project.errors import UserError
from project.queries.judges import prompt_versions
from project.types import Changes
from resources.translation import tr
from widgets.judges.prompt_view import PromptView

_NAMES = {
    SYSTEM: tr("Rules for the judge"),
    BODY: tr("Question"),
    "plain": tr("Variant: plain"),
    "few-shot": tr("Variant: few-shot"),
    "cot": tr("Variant: chain of thought"),
    "tom": tr("Variant: theory of mind"),
}
_SHIPPED = 0
"""Stands for the program's words among the versions."""
_WORDS_ONLY = SightSettings(frames=0)


def make(context: Context) -> QWidget:
    """Make the window."""
    return PromptsWindow(context)


class PromptsWindow(PromptView):
    """Checks while one types; a new version is saved only where judges could be asked with it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._key = ""
        self._prompt: Prompt | None = None
        self.set_prompts({key: _name(key) for key in shipped_keys()})
        self.set_parts({part: _NAMES[part] for part in PARTS})
        self.set_slots(
            {name: _told(name, what) for name, what in {**SLOTS, VARIANT: tr("the words of the variant")}.items()}
        )
        for variant in VARIANTS:
            self.variants.addItem(_NAMES[variant].removeprefix(tr("Variant: ")).capitalize(), variant)
        self.prompt_chosen.connect(self._choose)
        self.version_chosen.connect(self._show_version)
        self.edited.connect(self._check)
        self.save_requested.connect(self._save)
        self.restore_requested.connect(self._restore)
        self.preview_requested.connect(self._preview)
        studio = context.studio
        studio.bridge.changed.connect(self._apply)
        studio.selection_changed.connect(self._preview)
        self._choose(self.prompts.currentData())

    def _choose(self, key: str) -> None:
        self._key = key
        session = self._context.studio.session
        if session is not None:
            self._show(session)

    def _show(self, session: Session) -> None:
        try:
            current = prompt_for(session, self._key)
        except UserError as error:
            self.show_state(f"{error.message} {error.hint}", wrong=True, savable=False, restorable=False)
            return
        kept = prompt_versions(session.study, self._key)
        mine = [number for number in sorted(kept, reverse=True) if parse_prompt(kept[number], self._key).own]
        now = current.version if current.own else _SHIPPED
        versions = [(number, tr("Version {number}, of this study").format(number=number)) for number in mine]
        versions.append(
            (_SHIPPED, tr("Version {version}, came with the program").format(version=shipped_prompt(self._key).version))
        )
        told = [
            (number, tr("{words} · asked with").format(words=words) if number == now else words)
            for number, words in versions
        ]
        self.show_versions(told, now)
        self.show_texts(parts_of(current))
        self._check()

    def _show_version(self, number: int) -> None:
        session = self._context.studio.session
        if session is None:
            return
        kept = prompt_versions(session.study, self._key)
        found = shipped_prompt(self._key) if number == _SHIPPED else parse_prompt(kept[number], self._key)
        self.show_texts(parts_of(found))
        self._check()

    def _source(self) -> str:
        return source_of(self._key, 1, self.texts())

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
            same = parts_of(self._prompt) == parts_of(current)
            words = (
                tr("This is what judges are asked with.") if same else tr("Changed; judges are not asked with it yet.")
            )
            self.show_state(words, wrong=False, savable=writable and not same, restorable=writable and current.own)
        self._preview()

    def _save(self) -> None:
        self._context.studio.edit(lambda session: edit_prompt(session, self._key, self._source()), self)
        self._choose(self._key)

    def _restore(self) -> None:
        self._context.studio.edit(lambda session: restore_prompt(session, self._key), self)
        self._choose(self._key)

    def _preview(self) -> None:
        session, chosen = self._context.studio.session, self._context.studio.selected
        if session is None or not self.previewing:
            return
        if self._prompt is None:
            self.show_preview(tr("Correct the prompt first."))
        elif not chosen:
            self.show_preview(tr("Select a segment to see the whole text that judges get about it."))
        else:
            task = next(key for key in TASKS if task_of(key).prompt == self._key)
            variant = self.variants.currentData()
            try:
                plan = plan_sight(session, chosen[-1], task, variant, settings=_WORDS_ONLY, prompt=self._prompt)
            except UserError as error:
                self.show_preview(f"{error.message} {error.hint}")
            else:
                self.show_preview(f"{plan.system}\n\n{'-' * 40}\n\n{plan.text}")

    def _apply(self, changes: Changes, initiator: object) -> None:
        if changes.ids("prompt_version") and initiator is not self:
            self._choose(self._key)


def _name(key: str) -> str:
    return next((task_of(one).name for one in TASKS if task_of(one).prompt == key), key)


def _told(name: str, what: str) -> str:
    return tr("{what}; needed").format(what=what) if name in (*NEEDED, VARIANT) else what
