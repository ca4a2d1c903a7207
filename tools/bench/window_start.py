"""From starting the program to a window that answers, warm, on a screen that is not there."""

import statistics
import tempfile
from pathlib import Path

from tools.bench.measuring import seconds_to_window
from tools.bench.row import Row

REPEAT = 9

_START = """
import sys, time
from pathlib import Path
import app.cli.main
from project.session.gc_control import disable_automatic_collection as search_by_hand
search_by_hand()
from app.gui.startup import leave_sources_unread
leave_sources_unread()
from app.gui.startup import make_application
application = make_application()
from app.gui.window.main_window import MainWindow
window = MainWindow()
window.show()
application.processEvents()
print("usable", flush=True)
import os
os._exit(0)
"""


def run() -> list[Row]:
    """Measure from the start of the interpreter to the first events handled."""
    with tempfile.TemporaryDirectory() as folder:
        times = [seconds_to_window(Path(folder), _START) for _ in range(REPEAT + 1)]
    warm = statistics.median(times[1:])
    return [Row.judged("window usable after start, no model loaded", f"{warm:.2f} s", warm, "<= 1.0 s, warm")]
