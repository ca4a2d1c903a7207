"""Shows every character that came back, and puts words of a judge into one's own form where that is asked for."""

from datetime import datetime

from PySide6.QtCore import QObject

from app.core.commands.adoption import adopt
from app.gui.context import Context
from app.gui.judges.showing import Showing
from resources.translation import tr
from widgets.judges.page import JudgesPage
from widgets.judges.raw_view import RawView
from widgets.judges.shown import Column


class Details(QObject):
    """Answers the buttons of a column that show or take over what it holds."""

    def __init__(self, context: Context, page: JudgesPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        page.board.raw_requested.connect(self._show_raw)
        page.board.take_requested.connect(self._take_over)

    def _show_raw(self, column: Column) -> None:
        found = self._shown.judgment(column.judgment_id)
        if found is None:
            return
        about = ", ".join(
            one
            for one in (
                found.model_id and tr("model {model_id}").format(model_id=found.model_id),
                found.prompt,
                f"{datetime.fromisoformat(found.at).astimezone():%Y-%m-%d %H:%M}",
            )
            if one
        )
        view = RawView(tr("Raw answer of {name}").format(name=column.name), found.raw, about, self._page.window())
        view.finished.connect(view.deleteLater)
        view.open()

    def _take_over(self, column: Column, field: str) -> None:
        if self._context.studio.edit(lambda session: adopt(session, column.judgment_id, field), self):
            self._context.studio.told.emit(
                tr("Taken over from {name} into your own form; Undo takes it back.").format(name=column.name)
            )
