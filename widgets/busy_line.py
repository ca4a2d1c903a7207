"""A thin line that moves while something is computed, and keeps its place while nothing is."""

from PySide6.QtWidgets import QProgressBar

from resources.translation import tr

_HEIGHT = 3


def busy_line() -> QProgressBar:
    """Return the line, hidden."""
    line = QProgressBar(minimum=0, maximum=0, textVisible=False)
    line.setFixedHeight(_HEIGHT)
    line.setAccessibleName(tr("Computing"))
    kept = line.sizePolicy()
    kept.setRetainSizeWhenHidden(True)
    line.setSizePolicy(kept)
    line.hide()
    return line
