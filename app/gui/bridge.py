"""Tells everything that shows the study what an edit touched."""

from PySide6.QtCore import QObject, Signal

from project.types import Changes


class Bridge(QObject):
    """Where every change of the study passes on its way to the views.

    Signals:
        changed: (Changes, initiator) the rows touched, and who asked for it; views reload only those.
    """

    changed = Signal(object, object)

    def publish(self, changes: Changes, initiator: object = None) -> None:
        """Announce an edit; one that touched nothing is kept quiet."""
        if changes:
            self.changed.emit(changes, initiator)
