"""The window in another language: its texts are the translator's."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo

from anonymize.egress.egress_log import LEVEL_NAMES
from project.entities.egress_policy import EgressLevel
from tests.builders.waiting import HANG_S

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).resolve().parents[2]
KEYWORDS = {"tr": None, "trn": (1, 2), "later": None}

WINDOW = """
import json
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget
application = QApplication([])
from app.gui.window.main_window import MainWindow
from widgets import theme
theme.apply(application, "light")
window = MainWindow()
window.show()
print(json.dumps({
    "menus": [action.text() for action in window.menuBar().actions()],
    "actions": [action.text() for action in window.menus.actions.values()],
    "buttons": [one.text() for one in window.findChildren(QAbstractButton)],
    "tips": [one.toolTip() for one in window.findChildren(QWidget)],
    "names": [one.accessibleName() for one in window.findChildren(QWidget)],
}))
"""


def _translated(text: str) -> str:
    """Return words that nobody can take for English, and that need as much more room as German does."""
    return f"«{text}»" + "·" * (len(text) // 4)


@pytest.fixture
def locale(tmp_path: Path) -> Path:
    """Every text of the window in a language of our own."""
    catalogue = Catalog(locale="nl", domain="greenroom")
    for folder in ("widgets", "app"):
        for *_, message, _, _ in extract_from_dir(str(ROOT / folder), [("**.py", "python")], keywords=KEYWORDS):
            if isinstance(message, tuple):
                catalogue.add(message, tuple(map(_translated, message)))
            else:
                catalogue.add(message, _translated(message))
    to = tmp_path / "locale" / "nl" / "LC_MESSAGES" / "greenroom.mo"
    to.parent.mkdir(parents=True)
    with to.open("wb") as file:
        write_mo(file, catalogue)
    return tmp_path / "locale"


def test_what_the_window_says_is_the_translators(locale: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", WINDOW],
        env={
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "GREENROOM_AOUT": "dummy",
            "GREENROOM_LOCALE": str(locale),
            "LANGUAGE": "nl",
            "LANG": "nl_NL.UTF-8",
            "LC_ALL": "nl_NL.UTF-8",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout.splitlines()[-1])
    assert len(found["actions"]) > 100
    for what in ("menus", "actions", "buttons", "tips", "names"):
        # The policy in words is the command line's too, which speaks English.
        told = [text for text in found[what] if not text.startswith(LEVEL_NAMES[EgressLevel.NOTHING])]
        assert told, what
        english = [text for text in told if re.search(r"[a-z]{3}", text) and "«" not in text]
        assert not english, f"{what} that are not translated: {english}"
