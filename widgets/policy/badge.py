"""The button at the foot of the window that says what may leave this machine; what may show people stands out."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from project.policy import Level
from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.plain_tip import plain_tip

_INKS = {Level.NOTHING: "muted", Level.ANONYMIZED: "uncertain", Level.RAW: "on_accent"}
_ICONS = {Level.NOTHING: "shield-check", Level.ANONYMIZED: "shield-check", Level.RAW: "triangle-alert"}


class PolicyBadge(QToolButton):
    """Quiet while nothing leaves, amber where reviewed renderings may, and filled with red where raw footage may."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = Level.NOTHING
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(16, 16))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Space plays and pauses wherever the focus is; by key, the window is opened from the menu.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.notifier.changed.connect(self._tint)

    def show_level(self, level: Level, text: str, tooltip: str) -> None:
        """Say what may leave.

        Args:
            level: of the policy.
            text: in a few words.
            tooltip: what that means, and what a click does.
        """
        self._level = level
        self.setText(text)
        self.setToolTip(plain_tip(tooltip))
        self.setAccessibleName(tr("Policy: {text}").format(text=text))
        self._tint()

    def _tint(self) -> None:
        colours = theme.palette()
        loud = self._level is Level.RAW
        ink = getattr(colours, _INKS[self._level])
        self.setIcon(icon(_ICONS[self._level], _INKS[self._level]))
        self.setFont(theme.font(semibold=loud))
        ground = colours.error.name() if loud else "transparent"
        over = colours.error.darker(115).name() if loud else colours.hover.name()
        self.setStyleSheet(
            f"QToolButton {{ color: {ink.name()}; background: {ground}; border: none; border-radius: 4px;"
            f" padding: 2px {theme.GRID}px; }} QToolButton:hover {{ background: {over}; }}"
        )
