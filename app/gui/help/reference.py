"""Has the pages filled in of which parts are made from the program: by a process, as that loads all of the program."""

import json
import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal

from app.core.manual.contents import fill, unfilled

COMMAND = (sys.executable, "-m", "greenroom", "docs", "--json")


class Reference(QObject):
    """Asks once; where nothing comes back, the pages stay as they are and say which command shows the same.

    Signals:
        filled: the pages have everything now.
    """

    filled = Signal()

    def __init__(self, parent: QObject | None = None, command: Sequence[str] = COMMAND) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._process: QProcess | None = None
        self._wanted: list[str] = []

    @property
    def under_way(self) -> bool:
        """Whether an answer is awaited."""
        return self._process is not None

    def ask(self) -> None:
        """Have the pages filled in, unless they are, or are about to be."""
        self._wanted = self._wanted if self.under_way else unfilled()
        if self._wanted and self._process is None:
            self._process = QProcess(self)
            self._process.finished.connect(self._take)
            program, *arguments = self._command
            self._process.start(program, [*arguments, *self._wanted])

    def close(self) -> None:
        """Stop, and wait until the process is gone."""
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._take)
            process.kill()
            process.waitForFinished(2_000)

    def _take(self, code: int, _status: QProcess.ExitStatus) -> None:
        process, self._process = self._process, None
        if process is None or code != 0:
            return
        told = json.loads(bytes(process.readAllStandardOutput().data()))["pages"]
        for name, one in zip(self._wanted, told, strict=True):
            fill(name, one["text"])
        self.filled.emit()
