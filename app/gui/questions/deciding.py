"""Turns what a verifier says into edits, by buttons and by keys, and goes on to the next question."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt

from app.core.commands import verifications as commands
from app.core.commands.questions import Correction, reworded
from app.core.session import Session
from app.gui.context import Context
from app.gui.mode_keys import ModeKeys
from app.gui.questions.showing import Showing
from benchmark.questions.base import Draft
from benchmark.questions.validity import why_not
from project.questions import CHECKS, VerificationDecision, WrongOption
from project.types import Changes
from resources.translation import tr
from widgets.questions.fields import Words
from widgets.questions.page import QuestionsPage
from widgets.questions.verify_panel import CORRECT, DROP, KEEP


class Deciding(QObject):
    """Joins the panel with the commands."""

    def __init__(self, context: Context, page: QuestionsPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        panel, key = page.verify, Qt.Key
        keys: dict[Qt.Key, Callable[[], object]] = {
            key.Key_Y: lambda: self._press(KEEP),
            key.Key_X: lambda: self._press(DROP),
            key.Key_C: lambda: self._press(CORRECT),
            key.Key_W: panel.take_back,
            key.Key_T: panel.write_note,
            key.Key_V: panel.reveal,
            key.Key_A: panel.tick_all,
            key.Key_D: panel.cycle_difficulty,
            key.Key_N: lambda: page.step(1),
            key.Key_P: lambda: page.step(-1),
            key.Key_R: self._repeat,
        }
        for place in range(5):
            keys[Qt.Key(key.Key_1 + place)] = partial(panel.answer, place)
        for place, check in enumerate((key.Key_6, key.Key_7, key.Key_8, key.Key_9, key.Key_0)):
            keys[check] = partial(panel.tick, place)
        self._keys = ModeKeys(panel, keys, frozenset({key.Key_N, key.Key_P}))
        panel.form.save_requested.connect(lambda: panel.decide(CORRECT))
        panel.form.left.connect(panel.stop_editing)
        page.visible_changed.connect(lambda visible: self._keys.watch(page.window()) if visible else None)
        panel.decided.connect(self._decide)
        panel.corrected.connect(self._correct)
        panel.editing.connect(self._check)
        panel.withdraw_requested.connect(self._withdraw)
        panel.step_requested.connect(page.step)
        panel.repeat_requested.connect(self._repeat)

    def _press(self, decision: str) -> None:
        self._page.verify.decide(decision)

    def _repeat(self) -> None:
        self._shown.repeat(on=not self._context.playback.looping)

    def _decide(self, decision: str) -> None:
        self._say(VerificationDecision(decision), None)

    def _correct(self, words: Words) -> None:
        one = self._shown.current
        if one is None:
            return
        wrong = reworded(one.question, words.wrong)
        self._say(VerificationDecision.CORRECT, Correction(words.text, words.answer, wrong, words.explanation))

    def _say(self, decision: VerificationDecision, correction: Correction | None) -> None:
        one, panel = self._shown.current, self._page.verify
        if one is None:
            return
        said, checklist = panel.said(), panel.chosen_checklist()
        # Whoever corrects a question says that it is good now.
        checks = said.checks if correction is None else CHECKS[checklist]

        def do(session: Session) -> Changes:
            return commands.verify(
                *(session, one.question.id, decision, checks, said.difficulty, said.note, checklist, correction)
            )

        if not self._context.studio.edit(do, self):
            return
        if panel.is_editing():
            panel.stop_editing()
        self._shown.read_again(one.question.id)
        following = self._shown.next_waiting()
        if following:
            self._shown.go_to(following)
        else:
            self._context.studio.told.emit(tr("Nothing of this list waits for you any more."))

    def _withdraw(self) -> None:
        one = self._shown.current
        if one is not None:
            do = self._context.studio.edit
            if do(lambda session: commands.withdraw_verification(session, one.question.id), self):
                self._shown.read_again(one.question.id)

    def _check(self, words: Words) -> None:
        one = self._shown.current
        if one is None:
            return
        question = one.question
        wrong = tuple(WrongOption(text) for text in words.wrong)
        draft = Draft(
            question.kind, question.aspect, question.covers, words.text, words.answer, wrong, words.explanation
        )
        self._page.verify.form.say(
            why_not(draft, len(question.wrong) + 1),
            tr("Ctrl+Return saves it, and says that every check holds then. Esc leaves it as it was."),
        )
