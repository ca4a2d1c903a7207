"""Lets the window's menu ask the page of the transcript for something."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def ask(window: "MainWindow", what: str) -> None:
    """Show the page, and let it do something that it offers by name."""
    window.set_mode("transcript")
    window.pages.ask(what)
