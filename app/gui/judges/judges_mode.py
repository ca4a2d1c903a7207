"""Builds the page of the mode Judges.

Shows raw answers, adopts a judge's words, and lists the answers revised after judges were revealed.
"""

from datetime import datetime

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from annotate.blinding.reveals import adopt, is_blind_first, set_blind_first
from annotate.blinding.revisions import (
    NO_REVEALS_TEXT,
    build_revision_report,
    format_annotator_summary,
    format_hidden_count,
    format_place,
    format_value,
    part_name,
)
from app.gui.judges.answer_columns import JudgmentColumn, WordsCell, make_quiet_label
from app.gui.judges.human_answer import HumanAnswerController
from app.gui.judges.judge_entries import Entries
from app.gui.judges.judge_runs import JudgingController
from app.gui.judges.judges_page import JudgesPage
from app.gui.judges.request_inspector import InspectorController
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.controls import Do, check_box, push_button
from widgets.form.layouts import make_column, make_row
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import MAX_SHOWN_CHARS, PlainLabel

_REVISIONS_INTRO = tr(
    "What somebody had said about a segment is kept when judges are first shown to them. "
    "Here stands what they say differently now, and which judges say the new and not the old."
)


class RevisionsTab(StudyView):
    """What people changed after they had seen judges."""

    title = tr("Revisions after judges")
    tables = frozenset({"segment", "segment_value", "judgment", "reveal", "property", "annotator"})

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        what = PlainLabel(_REVISIONS_INTRO, wordWrap=True)
        self.switch = check_box(
            tr("Hide judges from everybody until their own is saved"),
            tr("What judges say about a segment stays hidden from an annotator until they have said it"),
            lambda on: self.edit(lambda session: set_blind_first(session, on)),
        )
        self.people = PlainLabel(wordWrap=True, font=theme.font(semibold=True))
        self.rows = RecordTable(
            tr("Revisions"),
            text_columns(
                [
                    tr("Annotator"),
                    tr("Recording and time"),
                    tr("What"),
                    tr("Before"),
                    tr("Now"),
                    tr("Now agrees with"),
                    tr("Changed"),
                ]
            ),
            empty=tr("Nobody changed an annotation after a judge was shown to them."),
        )
        self.hidden = PlainLabel(look="quiet")
        self.lay_out(self.switch, what, self.people, self.rows, 1, self.hidden)
        self.rows.chosen.connect(lambda row: context.look_at(row.key, row.time_us) if row.key else None)

    def reload(self, session: Session) -> None:
        self.switch.setChecked(is_blind_first(session))
        self.switch.setEnabled(self._studio.writable)
        report = build_revision_report(session)
        self.people.setText(
            "\n".join(format_annotator_summary(annotator) for annotator in report.annotators) or NO_REVEALS_TEXT
        )
        self.rows.show_records(
            [
                TableRow(
                    revision.recording.id if revision.recording is not None else "",
                    (
                        revision.annotator.name,
                        format_place(revision),
                        part_name(session, revision),
                        format_value(session, revision, revision.before),
                        format_value(session, revision, revision.after),
                        ", ".join(revision.toward) or "\N{EN DASH}",
                        revision.at[:16].replace("T", " "),
                    ),
                    time_us=revision.start_us,
                )
                for revision in report.revisions
            ]
        )
        self.hidden.setText(format_hidden_count(report))
        self.hidden.setVisible(bool(report.hidden))


class RawView(OwnDialog):
    """Shows a long text in parts, so that a megabyte does not hold the window up."""

    def __init__(self, title: str, text: str, about: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(640, 520)
        self._text, self._at = text, 0
        self.field = WordsCell("", title)
        self.field.setStyleSheet("")
        self._said = make_quiet_label("")
        self.back = _make_button(tr("Back"), tr("Show the part before"), lambda: self._turn_page(-1))
        self.on = _make_button(tr("Next"), tr("Show the part after"), lambda: self._turn_page(1))
        copy = _make_button(
            tr("Copy all"), tr("Copy every character"), lambda: QGuiApplication.clipboard().setText(self._text)
        )
        close = _make_button(tr("Close"), tr("Close (Esc)"), self.accept)
        head = [make_quiet_label(about)] if about else []
        foot = make_row((self._said, Qt.AlignmentFlag.AlignVCenter), 1, self.back, self.on, copy, close)
        self.setLayout(make_column(*head, self.field, 1, foot, margin=theme.GRID * 2))
        self._turn_page(0)

    def _turn_page(self, by: int) -> None:
        parts = max(1, -(-len(self._text) // MAX_SHOWN_CHARS))
        self._at = min(parts - 1, max(0, self._at + by))
        start = self._at * MAX_SHOWN_CHARS
        self.field.show_text(self._text[start : start + MAX_SHOWN_CHARS])
        many = tr(", part {part} of {parts}").format(part=self._at + 1, parts=parts) if parts > 1 else ""
        self._said.setText(
            tr("{count:,} characters{part}").format(count=len(self._text), part=many)
            if self._text
            else tr("Nothing came back.")
        )
        self.back.setVisible(parts > 1)
        self.on.setVisible(parts > 1)
        self.back.setEnabled(self._at > 0)
        self.on.setEnabled(self._at < parts - 1)


def _make_button(text: str, meaning: str, do: Do) -> QPushButton:
    return push_button(text, meaning, do, name=meaning, autoDefault=False)


class JudgmentActions(QObject):
    """Answers the buttons of a column that show or take over what it holds."""

    def __init__(self, context: Context, page: JudgesPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        page.board.raw_requested.connect(self._show_raw)
        page.board.adopt_requested.connect(self._adopt)

    def _show_raw(self, column: JudgmentColumn) -> None:
        found = self._page.judgment(column.judgment_id)
        if found is None:
            return
        about = ", ".join(
            text
            for text in (
                found.model_id and tr("model {model_id}").format(model_id=found.model_id),
                found.prompt,
                f"{datetime.fromisoformat(found.at).astimezone():%Y-%m-%d %H:%M}",
            )
            if text
        )
        view = RawView(tr("Raw answer of {name}").format(name=column.name), found.raw, about, self._page.window())
        view.finished.connect(view.deleteLater)
        view.open()

    def _adopt(self, column: JudgmentColumn, field: str) -> None:
        if self._context.studio.edit(lambda session: adopt(session, column.judgment_id, field), self):
            self._context.studio.message.emit(
                tr("Taken over from {name} into your own form; Undo takes it back.").format(name=column.name)
            )


SHORTCUT = "Ctrl+J"


def make_judges_page(context: Context) -> QWidget:
    """Return the page."""
    page = JudgesPage(context, SHORTCUT)
    Entries(context, page)
    asking = JudgingController(context, page)
    InspectorController(context, page, asking)
    JudgmentActions(context, page)
    HumanAnswerController(context, page, asking)
    return page
