"""The limits of the study, to be read and changed."""

from dataclasses import asdict, fields

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSpinBox, QWidget

from app.core.privacy.limits import PrivacyLimits
from resources.translation import tr
from widgets import theme
from widgets.number_boxes import DecimalBox, IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_PERCENT = 100.0


class LimitsBar(QWidget):
    """One editor a limit; shares are shown in percent.

    Signals:
        changed (PrivacyLimits): a person set one anew.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editors: dict[str, QDoubleSpinBox | QSpinBox] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        row.addWidget(PlainLabel(tr("Limits:")))
        for each in fields(PrivacyLimits):
            label = PlainLabel(str(each.metadata["title"]))
            editor = IntegerBox() if isinstance(each.default, int) else DecimalBox(decimals=1, suffix=" %")
            editor.setMaximum(int(min(each.metadata["maximum"], 99_999)) if isinstance(each.default, int) else 100)
            editor.setToolTip(
                plain_tip(
                    tr("{description} A release refuses what is over it").format(
                        description=each.metadata["description"]
                    )
                )
            )
            editor.setAccessibleName(tr("Limit: {title}").format(title=each.metadata["title"]))
            editor.lineEdit().setAccessibleName(tr("Limit: {title}").format(title=each.metadata["title"]))
            editor.setKeyboardTracking(False)
            editor.valueChanged.connect(self._tell)
            label.setBuddy(editor)
            self.editors[each.name] = editor
            row.addWidget(label)
            row.addWidget(editor)
        row.addStretch()

    def show_limits(self, limits: PrivacyLimits) -> None:
        """Show what the study allows."""
        for name, value in asdict(limits).items():
            editor = self.editors[name]
            editor.blockSignals(True)
            if isinstance(editor, QDoubleSpinBox):
                editor.setValue(value * _PERCENT)
            else:
                editor.setValue(value)
            editor.blockSignals(False)

    def limits(self) -> PrivacyLimits:
        """Return what is shown."""
        values = {
            name: round(one.value() / _PERCENT, 6) if isinstance(one, QDoubleSpinBox) else one.value()
            for name, one in self.editors.items()
        }
        return PrivacyLimits(**values)  # type: ignore[arg-type]

    def _tell(self) -> None:
        self.changed.emit(self.limits())
