"""Tool tips of texts that a file or a model wrote: Qt takes whatever looks like HTML for HTML."""

from html import escape

from PySide6.QtGui import Qt

_WIDEST = 160
"""Letters of a line that Qt is let to show without a break: it breaks only lines of what is HTML to it."""


def plain_tip(text: str) -> str:
    """Return a tool tip that shows a text as it is, in lines that fit the screen."""
    if not Qt.mightBeRichText(text) and max(map(len, text.split("\n"))) <= _WIDEST:
        return text
    lines = "<br>".join(escape(text).split("\n"))
    return f"<qt>{lines}</qt>"
