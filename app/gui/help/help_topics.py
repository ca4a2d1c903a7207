"""Maps each dialog to its documentation page; that of a view is in `page_registry`.

A process fills in the pages that are generated from the program.
"""

import json
import sys
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QObject, QProcess, Signal

from app.docs_browser.docs_pages import set_page_text, unfilled_pages

COMMAND = (sys.executable, "-m", "greenroom", "docs", "--json")


class ReferencePageLoader(QObject):
    """Asks once; where nothing comes back, the pages stay as they are and say which command shows the same.

    Signals:
        pages_filled: the pages have everything now.
    """

    pages_filled = Signal()

    def __init__(self, parent: QObject | None = None, command: Sequence[str] = COMMAND) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._process: QProcess | None = None
        self._wanted: list[str] = []

    @property
    def is_running(self) -> bool:
        """Whether an answer is awaited."""
        return self._process is not None

    def load(self) -> None:
        """Have the pages filled in, unless they are, or are about to be."""
        self._wanted = self._wanted if self.is_running else unfilled_pages()
        if self._wanted and self._process is None:
            # A dialog takes its help window with it, unasked: the process ends then, and not before Qt deletes it.
            self._process = QProcess(QCoreApplication.instance())
            self._process.finished.connect(self._process.deleteLater)
            self._process.finished.connect(self._on_finished)
            self.destroyed.connect(self._process.kill)
            program, *arguments = self._command
            self._process.start(program, [*arguments, *self._wanted])

    def close(self) -> None:
        """Stop, and wait until the process is gone."""
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._on_finished)
            process.kill()
            process.waitForFinished(2_000)

    def _on_finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        process, self._process = self._process, None
        if process is None or code != 0:
            return
        told = json.loads(bytes(process.readAllStandardOutput().data()))["pages"]
        for name, page in zip(self._wanted, told, strict=True):
            set_page_text(name, page["text"])
        self.pages_filled.emit()


START_PAGE = "index.md"
TUTORIAL_PAGE = "tutorial.md"
DIALOG_PAGES: Mapping[str, str] = {
    "ExportDialog": "anonymization.md#export",
    "ExportResult": "anonymization.md#the-check",
    "EntryDialog": "judges.md#setting-up",
    "PassphraseDialog": "encryption.md",
    "RecordingDialog": "views.md",
    "RecoverDialog": "backups.md#recovery",
    "SchemeEditor": "schemes.md#make-a-code-book",
    "ReportDialog": "backups.md#recovery",
    "InterruptedJobsDialog": "long-sessions.md#jobs-that-had-not-ended",
    "StartDialog": "annotating.md#beginning-a-study",
    "TranscribeDialog": "transcripts.md#recognising",
    "SplitDialog": "team.md#a-copy-for-an-annotator",
    "WithdrawalDialog": "withdrawal.md",
    "CueForm": "cues.md#adding-a-cue",
    "PersonForm": "judges.md#blind-first",
    "RawView": "judges.md#what-is-sent",
    "SentView": "judges.md#what-is-sent",
    "ShortcutEditor": "long-sessions.md#keys-of-your-own",
    "ShortcutSheet": "keyboard.md",
}
"""Class of a dialog -> page."""
