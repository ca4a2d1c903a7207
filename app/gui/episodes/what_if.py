"""The action “What if…”: an episode goes on from the segment that is selected."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def what_if(window: "MainWindow") -> None:
    """Open the window of episodes on the form for the selected segment."""
    from app.gui.episodes.window import EpisodesWindow

    if window.studio.selected:
        opened = window.windows.open("episodes")
        assert isinstance(opened, EpisodesWindow)
        opened.begin_from(window.studio.selected[0])
