"""The foot of a column: what the answer took, and what can be done next."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.judges.cells import quiet
from widgets.judges.shown import UNDER_WAY, Column, State
from widgets.plain_tip import plain_tip
from widgets.segments.flow import FlowLayout


class ColumnFoot(QWidget):
    """Time, tokens, cost, and buttons.

    Signals:
        again_requested (Column)
        cancel_requested (Column)
        sent_requested (Column): show what was sent.
        raw_requested (Column): show every character that came back.
    """

    again_requested = Signal(object)
    cancel_requested = Signal(object)
    sent_requested = Signal(object)
    raw_requested = Signal(object)

    def __init__(self, column: Column) -> None:
        super().__init__()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.GRID // 2)
        if column.facts:
            facts = quiet("\n".join(column.facts))
            facts.setAccessibleName(f"{column.name}: {', '.join(column.facts)}")
            box.addWidget(facts)
        flow = FlowLayout()
        if column.judge_id:
            if column.state in UNDER_WAY:
                flow.addWidget(
                    _button(
                        tr("Cancel"),
                        tr("Stop asking {name}").format(name=column.name),
                        lambda: self.cancel_requested.emit(column),
                    )
                )
            else:
                word = tr("Ask") if not column.judgment_id else tr("Ask again")
                hint = tr("Ask {name} {words}").format(
                    name=column.name,
                    words=tr("about this segment") if word == "Ask" else tr("again, and not the cache"),
                )
                flow.addWidget(_button(word, hint, lambda: self.again_requested.emit(column)))
        if column.judgment_id and column.state is not State.HIDDEN:
            flow.addWidget(
                _button(
                    tr("Sent…"),
                    tr("Show what was sent to {name}").format(name=column.name),
                    lambda: self.sent_requested.emit(column),
                )
            )
            flow.addWidget(
                _button(
                    tr("Raw…"),
                    tr("Show the raw answer of {name}").format(name=column.name),
                    lambda: self.raw_requested.emit(column),
                )
            )
        # Below, so that the buttons of all columns stand on one line.
        box.addStretch()
        if flow.count():
            box.addLayout(flow)


def _button(text: str, meaning: str, do: object) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("segment", True)
    button.setAccessibleName(meaning)
    button.setToolTip(plain_tip(meaning))
    button.clicked.connect(do)
    return button
