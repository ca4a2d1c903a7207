"""How labels, node kinds and participants are told apart: by colour, pattern and sign.

Includes the plates and buttons that show them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import cycle

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QIcon,
    QImage,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QTransform,
)
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from project.entities.causal_chains import NodeKind
from project.entities.study_records import Participant
from project.schemes.scheme import Label, Pattern, Track
from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.form.controls import push_button
from widgets.form.layouts import FlowLayout, make_row
from widgets.text_labels import KeyCaps, definition_tooltip, describe
from widgets.theme import Palette


class Sign(StrEnum):
    """The sign of a label."""

    TICK = "tick"
    CROSS = "cross"
    RING = "ring"
    SQUARE = "square"
    TRIANGLE = "triangle"
    DIAMOND = "diamond"
    PLUS = "plus"
    WAVE = "wave"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class LabelLook:
    """How one label of a track looks; `colour` is one of the theme's or `#rrggbb`, and `shortcut` may be ""."""

    key: str
    name: str
    colour: str
    pattern: Pattern
    sign: Sign
    shortcut: str = ""


MIN_CONTRAST = 4.5
"""Contrast of a label's colour with what it stands on (WCAG 2.2, 1.4.3)."""
_FIXED_LOOKS = {
    "error": (Pattern.HATCH, Sign.CROSS),
    "competence": (Pattern.SOLID, Sign.TICK),
    "uncertain": (Pattern.DOTS, Sign.RING),
}
_FREE_PATTERNS = (
    Pattern.BACK_HATCH,
    Pattern.BARS,
    Pattern.POSTS,
    Pattern.GRID,
    Pattern.SOLID,
    Pattern.HATCH,
    Pattern.DOTS,
)
_FREE_SIGNS = (
    Sign.SQUARE,
    Sign.TRIANGLE,
    Sign.DIAMOND,
    Sign.PLUS,
    Sign.WAVE,
    Sign.TICK,
    Sign.CROSS,
    Sign.RING,
)
_LABEL_COLOURS = ("#4f8fd6", "#cf7a2c", "#9a6fd0", "#2f9e9e", "#c9588e", "#8a8f2a")
_GREY = "muted"


@lru_cache(maxsize=256)
def label_looks(track: Track) -> tuple[LabelLook, ...]:
    """Return how the labels of a track look, in their order.

    The first label in the theme's colour for errors, competences or doubts has the pattern and the sign that go
    with it; the others take turns with what is left. A pattern that the scheme names comes before both.
    """
    fixed: dict[str, Label] = {}
    for label in track.labels:
        if label.colour in _FIXED_LOOKS:
            fixed.setdefault(label.colour, label)
    taken = [_FIXED_LOOKS[colour] for colour in fixed]
    patterns = _cycle_free(_FREE_PATTERNS, [pattern for pattern, _ in taken])
    signs = _cycle_free(_FREE_SIGNS, [sign for _, sign in taken])
    colours = cycle(_LABEL_COLOURS)
    found: list[LabelLook] = []
    for label in track.labels:
        own = label.colour in fixed and fixed[label.colour] is label
        pattern, sign = _FIXED_LOOKS[label.colour] if own else (next(patterns), next(signs))
        if label.pattern:
            pattern = Pattern(label.pattern)
        key = "" if label.retired else label.shortcut
        found.append(LabelLook(label.key, label.name, label.colour or next(colours), pattern, sign, key))
    return tuple(found)


def free_look(track: Track) -> tuple[str, Pattern]:
    """Return a colour and a pattern that no label of a track has, for a further one; used ones once all are."""
    looks = label_looks(track)
    colours = [colour for colour in _LABEL_COLOURS if colour not in {look.colour for look in looks}]
    patterns = [pattern for pattern in _FREE_PATTERNS if pattern not in {look.pattern for look in looks}]
    place = len(looks)
    return (
        colours[0] if colours else _LABEL_COLOURS[place % len(_LABEL_COLOURS)],
        patterns[0] if patterns else _FREE_PATTERNS[place % len(_FREE_PATTERNS)],
    )


def _cycle_free(every: Sequence[StrEnum], taken: Sequence[StrEnum]) -> Iterator:  # type: ignore[type-arg]
    return cycle([str_enum for str_enum in every if str_enum not in taken])


@lru_cache(maxsize=1024)
def unknown_look(key: str) -> LabelLook:
    """Return how a label looks that its scheme does not have: grey, under its key."""
    return LabelLook(key, key, _GREY, Pattern.POSTS, Sign.QUESTION)


NEW_LOOK = LabelLook("", "", "accent", Pattern.DOTS, Sign.RING)
"""How a segment looks that is being drawn and has no label yet."""


def label_ink(look: LabelLook, colours: Palette) -> QColor:
    """Return a label's colour as it is readable in a theme."""
    if look.colour.startswith("#"):
        return make_readable(QColor(look.colour), colours.lane)
    named = getattr(colours, look.colour)
    assert isinstance(named, QColor)
    return named


def make_readable(colour: QColor, ground: QColor) -> QColor:
    """Return a colour of the same hue, made lighter or darker until it stands out from a ground."""
    step = 0.02 if luminance(ground) < 0.5 else -0.02
    hue, saturation, lightness = colour.hslHueF(), colour.hslSaturationF(), colour.lightnessF()
    result = QColor(colour)
    while contrast(result, ground) < MIN_CONTRAST and 0 < lightness + step < 1:
        lightness += step
        result = QColor.fromHslF(max(hue, 0.0), saturation, lightness)
    return result


def luminance(colour: QColor) -> float:
    """Return the relative luminance, 0 to 1 (WCAG 2.2)."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(color: QColor, other: QColor) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(color), luminance(other)))
    return (high + 0.05) / (low + 0.05)


KIND_LOOKS: dict[NodeKind, LabelLook] = {
    NodeKind.EVENT: LabelLook("event", tr("Event"), "#7c8a99", Pattern.SOLID, Sign.SQUARE),
    NodeKind.BELIEF: LabelLook("belief", tr("Belief"), "#4f8fd6", Pattern.POSTS, Sign.QUESTION),
    NodeKind.INTENT: LabelLook("intent", tr("Intent"), "#cf7a2c", Pattern.HATCH, Sign.TRIANGLE),
    NodeKind.DESIRE: LabelLook("desire", tr("Desire"), "#c9588e", Pattern.DOTS, Sign.DIAMOND),
    NodeKind.EMOTION: LabelLook("emotion", tr("Emotion"), "#2f9e9e", Pattern.BARS, Sign.WAVE),
}
"""Kind -> its look in the graph, on the timeline and in plots; `widgets.graph.node_painter` has the outlines."""


@dataclass(frozen=True, slots=True)
class NodePerson:
    """Somebody whom nodes belong to.

    Attributes:
        name: as shown.
        colour: `#rrggbb` of `widgets.labels.participant_colours`; None is grey.
    """

    name: str
    colour: str | None = None


SIGN_PX = 12
"""Size of a sign, in logical pixels."""


def mix(ink: QColor, ground: QColor, share: float) -> QColor:
    """Return an opaque colour between two."""
    parts = zip(ink.getRgb()[:3], ground.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def pattern_brush(
    pattern: Pattern, ground: QColor, ink: QColor, period: int, stroke: int, scale: float = 1.0
) -> QBrush:
    """Return a brush that draws a pattern; period and stroke are device pixels."""
    if pattern is Pattern.SOLID:
        return QBrush(ground)
    share = _pattern_tile(pattern, period, stroke)
    tile = QImage(period, period, QImage.Format.Format_RGB32)
    for row in range(period):
        for column in range(period):
            tile.setPixelColor(column, row, mix(ink, ground, float(share[row, column])))
    brush = QBrush(QPixmap.fromImage(tile))
    brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))
    return brush


def _pattern_tile(pattern: Pattern, period: int, stroke: int) -> NDArray[np.float64]:
    """Return (period, period) shares of ink, with soft edges."""
    y, x = np.mgrid[0:period, 0:period]
    if pattern is Pattern.DOTS:
        middle = (period - 1) / 2
        return np.clip(stroke * 0.75 + 0.5 - np.hypot(x - middle, y - middle), 0, 1)
    if pattern is Pattern.GRID:
        return np.maximum(_line_mask(x, period, stroke), _line_mask(y, period, stroke))
    along = {Pattern.HATCH: x + y, Pattern.BACK_HATCH: x - y, Pattern.BARS: y, Pattern.POSTS: x}[pattern]
    return _line_mask(along, period, stroke)


def _line_mask(along: NDArray[np.int64], period: int, stroke: int) -> NDArray[np.float64]:
    distance = np.minimum(along % period, period - along % period)
    return np.clip(stroke / 2 + 0.5 - distance, 0, 1)


def paint_sign(painter: QPainter, sign: Sign, corner: QPointF, ink: QColor) -> None:
    """Draw a sign of `SIGN_PX` pixels, heavier than the icons of buttons because it may stand on a pattern."""
    painter.save()
    painter.translate(corner)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in SIGN_LINES[sign]:
        painter.drawPolyline([QPointF(x, y) for x, y in line])
    painter.restore()


def _dot(x: float, y: float) -> tuple[tuple[float, float], ...]:
    return (x, y), (x + 0.1, y)


SIGN_LINES: dict[Sign, tuple[tuple[tuple[float, float], ...], ...]] = {
    Sign.CROSS: (((3, 3), (9, 9)), ((9, 3), (3, 9))),
    Sign.TICK: (((2, 6.5), (4.8, 9.2), (10, 3)),),
    Sign.RING: tuple(
        _dot(6 + 4 * math.cos(turn * math.pi / 4), 6 + 4 * math.sin(turn * math.pi / 4)) for turn in range(8)
    ),
    Sign.SQUARE: (((2.5, 2.5), (9.5, 2.5), (9.5, 9.5), (2.5, 9.5), (2.5, 2.5)),),
    Sign.TRIANGLE: (((6, 2), (10.3, 9.6), (1.7, 9.6), (6, 2)),),
    Sign.DIAMOND: (((6, 1.6), (10.4, 6), (6, 10.4), (1.6, 6), (6, 1.6)),),
    Sign.PLUS: (((6, 2), (6, 10)), ((2, 6), (10, 6))),
    Sign.WAVE: (((1.5, 7), (3.5, 4), (6, 7), (8.5, 4), (10.5, 7)),),
    Sign.QUESTION: (((3.6, 4), (4.4, 2.4), (6.2, 2), (8, 3), (8, 4.6), (6, 6.2), (6, 7.4)), _dot(6, 10)),
}
"""Sign -> the lines it is drawn with, in a square of `SIGN_PX`."""


def sign_pixmap(sign: Sign, ink: QColor, scale: float = 1.0) -> QPixmap:
    """Return a sign on nothing."""
    pixmap = QPixmap(round(SIGN_PX * scale), round(SIGN_PX * scale))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_sign(painter, sign, QPointF(0, 0), ink)
    painter.end()
    return pixmap


def sign_icon(look: LabelLook, scale: float) -> QIcon:
    """Return a label's sign in its colour, for a button; muted where the button is off."""
    colours = theme.palette()
    icon = QIcon(sign_pixmap(look.sign, label_ink(look, colours), scale))
    icon.addPixmap(sign_pixmap(look.sign, colours.disabled, scale), QIcon.Mode.Disabled)
    return icon


def plate_size(text_width: float) -> QSize:
    """Return the size of a plate with a sign and a name of some width."""
    return QSize(round(text_width) + 36, theme.GRID * 3)


def paint_plate(painter: QPainter, look: LabelLook, area: QRectF) -> None:
    """Draw a plate with a label's pattern, sign and name."""
    colours = theme.palette()
    ink = label_ink(look, colours)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    plate = area.adjusted(0.5, 0.5, -0.5, -0.5)
    ground = mix(ink, colours.panel, 0.12)
    painter.setBrush(pattern_brush(look.pattern, ground, mix(ink, colours.panel, 0.3), 7, 2))
    line = Qt.PenStyle.DotLine if look.pattern is Pattern.DOTS else Qt.PenStyle.SolidLine
    painter.setPen(QPen(ink, 1, line))
    painter.drawRoundedRect(plate, 4, 4)
    if look.pattern is not Pattern.SOLID:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mix(ink, colours.panel, 0.08))
        painter.drawRoundedRect(plate.adjusted(4, 3, -4, -3), 3, 3)
    paint_sign(painter, look.sign, QPointF(area.left() + 9, area.top() + (area.height() - SIGN_PX) / 2), ink)
    painter.setPen(ink)
    painter.setFont(theme.font(semibold=True))
    painter.drawText(plate.adjusted(27, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter, look.name)


class LabelButtons(QWidget):
    """Shows a label and lets another be chosen; keys that are `taken` by the window are not shown.

    Signals:
        label_chosen (str): key of the label the user wants.
    """

    label_chosen = Signal(str)

    def __init__(self, track: Track, taken: Sequence[QKeySequence] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[str, QPushButton] = {}
        self._looks: Mapping[str, LabelLook] = {look.key: look for look in label_looks(track)}
        self._label: str | None = None
        flow = FlowLayout(self)
        flow.setContentsMargins(0, 0, 0, 0)
        for label in track.offered_labels:
            key = working_shortcut(label, taken)
            button = push_button(
                f" {label.name}",
                do=lambda _=False, key=label.key: self._choose(key),
                name=tr("Label: {name}").format(name=label.name),
                side=SIGN_PX,
                look="segment",
                checkable=True,
                accessibleDescription=label.definition,
            )
            button.setToolTip(definition_tooltip(label.name, label.definition, key, label.examples))
            flow.addWidget(button)
            if key:
                _add_key_cap(button, key)
            self.buttons[label.key] = button
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def set_label(self, label: str | None) -> None:
        """Show a label; None where several segments differ."""
        self._label = label
        for other, button in self.buttons.items():
            button.setChecked(other == label)

    def _choose(self, label: str) -> None:
        # What is shown follows the study, not the click.
        self.set_label(self._label)
        if label != self._label:
            self.label_chosen.emit(label)

    def _tint(self) -> None:
        for key, button in self.buttons.items():
            button.setIcon(sign_icon(self._looks[key], self.devicePixelRatioF()))


def working_shortcut(label: Label, taken: Sequence[QKeySequence]) -> str:
    """Return the shortcut of a label; "" where it has none, or the window has `taken` the key."""
    return "" if QKeySequence(label.shortcut) in taken else label.shortcut


def _add_key_cap(button: QPushButton, key: str) -> None:
    caps = KeyCaps(key)
    caps.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    button.setLayout(make_row(None, caps, margin=(0, 0, theme.GRID // 2, 0)))
    button.setStyleSheet(f"QPushButton {{ padding-right: {caps.sizeHint().width() + theme.GRID}px; }}")


class LabelChip(QWidget):
    """Shows the pattern, the sign and the name of a label."""

    ROLE = Role.StaticText

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = unknown_look("")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.update)

    def set_look(self, look: LabelLook) -> None:
        """Show another label."""
        self._look = look
        self.setAccessibleName(tr("Label: {name}").format(name=look.name))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return plate_size(QFontMetricsF(theme.font(semibold=True)).horizontalAdvance(self._look.name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_plate(painter, self._look, QRectF(self.rect()))
        painter.end()


DIGIT_KEYS = 9
"""Participants that have a digit as their key, and a button; the others stand in a menu."""


class ParticipantButtons(QWidget):
    """Buttons in a flow. Who inherits says what a button says, and which others stand behind those of participants.

    Signals:
        assign_requested (object): participant id, or None for nobody.
        new_requested: assign to a participant that is yet to be made.
    """

    assign_requested = Signal(object)
    new_requested = Signal()

    def __init__(self, new: QPushButton, nobody: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self.people: list[Participant] = []
        self.buttons: list[QPushButton] = []
        self._made: list[QPushButton] = []
        self.more = make_choice_button(tr("Others"), tr("Choose another participant of the study"))
        self.more.setParent(self)
        self.more.setProperty("opens", True)
        self.more.setCheckable(True)
        self._menu = QMenu(self.more)
        self.more.setMenu(self._menu)
        self.new = new
        self.new.clicked.connect(self.new_requested)
        self.nobody = nobody
        self.nobody.clicked.connect(lambda: self.assign_requested.emit(None))

    def tooltip_for(self, person: Participant) -> str:
        """Return what the button of a participant says it does."""
        raise NotImplementedError

    def extra_buttons(self) -> tuple[QPushButton, ...]:
        """Return the buttons behind those of participants."""
        raise NotImplementedError

    def set_participants(self, people: Sequence[Participant]) -> bool:
        """Offer these participants, in this order: the first nine have a key; tells whether they are others."""
        if list(people) == self.people and self._flow.count():
            return False
        self.people = list(people)
        while self._flow.count():
            self._flow.takeAt(0)
        shown = people[:DIGIT_KEYS]
        self._made += [self._button(number) for number in range(len(self._made), len(shown))]
        self.buttons = self._made[: len(shown)]
        for number, (person, button) in enumerate(zip(shown, self.buttons, strict=True), 1):
            set_button_text(button, f"{number} {person.pseudonym}", f"{self.tooltip_for(person)} ({number})")
            button.setChecked(False)
            button.setEnabled(True)
        for spare in self._made[len(shown) :]:
            spare.hide()
        self._menu.clear()
        for person in people[DIGIT_KEYS:]:
            action = self._menu.addAction(person.pseudonym.replace("&", "&&"))
            action.triggered.connect(lambda _=False, who=person.id: self.assign_requested.emit(who))
        self.more.setVisible(len(people) > DIGIT_KEYS)
        for button in (*self.buttons, *([self.more] if len(people) > DIGIT_KEYS else []), *self.extra_buttons()):
            self._flow.addWidget(button)
            button.show()
        self.updateGeometry()
        return True

    def _button(self, place: int) -> QPushButton:
        button = make_choice_button("", "")
        button.setCheckable(True)
        button.clicked.connect(lambda: self.assign_requested.emit(self.people[place].id))
        return button

    def person_by_digit(self, number: int) -> Participant | None:
        """Return the participant of a digit, from 1."""
        return self.people[number - 1] if 0 < number <= min(len(self.people), DIGIT_KEYS) else None

    def show_person(self, participant_id: str | None, enabled: bool) -> None:
        """Show who is chosen; nothing can be chosen where it may not be edited."""
        for person, button in zip(self.people, self.buttons, strict=False):
            button.setChecked(person.id == participant_id)
            button.setEnabled(enabled)
        other = next(
            (participant for participant in self.people[DIGIT_KEYS:] if participant.id == participant_id), None
        )
        self.more.setText(other.pseudonym.replace("&", "&&") if other else tr("Others"))
        self.more.setChecked(other is not None)
        self.more.setEnabled(enabled)
        self.new.setEnabled(enabled)


def make_choice_button(text: str, words: str) -> QPushButton:
    """Return a small button that says what it does when asked."""
    button = push_button("", look="segment")
    set_button_text(button, text, words)
    return button


def set_button_text(button: QPushButton, text: str, words: str) -> None:
    """Let a button say something else, and what it does when asked."""
    button.setText(text.replace("&", "&&"))
    describe(button, words, words)


_PARTICIPANT_COLOURS = ("#4f8fd6", "#cf7a2c", "#9a6fd0", "#2f9e9e", "#c9588e", "#8a8f2a", "#5fa35a", "#b0705a")


def participant_colours(participants: Sequence[str]) -> dict[str, str]:
    """Return id -> `#rrggbb`, for ids in the order in which they came to the study; after eight, colours come again.

    Give all of a study, so that somebody has one colour in every recording.
    """
    return {key: _PARTICIPANT_COLOURS[place % len(_PARTICIPANT_COLOURS)] for place, key in enumerate(participants)}


def participant_ink(colour: str | None, colours: Palette, ground: QColor | None = None) -> QColor:
    """Return a participant's colour as it is readable in a theme; None is for nobody yet.

    Args:
        colour: of `participant_colours`.
        colours: of the theme.
        ground: what it stands on; the timeline's lanes by default.
    """
    return QColor(colours.muted) if colour is None else make_readable(QColor(colour), ground or colours.lane)
