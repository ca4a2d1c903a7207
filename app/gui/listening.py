"""Some seconds of sound before and after, from a worker process of their own to libVLC."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from app.core.jobs import Work
from app.core.voice.choice import SoundChoice
from app.core.voice.preview import remove, sound_of
from app.gui.job_center import Result
from app.gui.vlc_engine import VlcEngine
from app.gui.worker_runner import WORKER, WorkerRunner
from project.errors import UserError
from project.timebase import format_time
from resources.translation import tr

_GRACE_MS = 400

Wanted = tuple[SoundChoice, int]


class Listening(QObject):
    """Makes both versions once for each choice and time, and plays the one that is asked for.

    Signals:
        said (str, str): how far it is, and which of both is heard; "" for none.
    """

    said = Signal(str, str)

    def __init__(
        self,
        prepare: Callable[[SoundChoice, int], Work],
        parent: QObject | None = None,
        command: Sequence[str] = WORKER,
        engine: Callable[[QObject], VlcEngine] = VlcEngine,
    ) -> None:
        """Wait.

        Args:
            prepare: makes the job for a choice and a time.
            parent: owns it.
            command: of the worker.
            engine: makes what plays.
        """
        super().__init__(parent)
        self._prepare, self._make_engine = prepare, engine
        self._runner = WorkerRunner(self, command, _GRACE_MS)
        self._engine: VlcEngine | None = None
        self._made: tuple[Wanted, Result] | None = None
        self._wanted: tuple[Wanted, str] | None = None
        self._current: Work | None = None
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(self._on_failed)
        self._runner.queue_changed.connect(self._start)

    def ask(self, which: str, choice: SoundChoice, time_us: int) -> None:
        """Let the sound before or after be heard around a time; be quiet with ""."""
        self.stop()
        if not which:
            return
        wanted = (choice, time_us)
        if self._made is not None and self._made[0] == wanted:
            self._play(which)
            return
        self._wanted = (wanted, which)
        self.said.emit(tr("Treating the sound…"), "")
        self._start()

    def stop(self) -> None:
        """Be quiet, and make nothing any more."""
        self._wanted = self._current = None
        if self._runner.running is not None:
            self._runner.cancel(self._runner.running)
        if self._engine is not None:
            self._engine.stop()
        self.said.emit("", "")

    def close(self) -> None:
        """Stop, free libVLC and take away what was made."""
        self.stop()
        self._runner.close()
        self._forget()
        if self._engine is not None:
            self._engine.release()
            self._engine = None

    def _start(self) -> None:
        if self._wanted is None or self._current is not None or self._runner.running is not None:
            return
        (choice, time_us), _ = self._wanted
        try:
            self._current = self._prepare(choice, time_us)
        except UserError as error:
            self._tell(error)
            return
        self._runner.submit(self._current)

    def _on_finished(self, work: Work, result: Result) -> None:
        if work is not self._current or self._wanted is None:
            remove(result)
            return
        self._forget()
        wanted, which = self._wanted
        self._made, self._wanted, self._current = (wanted, result), None, None
        self._play(which)

    def _on_failed(self, work: Work, error: UserError) -> None:
        if work is self._current:
            self._tell(error)

    def _tell(self, error: UserError) -> None:
        self._wanted = self._current = None
        self.said.emit(f"{error.message} {error.hint}".strip(), "")

    def _play(self, which: str) -> None:
        assert self._made is not None
        try:
            if self._engine is None:
                self._engine = self._make_engine(self)
                self._engine.ended.connect(self._on_ended)
        except UserError as error:
            self._tell(error)
            return
        self._engine.open(sound_of(self._made[1], which), 0, 0)
        self._engine.start(0, 1.0)
        start, end = (format_time(int(str(self._made[1][key]))) for key in ("start_us", "end_us"))
        self.said.emit(tr("{start} to {end}").format(start=start, end=end), which)

    def _on_ended(self) -> None:
        self.said.emit("", "")

    def _forget(self) -> None:
        if self._made is not None:
            remove(self._made[1])
            self._made = None
