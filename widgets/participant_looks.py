"""How participants are told apart: one colour each, the same in the transcript and on the timeline."""

from collections.abc import Sequence

from PySide6.QtGui import QColor

from widgets.label_looks import readable
from widgets.theme import Palette

_COLOURS = ("#4f8fd6", "#cf7a2c", "#9a6fd0", "#2f9e9e", "#c9588e", "#8a8f2a", "#5fa35a", "#b0705a")


def participant_colours(participants: Sequence[str]) -> dict[str, str]:
    """Return id -> `#rrggbb`, for ids in the order in which they came to the study; after eight, colours come again.

    Give all of a study, so that somebody has one colour in every recording.
    """
    return {key: _COLOURS[place % len(_COLOURS)] for place, key in enumerate(participants)}


def participant_ink(colour: str | None, colours: Palette, ground: QColor | None = None) -> QColor:
    """Return a participant's colour as it is readable in a theme; None is for nobody yet.

    Args:
        colour: of `participant_colours`.
        colours: of the theme.
        ground: what it stands on; the timeline's lanes by default.
    """
    return QColor(colours.muted) if colour is None else readable(QColor(colour), ground or colours.lane)
