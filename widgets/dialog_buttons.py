"""The row of buttons that ends a dialog: away with it, or go on."""

from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton

from widgets import theme


class DialogButtons(QHBoxLayout):
    """A note, Cancel and the button that goes on, which Enter presses. Who makes it joins `go_on`."""

    def __init__(self, dialog: QDialog, go_on: str, cancelled: str) -> None:
        """Make the row of a dialog; `go_on` is the button's text, `cancelled` what happens on Cancel."""
        super().__init__()
        self.setSpacing(theme.GRID)
        self.note = QLabel(wordWrap=True)
        self.note.setStyleSheet(f"color: {theme.palette().muted.name()};")
        cancel = QPushButton("Cancel")
        cancel.setToolTip(f"{cancelled} (Esc)")
        cancel.setAutoDefault(False)
        cancel.clicked.connect(dialog.reject)
        self.go_on = QPushButton(go_on)
        self.go_on.setProperty("primary", True)
        self.go_on.setDefault(True)
        self.addWidget(self.note, 1)
        self.addWidget(cancel)
        self.addWidget(self.go_on)
