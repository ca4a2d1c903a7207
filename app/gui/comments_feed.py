"""Shows the comments on the selected segment under its form, and makes edits of what is done there."""

from datetime import datetime

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.commands import comments as commands
from app.gui.studio import Studio
from app.gui.under_inspector import page_of, scrolling
from project.queries.annotators import all_annotators
from project.queries.comments import comments_of
from project.types import Changes
from widgets.comments_box import CommentsBox, Remark


class CommentsFeed(QObject):
    """Joins a box to the selection; every inspector gets a box of its own."""

    def __init__(self, studio: Studio, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self.box: CommentsBox | None = None
        studio.selection_changed.connect(self.show)
        studio.bridge.changed.connect(self._apply)

    def under(self, inspector: QWidget) -> QWidget:
        """Return a page with the inspector and the comments below it."""
        box = self.box = CommentsBox()
        box.destroyed.connect(lambda: self._forget(box))
        box.add_requested.connect(self._add)
        box.edit_requested.connect(
            lambda comment, text: self._studio.edit(lambda s: commands.edit_comment(s, comment, text))
        )
        box.resolve_requested.connect(
            lambda comment, done: self._studio.edit(lambda s: commands.resolve_comments(s, [comment], done))
        )
        box.delete_requested.connect(lambda comment: self._studio.edit(lambda s: commands.delete_comment(s, comment)))
        page = scrolling(page_of(inspector, box))
        self.show()
        return page

    def show(self) -> None:
        """Show the comments on the segment that is selected, if it is one."""
        box, session = self.box, self._studio.session
        if box is None:
            return
        chosen = self._studio.selected if session is not None else ()
        box.setVisible(len(chosen) == 1)
        if session is None or len(chosen) != 1:
            return
        names = {one.id: one.name for one in all_annotators(session.study)}
        remarks = [
            Remark(
                one.id,
                names[one.annotator_id],
                _when(one.at),
                one.text,
                one.resolved,
                names[one.annotator_id] == session.annotator_name,
            )
            for one in comments_of(session.study, chosen[0])
        ]
        box.set_remarks(chosen[0], remarks, writable=self._studio.writable)

    def _add(self, text: str) -> None:
        if len(self._studio.selected) == 1:
            segment_id = self._studio.selected[0]
            self._studio.edit(lambda session: commands.add_comment(session, segment_id, text)[1])

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if changes.ids("comment") or changes.ids("annotator"):
            self.show()

    def _forget(self, box: CommentsBox) -> None:
        if self.box is box:
            self.box = None


def _when(at: str) -> str:
    """Return a stored time as the local day and minute."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return at
