"""How labels are told apart: by colour, and by a pattern and a sign beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import cycle

from PySide6.QtGui import QColor

from project.schemes.scheme import Label, Track
from widgets.theme import Palette


class Pattern(StrEnum):
    """What the ground of a label is drawn with."""

    SOLID = "solid"
    HATCH = "hatch"
    DOTS = "dots"
    BACK_HATCH = "back hatch"
    BARS = "bars"
    POSTS = "posts"
    GRID = "grid"


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
    """How one label of a track looks; `colour` is one of the theme's or `#rrggbb`."""

    key: str
    name: str
    colour: str
    pattern: Pattern
    sign: Sign


READABLE = 4.5
"""Contrast of a label's colour with what it stands on (WCAG 2.2, 1.4.3)."""
_FIXED = {
    "error": (Pattern.HATCH, Sign.CROSS),
    "competence": (Pattern.SOLID, Sign.TICK),
    "uncertain": (Pattern.DOTS, Sign.RING),
}
_PATTERNS = (
    Pattern.BACK_HATCH,
    Pattern.BARS,
    Pattern.POSTS,
    Pattern.GRID,
    Pattern.SOLID,
    Pattern.HATCH,
    Pattern.DOTS,
)
_SIGNS = (
    Sign.SQUARE,
    Sign.TRIANGLE,
    Sign.DIAMOND,
    Sign.PLUS,
    Sign.WAVE,
    Sign.TICK,
    Sign.CROSS,
    Sign.RING,
)
_COLOURS = ("#4f8fd6", "#cf7a2c", "#9a6fd0", "#2f9e9e", "#c9588e", "#8a8f2a")
_GREY = "muted"


@lru_cache(maxsize=256)
def looks_of(track: Track) -> tuple[LabelLook, ...]:
    """Return how the labels of a track look, in their order.

    The first label in the theme's colour for errors, competences or doubts has the pattern and the sign that go
    with it; the others take turns with what is left.
    """
    fixed: dict[str, Label] = {}
    for label in track.labels:
        if label.colour in _FIXED:
            fixed.setdefault(label.colour, label)
    taken = [_FIXED[colour] for colour in fixed]
    patterns = _turns(_PATTERNS, [pattern for pattern, _ in taken])
    signs = _turns(_SIGNS, [sign for _, sign in taken])
    colours = cycle(_COLOURS)
    found: list[LabelLook] = []
    for label in track.labels:
        own = label.colour in fixed and fixed[label.colour] is label
        pattern, sign = _FIXED[label.colour] if own else (next(patterns), next(signs))
        found.append(LabelLook(label.key, label.name, label.colour or next(colours), pattern, sign))
    return tuple(found)


def _turns(every: Sequence[StrEnum], taken: Sequence[StrEnum]) -> Iterator:  # type: ignore[type-arg]
    return cycle([one for one in every if one not in taken])


@lru_cache(maxsize=1024)
def unknown_look(key: str) -> LabelLook:
    """Return how a label looks that its scheme does not have: grey, under its key."""
    return LabelLook(key, key, _GREY, Pattern.POSTS, Sign.QUESTION)


NEW = LabelLook("", "", "accent", Pattern.DOTS, Sign.RING)
"""How a segment looks that is being drawn and has no label yet."""


def label_ink(look: LabelLook, colours: Palette) -> QColor:
    """Return a label's colour as it is readable in a theme."""
    if look.colour.startswith("#"):
        return readable(QColor(look.colour), colours.lane)
    named = getattr(colours, look.colour)
    assert isinstance(named, QColor)
    return named


def readable(colour: QColor, ground: QColor) -> QColor:
    """Return a colour of the same hue, made lighter or darker until it stands out from a ground."""
    step = 0.02 if luminance(ground) < 0.5 else -0.02
    hue, saturation, lightness = colour.hslHueF(), colour.hslSaturationF(), colour.lightnessF()
    result = QColor(colour)
    while contrast(result, ground) < READABLE and 0 < lightness + step < 1:
        lightness += step
        result = QColor.fromHslF(max(hue, 0.0), saturation, lightness)
    return result


def luminance(colour: QColor) -> float:
    """Return the relative luminance, 0 to 1 (WCAG 2.2)."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
