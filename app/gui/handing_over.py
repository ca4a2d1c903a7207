"""What the menu Study does about sharing and withdrawing; what does it is loaded when it is asked for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def share_annotations(window: "MainWindow") -> None:
    """Make a copy that holds annotations alone."""
    from app.gui.sharing_annotations import share_annotations_only

    share_annotations_only(window)


def withdraw(window: "MainWindow") -> None:
    """Take a participant out of the study."""
    from app.gui.withdrawal.withdrawing import withdraw_participant

    withdraw_participant(window)
