"""No screen, no sound card, and the program's own look."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_SCALE_FACTOR", "1")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

import pytest
from PySide6.QtWidgets import QApplication

from widgets import theme


@pytest.fixture(scope="session", autouse=True)
def look(qapp: QApplication) -> None:
    """Sizes depend on the typeface and the style, so every test has them, whichever comes first."""
    theme.apply(qapp, "dark")
