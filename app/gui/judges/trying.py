"""Tries a judge in a worker process of its own, so that neither a slow server nor a crash holds the window up."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from app.core.jobs import Work
from app.core.judging.judges import trying
from app.gui.context import Context
from app.gui.worker_runner import WorkerRunner
from project.errors import UserError
from project.judging import JudgeEntry
from project.types import Json
from resources.translation import tr

Then = Callable[[str, bool], None]


class Trying(QObject):
    """One trial at a time; a new one takes the place of the one before it."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._then: Then | None = None
        self._runner = WorkerRunner(self, context.jobs.runner.command, grace_ms=500)
        self._runner.answer = self._answer
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(lambda _work, error: self._tell(str(error), failed=True))
        context.studio.leaving.connect(self.stop)

    def start(self, entry: JudgeEntry, key: str, then: Then) -> None:
        """Try a judge; `then` gets what was found, and whether it failed."""
        self.stop()
        self._then = then
        self._runner.submit(trying.prepare(entry, key))

    def stop(self) -> None:
        """Give up."""
        self._then = None
        self._runner.close()

    def _answer(self, work: Work, question: Mapping[str, Json]) -> dict[str, Json]:
        session = self._context.studio.session
        if session is None:
            raise UserError(tr("The study was closed meanwhile."), tr("Open it and try again."))
        return trying.answer(session, work, question)

    def _on_finished(self, _work: Work, result: Mapping[str, Json]) -> None:
        lines = result.get("lines")
        said = "\n".join(str(one) for one in lines) if isinstance(lines, list) else ""
        self._tell(said or tr("It answers."), failed=result.get("ok") is not True)

    def _tell(self, text: str, *, failed: bool) -> None:
        then, self._then = self._then, None
        if then is not None:
            then(text, failed)
