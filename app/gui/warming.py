"""Loads what pages, windows and studies need before the first is opened, so that it does not hold up the window."""

from importlib import import_module

from PySide6.QtCore import QObject, QTimer

from anonymize.methods.registry import METHODS
from anonymize.voice.registry import VOICES
from app.core.interchange.registry import FORMATS
from app.gui.background import Background
from app.gui.pages import MODES
from app.gui.study_windows import WINDOWS
from project.progress import Progress
from project.schema import VERSIONS, expected_schema
from project.schemes.loader import load_scheme, shipped_names

HELP = "app.gui.help.window:HelpWindow"
_LATER = "numpy.ma"
"""What numpy loads when it is first asked which values there are."""
_AFTER_MS = 1_500
"""Milliseconds after the start: what is on the screen comes first."""


class Warming(QObject):
    """A thread of its own that imports, and ends by itself."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = Background(self, threads=1)
        self.done = False
        QTimer.singleShot(_AFTER_MS, self, self._start)

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self._thread.close()

    def _start(self) -> None:
        self._thread.run(_load, self._end)

    def _end(self, _nothing: object) -> None:
        self.done = True


def _load(progress: Progress) -> None:
    shown = (*(mode.factory for mode in MODES if mode.factory), *WINDOWS.values(), HELP)
    for factory in (*shown, *FORMATS.values(), *METHODS.values(), *VOICES.values()):
        progress.check_cancelled()
        import_module(factory.split(":")[0])
    import_module(_LATER)
    for name in shipped_names():
        progress.check_cancelled()
        load_scheme(name)
    expected_schema(len(VERSIONS))
