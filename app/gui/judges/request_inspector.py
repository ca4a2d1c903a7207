"""The request inspector: every frame, word and byte that is sent to a judge, its destination, and the permission.

It sends nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QWidget

from app.gui.judges.answer_columns import JudgmentColumn, WordsCell, make_quiet_label
from app.gui.judges.judge_runs import JudgingController
from app.gui.judges.judges_page import JudgesPage
from app.gui.judges.request_facts import (
    JudgeRequestPreview,
    SentMessage,
    SentPicture,
    preview_request,
    preview_sent_request,
)
from app.gui.pages.context import Context
from benchmark.judge_input.input_plan import InputPlan, build_messages
from benchmark.judge_input.input_planning import plan_input, settings_for
from models.judges.judge_backends import build_options
from models.judges.judge_interface import Message, ModelOptions, SamplingParameters
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Judgment
from project.errors import UserError
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.controls import push_button
from widgets.form.layouts import FlowLayout, bounded_to_screen, make_column, make_panel, make_row
from widgets.form.wheel_guard import ComboBox
from widgets.text_labels import PlainLabel, escape_control_chars, plain_tip
from widgets.theme import pixmap

_WINDOW_SIZE = QSize(820, 720)
_THUMBNAIL_SIZE = QSize(144, 81)
_MAX_CHARS = 60_000


class _WholeTextCell(WordsCell):
    """Words in full, as tall as they are."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__("", name)
        self.setStyleSheet("")
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setPlainText(escape_control_chars(text, _MAX_CHARS))

    def heightForWidth(self, width: int) -> int:
        area = self.fontMetrics().boundingRect(
            0, 0, max(40, width - 24), 1_000_000, int(Qt.TextFlag.TextWordWrap), self.toPlainText()
        )
        return area.height() + self.fontMetrics().lineSpacing() + 8


class SentView(OwnDialog):
    """Shows what goes to each judge; it sends nothing.

    Signals:
        policy_requested: show the policy of the study.
    """

    policy_requested = Signal()

    def __init__(self, title: str, offered: Sequence[str], *, before: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(bounded_to_screen(_WINDOW_SIZE, self))
        self._sent: JudgeRequestPreview | None = None
        self.offered = ComboBox()
        self.offered.setAccessibleName(tr("Judge"))
        for name in offered:
            self.offered.addItem(escape_control_chars(name, 100))
        self._area = QScrollArea(widgetResizable=True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(tr("Everything that is sent") if before else tr("Everything that was sent"))
        self._total = PlainLabel(wordWrap=True)
        self.ask = push_button(
            tr("Ask"), tr("Send this, to every judge that is chosen"), look="primary", autoDefault=False
        )
        if not before:
            self.ask.hide()
        tip = tr("Close; nothing is sent (Esc)") if before else tr("Close (Esc)")
        close = push_button(tr("Close"), tip, self.reject, autoDefault=False)
        self.setLayout(
            make_column(
                self.offered,
                self._make_head(),
                self._area,
                1,
                make_row(self._total, 1, close, self.ask),
                margin=theme.GRID * 2,
            )
        )

    def current_preview(self) -> JudgeRequestPreview | None:
        """Return what is shown."""
        return self._sent

    def show_placeholder(self, text: str) -> None:
        """Show a line in place of the content: that it is being made, or why it cannot be."""
        self._sent = None
        self._where.setText("")
        self._icon.clear()
        self._permission.setText("")
        self._total.setText("")
        self._policy.hide()
        self.ask.setEnabled(False)
        self._area.setWidget(make_panel(make_column(make_quiet_label(text), None, margin=theme.GRID)))

    def show_preview(self, sent: JudgeRequestPreview) -> None:
        """Show what goes to one judge."""
        self._sent = sent
        self._show_destination(sent)
        shown: list[QWidget] = [make_quiet_label(note) for note in sent.notes]
        shown += map(_make_message_widget, sent.messages)
        if sent.form:
            shown.append(_make_message_widget(SentMessage(tr("the form of the answer"), sent.form)))
        if sent.settings:
            shown.append(make_quiet_label(sent.settings))
        self._area.setWidget(make_panel(make_column(*shown, None, margin=(0, 0, theme.GRID, 0))))
        pictures = sent.pictures
        picture_bytes = _format_bytes(sum(picture.size for picture in pictures))
        parts = [f"{len(pictures)} {'picture' if len(pictures) == 1 else 'pictures'}, {picture_bytes}"]
        parts += [
            tr("words, {words}").format(words=_format_bytes(sent.text_bytes)),
            tr("in all {total}").format(total=_format_bytes(sent.total_bytes)),
        ]
        self._total.setText(" · ".join(parts))
        self.ask.setEnabled(not sent.forbidden)

    def _make_head(self) -> QHBoxLayout:
        self._icon = PlainLabel()
        self._where = PlainLabel(wordWrap=True, font=theme.font(semibold=True))
        self._permission = PlainLabel(wordWrap=True)
        self._policy = push_button(
            tr("Policy…"),
            tr("Show what may leave this machine, and change it"),
            self.policy_requested,
            autoDefault=False,
            visible=False,
        )
        return make_row(
            (self._icon, Qt.AlignmentFlag.AlignTop),
            make_column(self._where, self._permission, spacing=2),
            1,
            (self._policy, Qt.AlignmentFlag.AlignTop),
        )

    def _show_destination(self, sent: JudgeRequestPreview) -> None:
        colours = theme.palette()
        icon, ink = ("shield-check", colours.competence) if sent.is_local else ("triangle-alert", colours.uncertain)
        if sent.forbidden:
            icon, ink = "lock", colours.error
        self._icon.setPixmap(pixmap(icon, 20, ink, self.devicePixelRatioF()))
        leaves = tr("would leave") if sent.forbidden else "leaves"
        stays = (
            tr("stays on this machine")
            if sent.is_local
            else tr("{leaves} this machine, for {where}").format(leaves=leaves, where=sent.destination)
        )
        self._where.setText(escape_control_chars(f"{sent.judge}: {stays}", 300))
        said = sent.forbidden or (
            tr("Permission: {permission}").format(permission=sent.permission) if sent.permission else ""
        )
        self._permission.setText(escape_control_chars(said, 600))
        self._permission.setStyleSheet(f"color: {(colours.error if sent.forbidden else colours.muted).name()};")
        self._policy.setVisible(not sent.is_local)


def _make_message_widget(sent_message: SentMessage) -> QWidget:
    head = PlainLabel(
        tr("{role} · {size} of words").format(
            role=sent_message.role.capitalize(), size=_format_bytes(sent_message.size)
        ),
        wordWrap=True,
        font=theme.font(semibold=True),
    )
    column = make_column(head, spacing=theme.GRID // 2)
    part = make_panel(column)
    if sent_message.pictures:
        flowing = QWidget()
        flow = FlowLayout(flowing)
        for picture in sent_message.pictures:
            flow.addWidget(_make_thumbnail_widget(picture))
        column.addWidget(flowing)
    if sent_message.text:
        column.addWidget(
            _HeightFitter(_WholeTextCell(sent_message.text, tr("Words, {role}").format(role=sent_message.role)))
        )
    return part


class _HeightFitter(QWidget):
    """Gives a field the height that its words need."""

    def __init__(self, field: _WholeTextCell) -> None:
        super().__init__()
        self._field = field
        field.setParent(self)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._field.heightForWidth(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        height = self._field.heightForWidth(self.width())
        self._field.setGeometry(0, 0, self.width(), height)
        if self.minimumHeight() != height:
            self.setMinimumHeight(height)


def _make_thumbnail_widget(sent_picture: SentPicture) -> QWidget:
    name = tr("Picture at {shown}, {about}, {size}").format(
        shown=sent_picture.time_label, about=sent_picture.description, size=_format_bytes(sent_picture.size)
    )
    picture = PlainLabel(alignment=Qt.AlignmentFlag.AlignCenter, accessibleName=name)
    picture.setFixedSize(_THUMBNAIL_SIZE)
    colours = theme.palette()
    picture.setStyleSheet(f"background: {colours.stage.name()}; color: {colours.stage_text.name()};")
    if sent_picture.picture is not None and not sent_picture.picture.isNull():
        picture.setPixmap(_scaled_thumbnail(sent_picture.picture, picture.devicePixelRatioF()))
    else:
        picture.setWordWrap(True)
        picture.setText(sent_picture.note or tr("Not shown"))
    said = PlainLabel(f"{sent_picture.time_label} · {_format_bytes(sent_picture.size)}", wordWrap=True)
    box = make_panel(make_column(picture, said, spacing=1))
    box.setToolTip(
        plain_tip(
            tr("{shown}, {about}, {size:,} bytes, sha256 {checksum}…").format(
                shown=sent_picture.time_label,
                about=sent_picture.description,
                size=sent_picture.size,
                checksum=sent_picture.sha256[:16],
            )
        )
    )
    return box


def _scaled_thumbnail(picture: QImage, scale: float) -> QPixmap:
    """Return a picture as large as a thumbnail may be, sharp on a screen of that scale."""
    mode = Qt.TransformationMode.SmoothTransformation
    made = QPixmap.fromImage(picture.scaled(_THUMBNAIL_SIZE * scale, Qt.AspectRatioMode.KeepAspectRatio, mode))
    made.setDevicePixelRatio(scale)
    return made


def _format_bytes(count: int) -> str:
    if count < 10_000:
        return tr("{count:,} bytes").format(count=count)
    return (
        tr("{value:,.0f} kB").format(value=count / 1000)
        if count < 10_000_000
        else tr("{value:,.1f} MB").format(value=count / 1e6)
    )


@dataclass(frozen=True, slots=True)
class _RequestOffer:
    entry: JudgeEntry
    condition: str
    name: str


class InspectorController(QObject):
    """Plans in the window, builds in a thread; nothing of it is sent."""

    def __init__(self, context: Context, page: JudgesPage, asking: JudgingController) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._asking = asking
        self.view: SentView | None = None
        page.bar.inspect_requested.connect(self._inspect_before_asking)
        page.board.inspect_requested.connect(self._inspect_sent)
        context.studio.leaving.connect(self._close)

    def _inspect_before_asking(self) -> None:
        offers = [
            _RequestOffer(judge, condition, f"{judge.name}, {self._condition_name(condition)}")
            for judge in self._page.selected_judges()
            for condition in self._page.selected_conditions()
        ]
        if not offers or self._page.segment() is None:
            return
        view = self._open(tr("What is sent"), [offer.name for offer in offers], before=True)
        view.offered.currentIndexChanged.connect(lambda at: self._plan(view, offers[at]))
        view.ask.clicked.connect(self._ask)
        self._plan(view, offers[0])

    def _inspect_sent(self, column: JudgmentColumn) -> None:
        session, found = self._page.session(), self._page.judgment(column.judgment_id)
        if session is None or found is None:
            return
        name = f"{column.name}, {self._condition_name(found.condition)}"
        view = self._open(tr("What was sent"), [name], before=False)
        view.show_preview(preview_sent_request(session, found, name, {}))
        self._rebuild(session, view, found, name)

    def _open(self, title: str, offered: Sequence[str], *, before: bool) -> SentView:
        self._close()
        view = self.view = SentView(title, offered, before=before, parent=self._page.window())
        view.policy_requested.connect(lambda: self._context.trigger("policy"))
        view.open()
        return view

    def _close(self) -> None:
        if self.view is not None:
            self.view.reject()
            self.view.deleteLater()
            self.view = None

    def _ask(self) -> None:
        self._close()
        self._asking.ask_selected()

    def _plan(self, view: SentView, offer: _RequestOffer) -> None:
        session, about = self._page.session(), self._page.segment()
        if session is None or about is None:
            return
        view.show_placeholder(tr("Reading the frames…"))
        request = self._asking.build_request([offer.entry], offer.condition)
        try:
            settings = settings_for(offer.entry, request.sight)
            if request.frames is not None and settings.frames:
                settings = replace(settings, frames=request.frames)
            plan = plan_input(session, about.id, request.task, request.variant, request.condition, settings)
            sampling = _sampling_parameters(offer.entry, request.seed)
        except UserError as error:
            view.show_placeholder(str(error))
            return

        def show(built: tuple[tuple[Message, ...], str]) -> None:
            if view is not self.view or self._page.session() is not session:
                return
            messages, schema = built
            try:
                view.show_preview(preview_request(session, offer.entry, offer.name, plan, messages, sampling, schema))
            except UserError as error:
                view.show_placeholder(str(error))

        def fail(error: Exception) -> None:
            if view is self.view:
                view.show_placeholder(str(error))

        self._context.background.run(lambda _progress: _build_messages(plan), show, fail)

    def _rebuild(self, session: Session, view: SentView, judgment: Judgment, name: str) -> None:
        """Make the frames again, to show them: those that come out byte by byte as they were sent."""
        frames = judgment.sight.get("frames")
        if not isinstance(frames, list) or not frames:
            return
        side = max(_as_int(judgment.sight.get("width"), 512), _as_int(judgment.sight.get("height"), 512))
        wanted = replace(
            self._asking.more.input_settings(),
            frames=len(frames),
            longest_side=side,
            quality=_as_int(judgment.sight.get("quality"), 85),
        )
        try:
            plan = plan_input(session, judgment.segment_id, judgment.task, judgment.variant, judgment.condition, wanted)
        except UserError:
            return

        def show(messages: tuple[Message, ...]) -> None:
            if view is self.view and self._page.session() is session:
                made = {picture.sha256: picture.jpeg for message in messages for picture in message.pictures}
                view.show_preview(preview_sent_request(session, judgment, name, made))

        self._context.background.run(lambda _progress: build_messages(plan), show)

    def _condition_name(self, condition: str) -> str:
        names = {entry.key: entry.name for entry in self._page.bar.conditions.entries()}
        return "raw" if condition == RAW_CONDITION else names.get(condition, tr("another rendering"))


def _build_messages(plan: InputPlan) -> tuple[tuple[Message, ...], str]:
    return build_messages(plan), json.dumps(dict(plan.answer_form.schema), ensure_ascii=False, indent=1)


def _sampling_parameters(entry: JudgeEntry, seed: int) -> SamplingParameters:
    options = build_options(entry.backend, entry.settings)
    if isinstance(options, ModelOptions):
        return SamplingParameters(options.temperature, seed, options.max_tokens)
    return SamplingParameters(seed=seed)


def _as_int(found: object, default: int) -> int:
    return found if isinstance(found, int) else default
