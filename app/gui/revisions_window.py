"""The window of who changed what they had said after they were shown judges, and the switch that hides judges."""

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from app.core.commands.blind_first import set_blind_first
from app.core.judging.annotators.reveals import blind_first
from app.core.judging.annotators.revision_words import (
    NOTHING,
    hidden_text,
    part_name,
    place_text,
    revised_text,
    value_words,
)
from app.core.judging.annotators.revisions import revisions
from app.gui.context import Context
from project.types import Changes
from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.rows_table import Row, RowsTable

_WHAT = tr(
    "What somebody had said about a segment is kept when judges are first shown to them. "
    "Here stands what they say differently now, and which judges say the new and not the old."
)
_TABLES = frozenset({"segment", "segment_value", "judgment", "reveal", "property", "annotator"})


def make(context: Context) -> QWidget:
    """Make the window."""
    return RevisionsWindow(context)


class RevisionsWindow(QWidget):
    """Follows the study while it is shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setWindowTitle(tr("Revisions after judges"))
        self.resize(900, 520)
        what = PlainLabel(_WHAT, wordWrap=True)
        self.switch = QCheckBox(tr("Hide judges from everybody until their own is saved"))
        self.switch.setToolTip(
            tr("What judges say about a segment stays hidden from an annotator until they have said it")
        )
        self.switch.clicked.connect(self._set)
        self.people = PlainLabel(wordWrap=True)
        self.people.setFont(theme.font(semibold=True))
        self.rows = RowsTable(
            tr("Revisions"),
            [
                tr("Annotator"),
                tr("Recording and time"),
                tr("What"),
                tr("Before"),
                tr("Now"),
                tr("Now agrees with"),
                tr("Changed"),
            ],
        )
        self.hidden = PlainLabel()
        EmptyHint(self.rows, tr("Nobody changed an annotation after a judge was shown to them."))
        self.hidden.setProperty("quiet", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.switch)
        column.addWidget(what)
        column.addWidget(self.people)
        column.addWidget(self.rows, 1)
        column.addWidget(self.hidden)
        column.addLayout(self._foot())
        self.rows.row_chosen.connect(lambda key, time_us: context.look_at(key, time_us) if key else None)
        context.studio.bridge.changed.connect(self._apply)
        self.reload()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _TABLES & set(changes) and self.isVisible():
            self.reload()

    def reload(self) -> None:
        """Show what was revised as the study has it now."""
        session = self._context.studio.session
        if session is None:
            return
        self.switch.setChecked(blind_first(session))
        self.switch.setEnabled(self._context.studio.writable)
        report = revisions(session)
        self.people.setText("\n".join(revised_text(one) for one in report.annotators) or NOTHING)
        self.rows.show_rows(
            [
                Row(
                    one.recording.id if one.recording is not None else "",
                    (
                        one.annotator.name,
                        place_text(one),
                        part_name(session, one),
                        value_words(session, one, one.before),
                        value_words(session, one, one.after),
                        ", ".join(one.toward) or "\N{EN DASH}",
                        one.at[:16].replace("T", " "),
                    ),
                    time_us=one.start_us,
                )
                for one in report.revisions
            ]
        )
        self.hidden.setText(hidden_text(report))
        self.hidden.setVisible(bool(report.hidden))

    def _set(self, on: bool) -> None:
        self._context.studio.edit(lambda session: set_blind_first(session, on), self)
        self.reload()

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(close_button(self))
        return row
