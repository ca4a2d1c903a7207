"""Measures how long an event loop goes without coming round, and what it does meanwhile."""

import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QEventLoop, Qt, QTimer

_HERE = str(Path(__file__).parent)
BEAT_MS = 4
_SAMPLE_S = 0.005
_LATE_S = 0.03
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Block:
    """The longest times between two beats.

    Attributes:
        ms: on the clock.
        processor_ms: that the window's thread spent computing between two; another program that takes the processor
            away, or a thread that holds Python's lock, is in `ms` alone.
        ended: whether it was done in the time that it was given; its window was watched until then.
        doing: where the window's thread was seen most often meanwhile, outermost first; empty where nobody looked.
    """

    ms: float
    processor_ms: float
    ended: bool = True
    doing: str = ""


class Watchdog:
    """Beats in the event loop of the thread that makes it; between two beats nothing else can reach the window."""

    def __init__(self, explain: bool = False) -> None:
        self._timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._explain = explain
        self._seen: Counter[str] = Counter()
        self._last, self._cpu = time.perf_counter(), time.thread_time()
        self.longest = Block(0.0, 0.0)

    def watch(self, do: Callable[[], object], done: Callable[[], bool], settle_s: float, longest_s: float) -> Block:
        """Call `do` from the loop and let it run until `done`, and `settle_s` seconds more; returns the longest block.

        After `longest_s` seconds it is left, done or not.
        """
        loop, until = QEventLoop(), time.monotonic() + longest_s
        quiet = 0.0

        def look() -> None:
            nonlocal quiet
            now = time.monotonic()
            quiet = 0.0 if not done() else quiet or now
            if (quiet and now - quiet > settle_s) or now > until:
                loop.quit()

        looking = QTimer(interval=20)
        looking.timeout.connect(look)
        if self._explain:
            signal.signal(signal.SIGALRM, self._sample)
            signal.setitimer(signal.ITIMER_REAL, _SAMPLE_S, _SAMPLE_S)
        self.longest = Block(0.0, 0.0)
        self._last, self._cpu = time.perf_counter(), time.thread_time()
        self._timer.start()
        QTimer.singleShot(0, do)
        QTimer.singleShot(0, looking.start)
        loop.exec()
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._timer.stop()
        looking.stop()
        return replace(self.longest, ended=time.monotonic() <= until)

    def _beat(self) -> None:
        now, cpu = time.perf_counter(), time.thread_time()
        took, computed = 1000 * (now - self._last), 1000 * (cpu - self._cpu)
        longest, doing = self.longest, self._seen.most_common(1)[0][0] if self._seen else ""
        doing = doing if computed > longest.processor_ms else longest.doing
        self.longest = Block(max(took, longest.ms), max(computed, longest.processor_ms), doing=doing)
        self._seen = Counter()
        self._last, self._cpu = now, cpu

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        """Note where the window's thread is; a signal's handler runs in that thread, between two of its steps."""
        if time.perf_counter() - self._last < _LATE_S:
            return
        stack = []
        while frame is not None:
            if not frame.f_code.co_filename.startswith(_HERE):
                stack.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
            frame = frame.f_back
        self._seen[" > ".join(reversed(stack[:_DEEPEST]))] += 1
