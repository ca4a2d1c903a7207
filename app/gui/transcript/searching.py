"""Finds and replaces words of the transcript."""

from collections.abc import Mapping

from PySide6.QtCore import QObject

from app.core.commands import transcript as commands
from app.core.session import Session
from app.core.speech.finding_words import WordSearch
from app.gui.context import Context
from app.gui.edit_text import Rows, agree_to_change, count_rows
from app.gui.transcript.showing import Showing
from project.errors import UserError
from project.types import Changes
from resources.translation import tr, trn
from widgets.transcript.page import TranscriptPage

Place = tuple[str, int]
_NOWHERE: Place = ("", -1)


class Searching(QObject):
    """Joins the bar with the list."""

    def __init__(self, context: Context, page: TranscriptPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._search: WordSearch | None = None
        self._found: Mapping[str, list[tuple[int, int]]] = {}
        self._places: list[Place] = []
        self._at = -1
        bar = page.search
        bar.changed.connect(self._look)
        bar.step_requested.connect(self.step)
        bar.replace_requested.connect(self._replace_one)
        bar.replace_all_requested.connect(self._replace_all)
        bar.closed.connect(self._close)
        shown.changed.connect(self._look_again)

    def open(self, replacing: bool) -> None:
        """Show the bar."""
        self._page.view.leave_text()
        if self._page.model.lines:
            self._page.search.open(replacing and self._context.studio.writable)

    def step(self, by: int) -> None:
        """Go to the next or the previous place."""
        if not self._places:
            return
        self._at = (self._at + by) % len(self._places) if self._at >= 0 else 0
        self._go()

    def _look(self) -> None:
        bar = self._page.search
        problem = ""
        try:
            self._search = WordSearch(
                bar.text.text(), bar.case.isChecked(), bar.words.isChecked(), bar.regex.isChecked()
            )
        except UserError as error:
            self._search, problem = None, str(error)
        self._find()
        row = self._page.model.row(self._page.view.current())
        rows = [self._page.model.row(one) for one, _ in self._places]
        self._at = next((i for i, one in enumerate(rows) if one >= row), 0 if self._places else -1)
        self._show(problem)

    def _look_again(self) -> None:
        """After an edit: the place that is shown stays, or the next one is."""
        if not self._page.search.isVisible() or self._search is None:
            return
        before = self._places[self._at] if 0 <= self._at < len(self._places) else _NOWHERE
        self._find()
        row = self._page.model.row(before[0])
        later = [
            i for i, (one, start) in enumerate(self._places) if (self._page.model.row(one), start) >= (row, before[1])
        ]
        self._at = later[0] if later else 0 if self._places else -1
        self._show()

    def _find(self) -> None:
        found = {}
        for line in self._page.model.lines if self._search is not None else ():
            places = self._search.places(line.said.text) if self._search is not None else []
            if places:
                found[line.said.id] = places
        self._found = found
        self._places = [(key, start) for key, places in found.items() for start, _ in places]

    def _go(self) -> None:
        self._page.view.go_to(self._places[self._at][0])
        self._show()

    def _show(self, problem: str = "") -> None:
        place = self._places[self._at] if 0 <= self._at < len(self._places) else _NOWHERE
        self._page.view.set_found(self._found, place)
        self._page.search.show_count(self._at + 1, len(self._places), problem)

    def _replace_one(self) -> None:
        if self._search is None or not 0 <= self._at < len(self._places):
            return
        key, start = self._places[self._at]
        line = self._page.model.line(key)
        if line is None:
            return
        search, replacement = self._search, self._page.search.replacement.text()

        def do(session: Session) -> Changes:
            text = search.replaced_at(line.said.text, replacement, start)
            return commands.edit_text(session, key, text)

        self._places[self._at] = (key, start + len(replacement))
        self._context.studio.edit(do)
        self._show()

    def _replace_all(self) -> None:
        session, recording, search = self._context.studio.session, self._context.studio.recording, self._search
        if session is None or recording is None or search is None or not search.text:
            return
        where = None if self._page.search.where.currentIndex() else [recording.id]
        counts = commands.count_places(session, search) if where is None else {}
        places, recordings = sum(counts.values()), len(counts)
        if not agree_to_change(self._context.questions, Rows.PLACES, places, recordings):
            return
        done: list[commands.Replaced] = []

        def do(session: Session) -> Changes:
            done.append(commands.replace_all(session, search, self._page.search.replacement.text(), where))
            return done[0].changes

        if self._context.studio.edit(do):
            told = tr("Replaced {rows}.").format(rows=count_rows(Rows.PLACES, done[0].count, recordings))
            if done[0].emptied:
                told += tr(" {count} without text now.").format(
                    count=trn("{count} utterance", "{count} utterances", len(done[0].emptied))
                )
            self._context.studio.told.emit(told)

    def _close(self) -> None:
        self._search, self._found, self._places, self._at = None, {}, [], -1
        self._page.view.set_found({}, _NOWHERE)
        self._page.view.setFocus()
