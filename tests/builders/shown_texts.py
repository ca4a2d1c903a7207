"""The texts that a table or a page shows."""

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractItemView, QLabel, QPlainTextEdit, QWidget


def table_rows(view: QAbstractItemView) -> list[list[str]]:
    """Return the texts of a table's cells, row by row; of a list, one text a row."""
    model, root = view.model(), QModelIndex()
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount(root))]
        for row in range(model.rowCount(root))
    ]


def shown_texts(widget: QWidget) -> list[str]:
    """Return the texts of labels and long fields that are shown in a widget."""
    labels = [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]
    fields = [field for field in widget.findChildren(QPlainTextEdit) if field.isVisibleTo(widget)]
    return labels + [field.toPlainText() for field in fields]
