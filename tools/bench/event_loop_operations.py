"""What somebody does with a study of SHREC's size in the window, each under the watchdog.

`python -m tools.bench.event_loop_operations FOLDER [--explain] [--from NAME]` prints what `make bench` collects.
"""

import argparse
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.gui.annotate.segments_tab import SegmentsTab
from app.gui.benchmark.benchmark_page import TABS, BenchmarkPage
from app.gui.files.annotation_export import ExportWindow
from app.gui.files.annotation_import import ImportWindow
from app.gui.startup import make_application
from app.gui.study.dialogs import Dialogs
from app.gui.team.team_tab import TeamTab
from app.gui.window.application import GarbageCollector, ModulePreloader
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import MODES, VIEW_TABS, find_mode
from project.queries.recording_rows import all_recordings
from project.store.opening import sibling_path
from tools.bench.event_loop import COPIES, FULL, HOME, WHO, WITH_ANSWERS, WRITTEN
from tools.bench.watchdog import Block, Watchdog

W = TypeVar("W")
SETTLE_S, LONGEST_S = 0.3, 300.0


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that is done in the window.

    Attributes:
        do: starts it.
        done: whether it is over, beside what the window does in the background.
    """

    name: str
    do: Callable[[], object]
    done: Callable[[], bool] = lambda: True


class Answers(Dialogs):
    """Says where everything goes, and yes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(QWidget())
        self._out = folder / "out"
        self._out.mkdir(exist_ok=True)

    def folder(self, title: str) -> Path | None:
        return self._out

    def annotations(self, window: QWidget | None = None) -> list[Path]:
        return []

    def agree(self, *_args: object, **_how: object) -> bool:
        return True


class Bench:
    """The real window on copies of the studies."""

    def __init__(self, folder: Path, explain: bool) -> None:
        self.folder = folder
        make_application()
        self.window = MainWindow(Answers(folder))
        self.window.resize(1600, 1000)
        self.window.show()
        self.watchdog = Watchdog(explain)
        GarbageCollector(self.window.studio)
        warming = ModulePreloader(self.window)
        self.watch(Operation("start, with what is loaded after it", lambda: None, lambda: warming.done))

    def watch(self, operation: Operation) -> Block:
        """Do it, and wait until nothing is going on any more."""

        def done() -> bool:
            window = self.window
            busy = window.background.busy or window.jobs.busy or window.studio.apart.busy
            return operation.done() and not busy

        return self.watchdog.watch(operation.do, done, SETTLE_S, LONGEST_S)

    def fresh(self, name: str) -> Path:
        """Return a copy of a study that may be changed; what a bench left that was killed is no part of it."""
        path = self.folder / f"work-{name}"
        for ending in ("", "-wal", "-shm", "-journal"):
            sibling_path(path, ending).unlink(missing_ok=True)
        return Path(shutil.copyfile(self.folder / name, path))

    def open(self, name: str, told: str) -> Operation:
        """Open a study as the annotator whose segments it holds."""
        path = self.fresh(name)
        return Operation(f"open {told}", lambda: self.window.studio.open(path, WHO))

    def opened(self, key: str, kind: type[W]) -> W:
        """Return a window about the study that is open."""
        found = self.window.windows.open_window(key)
        assert isinstance(found, kind)
        return found

    def operations(self) -> Iterator[Operation]:
        """Yield what is done, in turn; each begins where the one before ended."""
        window = self.window
        yield self.open(FULL, "the study")
        recordings = all_recordings(window.studio.session.study)
        yield Operation("show a recording", lambda: window.choose_recording(recordings[3].id))
        yield Operation("show another recording", lambda: window.choose_recording(recordings[200].id))
        yield Operation("search recordings", lambda: window.recordings.search.setText("40"))
        yield Operation("clear that search", lambda: window.recordings.search.clear())
        for mode in MODES:
            yield Operation(f"mode {mode.name}", lambda mode=mode: window.set_mode(mode.key))
        for mode in MODES:
            yield Operation(f"mode {mode.name}, again", lambda mode=mode: window.set_mode(mode.key))
            again = recordings[100 + len(mode.key)].id
            yield Operation(f"another recording in {mode.name}", lambda again=again: window.choose_recording(again))
        window.set_mode("annotate")
        yield Operation("mark a segment", self._mark)
        yield Operation("undo it", window.studio.undo)
        for key in (tab.key for tab in VIEW_TABS if not find_mode(tab.key)):
            yield Operation(f"open window {key}", lambda key=key: window.windows.open_window(key))
            if key not in ("segments", "agreement", "team"):
                window.windows.open_window(key).window().close()
        segments = self.opened("segments", SegmentsTab)
        yield Operation("search all texts", lambda: QTest.keyClicks(segments.bar.search, "look"))
        yield Operation("clear the search", lambda: segments.bar.search.clear())
        yield Operation("select 5,000 segments", segments.view.selectAll)
        yield Operation("make all of them errors", lambda: segments.bulk_bar.label_chosen.emit("error"))
        yield Operation("undo that", window.studio.undo)
        yield Operation("delete all of them", lambda: segments.bulk_bar.delete_requested.emit())
        yield Operation("undo the deletion", window.studio.undo)
        yield Operation("copy the table as CSV", segments.copy)
        segments.window().close()
        yield from self._interchange()
        yield Operation("close the study", window.close_study)
        yield self.open(HOME, "a study to merge into")
        team = self.opened("team", TeamTab)
        yield Operation(f"merge two copies of {WRITTEN:,} segments", lambda: team.merge_files(self._copies()))
        yield Operation("undo the merge", window.studio.undo)
        yield Operation("close that study", window.close_study)
        yield self.open(WITH_ANSWERS, "a study with a benchmark, in its mode")
        yield from self._benchmark()
        window.close()

    def _interchange(self) -> Iterator[Operation]:
        window = self.window
        importing = self.opened("import_annotations", ImportWindow)
        yield Operation("read an ELAN file of 2,500 segments", lambda: importing.load(self.folder / "own.eaf"))
        yield Operation("import it", importing.accept)
        yield Operation("undo the import", window.studio.undo)
        exporting = self.opened("export_annotations", ExportWindow)
        yield Operation("export all recordings to ELAN", exporting.accept)

    def _benchmark(self) -> Iterator[Operation]:
        window = self.window
        window.set_mode("benchmark")
        page = window.pages.current_view()
        assert isinstance(page, BenchmarkPage)
        for tab in TABS:
            if tab != "Results":
                yield Operation(f"benchmark, {tab}", lambda tab=tab: page.tabs.setCurrentIndex(TABS.index(tab)))
        yield Operation("benchmark, figures of 1,620 answers", lambda: page.tabs.setCurrentIndex(TABS.index("Results")))
        yield Operation("report of the benchmark", lambda: window.windows.open_window("benchmark_report"))

    def _mark(self) -> None:
        self.window.studio.set_marks(1_000_000, 2_000_000)
        QTest.keyClick(self.window.timeline, Qt.Key.Key_A)

    def _copies(self) -> list[Path]:
        return [self.folder / name for name in COPIES]


def main() -> None:
    """Measure and print one JSON object: name -> block."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="first", default="", help="pass over what comes before this operation")
    parser.add_argument("--explain", action="store_true", help="also say where the time went")
    chosen = parser.parse_args()
    bench = Bench(chosen.folder, chosen.explain)
    found: dict[str, Block] = {}
    begun = False
    for operation in bench.operations():
        begun = begun or chosen.first in operation.name
        if not begun and operation.name != "open the study":
            continue
        if chosen.explain:
            print(f"-- {operation.name}", flush=True)
        found[operation.name] = bench.watch(operation)
        if not found[operation.name].ended:
            bench.window.jobs.cancel_all()
        if chosen.explain:
            block = found[operation.name]
            going_on = "" if block.ended else " (still going on)"
            print(f"{block.ms:7.0f} {block.processor_ms:7.0f}  {operation.name}{going_on}", flush=True)
            if block.ms > 50:
                print(f"                   {block.doing}", flush=True)
    if not chosen.explain:
        print(json.dumps({name: asdict(block) for name, block in found.items()}))
    QApplication.processEvents()
    os._exit(0)


if __name__ == "__main__":
    main()
