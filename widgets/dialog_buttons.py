"""The row of buttons that ends a dialog: away with it, or go on."""

from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


class DialogButtons(QHBoxLayout):
    """A note, Cancel and the button that goes on, which Enter presses. Who makes it joins `go_on`."""

    def __init__(
        self, dialog: QDialog, go_on: str, cancelled: str, *, away: str = tr("Cancel"), careful: bool = False
    ) -> None:
        """Make the row of a dialog.

        Args:
            dialog: is rejected by the button that leads away.
            go_on: text of the button that goes on.
            cancelled: what happens otherwise.
            away: text of the button that leads away.
            careful: whether Enter leads away too, because going on gives something up.
        """
        super().__init__()
        self.setSpacing(theme.GRID)
        self.note = PlainLabel(wordWrap=True)
        self.note.setStyleSheet(f"color: {theme.palette().muted.name()};")
        self.away = QPushButton(away)
        self.away.setToolTip(plain_tip(tr("{cancelled} (Esc)").format(cancelled=cancelled)))
        self.away.setAutoDefault(False)
        self.away.clicked.connect(dialog.reject)
        self.go_on = QPushButton(go_on)
        self.go_on.setToolTip(plain_tip(go_on if careful else tr("{go_on} (Enter)").format(go_on=go_on)))
        self.go_on.setProperty("primary", not careful)
        self.go_on.setProperty("careful", careful)
        self.go_on.setAutoDefault(not careful)
        (self.away if careful else self.go_on).setDefault(True)
        self.addWidget(self.note, 1)
        self.addWidget(self.away)
        self.addWidget(self.go_on)
