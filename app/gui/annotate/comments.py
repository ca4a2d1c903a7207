"""Shows the comments on the selected segment below its form, and turns new, edited and resolved comments into edits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QWidget,
)

from annotate.segments import bulk_edits
from app.gui.annotate.inspector import make_inspector_page
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes
from project.queries.annotator_rows import annotator_names
from project.queries.segment_rows import comments_of
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button, text_area, tool_button
from widgets.form.layouts import make_column, make_panel, make_row, wrap_in_scroll_area
from widgets.text_labels import PlainLabel, describe
from widgets.theme import icon

_MAX_HEIGHT = 200
_FIELD_HEIGHT = 52


@dataclass(frozen=True, slots=True)
class Remark:
    """One comment; `is_own` is whether the current annotator made it."""

    id: str
    author: str
    when: str
    text: str
    resolved: bool
    is_own: bool


class CommentsBox(QWidget):
    """A line that says how many comments there are, and unfolds to them.

    Signals:
        add_requested (str): the text of a new comment.
        edit_requested (str, str): comment and its new text.
        resolve_requested (str, bool): comment, and whether it is dealt with.
        delete_requested (str): comment.
    """

    add_requested = Signal(str)
    edit_requested = Signal(str, str)
    resolve_requested = Signal(str, bool)
    delete_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remarks: Sequence[Remark] = ()
        self._editing = ""
        self._owner = ""
        self._unsent: dict[str, str] = {}
        self._wanted = False
        self.setAccessibleName(tr("Comments"))
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.head = tool_button("", "", do=self._toggle, toolButtonStyle=beside)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.field = text_area(tr("Your comment"), tr("Add a comment (Ctrl+Return sends it)"), tabChangesFocus=True)
        self.field.setFixedHeight(theme.scaled(_FIELD_HEIGHT))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._enable)
        self.cancel = push_button(tr("Cancel"), tr("Leave the comment as it is"), self._stop_editing)
        self.send = push_button(tr("Add comment"), tr("Add the comment (Ctrl+Return)"), self._send)
        self._inside = make_panel(
            make_column(self._area, self.field, make_row(None, self.cancel, self.send), spacing=theme.GRID // 2)
        )
        self.setLayout(
            make_column(
                self.head,
                self._inside,
                margin=(theme.GRID * 3 // 2, theme.GRID // 2, theme.GRID * 3 // 2, theme.GRID),
                spacing=theme.GRID // 2,
            )
        )
        self._set_expanded(False)
        self.set_remarks("", (), writable=False)

    def set_remarks(self, segment_id: str, remarks: Sequence[Remark], *, writable: bool) -> None:
        """Show the comments on a segment; text that was begun on another one waits there."""
        other = segment_id != self._owner
        if other:
            if self._owner and not self._editing:
                self._unsent[self._owner] = self.field.toPlainText()
            self._owner, self._editing = segment_id, ""
            self.field.setPlainText(self._unsent.pop(segment_id, ""))
        self._remarks = remarks
        if self._editing not in {remark.id for remark in remarks}:
            self._editing = ""
        self.field.setEnabled(writable)
        unresolved = sum(not remark.resolved for remark in remarks)
        count = tr("Comments ({remarks})").format(remarks=len(remarks)) if remarks else tr("Comments")
        self.head.setText(
            tr("{count}, {unresolved} unresolved").format(count=count, unresolved=unresolved) if unresolved else count
        )
        describe(self.head, self.head.text(), tr("Read and add comments on this segment"))
        self._fill(writable)
        self._enable()
        self._set_expanded(self._wanted or unresolved > 0 if other else self._inside.isVisibleTo(self))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Send on Ctrl+Return."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if held and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._send()
                return True
            if event.key() == Qt.Key.Key_Escape and self._editing:
                self._stop_editing()
        return super().eventFilter(watched, event)

    def _fill(self, writable: bool) -> None:
        cards = [self._card(remark, writable) for remark in self._remarks]
        self._area.setWidget(make_panel(make_column(*cards, None, spacing=theme.GRID // 2)))
        self._area.setVisible(bool(self._remarks))
        self._fit_height()

    def _fit_height(self) -> None:
        """Give the comments the height that they need, up to a limit."""
        page: QWidget | None = self._area.widget()
        inside = page.layout() if page is not None else None
        if page is not None and inside is not None:
            for label in page.findChildren(QLabel):
                label.ensurePolished()
            width = self.width() - theme.GRID * 3 - self._area.verticalScrollBar().sizeHint().width()
            tall = inside.totalHeightForWidth(max(width, theme.GRID * 20))
            self._area.setFixedHeight(min(tall + 2, _MAX_HEIGHT))

    def _card(self, remark: Remark, writable: bool) -> QWidget:
        card = QFrame()
        who = PlainLabel(f"{remark.author}, {remark.when}", look="quiet", minimumHeight=theme.GRID * 3)
        buttons: list[QWidget] = []
        if writable:
            name = tr("Reopen") if remark.resolved else tr("Resolve")
            check = tool_button(
                "circle-check",
                tr("{name} this comment").format(name=name),
                checkable=True,
                checked=remark.resolved,
                do=lambda: self.resolve_requested.emit(remark.id, not remark.resolved),
            )
            buttons.append(check)
            if remark.is_own:
                edit = tool_button("pencil", tr("Edit your comment"), do=lambda: self._edit(remark))
                delete = tool_button(
                    "trash-2", tr("Delete your comment"), do=lambda: self.delete_requested.emit(remark.id)
                )
                buttons += [edit, delete]
        text = PlainLabel(
            remark.text,
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            enabled=not remark.resolved,
        )
        card.setLayout(make_column(make_row(who, 1, *buttons, spacing=0), text, spacing=0))
        return card

    def _edit(self, remark: Remark) -> None:
        self._editing = remark.id
        self.field.setPlainText(remark.text)
        self.field.setFocus()
        self._enable()

    def _stop_editing(self) -> None:
        self._editing = ""
        self.field.clear()
        self._enable()

    def _send(self) -> None:
        text = self.field.toPlainText().strip()
        if not text:
            return
        editing, self._editing = self._editing, ""
        self.field.clear()
        if editing:
            self.edit_requested.emit(editing, text)
        else:
            self.add_requested.emit(text)

    def _enable(self) -> None:
        self.send.setEnabled(self.field.isEnabled() and bool(self.field.toPlainText().strip()))
        self.send.setText(tr("Save comment") if self._editing else tr("Add comment"))
        self.cancel.setVisible(bool(self._editing))

    def _toggle(self) -> None:
        self._wanted = not self._inside.isVisibleTo(self)
        self._set_expanded(self._wanted)

    def _set_expanded(self, shown: bool) -> None:
        self._inside.setVisible(shown)
        unresolved = any(not remark.resolved for remark in self._remarks)
        self.head.setIcon(icon("chevron-down" if shown else "chevron-right", "uncertain" if unresolved else None))


class CommentsFeed(QObject):
    """Joins a box to the selection; every inspector gets a box of its own."""

    def __init__(self, studio: StudyController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self.box: CommentsBox | None = None
        studio.selection_changed.connect(self.show)
        studio.bridge.changed.connect(self._apply)

    def wrap_inspector(self, inspector: QWidget) -> QWidget:
        """Return a page with the inspector and the comments below it."""
        box = self.box = CommentsBox()
        box.destroyed.connect(lambda: self._forget(box))
        box.add_requested.connect(self._add)
        box.edit_requested.connect(
            lambda comment, text: self._studio.edit(lambda s: bulk_edits.edit_comment(s, comment, text))
        )
        box.resolve_requested.connect(
            lambda comment, done: self._studio.edit(lambda s: bulk_edits.resolve_comments(s, [comment], done))
        )
        box.delete_requested.connect(lambda comment: self._studio.edit(lambda s: bulk_edits.delete_comment(s, comment)))
        page = wrap_in_scroll_area(make_inspector_page(inspector, box))
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
        names = annotator_names(session.study)
        remarks = [
            Remark(
                comment.id,
                names[comment.annotator_id],
                _format_local_time(comment.at),
                comment.text,
                comment.resolved,
                names[comment.annotator_id] == session.annotator_name,
            )
            for comment in comments_of(session.study, chosen[0])
        ]
        box.set_remarks(chosen[0], remarks, writable=self._studio.writable)

    def _add(self, text: str) -> None:
        if len(self._studio.selected) == 1:
            segment_id = self._studio.selected[0]
            self._studio.edit(lambda session: bulk_edits.add_comment(session, segment_id, text)[1])

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if changes.ids("comment") or changes.ids("annotator"):
            self.show()

    def _forget(self, box: CommentsBox) -> None:
        if self.box is box:
            self.box = None


def _format_local_time(at: str) -> str:
    """Return a stored time as the local day and minute."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return at
