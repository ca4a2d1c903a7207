"""Paints a line of the transcript with its cues, and holds the lines in a model."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.gui.transcript.utterance_layout import (
    BOTTOM,
    LEADING,
    LEFT,
    RIGHT,
    TEXT_POINTS,
    TOP,
    CueChip,
    Geometry,
    TranscriptLine,
    TranscriptViewState,
    WrappedWord,
    chips_height,
    head_height,
)
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.labels import make_readable, participant_ink
from widgets.text_labels import plain_tip
from widgets.theme import Palette

_CHIP_GAP, _CHIP_PADDING, _MARK_HEIGHT = 4, 6, 2


def paint_chips(
    painter: QPainter, line: TranscriptLine, rect: QRect, geometry: Geometry, metrics: QFontMetricsF, colours: Palette
) -> None:
    """Draw the cues of a line into its row; `metrics` are those of the font that the painter has."""
    area = geometry.text_area(rect)
    begins = {chip.word for chip in line.cues}
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    for piece in geometry.wrap_line(line, rect.width()).pieces:
        if piece.word in begins:
            below = area.top() + (piece.line + 1) * geometry.line_height - LEADING
            painter.drawRect(QRectF(area.left() + piece.left, below, min(piece.width, 8), _MARK_HEIGHT))
    left, top = float(rect.left() + LEFT), rect.bottom() - BOTTOM - chips_height() + 3.0
    right = float(rect.right() - RIGHT)
    for at, chip in enumerate(line.cues):
        rest = len(line.cues) - at
        left = _paint_chip(painter, chip, QPointF(left, top), right, metrics, colours)
        if left > right - 40 and rest > 1:
            painter.setPen(colours.muted)
            painter.drawText(QRectF(left, top, 40, chips_height() - 5), Qt.AlignmentFlag.AlignVCenter, f"+{rest - 1}")
            return


def _paint_chip(
    painter: QPainter, chip: CueChip, at: QPointF, right: float, metrics: QFontMetricsF, colours: Palette
) -> float:
    """Draw one chip; returns where the next one begins."""
    text = metrics.elidedText(chip.text, Qt.TextElideMode.ElideRight, max(30.0, right - at.x() - 44))
    plate = QRectF(at.x() + 0.5, at.y() + 0.5, metrics.horizontalAdvance(text) + 2 * _CHIP_PADDING, chips_height() - 5)
    pen = QPen(colours.outline if chip.is_suggested else colours.accent, 1)
    if chip.is_suggested:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(plate, 7, 7)
    painter.setPen(colours.muted if chip.is_suggested else colours.text)
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)
    return plate.right() + _CHIP_GAP


_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class TranscriptModel(QAbstractListModel):
    """Lines in the order of time. New ones come in where they differ, so that what is selected stays so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: list[TranscriptLine] = []
        self._rows: dict[str, int] = {}

    def set_lines(self, lines: Sequence[TranscriptLine]) -> None:
        """Show these lines."""
        new = list(lines)
        order = {transcript_line.utterance.id: place for place, transcript_line in enumerate(new)}
        at = [order.get(transcript_line.utterance.id, -1) for transcript_line in self.lines]
        # What was moved past others goes, and comes again at its new place.
        stays, highest = [False] * len(at), -1
        for row, place in enumerate(at):
            stays[row] = place > highest
            highest = max(highest, place)
        for first, last in reversed(_consecutive_runs([row for row, stay in enumerate(stays) if not stay])):
            self.beginRemoveRows(_ROOT, first, last)
            del self.lines[first : last + 1]
            self._index_rows()
            self.endRemoveRows()
        for first, last in _consecutive_runs(
            [row for row, transcript_line in enumerate(new) if transcript_line.utterance.id not in self._rows]
        ):
            self.beginInsertRows(_ROOT, first, last)
            self.lines[first:first] = new[first : last + 1]
            self._index_rows()
            self.endInsertRows()
        for row, line in enumerate(new):
            if self.lines[row] != line:
                self.lines[row] = line
                here = self.index(row)
                self.dataChanged.emit(here, here)

    def row(self, utterance_id: str) -> int:
        """Return where an utterance stands, or -1."""
        return self._rows.get(utterance_id, -1)

    def line(self, utterance_id: str) -> TranscriptLine | None:
        """Return the line of an utterance, or None."""
        row = self.row(utterance_id)
        return self.lines[row] if row >= 0 else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.utterance.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return accessible_text(line)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(line.flag) or None
        return None

    def _index_rows(self) -> None:
        self._rows = {line.utterance.id: row for row, line in enumerate(self.lines)}


def _consecutive_runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Return ascending rows as runs of neighbours, the first and the last of each."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and row == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs


def accessible_text(line: TranscriptLine) -> str:
    """Return a line as a screen reader says it."""
    said = line.utterance
    guess = tr(", a guess") if said.suggested or (line.speaker and not line.colour) else ""
    state = "checked" if said.checked else "draft"
    flag = f", {line.flag}" if line.flag else ""
    cues = ", ".join(
        tr("{text}, suggested").format(text=cue.text) if cue.is_suggested else cue.text for cue in line.cues
    )
    who, when = line.speaker or tr("Unassigned"), format_time(said.start_us)
    return f"{who}{guess}, {when}, {state}{flag}: {said.text or 'empty'}{f' ({cues})' if cues else ''}"


_BAR_WIDTH = 3
_MAX_CACHED_LINES = 64
"""How many lines are kept as pictures."""
_SMALL_POINTS = theme.POINTS - 1.0


class LineDelegate(QStyledItemDelegate):
    """Time, speaker and state above, the words below.

    A speaker that is a guess has a dashed plate and a question mark; a draft is grey and says so; a doubtful word is
    underlined with amber dots.

    Attributes:
        heights: of the lines as the list last asked for them, by utterance.
    """

    def __init__(self, model: TranscriptModel, parent: QAbstractItemView) -> None:
        super().__init__(parent)
        self._model = model
        self._view = parent
        self.moment = TranscriptViewState()
        self.heights: dict[str, int] = {}
        self._pictures: dict[str, tuple[object, QPixmap]] = {}
        self.measure()

    def measure(self) -> None:
        """Take the size of text that there is now."""
        self.geometry = Geometry()
        self._pictures.clear()
        self._text = theme.font(TEXT_POINTS)
        self._small = theme.font(_SMALL_POINTS)
        self._slanted = theme.font(_SMALL_POINTS)
        self._slanted.setItalic(True)
        self._name = QFontMetricsF(theme.font(_SMALL_POINTS, semibold=True))
        self._bold = theme.font(_SMALL_POINTS, semibold=True)
        self._few = QFontMetricsF(self._small)

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        line, width = self._model.lines[index.row()], self._view.viewport().width()
        typed, height = self.moment.typed
        high = (
            TOP + head_height() + height + BOTTOM if typed == line.utterance.id else self.geometry.height(line, width)
        )
        self.heights[line.utterance.id] = high
        return QSize(0, high)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line, colours = self._model.lines[index.row()], theme.palette()
        rect, state = QRect(option.rect), option.state
        spoken, word = self.moment.spoken
        ground = colours.raised if spoken == line.utterance.id else colours.field
        if state & QStyle.StateFlag.State_Selected:
            ground = colours.selection
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(rect.topLeft(), self._render_line(line, rect.size(), ground, colours))
        if spoken == line.utterance.id and self.moment.typed[0] != spoken:
            self._draw_spoken_word(painter, line, rect, word, colours)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(colours.accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -1.5))
        painter.restore()

    def _render_line(self, line: TranscriptLine, size: QSize, ground: QColor, colours: Palette) -> QPixmap:
        """Return a line as it looks but for the word that is lit: while it plays, only that changes."""
        moment, key = self.moment, line.utterance.id
        place = moment.current_match[1] if moment.current_match[0] == key else -1
        found, typed = moment.matches.get(key, ()), moment.typed[0] == key
        ratio = self._view.devicePixelRatioF()
        looks = (line, size, ground.name(), found, place, typed, moment.doubtful_below, ratio)
        known = self._pictures.get(key)
        if known is not None and known[0] == looks:
            return known[1]
        made = QPixmap(size * ratio)
        made.setDevicePixelRatio(ratio)
        made.fill(ground)
        # Quiet words and names stay readable where a line is chosen or spoken.
        muted, competence = make_readable(colours.muted, ground), make_readable(colours.competence, ground)
        colours = replace(colours, field=ground, muted=muted, competence=competence)
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRect(QPoint(0, 0), size)
        painter.setPen(QPen(colours.border, 1))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        self._draw_bar(painter, line, rect, colours)
        self._draw_head(painter, line, rect, colours)
        if not typed:
            self._draw_text(painter, line, rect, colours)
            if line.cues:
                painter.setFont(self._small)
                paint_chips(painter, line, rect, self.geometry, self._few, colours)
        painter.end()
        if len(self._pictures) >= _MAX_CACHED_LINES:
            self._pictures.clear()
        self._pictures[key] = (looks, made)
        return made

    def _draw_spoken_word(
        self, painter: QPainter, line: TranscriptLine, rect: QRect, word: int, colours: Palette
    ) -> None:
        geometry = self.geometry
        area = geometry.text_area(rect)
        painter.setFont(self._text)
        for piece in geometry.wrap_line(line, rect.width()).pieces:
            if piece.word != word:
                continue
            left, top = area.left() + piece.left, area.top() + piece.line * geometry.line_height
            box = QRectF(left, top, piece.width, geometry.line_height - LEADING)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.accent)
            painter.drawRoundedRect(box.adjusted(-2.5, -0.5, 2.5, 0.5), 3, 3)
            painter.setPen(colours.on_accent)
            painter.drawText(QPointF(left, top + geometry.ascent), piece.text)

    def _draw_bar(self, painter: QPainter, line: TranscriptLine, rect: QRect, colours: Palette) -> None:
        pen = QPen(participant_ink(line.colour or None, colours, colours.field), _BAR_WIDTH)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if line.utterance.suggested or not line.colour:
            pen.setDashPattern([1.5, 1.0])
        painter.setPen(pen)
        x = rect.left() + 3.5
        painter.drawLine(QPointF(x, rect.top() + 4), QPointF(x, rect.bottom() - 4))

    def _draw_head(self, painter: QPainter, line: TranscriptLine, rect: QRect, colours: Palette) -> None:
        said = line.utterance
        head = QRectF(rect.left() + LEFT, rect.top() + TOP, rect.width() - LEFT - RIGHT, head_height() - 2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._small)
        painter.setPen(colours.muted)
        time = format_time(said.start_us)[:-2]
        painter.drawText(head, middle, time)
        left = head.left() + self._few.horizontalAdvance(time) + 8
        left += self._draw_speaker(painter, line, QRectF(left, head.top(), head.width() / 2, head.height()), colours)
        painter.setFont(self._small)
        painter.setPen(colours.competence if said.checked else colours.muted)
        state = "✓" if said.checked else "draft"
        painter.drawText(head, middle | Qt.AlignmentFlag.AlignRight, state)
        if line.flag:
            painter.setPen(colours.uncertain)
            room = head.right() - self._few.horizontalAdvance(state) - 16 - left
            words = self._few.elidedText(f"⚠ {line.flag}", Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(left + 8, head.top(), room, head.height()), middle, words)

    def _draw_speaker(self, painter: QPainter, line: TranscriptLine, room: QRectF, colours: Palette) -> float:
        """Draw the speaker's plate; returns its width."""
        ink = participant_ink(line.colour or None, colours, colours.field)
        guess = bool(line.speaker) and (line.utterance.suggested or not line.colour)
        name = f"{line.speaker}?" if guess else line.speaker or tr("Unassigned")
        font = self._bold if line.speaker and not guess else self._slanted
        name = self._name.elidedText(name, Qt.TextElideMode.ElideRight, room.width() - 14)
        width = self._name.horizontalAdvance(name) + 14
        plate = QRectF(room.left(), room.top() + 0.5, width, room.height() - 1)
        pen = QPen(ink, 1)
        if guess or not line.speaker:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(_with_alpha(ink) if line.speaker and not guess else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(plate, 7, 7)
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, name)
        return width

    def _draw_text(self, painter: QPainter, line: TranscriptLine, rect: QRect, colours: Palette) -> None:
        geometry, moment, said = self.geometry, self.moment, line.utterance
        area = geometry.text_area(rect)
        painter.setFont(self._text)
        ink = colours.text if said.checked else colours.muted
        if not said.text:
            painter.setFont(self._slanted)
            painter.setPen(colours.muted)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, "empty")
            return
        doubtful = line.doubtful_words(moment.doubtful_below)
        found = moment.matches.get(said.id, ())
        for piece in geometry.wrap_line(line, rect.width()).pieces:
            left = area.left() + piece.left
            top = area.top() + piece.line * geometry.line_height
            box = QRectF(left, top, piece.width, geometry.line_height - LEADING)
            for start, end in found:
                self._draw_match(painter, piece, (start, end), box, (said.id, start) == moment.current_match, colours)
            base = top + geometry.ascent
            painter.setPen(ink)
            painter.drawText(QPointF(left, base), piece.text)
            if piece.word in doubtful:
                pen = QPen(colours.uncertain, 2, Qt.PenStyle.DotLine)
                painter.setPen(pen)
                under = base + geometry.descent - 0.5
                painter.drawLine(QPointF(left, under), QPointF(left + piece.width, under))

    def _draw_match(
        self,
        painter: QPainter,
        piece: WrappedWord,
        place: tuple[int, int],
        box: QRectF,
        current: bool,
        colours: Palette,
    ) -> None:
        first, last = max(place[0] - piece.start, 0), min(place[1] - piece.start, len(piece.text))
        if first >= last:
            return
        left = box.left() + self.geometry.text_width(piece.text[:first])
        width = self.geometry.text_width(piece.text[first:last])
        painter.setPen(QPen(colours.uncertain, 1.5) if current else Qt.PenStyle.NoPen)
        painter.setBrush(_with_alpha(colours.uncertain, 90 if current else 60))
        painter.drawRect(QRectF(left, box.top(), width, box.height()))


def _with_alpha(colour: QColor, alpha: int = 46) -> QColor:
    tint = QColor(colour)
    tint.setAlpha(alpha)
    return tint
