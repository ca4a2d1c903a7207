"""The inspector of what is sent: every frame, every word, every byte, where it goes and by whose leave."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.icons import pixmap
from widgets.judges.cells import WordsCell, quiet
from widgets.judges.plain_text import plainly
from widgets.judges.sent import Sent, SentMessage, SentPicture
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.room import within_screen
from widgets.segments.flow import FlowLayout

_SIZE = QSize(820, 720)
_THUMBNAIL = QSize(144, 81)
_LONGEST = 60_000


class _Whole(WordsCell):
    """Words in full, as tall as they are."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__("", name)
        self.setStyleSheet("")
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setPlainText(plainly(text, _LONGEST))

    def heightForWidth(self, width: int) -> int:
        area = self.fontMetrics().boundingRect(
            0, 0, max(40, width - 24), 1_000_000, int(Qt.TextFlag.TextWordWrap), self.toPlainText()
        )
        return area.height() + self.fontMetrics().lineSpacing() + 8


class SentView(OwnDialog):
    """Shows what goes to each judge; it sends nothing.

    Signals:
        chosen (int): another one of the offered judges is looked at.
        policy_requested: show the policy of the study.
        ask_requested: it may be sent; only where the view offers it.
    """

    chosen = Signal(int)
    policy_requested = Signal()
    ask_requested = Signal()

    def __init__(self, title: str, offered: Sequence[str], *, before: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(within_screen(_SIZE, self))
        self._sent: Sent | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        self.offered = QComboBox()
        self.offered.setAccessibleName(tr("Judge"))
        for one in offered:
            self.offered.addItem(plainly(one, 100))
        self.offered.currentIndexChanged.connect(self.chosen)
        column.addWidget(self.offered)
        column.addLayout(self._make_head())
        self._area = QScrollArea(widgetResizable=True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(tr("Everything that is sent") if before else tr("Everything that was sent"))
        column.addWidget(self._area, 1)
        row = QHBoxLayout()
        self._total = _plain("")
        row.addWidget(self._total, 1)
        self.ask = QPushButton(tr("Ask"))
        self.ask.setProperty("primary", True)
        self.ask.setAutoDefault(False)
        self.ask.setToolTip(tr("Send this, to every judge that is chosen"))
        self.ask.setVisible(before)
        self.ask.clicked.connect(self.ask_requested)
        close = QPushButton(tr("Close"))
        close.setToolTip(tr("Close; nothing is sent (Esc)") if before else tr("Close (Esc)"))
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        row.addWidget(close)
        row.addWidget(self.ask)
        column.addLayout(row)

    def sent(self) -> Sent | None:
        """Return what is shown."""
        return self._sent

    def say(self, text: str) -> None:
        """Show a line in place of the content: that it is being made, or why it cannot be."""
        self._sent = None
        self._where.setText("")
        self._icon.clear()
        self._permission.setText("")
        self._total.setText("")
        self._policy.hide()
        self.ask.setEnabled(False)
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.addWidget(quiet(text))
        box.addStretch()
        self._area.setWidget(inner)

    def show_sent(self, sent: Sent) -> None:
        """Show what goes to one judge."""
        self._sent = sent
        self._say_where(sent)
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, theme.GRID, 0)
        box.setSpacing(theme.GRID)
        for note in sent.notes:
            box.addWidget(quiet(note))
        for one in sent.messages:
            box.addWidget(_message(one))
        if sent.form:
            box.addWidget(_message(SentMessage(tr("the form of the answer"), sent.form)))
        if sent.settings:
            box.addWidget(quiet(sent.settings))
        box.addStretch()
        self._area.setWidget(inner)
        pictures = sent.pictures
        parts = [f"{len(pictures)} {'picture' if len(pictures) == 1 else 'pictures'}, {_bytes(_sum(pictures))}"]
        parts += [
            tr("words, {words}").format(words=_bytes(sent.words)),
            tr("in all {total}").format(total=_bytes(sent.total)),
        ]
        self._total.setText(" · ".join(parts))
        self.ask.setEnabled(not sent.forbidden)

    def _make_head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self._icon = PlainLabel()
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        self._where = _plain("")
        self._where.setFont(theme.font(semibold=True))
        self._permission = _plain("")
        words.addWidget(self._where)
        words.addWidget(self._permission)
        row.addLayout(words, 1)
        self._policy = QPushButton(tr("Policy…"))
        self._policy.setAutoDefault(False)
        self._policy.setToolTip(tr("Show what may leave this machine, and change it"))
        self._policy.clicked.connect(self.policy_requested)
        self._policy.hide()
        row.addWidget(self._policy, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _say_where(self, sent: Sent) -> None:
        colours = theme.palette()
        icon, ink = ("shield-check", colours.competence) if sent.local else ("triangle-alert", colours.uncertain)
        if sent.forbidden:
            icon, ink = "lock", colours.error
        self._icon.setPixmap(pixmap(icon, 20, ink, self.devicePixelRatioF()))
        leaves = tr("would leave") if sent.forbidden else "leaves"
        stays = (
            tr("stays on this machine")
            if sent.local
            else tr("{leaves} this machine, for {where}").format(leaves=leaves, where=sent.where)
        )
        self._where.setText(plainly(f"{sent.judge}: {stays}", 300))
        said = sent.forbidden or (
            tr("Permission: {permission}").format(permission=sent.permission) if sent.permission else ""
        )
        self._permission.setText(plainly(said, 600))
        self._permission.setStyleSheet(f"color: {(colours.error if sent.forbidden else colours.muted).name()};")
        self._policy.setVisible(not sent.local)


def _message(one: SentMessage) -> QWidget:
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(theme.GRID // 2)
    head = _plain(tr("{role} · {size} of words").format(role=one.role.capitalize(), size=_bytes(one.size)))
    head.setFont(theme.font(semibold=True))
    column.addWidget(head)
    if one.pictures:
        flowing = QWidget()
        flow = FlowLayout(flowing)
        flow.setContentsMargins(0, 0, 0, 0)
        for picture in one.pictures:
            flow.addWidget(_thumbnail(picture))
        column.addWidget(flowing)
    if one.text:
        column.addWidget(_Grown(_Whole(one.text, tr("Words, {role}").format(role=one.role))))
    return part


class _Grown(QWidget):
    """Gives a field the height that its words need."""

    def __init__(self, field: _Whole) -> None:
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


def _thumbnail(one: SentPicture) -> QWidget:
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(1)
    picture = PlainLabel(alignment=Qt.AlignmentFlag.AlignCenter)
    picture.setFixedSize(_THUMBNAIL)
    colours = theme.palette()
    picture.setStyleSheet(f"background: {colours.stage.name()}; color: {colours.stage_text.name()};")
    if one.picture is not None and not one.picture.isNull():
        picture.setPixmap(_fitted(one.picture, picture.devicePixelRatioF()))
    else:
        picture.setWordWrap(True)
        picture.setText(one.note or tr("Not shown"))
    said = _plain(f"{one.shown} · {_bytes(one.size)}")
    column.addWidget(picture)
    column.addWidget(said)
    picture.setAccessibleName(
        tr("Picture at {shown}, {about}, {size}").format(shown=one.shown, about=one.about, size=_bytes(one.size))
    )
    box.setToolTip(
        plain_tip(
            tr("{shown}, {about}, {size:,} bytes, sha256 {checksum}…").format(
                shown=one.shown, about=one.about, size=one.size, checksum=one.sha256[:16]
            )
        )
    )
    return box


def _fitted(picture: QImage, scale: float) -> QPixmap:
    """Return a picture as large as a thumbnail may be, sharp on a screen of that scale."""
    mode = Qt.TransformationMode.SmoothTransformation
    made = QPixmap.fromImage(picture.scaled(_THUMBNAIL * scale, Qt.AspectRatioMode.KeepAspectRatio, mode))
    made.setDevicePixelRatio(scale)
    return made


def _plain(text: str) -> QLabel:
    label = PlainLabel(text, wordWrap=True)
    return label


def _sum(pictures: Sequence[SentPicture]) -> int:
    return sum(one.size for one in pictures)


def _bytes(count: int) -> str:
    if count < 10_000:
        return tr("{count:,} bytes").format(count=count)
    return (
        tr("{value:,.0f} kB").format(value=count / 1000)
        if count < 10_000_000
        else tr("{value:,.1f} MB").format(value=count / 1e6)
    )
